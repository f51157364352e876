#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Functions of the program that libc calls back are recorded to the access, and their code is as it was at any time.
# Runs beside others.
. "$(dirname "$0")/lib.sh"

"$memsearch" list sensors | grep -q '^accesses  *yes' || { echo "reason: no accesses can be recorded here"; echo "skip called_back"; exit 0; }
source=$root/tests/live/programs/sorted.c

sorted() {     # POLICY
	OMP_WAIT_POLICY=$1 timeout -k 1 120 "$memsearch" run --quiet --overhead 1000% -o "$scratch/it.ms" -- "$scratch/program" \
		> "$scratch/out" 2> "$scratch/errors" || wrong "status $?"
	cmp -s "$scratch/plain" "$scratch/out" || wrong "output changed: $(head -n 5 "$scratch/out")"
	"$memsearch" arrays --by line --all --most 0 --format csv "$scratch/it.ms" > "$scratch/lines"
	reads=$(sed 's/"[^"]*"//g' "$scratch/lines" | awk -F , '
		NR == 1 { for (i = 1; i <= NF; i++) column[$i] = i }
		$column["function"] == "by_key" && $column["array"] == "keys" { sum += $column["reads"] }
		END { print sum + 0 }')
	[ "$reads" = $((2 * comparisons)) ] || wrong "$reads reads of keys by $comparisons comparisons: $(cat "$scratch/lines")"
	awk 'NF == 2 { met = 1; if ($2) wrong = 1 } END { exit !met || wrong }' "$scratch/errors" ||
		wrong "the function's code changed: $(cat "$scratch/errors")"
}

for compiler in "$CC" gcc-12; do
	have $compiler || { echo "reason: no $compiler"; echo "skip called_back__$compiler"; continue; }
	$compiler -O2 -g -fopenmp -DCOUNTED -o "$scratch/counted" "$source" || exit 1
	$compiler -O2 -g -fopenmp -o "$scratch/program" "$source" || exit 1
	comparisons=$("$scratch/counted" 2>&1 > "$scratch/plain" | cut -d ' ' -f 1)
	[ "$comparisons" -gt 2048 ] || wrong "no comparisons"
	case $compiler in gcc*) policies=$(sample active "passive active") ;; *) policies=$(sample passive "passive active") ;; esac
	for policy in $policies; do
		again sorted $policy
		check "called_back__by_qsort_${compiler%-*}_$policy"
	done
	$compiler -O2 -g -fno-pie -no-pie -fopenmp -o "$scratch/program" "$source" || exit 1
	again sorted passive
	check "called_back__by_qsort_${compiler%-*}_at_a_fixed_place"
done
