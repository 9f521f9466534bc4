"""`python -m opscope`: the program itself."""

from __future__ import annotations

import os
import sys


def main() -> None:
    """Becomes the program `opscope` of this package: same arguments, output and exit codes."""
    program = os.path.join(os.path.dirname(os.path.abspath(__file__)), "bin", "opscope")
    # The engine's library is looked for beside the Python in use.
    folder = os.path.dirname(sys.executable)
    os.environ["PATH"] = folder + os.pathsep + os.environ.get("PATH", "")
    try:
        os.execv(program, [program, *sys.argv[1:]])
    except OSError as failed:
        sys.exit(f"opscope: the program of the package cannot be started: {failed}")


if __name__ == "__main__":
    main()
