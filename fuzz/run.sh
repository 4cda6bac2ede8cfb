#!/bin/bash
# Runs every fuzz target for some seconds, several at a time: run.sh BUILD SECONDS JOBS
# New inputs are kept in BUILD/corpus, findings in BUILD/findings. Fails if there are any.
set -euo pipefail
cd "$(dirname "$0")/.."
build=$1
seconds=$2
jobs=$3

mkdir -p "$build/findings" "$build/logs"
run_target() {
  local target=$1 build=$2 seconds=$3 name
  name=$(basename "$target" _fuzz)
  mkdir -p "$build/corpus/$name"
  if "$target" -max_total_time="$seconds" -timeout=10 -rss_limit_mb=1024 -print_final_stats=1 \
    -artifact_prefix="$build/findings/$name-" \
    "$build/corpus/$name" "fuzz/corpus/$name" test/data >"$build/logs/$name.log" 2>&1; then
    echo "$name: no findings, $(sed -n 's/^stat::number_of_executed_units: *//p' "$build/logs/$name.log") inputs"
  else
    echo "$name: FAILED, the end of $build/logs/$name.log:"
    tail -n 30 "$build/logs/$name.log"
    return 1
  fi
}
export -f run_target
printf '%s\0' "$build"/fuzz/*_fuzz |
  xargs -0 -P "$jobs" -I '{}' bash -c 'run_target "$@"' run_target '{}' "$build" "$seconds"
