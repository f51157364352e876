#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# bench/swim: one checksum for C and Fortran, for every thread count, with and without the tool.
# Runs beside others.
set -u
BUILD=${BUILD:-build}
work=$BUILD/tests/swim
mkdir -p "$work" || exit 1

# NAME COMPILER SOURCE LIBRARIES
build() {
	command -v "$2" > /dev/null || { echo "skip swim__$1: no $2"; return 1; }
	"$2" -O2 -g -fopenmp "bench/swim/$3" -o "$work/$1" $4 > "$work/$1.log" 2>&1 ||
		{ cat "$work/$1.log"; echo "FAIL swim__$1: does not build"; return 1; }
}

# Sums of two programs may differ in rounding only.
same_numbers() {
	awk -v a="$1" -v b="$2" 'BEGIN {
		n = split(a, x, " "); m = split(b, y, " ")
		for (i = 1; i <= n; i++)
			if (x[i] != y[i] && (x[i] + 0 == 0 || (x[i] - y[i]) ^ 2 > (1e-8 * x[i]) ^ 2)) exit 1
		exit n != m || n < 3
	}'
}

first=
check() {      # NAME [PRELOAD: what has events of its runtime]
	one=$(OMP_NUM_THREADS=1 timeout 60 "$work/$1" 120 80) || { echo "FAIL swim__$1: exit $?"; return; }
	for threads in 2 3; do
		other=$(OMP_NUM_THREADS=$threads timeout 60 "$work/$1" 120 80)
		[ "$one" = "$other" ] || { echo "FAIL swim__$1: $threads threads: $other"; return; }
	done
	rm -f "$work/$1.ms"
	tooled=$(OMP_TOOL_LIBRARIES=$tool LD_PRELOAD=${2:-} MEMSEARCH_QUIET=1 MEMSEARCH_OUTPUT=$work/$1.ms OMP_NUM_THREADS=2 timeout 60 "$work/$1" 120 80)
	[ "$one" = "$tooled" ] || { echo "FAIL swim__$1: with the tool: $tooled"; return; }
	[ -s "$work/$1.ms" ] || { echo "FAIL swim__$1: no record"; return; }
	[ -n "$first" ] || first=$one
	same_numbers "$first" "$one" && echo "ok swim__$1" || echo "FAIL swim__$1: $one instead of $first"
}

tool=$(cd "$BUILD" && pwd)/lib/libmemsearch.so producer=$(cd "$BUILD" && pwd)/lib/libmemsearch-gomp.so
[ -e "$tool" ] || { echo "FAIL swim: no $tool"; exit 1; }
build c_clang clang-19 swim.c -lm && check c_clang
build c_gcc gcc swim.c -lm && check c_gcc "$producer"
build fortran_gfortran gfortran swim.f "" && check fortran_gfortran "$producer"
build fortran_flang flang-new-19 swim.f "" && check fortran_flang
