#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# How many candidates (property, region) a search over a record judges in a second of processor time, after each replayed execution: of the record of a
# program of 144 regions, in all of which everything is measured. At least 1 million when the values at hand decide or leave open a candidate in one
# evaluation, as most are; the second row has the evaluations of each batch for false ones, too.
#     BUILD=build ROUNDS=101 bench/judge.sh
set -eu
cd "$(dirname "$0")/.."
build=${BUILD:-build}
make -s BUILD="$build" all >&2
mkdir -p "$build/bench"
${CC:-clang-19} -std=gnu11 -O2 -g -I. -Iinclude -o "$build/bench/judge" bench/judge.c "$build/lib/libmsanalysis.a" -pthread -lm
clang-19 -O2 -g -fopenmp -o "$build/bench/many_regions" bench/search/many_regions.c -lm
trap 'rm -f "$build/bench/judge.ms" "$build/bench/judge.out"' EXIT
OMP_WAIT_POLICY=passive OMP_NUM_THREADS=2 "$build/bin/memsearch" run --quiet --measure all -o "$build/bench/judge.ms" -- "$build/bench/many_regions" 150 > "$build/bench/judge.out"
"$build/bench/judge" "$build/bench/judge.ms" properties "${ROUNDS:-101}" > "$build/bench/judge.out"
awk 'BEGIN { printf "%-26s %10s %6s %6s %8s %14s %20s\n", "", "candidates", "true", "false", "unknown", "candidates/s", "replayed execution" }
     { printf "%-26s %10d %6d %6d %8d %14d %17.3g ms\n", $1 == "first" ? "by one evaluation" : "with batches", $2, $3, $4, $5, $6, 1000 * $7 }
     $1 == "first" { rate = $6 }
     END { if (!(rate >= 1e6)) { printf "candidates/s: %d is below 1000000\n", rate; exit 1 } }' "$build/bench/judge.out"
