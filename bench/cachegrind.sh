#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# What the simulated PMU costs a data access beside cachegrind, on the same machine code (bench/cachegrind/kernels.c, without FMA, which valgrind emulates
# slowly): recorded by clones, counted by array and site and simulated as in a run, with prefetchers, L3, TLBs, coherence, classes of misses and use of lines; and that
# with one line in 8 looked at. ns of CPU time more than native, medians of rounds in which the two take turns; cachegrind's: with the kernel less without
# it; ratios are those of a round. Limit: cachegrind's time. With the caches that cachegrind has misses must be its own within 1 %, those that one line in 8
# estimates within 5 %. Prints the number of kernels within the limit. Exit status 1: a kernel exceeds it, or misses differ.
#     bench/cachegrind.sh [ROUNDS [KERNEL...]]         KERNELS_CC: the kernels' compiler and options
set -eu
cd "$(dirname "$0")/.."
build=${BUILD:-build}
rounds=${1:-5}
[ $# -eq 0 ] || shift
[ $# -ne 0 ] || set -- stencil heat product matrix resident triad sparse transpose starved blocked factor bodies filter fft paths
command -v valgrind > /dev/null || { echo "cachegrind.sh: needs valgrind" >&2; exit 2; }

make -s BUILD="$build" "$build/lib/libmscore.a" "$build/lib/libmsanalysis.a" >&2
out=$build/bench/cachegrind
mkdir -p "$out"
compiler=${CC:-clang-19}
libs=$(sed -n 's/^CONFIG_CORE_LIBS := //p' "$build/config.mk")
# shellcheck disable=SC2086
$compiler -std=gnu11 -O2 -g -I. -Iinclude -o "$out/simulate" bench/cachegrind/simulate.c "$build/lib/libmscore.a" "$build/lib/libmsanalysis.a" $libs -ldl -lm -pthread
${KERNELS_CC:-gcc-12 -O2} -mno-fma -shared -fPIC -I. -o "$out/kernels.so" bench/cachegrind/kernels.c
$compiler -O2 -I. -o "$out/run" bench/cachegrind/run.c "$out/kernels.so" -Wl,-rpath,"$(realpath "$out")"
$compiler -O2 -o "$out/timed" bench/timed.c
geometry=$("$out/simulate" geometry)

# As many times as are 20 million accesses, about.
times_of() {
	case $1 in
	stencil|resident) echo 10 ;;
	heat) echo 3 ;;
	product) echo 8 ;;
	sparse) echo 13 ;;
	matrix) echo 3 ;;
	triad) echo 25 ;;
	transpose) echo 8 ;;
	starved) echo 24 ;;
	blocked) echo 1 ;;
	factor) echo 6 ;;
	bodies) echo 30 ;;
	filter) echo 2 ;;
	fft) echo 17 ;;
	paths) echo 1 ;;
	esac
}

# Appends "CPU_NS REFS D1_MISSES LL_MISSES".
cachegrind() { # KERNEL TIMES
	rm -f "$out/time"
	"$out/timed" "$out/time" valgrind --tool=cachegrind --cache-sim=yes --cachegrind-out-file=/dev/null --log-file="$out/log" $geometry "$out/run" "$1" "$2"
	awk 'FNR == NR { cpu = $2; next } { gsub(",", "") } /D +refs:/ { refs = $4 } /D1 +misses:/ { d1 = $4 } /LLd misses:/ { ll = $4 }
	     END { printf "%s %s %s %s ", cpu, refs, d1, ll }' "$out/time" "$out/log"
}

: > "$out/rounds"
for round in $(seq "$rounds"); do
	for kernel; do
		times=$(times_of "$kernel")
		echo "$kernel $("$out/simulate" "$out/kernels.so" "$kernel" "$times") $(cachegrind "$kernel" 0) $(cachegrind "$kernel" "$times")" >> "$out/rounds"
	done
done

# KERNEL ACCESSES NATIVE EVERYTHING FEW D1 LL D1 LL   CPU REFS D1 LL   CPU REFS D1 LL
awk '
	function median(values, nr,    i, j, value) {
		for (i = 2; i <= nr; i++) {
			value = values[i]
			for (j = i - 1; j && values[j] > value; j--) values[j + 1] = values[j]
			values[j + 1] = value
		}
		return nr % 2 ? values[(nr + 1) / 2] : (values[nr / 2] + values[nr / 2 + 1]) / 2
	}
	function column(kernel, which,    values, i) {
		for (i = 1; i <= nr[kernel]; i++) values[i] = value[kernel, which, i]
		return median(values, nr[kernel])
	}
	# What the first time brings in counts for cachegrind alone.
	function unlike(a, b, by) { return a - b > by * a + 0.001 * refs || b - a > by * a + 0.001 * refs }
	{
		kernel = $1; i = ++nr[kernel]; refs = $15 - $11
		if (i == 1) order[++kernels] = kernel
		value[kernel, "theirs", i] = theirs = ($14 - $10) / refs - $3
		value[kernel, "everything", i] = $4; value[kernel, "few", i] = $5
		value[kernel, "everything ratio", i] = $4 / theirs; value[kernel, "few ratio", i] = $5 / theirs
		if (unlike(refs, $2, 0.01) || unlike($16 - $12, $6, 0.01) || unlike($17 - $13, $7, 0.01) || unlike($6, $8, 0.05) || unlike($7, $9, 0.05)) {
			printf "%s: cachegrind has %d accesses, %d and %d misses, the simulated PMU %d, %d and %d, set sampling 1:8 estimates %d and %d\n", kernel, refs, $16 - $12, $17 - $13, $2, $6, $7, $8, $9
			wrong = 1
		}
	}
	END {
		printf "%-10s %12s %12s %8s %12s %8s\n", "ns/access", "cachegrind", "everything", "ratio", "1 in 8", "ratio"
		for (k = 1; k <= kernels; k++) {
			kernel = order[k]
			everything = column(kernel, "everything ratio")
			printf "%-10s %12.2f %12.2f %8.2f %12.2f %8.2f\n", kernel, column(kernel, "theirs"), column(kernel, "everything"), everything,
				column(kernel, "few"), column(kernel, "few ratio")
			kept += everything <= 1
		}
		printf "within the limit: %d of %d kernels\n", kept, kernels
		wrong = wrong || kept < kernels
		exit wrong
	}' "$out/rounds"
