#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# How long it takes to write and read the record of 10,000 regions, 256 threads and 2 metrics; medians of
# processor time in ROUNDS rounds, which must be below 1 s and 0.6 s.     bench/record.sh [ROUNDS]
set -eu
cd "$(dirname "$0")/.."
build=${BUILD:-build}
make -s BUILD="$build" "$build/lib/libmsanalysis.a" >&2
mkdir -p "$build/bench"
${CC:-clang-19} -std=gnu11 -O2 -g -I. -Iinclude -o "$build/bench/record" bench/record.c "$build/lib/libmsanalysis.a" -pthread -lm
cd "$build/bench"
./record 10000 256 "${1:-7}" > record.out
median() { cut -d' ' -f"$1" record.out | sort -n | awk '{ v[NR] = $1 } END { print v[int((NR + 1) / 2)] }'; }
echo "write $(median 1) s, read $(median 2) s, $(median 3) bytes (5,120,000 measurements)"
awk -v write="$(median 1)" -v read="$(median 2)" 'BEGIN { exit !(write < 1 && read < 0.6) }'
