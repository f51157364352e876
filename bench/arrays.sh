#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# What the table of arrays costs: ns per lookup of a random address, per removing and adding a random block, and per
# adding and removing 64 MiB; medians over rounds.     bench/arrays.sh [ROUNDS]
set -eu
cd "$(dirname "$0")/.."
build=${BUILD:-build}
rounds=${1:-9}

make -s BUILD="$build" "$build/lib/libmscore.a" "$build/lib/libmsanalysis.a" >&2
mkdir -p "$build/bench"
${CC:-clang-19} -std=gnu11 -O2 -g -I. -Iinclude -o "$build/bench/arrays" bench/arrays.c \
	"$build/lib/libmscore.a" "$build/lib/libmsanalysis.a" -pthread -lm

median() {     # COLUMN
	awk -v column="$1" '{ print $column }' "$build/bench/arrays.out" | sort -n | sed -n "$(((rounds + 1) / 2))p"
}

for blocks in 1000 100000 1000000; do
	for bytes in 64 4096; do
		"$build/bench/arrays" $blocks $bytes "$rounds" > "$build/bench/arrays.out"
		printf '%8d blocks of %4d bytes: lookup %6.1f ns   remove and add %6.1f ns   64 MiB %6.0f ns\n' \
			$blocks $bytes "$(median 1)" "$(median 2)" "$(median 3)"
	done
done
