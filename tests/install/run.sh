#!/bin/sh
# Installs the build into an empty prefix, then uses it as others would: the program from another
# folder, the library by find_package and as a subdirectory of another project.
set -eu
root=$(cd "$(dirname "$0")/../.." && pwd)
prefix=$root/build/install-test
consumer=$root/tests/install/consumer
rm -rf "$prefix"

cmake --install "$root/build" --prefix "$prefix/usr" >/dev/null
cd /
"$prefix/usr/bin/opscope" --version
"$prefix/usr/bin/opscope" engines

for way in package subdirectory; do
  echo "-- $way"
  cmake --no-warn-unused-cli -S "$consumer" -B "$prefix/$way" -G Ninja -DCMAKE_BUILD_TYPE=Release -DWAY=$way \
    -DCMAKE_PREFIX_PATH="$prefix/usr" -DOPSCOPE_SOURCE="$root" >"$prefix/$way.log" || {
    cat "$prefix/$way.log"
    exit 1
  }
  [ $way = subdirectory ] || {
    ninja -C "$prefix/$way" --quiet
    "$prefix/$way/consumer"
  }
done
