#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# What an OpenMP construct of a gcc program costs on libgomp, with libomp in its place, and on libgomp with libmemsearch-gomp.so: nothing requested
# (none), times everywhere, whatever that costs (time).
#   BUILD=build OMP_NUM_THREADS=2 PAIRS=15 MILLISECONDS=2 MODES="libomp none time" bench/gomp.sh
# A: libgomp, B: the mode; the last column is nanoseconds per construct and thread.
set -eu
build=${BUILD:-build} pairs=${PAIRS:-15} milliseconds=${MILLISECONDS:-2} modes=${MODES:-libomp none time}
producer=$(realpath "$build/lib/libmemsearch-gomp.so") swap=$(realpath "$build/lib/memsearch/gomp")
export OMP_NUM_THREADS="${OMP_NUM_THREADS:-2}" MEMSEARCH_QUIET=1 LC_ALL=C
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
export MEMSEARCH_OUTPUT="$tmp/record.ms"
unset OMP_TOOL_LIBRARIES

gcc-12 -O2 -fopenmp -o "$tmp/constructs" bench/overhead/constructs.c -lm

run() {        # MODE
	case $1 in
	native) "$tmp/constructs" "$milliseconds" ;;
	libomp) LD_LIBRARY_PATH="$swap" "$tmp/constructs" "$milliseconds" ;;
	*) MEMSEARCH_MEASURE=$1 MEMSEARCH_OVERHEAD=10000% LD_PRELOAD=$producer "$tmp/constructs" "$milliseconds" ;;
	esac
}

. bench/overhead/compare.sh
compare native 1 "difference ns a construct"
