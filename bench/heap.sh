#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# What seeing allocations costs: 4 threads, each with 10 million malloc and free of 64 bytes, natively and with libmemsearch.so preloaded
# (at most 1.10 times), then under the whole tool; blocks that are kept, in ns a pair of calls; and an exec of a shell. CPU
# time, medians of alternating pairs.     bench/heap.sh [PAIRS]
set -eu
cd "$(dirname "$0")/.."
build=${BUILD:-build}
case $build in /*) ;; *) build=$(pwd)/$build ;; esac
pairs=${1:-15}
mkdir -p "$build/bench"
${CC:-clang-19} -std=gnu11 -O2 -g -fno-builtin -fopenmp -o "$build/bench/heap" bench/heap.c
${CC:-clang-19} -std=gnu11 -O2 -g -o "$build/bench/paired" bench/paired.c -lm
tool=$build/lib/libmemsearch.so
heap=$build/bench/heap
record=$build/bench/heap.ms

preloaded() { LD_PRELOAD=$tool OMP_TOOL=disabled "$heap" "$@"; }
watched() { LD_PRELOAD=$tool OMP_TOOL_LIBRARIES=$tool MEMSEARCH_QUIET=1 MEMSEARCH_OUTPUT=$record "$heap" "$@"; }
native() { OMP_TOOL=disabled "$heap" "$@"; }
# CPU time of 300 shells that do nothing, in ns: user and system as `times` has them
shells() { sh -c 'i=0; while [ $i -lt 300 ]; do sh -c :; i=$((i + 1)); done; times' | tail -n 1 | awk '{ split($1, u, /[ms]/); split($2, s, /[ms]/); printf "%.0f\n", 1e9 * (60 * (u[1] + s[1]) + u[2] + s[2]) }'; }
preloaded_shells() { LD_PRELOAD=$tool shells; }

small() { for i in $(seq "$pairs"); do echo "malloc_free_64_preloaded $(native 4 10000000 64) $(preloaded 4 10000000 64) 4e7"; done; }
others() {
	for i in $(seq "$pairs"); do
		echo "malloc_free_64_watched $(native 4 2000000 64) $(watched 4 2000000 64) 8e6"
		echo "malloc_free_8_KiB_1_thread $(native 1 200000 8192) $(watched 1 200000 8192) 2e5"
		echo "malloc_free_8_KiB_4_threads $(native 4 50000 8192) $(watched 4 50000 8192) 2e5"
		echo "malloc_free_1_MiB $(native 1 20000 1048576) $(watched 1 20000 1048576) 2e4"
		echo "exec_of_a_shell $(shells) $(preloaded_shells) 300"
	done
}
others | "$build/bench/paired"
small > "$build/bench/heap.pairs"
"$build/bench/paired" < "$build/bench/heap.pairs"
awk '{ print $3 / $2 }' "$build/bench/heap.pairs" | sort -n | awk '{ v[NR] = $1 } END { m = v[int((NR + 1) / 2)]; printf "ratio %.3f\n", m; exit !(m <= 1.10) }'
