#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Watchpoints confirm what recorded accesses found falsely shared, and nothing where each thread has lines of its own.
# Runs beside others.
. "$(dirname "$0")/lib.sh"

for sensor in accesses watchpoints; do
	"$memsearch" list sensors | grep -q "^$sensor  *yes" || { echo "reason: no $sensor here"; echo "skip watchpoints"; exit 0; }
done
export OMP_NUM_THREADS=2 OMP_DYNAMIC=false MEMSEARCH_OVERHEAD=100%

run() {        # KIND
	"$scratch/program" "$1" > "$scratch/plain"
	timeout -k 1 120 "$memsearch" run --quiet -o "$scratch/it.ms" -- "$scratch/program" "$1" > "$scratch/out" 2> "$scratch/errors" || wrong "status $?"
	cmp -s "$scratch/plain" "$scratch/out" || wrong "output changed: $(head -n 5 "$scratch/out" "$scratch/errors")"
	"$memsearch" report -v "$scratch/it.ms" | tr -s ' \n' ' ' > "$scratch/text"
	"$memsearch" report --tree "$scratch/it.ms" | tr -s ' \n' ' ' > "$scratch/tree"
}

confirmed() {
	run packed
	grep -q 'Confirmed by watchpoints: threads 0, 1 used different words of one cache line of packed in count_packed' "$scratch/text" ||
		wrong "not confirmed: $(cat "$scratch/tree")"
}

not_confirmed() {
	run padded
	grep -q ' no false sharing: threads write different parts of the same cache lines of an array' "$scratch/tree" || wrong "not asked: $(cat "$scratch/tree")"
	! grep -q 'Confirmed by watchpoints' "$scratch/text" || wrong "confirmed all the same"
}

$CC -O2 -g -fopenmp -o "$scratch/program" tests/live/programs/shared_lines.c || wrong "does not compile"
again confirmed
check watchpoints__packed
again not_confirmed
check watchpoints__padded
