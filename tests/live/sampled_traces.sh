#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Beyond --trace-limit some lines alone are recorded: misses are as known, and as with all lines, within the error that is said.
# Runs beside others.
. "$(dirname "$0")/lib.sh"

"$memsearch" list sensors | grep -q '^accesses  *yes' || { echo "reason: no accesses can be recorded here"; echo "skip sampled_traces"; exit 0; }
machine=$scratch/sampled.machine
sed 's/^l1.size.*/l1.size = 32 KiB/; s/^l1.ways.*/l1.ways = 8/; s/^l2.size.*/l2.size = 256 KiB/; s/^l2.ways.*/l2.ways = 8/; /^l3/d' "$root/tests/live/programs/small.machine" > "$machine"
"$CC" -O2 -g -fopenmp "$root/tests/live/programs/gathered.c" -o "$scratch/program" > "$scratch/log" 2>&1 || wrong "$(cat "$scratch/log")"
"$scratch/program" 60 > "$scratch/plain"

record() {     # FILE MIB
	timeout -k 1 170 "$memsearch" run --quick --quiet --overhead 1000% --no-bursts --trace-limit "$2" -o "$scratch/$1" -- "$scratch/program" 60 > "$scratch/out" 2> "$scratch/errors"
	cmp -s "$scratch/plain" "$scratch/out" || wrong "prints $(cat "$scratch/out" "$scratch/errors")"
}
# The number of the array `table` by that name.
value() {      # FILE NAME
	"$memsearch" arrays --json --machine "$machine" "$scratch/$1" | awk -f tests/workloads/flatten.awk | awk -F '\t' -v value="$2" '
		$1 ~ /\/arrays\/[0-9]+\/name$/ { name = $2 } name == "table" && $1 ~ "/simulated/" value "$" { print $2 }'
}
near() {       # A B PART
	awk -v a="$1" -v b="$2" -v part="$3" 'BEGIN { exit !(a > 0 && b > 0 && a <= b * (1 + part) && b <= a * (1 + part)) }'
}

record whole.ms 256
record sampled.ms 12
"$memsearch" list traces "$scratch/whole.ms" > "$scratch/list"
grep -q 'whole, 1 line' "$scratch/list" && wrong "sampled without need: $(cat "$scratch/list")"
"$memsearch" list traces "$scratch/sampled.ms" > "$scratch/list"
grep -q 'whole, 1 line in \(4\|8\|16\)' "$scratch/list" || wrong "not sampled: $(cat "$scratch/list")"
[ "$(wc -c < "$scratch/sampled.ms")" -le 13000000 ] || wrong "the record has $(wc -c < "$scratch/sampled.ms") bytes"
check sampled_traces__recorded

reads=$(value sampled.ms reads)
[ "$reads" = "$(value whole.ms reads)" ] || wrong "reads: $reads of $(value whole.ms reads)"
near "$(value sampled.ms l2_misses)" "$(value whole.ms l2_misses)" 0.05 || wrong "l2: $(value sampled.ms l2_misses) of $(value whole.ms l2_misses)"
near "$(value sampled.ms l2_misses)" "$(awk -v reads="$reads" 'BEGIN { print 0.75 * reads }')" 0.05 || wrong "l2: $(value sampled.ms l2_misses) of $reads reads"
check sampled_traces__misses

"$memsearch" arrays --machine "$machine" "$scratch/sampled.ms" > "$scratch/page" 2> "$scratch/said" || wrong "$(cat "$scratch/said")"
tr '\n' ' ' < "$scratch/page" | grep -q '1 line in [0-9]* was recorded where there was no room for all (--trace-limit): misses are estimates, lines from memory within [0-9.]* % (95 %)' ||
	wrong "says nothing of lines: $(tail -n 12 "$scratch/page")"
"$memsearch" arrays --machine altix-bx2 "$scratch/sampled.ms" > "$scratch/page" 2> "$scratch/said"
[ $? = 3 ] && grep -q 'no part of the sets' "$scratch/said" || wrong "a machine of other lines: $(cat "$scratch/said")"
check sampled_traces__said
