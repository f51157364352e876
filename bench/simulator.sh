#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# What the simulated PMU costs an access, in ns of CPU time: as in a run, with all that can be modelled (L3, TLBs, classes,
# utilisation, prefetchers), that with four threads, and that with one thread and one line in 8 looked at; and each as a ratio of the first of the same way
# through memory. Then what one line in 8 says, as a ratio to what all of them say.
# The least of some rounds.     bench/simulator.sh [ROUNDS]
set -eu
cd "$(dirname "$0")/.."
build=${BUILD:-build}
mkdir -p "$build/bench"
${CC:-clang-19} -std=gnu11 -O2 -g -I. -Iinclude -o "$build/bench/simulator" bench/simulator.c "$build/lib/libmscore.a" "$build/lib/libmsanalysis.a" -lm
"$build/bench/simulator" "${1:-5}" > "$build/bench/simulator.txt"
awk 'BEGIN { printf "%-16s %8s %8s %8s   %-15s %s\n", "ns an access", "all", "all, 4", "1 in 8", "ratios", "told by 1 in 8: L1, L2 misses, from memory, cycles" }
     { printf "%-16s %8.2f %8.2f %8.2f   1 : %4.1f : %4.1f   %.3f %.3f %.3f %.3f\n", $1, $2, $3, $4, $3 / $2, $4 / $2, $5, $6, $7, $8; nr++ }
     END { exit nr < 5 }' "$build/bench/simulator.txt"
