#!/bin/bash
# Runs every benchmark of BUILD, then the comparison with libtorch: run.sh BUILD
set -euo pipefail
cd "$(dirname "$0")/.."
build=$1

for program in "$build"/benchmarks/*; do
  [[ -x $program ]] || continue
  echo "== $(basename "$program")"
  "$program" --benchmark_counters_tabular=true
done
bench/peer/run.sh "$build/bin/handrail" build/peer
