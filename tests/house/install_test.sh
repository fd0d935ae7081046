#!/usr/bin/env bash
# Installs a build into a fresh prefix, moves the tree, and uses it as a stranger would: the command,
# find_package(Lares) and pkg-config.
#
# install_test.sh BUILD_DIR VERSION CC CXX GENERATOR
set -euo pipefail
build=$1 version=$2 cc=$3 cxx=$4 generator=$5
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

fail() {
  echo "install_test: $1" >&2
  exit 1
}

cmake --install "$build" --prefix "$scratch/first" >"$scratch/log" || fail "$(cat "$scratch/log")"
# An installed tree may be moved: nothing in it may know where it was.
mv "$scratch/first" "$scratch/moved"
prefix=$scratch/moved
unset LARES_SESSION LD_LIBRARY_PATH

for file in include/lares/lares.h share/lares/machines share/doc; do
  [[ -e $prefix/$file ]] || fail "'$file' was not installed"
done
libdir=$(dirname "$(find "$prefix" -name liblares.so)")
[[ -n $libdir ]] || fail "'liblares.so' was not installed"

expect() {
  [[ $2 == "$version $1" ]] || fail "a consumer printed '$2', wanted '$version $1'"
}

cmake -G "$generator" -S "$here/consumer" -B "$scratch/consumer" -DCMAKE_PREFIX_PATH="$prefix" \
  -DCMAKE_C_COMPILER="$cc" -DCMAKE_CXX_COMPILER="$cxx" >"$scratch/log" 2>&1 || fail "$(cat "$scratch/log")"
cmake --build "$scratch/consumer" >"$scratch/log" 2>&1 || fail "$(cat "$scratch/log")"
expect 0 "$("$scratch/consumer/consumer_c")"
expect 0 "$("$scratch/consumer/consumer_cxx")"

export PKG_CONFIG_PATH=$libdir/pkgconfig
[[ $(pkg-config --modversion lares) == "$version" ]] || fail "pkg-config tells another version"
read -ra flags <<<"$(pkg-config --cflags --libs lares)"
"$cc" "$here/consumer/consumer.c" "${flags[@]}" -Wl,-rpath,"$libdir" -o "$scratch/by_pkg_config"
expect 0 "$("$scratch/by_pkg_config")"

fortran=$(command -v gfortran-12 || command -v gfortran || true)
if [[ -n $fortran ]]; then
  "$fortran" -J "$scratch" "$(pkg-config --variable=includedir lares)/lares/lares.f90" "$here/consumer/consumer.f90" \
    "${flags[@]}" -Wl,-rpath,"$libdir" -o "$scratch/fortran" >"$scratch/log" 2>&1 || fail "$(cat "$scratch/log")"
  expect 0 "$("$scratch/fortran")"
fi

[[ -e $libdir/lares/liblares-openmp.so ]] || fail "'lares/liblares-openmp.so' was not installed"
[[ -e $libdir/lares/liblares-openmp-watched.so ]] || fail "'lares/liblares-openmp-watched.so' was not installed"
[[ -e $libdir/lares/liblares-openmp-loops.so ]] || fail "'lares/liblares-openmp-loops.so' was not installed"
[[ -e $libdir/lares/liblares-placement.so ]] || fail "'lares/liblares-placement.so' was not installed"
if [[ -e $build/lares-lab-init ]]; then
  [[ -x $libdir/lares/lares-lab-init ]] || fail "'lares/lares-lab-init' was not installed"
fi
if [[ -e $build/bench/load_balance-gcc ]]; then
  "$prefix/bin/lares" bench load-balance --sizes 0.001 --repeat 1 --format csv >"$scratch/log" 2>&1 ||
    fail "the installed command cannot run a benchmark: $(cat "$scratch/log")"
fi
if [[ -e $build/bench/nested_stream-gcc ]]; then # which finds liblares in the installed tree
  "$prefix/bin/lares" bench nested-stream --methods alone --sizes 0.1 --repeat 1 >"$scratch/log" 2>&1 ||
    fail "the installed command cannot run a nested benchmark: $(cat "$scratch/log")"
fi
"$prefix/bin/lares" topo >/dev/null || fail "the installed command cannot draw this machine"
"$prefix/bin/lares" topo --machine cxl >/dev/null || fail "the installed command finds no preset"
"$prefix/bin/lares" simulate jacobi:ni=60,nj=60 --machine cxl --seeds 1 >/dev/null ||
  fail "the installed command cannot simulate"
expect 1 "$("$prefix/bin/lares" run --quiet -- "$scratch/by_pkg_config")"
