from typing import Callable, Dict, List, Optional, Tuple

__version__: str

_Progress = Optional[Callable[[str, int, int, Optional[int], Optional[float]], object]]

class ModelOptions:
    path: str
    as_: str
    bindings: Dict[str, int]
    shapes: Dict[str, List[int]]
    allow_external: bool
    hash: bool
    strict: bool
    full_paths: bool

class RunOptions:
    engine: str
    library: str
    providers: List[str]
    provider_libraries: List[str]
    custom_ops: List[str]
    config: List[str]
    threads: int
    level: str
    spinning: bool
    warmup: Optional[int]
    runs: Optional[int]
    seconds: Optional[float]
    seed: int
    inputs: str
    memory_limit_bytes: Optional[int]
    time_limit_seconds: Optional[float]

class AnalyzeRequest:
    model: ModelOptions
    run: RunOptions
    no_run: bool
    profiles: List[str]
    profile_as: str
    optimized_model: str
    keep_profile: str

class CompareRequest:
    a: ModelOptions
    b: ModelOptions

class ImportRequest:
    files: List[str]
    as_: str
    model: Optional[ModelOptions]
    optimized_model: str
    exports: List[str]
    window: str
    strict: bool
    full_paths: bool

class Surroundings:
    program_dir: str
    ort_library_env: str
    path_env: str
    ld_library_path: str
    current_dir: str
    temp_dir: str

class Document:
    def emit(self, format: str, lang: str = ..., top: int = ..., convention: str = ...) -> str: ...
    def save(self, path: str, lang: str = ..., top: int = ..., convention: str = ...) -> None: ...

class ExplainLine:
    what: str
    label: str
    text: str

class FormatRow:
    id: str
    kind: str
    title: str
    endings: str
    what: str

class EngineRow:
    id: str
    title: str
    state: str
    version: str
    library: str
    how_to_get: str
    providers: List[str]

def report_schema() -> str: ...
def read_report(text: str) -> Document: ...
def inspect(
    request: ModelOptions, surroundings: Surroundings, progress: _Progress = ...
) -> Document: ...
def analyze(
    request: AnalyzeRequest, surroundings: Surroundings, progress: _Progress = ...
) -> Tuple[Document, Optional[List[str]]]: ...
def compare(
    request: CompareRequest, surroundings: Surroundings, progress: _Progress = ...
) -> Document: ...
def import_profile(
    request: ImportRequest, surroundings: Surroundings, progress: _Progress = ...
) -> Document: ...
def explain_node(
    model: ModelOptions, node: str, lang: str, surroundings: Surroundings
) -> List[ExplainLine]: ...
def explain_topic(topic: str, lang: str) -> List[ExplainLine]: ...
def explain_convention(name: str) -> List[ExplainLine]: ...
def formats() -> List[FormatRow]: ...
def engines(library: str, surroundings: Surroundings) -> List[EngineRow]: ...
