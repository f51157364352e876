#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# What clones record against what valgrind's lackey lists for the originals, instruction by instruction: functions that were made up, one
# instruction of each kind, kernels, libm. valgrind 3.19 knows no AVX-512: for that single steps stand alone (differential.sh). bench/witness.sh
# does it with many more.
# Runs beside others.
. "$(dirname "$0")/lib.sh"

leave() { echo "reason: $1"; echo "skip witness"; exit 0; }
"$memsearch" list sensors | grep -q '^accesses  *yes' || leave "no accesses can be recorded here"
programs=$BUILD/tests/differential
[ -x "$programs/witness" ] || leave "$programs/witness is not built"
have valgrind || leave "valgrind is not installed"
grep -qw avx2 /proc/cpuinfo || leave "the CPU has no AVX2"

# What is left was not compared, each with its reason.
judge() {      # ROWS FUNCTIONS_AT_LEAST LEFT_AT_MOST ACCESSES_AT_LEAST
	awk -F'\t' -v least="$2" -v most="$3" -v least_accesses="$4" '
		$1 == "differs" || $1 == "refused" { print; bad = 1 }
		{ nr[$1]++; accesses += $5 }
		$1 == "left" { why[$7]++ }
		END {
			printf "%d functions witnessed, %d left; %d accesses\n", nr["witnessed"], nr["left"], accesses
			for (reason in why) print "left: " why[reason] " " reason
			exit bad || nr["witnessed"] < least || nr["left"] > most || accesses < least_accesses
		}' "$scratch/$1" > "$scratch/said" || wrong "$(cat "$scratch/said"; head -n 5 "$scratch/errors")"
	echo "$1: $(grep witnessed, "$scratch/said")"
}

witness() {    # ROWS ARGUMENTS
	rows=$1; shift
	timeout 900 "$programs/witness" "$@" > "$scratch/$rows" 2>> "$scratch/errors"
}
witness libm -e 6 libm.so.6 &

number=0
while read -r compiler options; do
	have "$compiler" || continue
	number=$((number + 1))
	"$programs/generate" $((700 + number)) 36 > "$scratch/$number.c" || wrong "generate $number"
	$compiler $options -w -shared -fPIC -o "$scratch/made$number.so" "$scratch/$number.c" -lm 2>> "$scratch/errors" || wrong "$compiler $options"
done <<'END'
gcc-12 -O0
gcc-12 -O1 -fcf-protection
gcc-12 -O2 -march=x86-64-v2
gcc-12 -O3 -march=haswell
clang-19 -O0
clang-19 -O1 -fno-omit-frame-pointer
clang-19 -O2 -march=x86-64-v2 -fcf-protection
clang-19 -O3 -march=x86-64-v3
END
witness generated "$scratch"/made*.so
judge generated 350 12 50000
check witness__generated

# Left: what valgrind 3.19 cannot do (cmps without rep) or does wrong (rep lods reads once).
gcc -w -shared -fPIC -o "$scratch/kinds.so" tests/differential/kinds.c 2>> "$scratch/errors" || wrong "kinds.c"
witness kinds "$scratch/kinds.so"
judge kinds 61 2 300
check witness__kinds

for options in -O0 '-O2 -march=x86-64-v3'; do
	clang-19 $options -w -shared -fPIC -o "$scratch/kernels$options.so" bench/clones/kernels.c 2>> "$scratch/errors" || wrong "kernels.c"
done
witness kernels "$scratch"/kernels*.so
judge kernels 16 0 200000
check witness__kernels

wait
judge libm 120 20 10000
check witness__libm
