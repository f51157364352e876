#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# What seeing allocations costs under `memsearch run` with its default options: ns of CPU time a pair of calls takes more than
# natively, least of alternating runs, for each size from 1 and 2 threads. Then small blocks with libmemsearch.so preloaded alone, and an exec of
# a shell.     bench/heap.sh [PAIRS [KINDS [SIZES]]]
set -eu
cd "$(dirname "$0")/.."
build=${BUILD:-build}
case $build in /*) ;; *) build=$(pwd)/$build ;; esac
pairs=${1:-5}
kinds=${2:-malloc calloc realloc aligned_alloc new}
sizes=${3:-16 64 256 512 1024 4096 16384 65536 163840 1048576 16777216}
mkdir -p "$build/bench"
${CC:-clang-19} -std=gnu11 -O2 -g -fno-builtin -fopenmp -o "$build/bench/heap" bench/heap.c -lstdc++
${CC:-clang-19} -std=gnu11 -O2 -g -o "$build/bench/paired" bench/paired.c -lm
tool=$build/lib/libmemsearch.so
heap=$build/bench/heap
record=$build/bench/heap.ms

native() { OMP_TOOL=disabled "$heap" "$@"; }
watched() { "$build/bin/memsearch" run --quick --output "$record" -- "$heap" "$@" 2> "$build/bench/heap.err" || cat "$build/bench/heap.err" >&2; }
preloaded() { LD_PRELOAD=$tool OMP_TOOL=disabled "$heap" "$@"; }

# calloc clears the block and realloc may copy it: fewer of the large ones
count_for() { # KIND BYTES
	case $1 in calloc|realloc) [ "$2" -gt 65536 ] && { echo 2000; return; } ;; esac
	echo 200000
}
table() {
	for kind in $kinds; do
		for bytes in $sizes; do
			printf '%-14s%9d B' "$kind" "$bytes"
			for threads in 1 2; do
				count=$(count_for "$kind" "$bytes")
				for i in $(seq "$pairs"); do
					echo "$(native $threads "$count" "$bytes" "$kind") $(watched $threads "$count" "$bytes" "$kind")"
				done | awk -v pairs="$((threads * count))" -v threads="$threads" '
					NR == 1 || $1 < native { native = $1 }
					NR == 1 || $2 < watched { watched = $2 }
					END { printf "   %d thread%s %7.1f ns more than %7.1f", threads, (threads > 1 ? "s" : " "), (watched - native) / pairs, native / pairs }'
			done
			echo
		done
	done
}
table

# CPU time of 300 shells that do nothing, in ns: user and system as `times` has them
shells() { sh -c 'i=0; while [ $i -lt 300 ]; do sh -c :; i=$((i + 1)); done; times' | tail -n 1 | awk '{ split($1, u, /[ms]/); split($2, s, /[ms]/); printf "%.0f\n", 1e9 * (60 * (u[1] + s[1]) + u[2] + s[2]) }'; }
preloaded_shells() { LD_PRELOAD=$tool shells; }
for i in $(seq "$pairs"); do
	echo "malloc_free_48_preloaded $(native 2 10000000 48) $(preloaded 2 10000000 48) 2e7"
	echo "exec_of_a_shell $(shells) $(preloaded_shells) 300"
done | "$build/bench/paired"
