#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# A search over a record finds what the run found, by every strategy; and each strategy works in the program.
# Runs beside others.
. "$(dirname "$0")/lib.sh"

source=$root/tests/workloads/serial_fraction.c
program=$scratch/serial_fraction
$CC -O2 -g -fopenmp -I "$root/include" -I "$root/tests/workloads" -o "$program" "$source" 2> "$scratch/errors" || wrong "does not build: $(cat "$scratch/errors")"
line=$(line_of "$source" loop)

# STRATEGY: serial code is found there in the program, which runs for twice as long as by default, as searches take longer beside other
# tests; and in its record.
found() {
	strategy=$1
	rm -f "$scratch/it.ms"
	(cd "$scratch" && "$memsearch" run --strategy "$strategy" --measure all --quiet --output it.ms -- "$program" 2 > out 2> err) || wrong "$strategy: the program fails: $(cat "$scratch/err")"
	"$memsearch" report "$scratch/it.ms" > "$scratch/report" 2>&1
	grep -q "serial_fraction.c:$line .*(SerialStretch)" "$scratch/report" || wrong "$strategy: not in the report: $(cat "$scratch/report")"
	"$memsearch" search --format csv "$scratch/it.ms" > "$scratch/csv" 2>&1
	grep -q '^[0-9]*,[0-9]*,yes,.*,finding,.*,SerialStretch,' "$scratch/csv" || wrong "$strategy: not found in the record: $(cat "$scratch/csv")"
	grep -q ',LockContention,\|,BarrierWaiting,' "$scratch/csv" && wrong "$strategy: what is not there: $(cat "$scratch/csv")"
}
for strategy in property_refine why_where call_graph deep_start loop_aware loop_aware_deep_start; do
	again found $strategy; check search__$strategy
done

# The record of the last one, by all strategies: property_refine finds all that is known, the others a part, over less than was run.
compared() {
	"$memsearch" search --compare --format csv "$scratch/it.ms" > "$scratch/csv" 2>&1
	[ "$(wc -l < "$scratch/csv")" -gt 4 ] || wrong "not compared: $(cat "$scratch/csv")"
	sed 1d "$scratch/csv" | while IFS=, read -r record run executions known strategy got half all rest; do
		[ "$got" -gt 0 ] || echo "$strategy finds nothing of $known"
		[ "$strategy" != property_refine ] || { [ "$got" = "$known" ] && [ "$all" -lt "$executions" ]; } ||
			echo "$strategy finds $got of $known after $all of $executions executions"
	done > "$scratch/missed"
	[ ! -s "$scratch/missed" ] || wrong "$(cat "$scratch/missed")"
}
compared; check search__compared

# The example of a strategy: built with the headers alone, and run.
example() {
	$CC -std=c11 -Wall -Werror -shared -fPIC -I "$root/include" -o "$scratch/greedy.so" "$root/properties/examples/greedy.c" 2> "$scratch/errors" ||
		wrong "does not build: $(cat "$scratch/errors")"
	[ "$(wc -l < "$root/properties/examples/greedy.c")" -lt 60 ] || wrong "no short example"
	"$memsearch" search --strategy "$scratch/greedy.so" --graph text --all "$scratch/it.ms" > "$scratch/graph" 2>&1
	grep -q 'yes *serial code between parallel regions, the whole phase' "$scratch/graph" || wrong "not found in the record: $(cat "$scratch/graph")"
	joined "$scratch/graph" | grep -q 'memory accesses are recorded, \(parallel region in\|serial code after\)' || wrong "no region inside: $(cat "$scratch/graph")"
}
example; check search__example

# By hand: the strategy's own proposals lead to it, too.
by_hand() {
	printf '\na\n' | "$memsearch" search --step "$scratch/it.ms" > "$scratch/steps" 2>&1 || wrong "status $?"
	sed -n '/^The path/,$p' "$scratch/steps" | grep -q 'by the strategy' || wrong "no path: $(cat "$scratch/steps")"
	joined "$scratch/steps" | grep -q "serial code[^|]*serial_fraction.c" || wrong "not found: $(cat "$scratch/steps")"
}
by_hand; check search__by_hand
