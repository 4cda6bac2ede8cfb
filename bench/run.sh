#!/bin/bash
# Runs every benchmark of BUILD, then measures beside libtorch on the archive r212k: run.sh BUILD JOBS
set -euo pipefail
cd "$(dirname "$0")/.."
build=$1
jobs=$2
torch=build/bench

for program in "$build"/benchmarks/*_bench; do
  echo "== $(basename "$program")"
  "$program" --benchmark_counters_tabular=true
done

echo "== beside libtorch"
mkdir -p "$torch/r212k"
{
  cmake -S test/peer -B build/peer/libtorch -G Ninja
  cmake --build build/peer/libtorch --parallel "$jobs" --target handrail_peer_backend peer_graph
  cmake -S bench/peer -B "$torch" -G Ninja
  cmake --build "$torch" --parallel "$jobs"
} >"$torch/build.log"
if [[ ! -e $torch/r212k/r212k.ptl ]]; then
  test/peer/models/make.py r212k "$torch/r212k" \
    "$(find build/peer/libtorch -name 'libhandrail_peer_backend.so')" >"$torch/make.log"
fi
bench/beside_torch/table.py "$build/bin/handrail" "$build/benchmarks/handrail_side" \
  "$torch/torch_bench" "$torch/r212k/r212k.ptl" "$torch"

echo "== sizes"
mkdir -p "$torch/networks"
if [[ ! -e $torch/networks/distinct.hdm ]]; then
  test/peer/models/make.py vision_classification "$torch/networks" \
    "$(find build/peer/libtorch -name 'libhandrail_peer_backend.so')" >>"$torch/make.log"
  "$build/benchmarks/distinct_nodes" "$torch/networks/distinct.hdm"
fi
mapfile -t networks < <(find "$torch/networks" -name '*.ptl' ! -name '*.stripped.ptl' | sort)
bench/sizes/table.py "$build/bin/handrail" "$torch" "$torch/r212k/r212k.ptl" "${networks[@]}" \
  "$torch/networks/distinct.hdm"

echo "== loading and inlining beside libtorch"
bench/beside_torch/load_table.py "$build/benchmarks/load_side" build/peer/libtorch/peer_graph \
  "$torch/r212k/r212k.pt" "$torch"/networks/*.pt

echo "== the interpreter beside PyTorch's lite interpreter"
mkdir -p "$torch/interpreter"
bench/beside_torch/run_table.py "$build/benchmarks/run_side" "$torch/interpreter"

echo "== debug handles beside libtorch"
bench/beside_torch/handle_table.py "$build/benchmarks/handle_side" build/peer/libtorch/peer_graph \
  "$torch/r212k/r212k.pt" "$torch"/networks/*.pt
