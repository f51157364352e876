#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Functions that were made up, compiled in several ways, and functions of libraries: clones do what originals do, and what they record is
# what steps through the original find. bench/differential.sh does it with many more.
# Runs beside others.
. "$(dirname "$0")/lib.sh"

"$memsearch" list sensors | grep -q '^accesses  *yes' || { echo "reason: no accesses can be recorded here"; echo "skip differential"; exit 0; }
programs=$BUILD/tests/differential
[ -x "$programs/differ" ] || { echo "reason: $programs/differ is not built"; echo "skip differential"; exit 0; }

# Nothing may differ, and few may end in a fault or not at all, which compares little.
judge() {      # AT_LEAST FAULTS_AT_MOST
	awk -F'\t' -v least="$1" -v faults="$2" '
		$1 == "differs" || $1 == "refused" || $1 == "partly" { print; bad = 1 }
		{ nr[$1]++; seen[$2]; accesses += $5 }
		END {
			for (code in seen) distinct++
			printf "%d functions, %d same, %d fault, %d left; %d accesses\n", distinct, nr["same"], nr["fault"], nr["left"], accesses
			exit bad || distinct < least || nr["fault"] + nr["left"] > faults || accesses < 20 * least
		}' "$scratch/rows" > "$scratch/said" || wrong "$(cat "$scratch/said"; head -n 5 "$scratch/errors")"
}

number=0
while read -r compiler options; do
	have "$compiler" && { [ -n "${WHOLE:-}" ] || [ "$options" != "${options#-O1}" ] || [ "$options" != "${options#-O3}" ]; } || continue
	number=$((number + 1))
	"$programs/generate" $number 20 > "$scratch/$number.c" || wrong "generate $number"
	$compiler $options -w -shared -fPIC -o "$scratch/$number.so" "$scratch/$number.c" -lm > "$scratch/log" 2>&1 || rm -f "$scratch/$number.so"
done <<'END'
gcc-12 -O0
gcc-12 -O1 -fcf-protection
gcc-12 -O2
gcc-12 -O3 -march=x86-64-v3
gcc-12 -O3 -march=native -fno-omit-frame-pointer
clang-19 -O0
clang-19 -O1
clang-19 -O2 -march=x86-64-v2 -fcf-protection
clang-19 -O3 -march=x86-64-v3
clang-19 -O3 -march=native
END
timeout 600 "$programs/differ" "$scratch"/*.so > "$scratch/rows" 2> "$scratch/errors"
judge "$(sample 120 210)" 12
check differential__generated

timeout 600 "$programs/differ" -e 16 libm.so.6 > "$scratch/rows" 2> "$scratch/errors"
judge 50 6
check differential__libm

# BLAS and LAPACK with what they take, and callers of them whose answers are known; whatever they call is cloned, too. All must come to their ends.
typed() {      # LIBRARY PATTERN NR
	timeout 600 "$programs/differ" -f "$2" "$1" > "$scratch/rows" 2> "$scratch/errors"
	awk -F'\t' -v want="$3" '$1 != "same" || $5 < 50 { print; bad = 1 } END { if (bad || NR != want) { print NR " functions, not " want; exit 1 } }' \
		"$scratch/rows" > "$scratch/said" || wrong "$(cat "$scratch/said"; head -n 5 "$scratch/errors")"
}
if echo 'int main(void) { return 0; }' | gcc -x c - -o "$scratch/linked" -Wl,--no-as-needed -llapack -lblas 2> "$scratch/errors"; then
	LD_LIBRARY_PATH=$(sh tests/reference_blas.sh)${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}
	export LD_LIBRARY_PATH
	gcc -O2 -I. -w -shared -fPIC -o "$scratch/solve.so" tests/differential/solve.c -llapack -lblas -lm || wrong "solve.c"
	typed "$scratch/solve.so" 'd*_of_known' 7
	[ -z "${WHOLE:-}" ] || typed "$scratch/solve.so" 'c*sv_of_known' 2
	typed "$scratch/solve.so" 'z*sv_of_known' 2
	check differential__solved
	typed libblas.so.3 "[sdcz][gt][er][ms][mv]_" 24
	typed liblapack.so.3 '[sdcz][gp][eo][qt]rf_' 12
	check differential__blas_and_lapack
else
	echo "reason: no BLAS and LAPACK to link with"
	echo "skip differential__solved"
	echo "skip differential__blas_and_lapack"
fi
