#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# What a record keeps of a program is simulated after it has ended, on any machine, as often as one likes.
# Runs beside others.
. "$(dirname "$0")/lib.sh"

"$memsearch" list sensors | grep -q '^accesses  *yes' || { echo "reason: no accesses can be recorded here"; echo "skip traces"; exit 0; }
programs=$root/tests/live/programs
machine=$programs/small.machine title="On the modelled machine small,"
steps=250
export OMP_PROC_BIND=false

record() {     # FILE OPTIONS…
	file=$1
	shift
	rm -f "$scratch/$file"
	timeout -k 1 170 "$memsearch" run --quiet "$@" -o "$scratch/$file" -- "$scratch/program" $steps > "$scratch/out" 2> "$scratch/errors"
	cmp -s "$scratch/plain" "$scratch/out" || wrong "prints $(cat "$scratch/out" "$scratch/errors")"
}
# "ARRAY/value<TAB>number" of a record's planted arrays. What the OpenMP runtime does on its stacks is another thing in each run.
values() {     # FILE [OPTIONS…]
	file=$1
	shift
	"$memsearch" arrays --json "$@" "$scratch/$file" 2> "$scratch/values_said" | awk -f tests/workloads/flatten.awk | awk -F '\t' '
		$1 ~ /\/arrays\/[0-9]+\/name$/ { name = $2 } $1 ~ /\/arrays\/[0-9]+\/simulated\// { sub(/.*simulated\//, "", $1); print name "/" $1 "\t" $2 }' |
		grep -E '^(by_columns|padded|large|counts|apart|sparse)/' | grep -v /streamed | sort
}

# A busy machine may leave no time to record all that is asked for, or to search it while the program runs: findings depend on times there.
recorded() {
	record after.ms --overhead 1000%
	[ "$("$memsearch" list traces --json "$scratch/after.ms" 2>&1 | grep -c '"kept": "whole"')" -ge 2 ] || wrong "two whole executions are not kept: $("$memsearch" list traces "$scratch/after.ms" 2>&1 | head -n 3)"
}
# "PROPERTY ARRAY" of what is found of the modelled machine.
found() {      # FILE [OPTIONS…]
	file=$1
	shift
	"$memsearch" report --json "$@" "$scratch/$file" 2>&1 | awk -f tests/workloads/flatten.awk | awk -F '\t' '
		$1 ~ /^modelled\/[0-9]+\/property$/ { property = $2 } $1 ~ /^modelled\/[0-9]+\/data_structure\/name$/ { print property, $2 }' | sort -u
}

findings() {
	recorded
	found after.ms --machine "$machine" > "$scratch/after"
	for want in "ConflictMisses by_columns" "CapacityMisses large" "FalseSharing counts"; do
		grep -qx "$want" "$scratch/after" || wrong "not found: $want"
	done
	[ -z "$(found after.ms)" ] || wrong "findings of a machine that was not named"
}

# Twice the same, on another machine others, and none where nothing is kept.
asked_again() {
	values after.ms --machine "$machine" > "$scratch/after"
	rm -f "$scratch/after.ms.kept"
	values after.ms --machine "$machine" > "$scratch/again"
	rm -f "$scratch/after.ms.kept"
	values after.ms --machine "$machine" --jobs 3 > "$scratch/jobs"
	cmp -s "$scratch/after" "$scratch/jobs" || wrong "with 3 jobs, others: $(diff "$scratch/after" "$scratch/jobs" | head -n 4)"
	cmp -s "$scratch/after" "$scratch/again" || wrong "asked again, others: $(diff "$scratch/after" "$scratch/again" | head -n 4)"
	values after.ms --machine xeon-2s > "$scratch/other"
	[ -s "$scratch/other" ] || wrong "nothing is simulated: $(cat "$scratch/values_said")"
	! cmp -s "$scratch/after" "$scratch/other" || wrong "another machine has the same caches"
}

says() {       # STATUS WORDS OPTIONS…
	want=$1 words=$2
	shift 2
	"$memsearch" arrays "$@" > "$scratch/page" 2> "$scratch/said"
	status=$?
	[ $status = "$want" ] || wrong "arrays $*: status $status, not $want"
	grep -q "$words" "$scratch/said" || wrong "arrays $* says '$(cat "$scratch/said")', not '$words'"
}

# The machine that is named with the run is the one that is simulated after it.
named() {
	rm -f "$scratch/named.ms"
	timeout -k 1 170 "$memsearch" run --overhead 1000% --machine "$machine" -o "$scratch/named.ms" -- "$scratch/program" $steps > "$scratch/out" 2> "$scratch/errors" || wrong "status $?"
	grep -q "$title" "$scratch/errors" || wrong "memsearch run says $(cat "$scratch/errors")"
	OMP_TOOL_LIBRARIES=$tool MEMSEARCH_OVERHEAD=1000% MEMSEARCH_MACHINE=$machine MEMSEARCH_OUTPUT=$scratch/named.ms timeout -k 1 170 "$scratch/program" $steps \
		> "$scratch/out" 2> "$scratch/errors" || wrong "status $?"
	grep -q "$title" "$scratch/errors" || wrong "the tool alone says $(cat "$scratch/errors")"
}

bad_input() {
	record none.ms --overhead 1000% --trace-limit 0
	says 3 "keeps no accesses to simulate" --machine "$machine" "$scratch/none.ms"
	[ -z "$(values none.ms)" ] || wrong "simulated without a trace"
	sed 's/^cores.*/cores = 1/; s/^nodes.*/nodes = 1/; s/^l3.cores.*/l3.cores = 1/' "$machine" > "$scratch/one.machine"
	says 3 "2 threads were recorded" --machine "$scratch/one.machine" "$scratch/after.ms"
	"$memsearch" report -v --machine "$machine" "$scratch/none.ms" > "$scratch/page" 2> "$scratch/said"
	[ $? = 3 ] || wrong "report without a trace: status not 3, $(cat "$scratch/said")"
	says 2 "machine" --machine no-such-machine "$scratch/after.ms"
	"$memsearch" import -o "$scratch/it.db" "$scratch/after.ms" > "$scratch/said" 2>&1 || wrong "not imported: $(cat "$scratch/said")"
	says 3 "only records keep" --machine "$machine" "$scratch/it.db"
}

# Up to where it was cut, an execution is kept whole or not at all; nothing crashes.
cut() {
	bytes=$(wc -c < "$scratch/after.ms")
	for part in $(sample "3 6" "1 2 3 4 5 6 7"); do
		head -c $((bytes * part / 8)) "$scratch/after.ms" > "$scratch/cut.ms"
		"$memsearch" arrays --machine "$machine" "$scratch/cut.ms" > "$scratch/page" 2> "$scratch/said"
		status=$?
		[ $status = 0 ] || [ $status = 3 ] || wrong "cut at $part/8: status $status, $(tail -n 1 "$scratch/said")"
	done
}

if "$CC" -O2 -g -fopenmp "$programs/simulated.c" -o "$scratch/program" > "$scratch/log" 2>&1; then
	"$scratch/program" $steps > "$scratch/plain"
	again findings
	check traces__findings
	named
	check traces__machine_named_before_the_run
	asked_again
	check traces__asked_again
	bad_input
	check traces__bad_input
	cut
	check traces__cut_short
else
	wrong "$(cat "$scratch/log")"
	check traces__compiles
fi
