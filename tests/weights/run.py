#!/usr/bin/env python3
"""Checkpoints of their real size, sparse on the disk: exact figures, and how long the program takes.

usage: run.py OPSCOPE FOLDER LIMIT_MS     (LIMIT_MS 0 = times are not judged)
"""

import json
import shutil
import struct
import subprocess
import sys
import time
from pathlib import Path

RUNS = 15  # the least counts: the limit is about the program, not about the machine's load


def llama_weights(hidden, layers, heads, kv_heads, inner, vocabulary):
    head = hidden // heads
    yield "model.embed_tokens.weight", [vocabulary, hidden]
    for i in range(layers):
        at = f"model.layers.{i}."
        yield at + "input_layernorm.weight", [hidden]
        yield at + "self_attn.q_proj.weight", [heads * head, hidden]
        yield at + "self_attn.k_proj.weight", [kv_heads * head, hidden]
        yield at + "self_attn.v_proj.weight", [kv_heads * head, hidden]
        yield at + "self_attn.o_proj.weight", [hidden, heads * head]
        yield at + "post_attention_layernorm.weight", [hidden]
        yield at + "mlp.gate_proj.weight", [inner, hidden]
        yield at + "mlp.up_proj.weight", [inner, hidden]
        yield at + "mlp.down_proj.weight", [hidden, inner]
    yield "model.norm.weight", [hidden]
    yield "lm_head.weight", [vocabulary, hidden]


def elements(shape):
    product = 1
    for dim in shape:
        product *= dim
    return product


def write_safetensors(path, weights, dtype):
    header, at = {"__metadata__": {"format": "pt"}}, 0
    for name, shape in weights:
        end = at + 2 * elements(shape)
        header[name] = {"dtype": dtype, "shape": shape, "data_offsets": [at, end]}
        at = end
    text = json.dumps(header).encode()
    text += b" " * (-len(text) % 8)
    with path.open("wb") as file:
        file.write(struct.pack("<Q", len(text)) + text)
        file.truncate(8 + len(text) + at)


def write_config(folder, hidden, layers, heads, kv_heads, inner, vocabulary):
    config = {
        "model_type": "llama",
        "hidden_size": hidden,
        "num_hidden_layers": layers,
        "num_attention_heads": heads,
        "num_key_value_heads": kv_heads,
        "intermediate_size": inner,
        "vocab_size": vocabulary,
        "hidden_act": "silu",
        "torch_dtype": "float16",
    }
    (folder / "config.json").write_text(json.dumps(config))


def write_checkpoint(folder, shards, **sizes):
    """A folder as hubs have it; returns the file to name."""
    folder.mkdir(parents=True)
    write_config(folder, **sizes)
    weights = list(llama_weights(**sizes))
    if shards == 1:
        write_safetensors(folder / "model.safetensors", weights, "F16")
        return folder / "model.safetensors"
    places = {}
    for i in range(shards):
        name = f"model-{i + 1:05}-of-{shards:05}.safetensors"
        part = weights[i::shards]
        write_safetensors(folder / name, part, "F16")
        places.update((weight, name) for weight, _ in part)
    index = folder / "model.safetensors.index.json"
    index.write_text(json.dumps({"metadata": {"total_size": 0}, "weight_map": places}))
    return index


# ggml's numbers of the types used here: (elements, bytes) of a block.
F32, Q4_K, Q6_K = 0, 12, 14
BLOCKS = {F32: (1, 4), Q4_K: (256, 144), Q6_K: (256, 210)}
GGUF_NAMES = [
    ("model.embed_tokens", "token_embd"), ("model.norm", "output_norm"), ("lm_head", "output"),
    ("model.layers.", "blk."), ("input_layernorm", "attn_norm"), ("self_attn.q_proj", "attn_q"),
    ("self_attn.k_proj", "attn_k"), ("self_attn.v_proj", "attn_v"),
    ("self_attn.o_proj", "attn_output"), ("post_attention_layernorm", "ffn_norm"),
    ("mlp.gate_proj", "ffn_gate"), ("mlp.up_proj", "ffn_up"), ("mlp.down_proj", "ffn_down"),
]


def text(value):
    raw = value.encode()
    return struct.pack("<Q", len(raw)) + raw


def write_gguf(path, hidden, layers, heads, kv_heads, inner, vocabulary):
    """With a tokenizer of its real size, which has to be walked over. Returns the bytes of weights."""
    pairs = [text("general.architecture") + struct.pack("<I", 8) + text("llama")]
    for key, value in (("block_count", layers), ("embedding_length", hidden),
                       ("attention.head_count", heads), ("attention.head_count_kv", kv_heads)):
        pairs.append(text("llama." + key) + struct.pack("<II", 4, value))
    tokens = b"".join(text(f"token {i}") for i in range(vocabulary))
    pairs.append(text("tokenizer.ggml.tokens") + struct.pack("<IIQ", 9, 8, vocabulary) + tokens)
    tensors, at = [], 0
    for name, shape in llama_weights(hidden, layers, heads, kv_heads, inner, vocabulary):
        for old, new in GGUF_NAMES:
            name = name.replace(old, new)
        kind = F32 if len(shape) == 1 else Q6_K if name.startswith("output") else Q4_K
        dims = struct.pack(f"<{len(shape)}Q", *reversed(shape))
        tensors.append(text(name) + struct.pack("<I", len(shape)) + dims +
                       struct.pack("<IQ", kind, at))
        per, size = BLOCKS[kind]
        at += elements(shape) // per * size
        at += -at % 32
    head = b"GGUF" + struct.pack("<IQQ", 3, len(tensors), len(pairs)) + b"".join(pairs + tensors)
    head += b"\0" * (-len(head) % 32)
    with path.open("wb") as file:
        file.write(head)
        file.truncate(len(head) + at)


def run(opscope, arguments):
    done = subprocess.run([opscope, *map(str, arguments)], stdin=subprocess.DEVNULL,
                          capture_output=True, text=True)
    if done.returncode:
        sys.exit(f"{' '.join(map(str, arguments))}: exit {done.returncode}\n{done.stderr}")
    return done.stdout


def milliseconds(opscope, model):
    best = float("inf")
    for _ in range(RUNS):
        begin = time.monotonic()
        run(opscope, ["inspect", model])
        best = min(best, 1000 * (time.monotonic() - begin))
    return best


def expect(what, got, want, faults):
    if got != want:
        faults.append(f"{what}: {got}, not {want}")


def check_figures(opscope, model, sequence, past, macs, parameters, cache, faults):
    bound = ["--bind", "batch=1", "--bind", f"sequence={sequence}", "--bind", f"past={past}"]
    report = json.loads(run(opscope, ["inspect", model, *bound, "--format", "json"]))
    totals = report["static"]["totals"]
    name = f"{model.parent.name}/{model.name}, {sequence} after {past}"
    expect(f"{name}: MACs", totals["macs"], macs, faults)
    expect(f"{name}: parameters", totals["parameters"], parameters, faults)
    expect(f"{name}: complete", totals["complete"], True, faults)
    per_token = report["static"]["llm"]["kv_cache"]["bytes_per_token"]
    expect(f"{name}: bytes of a token in the cache", per_token, cache, faults)


def main(opscope, folder, limit):
    shutil.rmtree(folder, ignore_errors=True)
    llama2 = dict(hidden=4096, layers=32, heads=32, kv_heads=32, inner=11008, vocabulary=32000)
    llama3 = dict(hidden=4096, layers=32, heads=32, kv_heads=8, inner=14336, vocabulary=128256)
    # 1.25 G weights of 2 bytes.
    small = dict(hidden=2048, layers=16, heads=32, kv_heads=8, inner=8192, vocabulary=64000)
    whole = write_checkpoint(folder / "llama2-7b", 1, **llama2)
    shards = write_checkpoint(folder / "llama3-8b", 4, **llama3)
    gguf = folder / "llama2-7b.gguf"
    write_gguf(gguf, **llama2)
    faults = []
    for model in (whole, gguf):
        check_figures(opscope, model, 128, 0, 850_000_871_424, 6_738_415_616, 524_288, faults)
        check_figures(opscope, model, 1, 1023, 6_875_512_832, 6_738_415_616, 524_288, faults)
    for model in (shards, shards.parent, shards.parent / "model-00003-of-00004.safetensors"):
        check_figures(opscope, model, 1024, 0, 7_959_648_141_312, 8_030_261_248, 131_072, faults)
    for model in (write_checkpoint(folder / "2.5GB", 1, **small), gguf):
        best = milliseconds(opscope, model)
        print(f"{model.name}, {model.stat().st_size / 1e9:.2f} GB: {best:.1f} ms")
        if 0 < limit < best:
            faults.append(f"{model}: {best:.1f} ms, at most {limit} are wanted")
    print("\n".join(faults) or "all figures as they should be")
    shutil.rmtree(folder, ignore_errors=True)
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], Path(sys.argv[2]), float(sys.argv[3])))
