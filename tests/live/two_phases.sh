#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# A program with two loops of time steps is reported by the one that takes more time, the first as well as the last; the other one's results are in the record, too.
# Runs beside others.
. "$(dirname "$0")/lib.sh"

$CC -O1 -g -fopenmp -o "$scratch/program" "$root/tests/live/programs/two_phases.c" 2> "$scratch/errors" || wrong "does not build: $(cat "$scratch/errors")"
cd "$scratch" || exit 1
report() {     # FIRST SECOND: steps of the loops
	OMP_NUM_THREADS=2 timeout -k 1 100 "$memsearch" run --quick --no-calibrate --quiet -o it.ms -- ./program "$1" "$2" > out 2> errors || wrong "status $?: $(cat errors)"
	"$memsearch" report --json it.ms > it.json 2> errors || wrong "$(cat errors)"
}
executions() { sed -n 's/^ *"executions": \([0-9]*\),$/\1/p' it.json | head -n 1; }
# Its region's line, by the program's source.
finds() {      # FUNCTION
	grep -q "\"function\": \"$1\"" it.json || wrong "no finding in $1: $(grep '"function"' it.json | sort | uniq -c)"
}
report 300 60
finds uneven
[ "$(executions)" -gt 150 ] && [ "$(executions)" -lt 301 ] || wrong "$(executions) steps, not those of the first loop"
grep -q '"property": "\(LoadImbalance\|SlowThreads\)"' it.json || wrong "the first loop's imbalance is not found: $(grep '"property"' it.json)"
check two_phases__the_first_is_longer

# Beside other tests a short loop may not be measured: tried again.
other() {
	report 400 200
	sed -n '/"other_phases"/,/]/p' it.json | tr -d ' \n' | grep -q '"number":2,"executions":1[0-9][0-9]' || wrong "the second loop is not named: $(sed -n '/"other_phases"/,/]/p' it.json)"
	"$memsearch" report it.ms > text 2> errors
	grep -q '^After these steps: [0-9]* other steps of .*, each from the parallel region in even' text || wrong "the report says nothing of the second loop: $(cat text)"
	tr '\n' ' ' < text | grep -q 'memsearch report --phase 2\.' || wrong "no command for the second loop: $(cat text)"
	"$memsearch" report --phase 2 --json it.ms > it.json 2> errors || wrong "status $?: $(cat errors)"
	[ "$(executions)" -gt 100 ] && [ "$(executions)" -lt 201 ] || wrong "$(executions) steps, not those of the second loop"
	! grep -q '"property": "\(LoadImbalance\|SlowThreads\)"' it.json || [ "$(nproc)" -lt 2 ] || grep -q '"property": "CpusTaken"' it.json || wrong "the second loop is even: $(grep '"property"' it.json)"
	"$memsearch" report --phase 2 it.ms > text 2> errors
	grep -q '^Before these steps: [0-9]* other steps of .*, each from the parallel region in uneven' text || wrong "the second report says nothing of the first loop: $(cat text)"
	"$memsearch" report --phase 3 it.ms > out 2> errors
	[ $? -eq 3 ] && grep -q "it.ms' has 2 phases with results: --phase 3 is none of them" errors && [ ! -s out ] || wrong "a phase that is not there: $(cat out errors)"
	"$memsearch" graph --phase 2 it.ms > out 2> errors && grep -q 'in even' out || wrong "status $?: $(cat out errors)"
}
again other
check two_phases__the_other_is_in_the_record

# Cut off before the other phase's results, which are at the end: the main one's can be read.
until "$memsearch" report --phase 2 it.ms > out 2> errors; status=$?; [ $status -ne 0 ]; do truncate -s -200 it.ms; done
[ $status -eq 3 ] && grep -q "has no results of phase 2: it was cut off" errors || wrong "status $status: $(cat errors)"
"$memsearch" report it.ms > out 2> errors || wrong "status $?: $(cat errors)"
check two_phases__cut_off

report 40 400
[ "$(executions)" -gt 200 ] && [ "$(executions)" -lt 401 ] || wrong "$(executions) steps, not those of the second loop"
! grep -q '"property": "\(LoadImbalance\|SlowThreads\)"' it.json || [ "$(nproc)" -lt 2 ] || grep -q '"property": "CpusTaken"' it.json || wrong "the second loop is even: $(grep '"property"' it.json)"
check two_phases__the_second_is_longer
