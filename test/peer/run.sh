#!/bin/sh
# Compares Handrail with Debian's PyTorch 1.13:  run.sh HANDRAIL_BINARY BUILD_FOLDER [OPTION...]
# Options are those of compare.py. What is built and made is kept in BUILD_FOLDER for the next run.
set -eu
if [ $# -lt 2 ]; then
  echo "usage: run.sh HANDRAIL_BINARY BUILD_FOLDER [OPTION...]" >&2
  exit 2
fi
here=$(cd "$(dirname "$0")" && pwd)
handrail=$1
build=$2
shift 2

log=$build/build.log
mkdir -p "$build"
{
  cmake -S "$here" -B "$build/libtorch" -G Ninja &&
    ninja -C "$build/libtorch" -j 2 peer_probe peer_graph handrail_peer_backend
} >"$log" 2>&1 || { cat "$log" >&2; exit 3; }
exec /usr/bin/python3 "$here/compare.py" "$handrail" "$build" "$@"
