#!/bin/sh
# run.sh PYTHON: the tests of opscope.torch, where that Python has torch; 77 = skipped.
"$1" -B -c "import torch, pytest" 2>/dev/null || {
  echo "skipped: torch or pytest is missing in $1; ./dev test --torch installs them below build/"
  exit 77
}
exec "$1" -B -m pytest -q -p no:cacheprovider "$(dirname "$0")"
