#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# A program with two loops of time steps is reported by the one that takes more time, the first as well as the last.
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

report 40 400
[ "$(executions)" -gt 200 ] && [ "$(executions)" -lt 401 ] || wrong "$(executions) steps, not those of the second loop"
! grep -q '"property": "\(LoadImbalance\|SlowThreads\)"' it.json || [ "$(nproc)" -lt 2 ] || grep -q '"property": "CpusTaken"' it.json || wrong "the second loop is even: $(grep '"property"' it.json)"
check two_phases__the_second_is_longer
