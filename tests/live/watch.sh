#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# `memsearch watch` beside a program that runs: lines, once, the screen of a terminal; the program's output and status stay the same.
# Runs beside others.
. "$(dirname "$0")/lib.sh"

$CC -O2 -fopenmp -g -o "$scratch/program" "$root/tests/workloads/imbalance_triangle.c" -I"$root/tests/workloads" -lm || { echo "FAIL watch"; exit 1; }
cd "$scratch" || exit 1
start() {      # runs the program; $pid
	rm -f ./*.ms
	OMP_TOOL_LIBRARIES=$tool MEMSEARCH_QUICK=1 "$scratch/program" > out 2> errors &
	pid=$!
	for i in $(seq 100); do
		[ "$(cat ./*.ms 2> /dev/null | wc -c)" -gt 1000 ] && break
		sleep 0.05
	done
}

start
timeout 120 "$memsearch" watch "$pid" > lines 2> watch_errors || wrong "exit $?: $(cat watch_errors)"
wait "$pid" || wrong "the program's status: $?"
grep -q '^[0-9.]* s  yes ' lines || wrong "no line of a verdict: $(head -n 5 lines)"
grep -q "process $pid, ended after" lines || wrong "not the end: $(tail -n 20 lines)"
grep -q '^measuring cost [0-9.]* % of at most 5.0 %' lines || wrong "no cost"
check "watch lines"

start
"$memsearch" watch --once "$pid" > once 2> watch_errors || wrong "exit $?: $(cat watch_errors)"
grep -q "process $pid, running for" once || wrong "not running: $(cat once)"
grep -q '^Current experiment' once || wrong "no experiment"
check "watch once"

# q ends the screen and not the program; a terminal of another size.
(sleep 1; printf q) | TERM=xterm timeout 60 script -qec "stty rows 20 cols 60; $memsearch watch $pid" screen > /dev/null 2>&1 || wrong "exit $?"
grep -aq 'Findings so far' screen || wrong "nothing is shown: $(head -c 500 screen)"
grep -aq 'q: quit' screen || wrong "no line of keys"
check "watch screen"
wait "$pid" || wrong "the program's status: $?"
check "watch program"

# Killed: the record is shown as it is.
start
kill -9 "$pid"
wait "$pid" 2> /dev/null
timeout 60 "$memsearch" watch ./*.ms > lines 2> watch_errors || wrong "exit $?: $(cat watch_errors)"
grep -q "process $pid, ended after\|no values have been written" lines || wrong "$(cat lines)"
check "watch killed"
