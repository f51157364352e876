#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# What reading machine code costs: instructions, graph and liveness, microseconds of CPU time per KB over whole libraries.
# Wanted: instructions and graph of a 100 KB function in 10 ms, all three in 15 ms (cloning it may take 50 ms).     bench/code.sh
set -eu
cd "$(dirname "$0")/.."
export LD_LIBRARY_PATH="$(sh tests/reference_blas.sh)${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}"
build=${BUILD:-build}

make -s BUILD="$build" "$build/lib/libmscore.a" "$build/lib/libmsanalysis.a" >&2
mkdir -p "$build/bench"
libs=$(sed -n 's/^CONFIG_CORE_LIBS := //p' "$build/config.mk")
# shellcheck disable=SC2086
${CC:-clang-19} -std=gnu11 -O2 -g -I. -Iinclude -o "$build/bench/code" bench/code.c \
	"$build/lib/libmscore.a" "$build/lib/libmsanalysis.a" $libs -pthread -ldl -lm

: > "$build/bench/code.out"
for library in libm.so.6:sin libc.so.6:qsort libgfortran.so.5:_gfortran_st_write liblapack.so.3:dgesv_; do
	status=0
	timeout 120 "$build/bench/code" "${library%:*}" "${library#*:}" >> "$build/bench/code.out" || status=$?
	[ $status -eq 0 ] || [ $status -eq 77 ] || exit 1
done
[ -s "$build/bench/code.out" ] || { echo "no library was read"; exit 1; }
awk '
{ printf "%-18s %-16s %8s %s%s\n", $1, $2, $3, $4, $5 ? " " $5 : "" }
$2 == "instructions" || $2 == "graph" { sum[$1] += $3 }
$2 == "large_function" && $3 > 15 { print "100 KB take more than 15 ms"; bad = 1 }
END {
	for (library in sum)
		if (sum[library] > 100) { print library ": instructions and graph take more than 100 us/KB"; bad = 1 }
	exit bad
}' "$build/bench/code.out"
