#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# What the simulated PMU costs an access, in ns of CPU time: with private caches alone, with all that can be modelled (L3, TLBs, classes,
# utilisation, prefetchers), and that with four threads; and each as a ratio of the first of the same way through memory.
# The least of some rounds.     bench/simulator.sh [ROUNDS]
set -eu
cd "$(dirname "$0")/.."
build=${BUILD:-build}
mkdir -p "$build/bench"
${CC:-clang-19} -std=gnu11 -O2 -g -I. -Iinclude -o "$build/bench/simulator" bench/simulator.c "$build/lib/libmscore.a" "$build/lib/libmsanalysis.a" -lm
"$build/bench/simulator" "${1:-5}" > "$build/bench/simulator.txt"
awk 'BEGIN { printf "%-16s %10s %10s %10s   %s\n", "ns an access", "L1, L2", "all", "all, 4", "ratios" }
     { printf "%-16s %10.2f %10.2f %10.2f   1 : %.1f : %.1f\n", $1, $2, $3, $4, $3 / $2, $4 / $2; nr++ }
     END { exit nr < 5 }' "$build/bench/simulator.txt"
