#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# What the simulated PMU costs a data access beside cachegrind, on the same machine code (bench/cachegrind/kernels.c, without FMA, which valgrind emulates
# slowly) and the same caches: recorded by clones, counted by array and site and simulated with private caches, and with L3, TLBs, coherence, classes
# of misses and use of lines, too; and that with one line in 8 looked at. ns of CPU time more than native, medians of rounds in which the three take turns; cachegrind's: with the kernel less without
# it; ratios are those of a round. Limits: 0.25 of cachegrind's, 0.65 where registers are scarce, 1 with everything; misses must be cachegrind's
# within 1 %, those that one line in 8 tells of within 5 %. On how many kernels limits are kept is counted; it fails where one is not.
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

# KERNEL ACCESSES NATIVE PRIVATE EVERYTHING FEW D1 LL D1 LL   CPU REFS D1 LL   CPU REFS D1 LL
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
		kernel = $1; i = ++nr[kernel]; refs = $16 - $12
		if (i == 1) order[++kernels] = kernel
		value[kernel, "theirs", i] = theirs = ($15 - $11) / refs - $3
		value[kernel, "private", i] = $4; value[kernel, "everything", i] = $5; value[kernel, "few", i] = $6
		value[kernel, "private ratio", i] = $4 / theirs; value[kernel, "everything ratio", i] = $5 / theirs; value[kernel, "few ratio", i] = $6 / theirs
		if (unlike(refs, $2, 0.01) || unlike($17 - $13, $7, 0.01) || unlike($18 - $14, $8, 0.01) || unlike($7, $9, 0.05) || unlike($8, $10, 0.05)) {
			printf "%s: cachegrind has %d accesses, %d and %d misses, the simulated PMU %d, %d and %d, one line in 8 tells of %d and %d\n", kernel, refs, $17 - $13, $18 - $14, $2, $7, $8, $9, $10
			wrong = 1
		}
	}
	END {
		printf "%-10s %12s %12s %8s %7s %12s %8s %12s %8s %7s\n", "ns/access", "cachegrind", "L1, L2", "ratio", "limit", "everything", "ratio", "1 in 8", "ratio", "limit"
		for (k = 1; k <= kernels; k++) {
			kernel = order[k]; limit = kernel == "starved" ? 0.65 : 0.25
			private = column(kernel, "private ratio"); everything = column(kernel, "everything ratio")
			printf "%-10s %12.2f %12.2f %8.2f %7.2f %12.2f %8.2f %12.2f %8.2f %7.2f\n", kernel, column(kernel, "theirs"), column(kernel, "private"), private, limit,
				column(kernel, "everything"), everything, column(kernel, "few"), column(kernel, "few ratio"), 1
			kept_private += private <= limit
			kept_everything += everything <= 1
		}
		printf "within the limit: L1, L2 on %d, everything on %d of %d kernels\n", kept_private, kept_everything, kernels
		wrong = wrong || kept_private < kernels || kept_everything < kernels
		exit wrong
	}' "$out/rounds"
