#!/bin/bash
# Installs BUILD under a fresh prefix, moves the prefix, and uses it as others would:
#   check_install.sh BUILD SOURCE SCRATCH VERSION CXX FLAGS
# FLAGS are those that the library was built with and that its users must share (sanitizers).
set -euo pipefail
build=$1 source=$2 scratch=$3 version=$4 cxx=$5 flags=$6

rm -rf "$scratch"
mkdir -p "$scratch"
trap 'tail -n 40 "$scratch"/*.log >&2' ERR
cmake --install "$build" --prefix "$scratch/first" >"$scratch/install.log"
# Nothing that is installed may know where it was first.
mv "$scratch/first" "$scratch/prefix"
prefix=$scratch/prefix

expect_consumer() {
  local output
  output=$("$1")
  [[ $output == aten::add ]] || { echo "$1 printed '$output', expected 'aten::add'" >&2; exit 1; }
}

echo "the tool runs"
"$prefix/bin/handrail" --version | grep -qxF "handrail $version"

echo "find_package: both targets"
cmake -S "$source/test/install/consumer" -B "$scratch/build" -G Ninja \
  -DCMAKE_PREFIX_PATH="$prefix" -DHANDRAIL_VERSION="$version" \
  -DCMAKE_CXX_COMPILER="$cxx" -DCMAKE_CXX_FLAGS="$flags" >"$scratch/configure.log"
cmake --build "$scratch/build" >"$scratch/build.log"
expect_consumer "$scratch/build/reading"
expect_consumer "$scratch/build/everything"
trace=$(cd "$scratch" && build/embedding)
[[ $trace == *'line 4, in <unknown>'*'self.a(x)'*'line 2, in forward'*'x + 1'* ]] ||
  { echo "embedding printed '$trace'" >&2; exit 1; }
operators=$("$scratch/build/graph")
[[ $operators == $'aten::sub by a call\naten::add' ]] ||
  { echo "graph printed '$operators'" >&2; exit 1; }

echo "pkg-config: both packages"
export PKG_CONFIG_PATH
PKG_CONFIG_PATH=$(dirname "$(find "$prefix" -name handrail.pc)")
for package in handrail-symbolize handrail; do
  [[ $(pkg-config --modversion "$package") == "$version" ]]
  # Unquoted: each is a list of arguments.
  "$cxx" $flags $(pkg-config --cflags "$package") "$source/test/install/consumer/consumer.cc" \
    -o "$scratch/$package" $(pkg-config --libs "$package")
  expect_consumer "$scratch/$package"
done

echo "every installed header stands alone"
(cd "$prefix/include" && find handrail -name '*.h') |
  xargs -P 2 -I '{}' bash -c 'echo "#include \"{}\"" |
    "$1" -std=c++20 -fsyntax-only -Wall -Wextra -Werror -I"$2" -x c++ -' check "$cxx" "$prefix/include"
