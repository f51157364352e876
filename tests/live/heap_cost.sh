#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# What the hooks of malloc and free take is part of the cost of measuring, and of its limit.
# Runs beside others.
. "$(dirname "$0")/lib.sh"

program=$scratch/temporaries
$CC -O2 -g -fopenmp -o "$program" "$root/tests/live/programs/temporaries.c" || exit 1

# OPTIONS ARGUMENTS: a run of it; $scratch/report has its values.
run() {
	options=$1
	shift
	# shellcheck disable=SC2086
	OMP_NUM_THREADS=1 timeout -k 1 60 "$memsearch" run --quick --quiet $options -o "$scratch/it.ms" -- "$program" "$@" > "$scratch/out" 2> "$scratch/errors" ||
		wrong "status $?: $(cat "$scratch/errors")"
	"$memsearch" report --json "$scratch/it.ms" | awk -f tests/workloads/flatten.awk > "$scratch/report"
}
of_cost() { awk -F '\t' -v name="runs/0/cost/$1" '$1 == name { print $2 }' "$scratch/report"; }

# Nothing else is measured: the blocks make up for the difference in time, as far as it is memsearch's.
run "--measure none --overhead 1000%" 1000 10
few=$(of_cost tool_cpu_ns) few_all=$(of_cost program_cpu_ns)
run "--measure none --overhead 1000%" 1000 2000
many=$(of_cost tool_cpu_ns) many_all=$(of_cost program_cpu_ns)
echo "$few $many $few_all $many_all" | awk '{ part = ($2 - $1) / ($4 - $3); exit !(part > 0.4 && part < 1.6) }' ||
	wrong "memsearch's ns with few blocks and with many, and all: $few $many $few_all $many_all"
check heap_cost__is_measured

# Above the limit blocks are not recorded any more, and the report says so.
lost='heap blocks that count as small heap blocks'
run "--overhead 0.1%" 500 2000
grep -q "$lost" "$scratch/report" || wrong "recorded in spite of the limit"
run "--overhead 1000%" 500 2000
! grep -q "$lost" "$scratch/report" || wrong "not recorded within the limit: $(grep "$lost" "$scratch/report")"
check heap_cost__is_limited
