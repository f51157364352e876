#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# How much sampling slows a program down: paired ratios with / without, in turn, in one run; the
# median and its 95 % bounds by bootstrap (10,000 resamples).     bench/samples.sh [PAIRS]
set -eu
cd "$(dirname "$0")/.."
build=${BUILD:-build}
pairs=${1:-25}

make -s BUILD="$build" "$build/lib/libmscore.a" "$build/lib/libmsanalysis.a" >&2
mkdir -p "$build/bench"
${CC:-clang-19} -std=gnu11 -O2 -g -I. -Iinclude -o "$build/bench/samples" bench/samples.c \
	"$build/lib/libmscore.a" "$build/lib/libmsanalysis.a" -pthread -lm

ratio() {
	label=$1
	shift
	"$build/bench/samples" "$@" > "$build/bench/samples.out"
	awk -v label="$label" '
	function median(values, n,    i, j, t) {
		for (i = 2; i <= n; i++) {
			t = values[i]
			for (j = i - 1; j >= 1 && values[j] > t; j--)
				values[j + 1] = values[j]
			values[j + 1] = t
		}
		return n % 2 ? values[(n + 1) / 2] : (values[n / 2] + values[n / 2 + 1]) / 2
	}
	{ all[NR] = $2 / $1; off += $1; on += $2 }
	END {
		srand(1)
		for (b = 0; b < 10000; b++) {
			for (i = 1; i <= NR; i++)
				some[i] = all[int(rand() * NR) + 1]
			n[int(median(some, NR) * 1e4 + 0.5)]++
		}
		for (low = 0; seen + n[low] < 250; low++)
			seen += n[low]
		for (high = low; seen + n[high] < 9750; high++)
			seen += n[high]
		printf "%-34s median %.4f   95 %% bounds %.4f %.4f   %d pairs\n", label, median(all, NR), low / 1e4, high / 1e4, NR
	}' "$build/bench/samples.out"
}

for rate in 100 1000 4000; do
	ratio "CPU clock, $rate Hz" clock $rate "$pairs"
done
ratio "page faults, each one" faults "$pairs"
