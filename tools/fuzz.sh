#!/bin/sh
# tools/fuzz.sh FOLDER SECONDS: every libFuzzer program of the folder runs for a while, from the
# seeds of the repository and from what earlier runs found (kept in FOLDER/found). Prints a line
# each; a crash, a hang (10 s) or 2 GB of memory fails, with the input that did it.
set -eu
folder=$1
seconds=$2
root=$(cd "$(dirname "$0")/.." && pwd)
cores=$(getconf _NPROCESSORS_ONLN 2>/dev/null || echo 2)

if [ "${3-}" ]; then # one of them, called by xargs below
  name=$3
  for seeds in "$root"/fuzz/*/corpus/*; do
    area=$(basename "$(dirname "$(dirname "$seeds")")")
    [ "fuzz_${area}_$(basename "$seeds")" != "$name" ] || break
  done
  mkdir -p "$folder/found/$name" "$folder/crashes"
  log=$folder/$name.log
  if "$folder/$name" -max_total_time="$seconds" -timeout=10 -rss_limit_mb=2048 -max_len=65536 \
    -artifact_prefix="$folder/crashes/$name-" -print_final_stats=1 -verbosity=0 \
    "$folder/found/$name" "$seeds" >"$log" 2>&1; then
    printf '%-40s %10s inputs\n' "$name" \
      "$(sed -n 's/^stat::number_of_executed_units: *//p' "$log")"
  else
    printf '%-40s FAILED\n' "$name"
    tail -n 40 "$log" >&2
    exit 255 # stops xargs
  fi
  exit
fi

find "$folder" -maxdepth 1 -name 'fuzz_*' -perm -u+x -type f | sed 's,.*/,,' | sort |
  xargs -P "$cores" -n 1 "$0" "$folder" "$seconds"
