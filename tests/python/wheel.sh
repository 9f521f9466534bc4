#!/bin/sh
# The wheel in an environment of its own: the module and the program inside it answer.
set -eu
root=$(cd "$(dirname "$0")/../.." && pwd)
"$root/dev" wheel
folder=$root/build/wheel-test
rm -rf "$folder"
python3 -m venv "$folder"
"$folder/bin/pip" install -q --no-index --no-deps "$(ls -t "$root"/build/wheels/opscope-*.whl | head -n 1)"
cd "$folder" # not the source tree
version=$("$folder/bin/python" -c 'import opscope; opscope.formats(); print(opscope.__version__)')
[ "$("$folder/bin/python" -m opscope --version)" = "opscope $version" ]
[ "$("$folder/bin/opscope" --version)" = "opscope $version" ]
"$folder/bin/opscope" engines >/dev/null
rm -rf "$folder"
echo "the wheel of opscope $version works"
