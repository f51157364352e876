#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Where the limit leaves no time to count all that is recorded a part is, and the rest is simulated when the program has ended.
. "$(dirname "$0")/lib.sh"

"$memsearch" list sensors | grep -q '^accesses  *yes' || { echo "reason: no accesses can be recorded here"; echo "skip short_of_time"; exit 0; }
export OMP_NUM_THREADS=2 OMP_PROC_BIND=false

run() {        # STEPS KIND VALUES OPTIONS…
	steps=$1 kind=$2 values=$3
	shift 3
	rm -f "$scratch/it.ms"
	"$scratch/program" "$steps" "$kind" "$values" > "$scratch/plain"
	timeout -k 1 170 "$memsearch" run "$@" -o "$scratch/it.ms" -- "$scratch/program" "$steps" "$kind" "$values" > "$scratch/out" 2> "$scratch/said" || wrong "status $?"
	cmp -s "$scratch/plain" "$scratch/out" || wrong "prints $(cat "$scratch/out")"
	tr -s ' \n' ' ' < "$scratch/said" > "$scratch/text"
}
# Of the array in one execution of the phase; a store has nothing to simulate.
reads() {      # ARRAY
	"$memsearch" arrays --json "$scratch/it.db" | awk -f tests/workloads/flatten.awk | awk -F '\t' -v want="$1" '
		$1 ~ /\/arrays\/[0-9]+\/name$/ { name = $2 } $1 ~ /\/arrays\/[0-9]+\/use\/reads$/ && name == want { print $2 }' | head -n 1
}
near() {       # ARRAY COUNT
	awk -v have="$(reads "$1")" -v want="$2" 'BEGIN { exit !(have > 0.9 * want && have < 1.1 * want) }' || wrong "$1 has $(reads "$1") reads, not $2"
}
says() {       # TEXT
	grep -q -- "$1" "$scratch/text" || wrong "does not say '$1': $(tail -n 40 "$scratch/said")"
}

# A limit that leaves no time for all: the sums are right within 10 %, and it is said that they are estimates.
estimates() {
	run 45 gather 8000000 --overhead 3% --quick
	rm -f "$scratch/it.db"
	"$memsearch" import -o "$scratch/it.db" "$scratch/it.ms" > "$scratch/log" 2>&1 || wrong "not imported: $(cat "$scratch/log")"
	near table 8000000
	near where 8000000
	"$memsearch" report -v "$scratch/it.ms" | tr -s ' \n' ' ' > "$scratch/text"
	says 'represent them, so that numbers of accesses are estimates'
	says 'marking them would exceed the overhead limit'
}

# At the end it is the array, the loop, and what to do about indices; not about the order of loops.
gather() {
	run 300 gather 2000000
	says ' 1 table[a-z, ]* short_of_time.c:[0-9]* .* irregular access \[recorded, simulated on this machine\]'
	says 'sort or renumber indices'
	if grep -q 'interchange' "$scratch/text"; then wrong "advice of strides"; fi
}

counters() {
	run 450 count 2000000
	says ' short_of_time.c:[0-9]* .* false sharing \[recorded, simulated on this machine\]'
	says 'pad and align'
}

# Where addresses are limited there is room for the begin of a trace only, and `arrays` says so.
cut_short() {
	(ulimit -v 12000000; run 300 gather 3000000 --quick; [ -z "$bad" ]) || wrong 'the program is not as alone'
	"$memsearch" arrays "$scratch/it.ms" 2>&1 | tr -s ' \n' ' ' > "$scratch/text"
	says 'the begin was simulated, [0-9.]* % of what was counted in their regions, and stands for all'
	says 'table heap .* misses [0-9.]* % of accesses in L1'
}

# --quick leaves it out.
quick() {
	run 30 gather 2000000 --quick
	if grep -q 'simulated on this machine' "$scratch/text"; then wrong "simulated"; fi
}

if $CC -O2 -g -fopenmp "$root/tests/live/programs/short_of_time.c" -o "$scratch/program" 2> "$scratch/errors"; then
	again estimates
	check short_of_time__what_is_counted_stands_for_all
	again gather
	check short_of_time__a_gather
	[ -z "${WHOLE:-}" ] || { again counters; check short_of_time__counters_in_one_line; }
	again cut_short
	check short_of_time__the_begin_of_a_trace
	quick
	check short_of_time__quick
else
	wrong "$(cat "$scratch/errors")"
	check short_of_time__compiles
fi
