#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# What recording by clones costs: kernels of bench/clones/kernels.c by gcc-12 and clang-19, native and cloned in turn, ns an access more
# (medians of rounds, geometric means over kernels; at least 0.001 ns each), with dead registers (bodies of parallel regions) and with
# few (serial functions). Limits: 0.3 and 1.8, and 16 bytes an access. The last column: how many times the native time it takes more when what
# is recorded is counted, too. Then what making clones costs.     bench/clones.sh [ROUNDS]
set -eu
cd "$(dirname "$0")/.."
export LD_LIBRARY_PATH="$(sh tests/reference_blas.sh)${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}"
build=${BUILD:-build}
rounds=${1:-9}
make -s BUILD="$build" "$build/lib/libmscore.a" "$build/lib/libmsanalysis.a" >&2
mkdir -p "$build/bench"
libs=$(sed -n 's/^CONFIG_CORE_LIBS := //p' "$build/config.mk")
for program in record make; do
	# shellcheck disable=SC2086
	${CC:-clang-19} -std=gnu11 -O2 -g -I. -Iinclude -o "$build/bench/clones-$program" bench/clones/$program.c \
		"$build/lib/libmscore.a" "$build/lib/libmsanalysis.a" $libs -ldl -lm -pthread
done

printf '%-34s %9s %10s %9s %8s %8s\n' kernel accesses native_ns more_ns bytes counted
for outlined in 1 0; do
	: > "$build/bench/clones.out"
	for compiler in "gcc-12 -O2" "gcc-12 -O3 -march=native" "clang-19 -O2" "clang-19 -O3 -march=native"; do
		$compiler -shared -fPIC -o "$build/bench/kernels.so" bench/clones/kernels.c
		timeout 600 "$build/bench/clones-record" "$build/bench/kernels.so" "$rounds" $outlined | tee -a "$build/bench/clones.out" |
			while read -r name accesses native more bytes times; do
				printf '%-34s %9s %10s %9s %8s %8s\n' "$name, $compiler" "$accesses" "$native" "$more" "$bytes" "$times"
			done
	done
	awk -v outlined=$outlined '{ n++; s += log($4 > 0.001 ? $4 : 0.001); times += log($6 > 0.1 ? $6 : 0.1); if ($4 > most) most = $4; if ($5 > bytes) bytes = $5 }
		END { mean = exp(s / n); limit = outlined ? 0.3 : 1.8
		      printf "%s registers: geometric mean %.3f ns, at most %.3f ns and %.1f bytes an access (%d kernels); counted, %.1f times the native time more\n",
			     outlined ? "dead" : "few", mean, most, bytes, n, exp(times / n)
		      exit n < 20 || bytes > 16 || (outlined ? mean : most) > limit }' "$build/bench/clones.out" || { echo "above the limit"; status=1; }
done

# Cloning: microseconds per KB, at most 80 for the median function of a library; and of all that one function calls, in one batch.
swim=""
for options in "-O0" "-O2" "-O3 -march=native"; do
	for compiler in gcc-12 clang-19 gfortran-12 flang-new-19; do
		source=bench/swim/swim.c
		case $compiler in gfortran* | flang*) source=bench/swim/swim.f ;; esac
		library=$build/bench/swim-$compiler$(echo "$options" | tr -d ' =').so
		# shellcheck disable=SC2086
		$compiler $options -shared -fPIC -fopenmp -o "$library" $source -lm 2> /dev/null && swim="$swim $library"
	done
done
# One function of some 190 KB with 1,500 loops: 100 KB are to take less than 50 ms.
awk 'BEGIN {
	print "double a[4096], b[4096];\nvoid large(int n)\n{"
	for (i = 0; i < 1500; i++)
		printf "for (int i = %d; i < n; i++) if (a[i] > %d) a[i + %d] += b[i] * a[n - i]; else b[i + 1] -= a[i] / %d.0;\n", i % 7, i, i % 5, i + 2
	print "}"
}' > "$build/bench/large.c"
gcc-12 -O1 -shared -fPIC -o "$build/bench/large.so" "$build/bench/large.c"
line=$("$build/bench/clones-make" "$build/bench/large.so")
echo "large function: $line"
echo "$line" | awk '{ for (i = 1; i < NF; i++) if ($i == "slowest") exit !($(i + 1) / $(i + 4) * 100 < 50000) }' || { echo "above the limit"; status=1; }

for what in libm.so.6 libblas.so.3 libgfortran.so.5 liblapack.so.3 $swim "liblapack.so.3 dgesvd_" "libgfortran.so.5 _gfortran_st_write"; do
	# shellcheck disable=SC2086
	if ! line=$("$build/bench/clones-make" $what); then
		echo "$what: not here"
		continue
	fi
	echo "$what: $line"
	echo "$line" | awk '{ for (i = 1; i < NF; i++) if ($i == "median" && $(i + 1) + 0 > 80) exit 1 }' || { echo "above the limit"; status=1; }
done
exit ${status:-0}
