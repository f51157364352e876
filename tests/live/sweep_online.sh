#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# sweep --online: one run has several numbers of threads in turn, each measured apart.
. "$(dirname "$0")/sweep_online_lib.sh"

# Each number of threads is a run, with the threads, times and waits of its own steps alone.
scales() {     # PROGRAM
	sweep --threads 1,4,2 -- "./$1" 120
	expect "status" $status 0
	expect "threads" "$(column threads)" "1 4 2"
	expect "runs" "$(column runs)" "1 1 1"
	column executions | awk '{ for (i = 1; i <= NF; i++) if ($i < 6) print "executions " $0 }' > bad_figures
	# 12 ms, 3 ms and 6 ms of sleep
	column step_ns | awk '!($1 > 12e6 && $2 > 3e6 && $3 > 6e6 && $1 > 2 * $2 && $1 > 1.4 * $3 && $3 > 1.2 * $2) { print "steps " $0 }' >> bad_figures
	column speedup | awk '!($1 == 1 && $2 > 2 && $3 > 1.4) { print "speedup " $0 }' >> bad_figures
	[ ! -s bad_figures ] || wrong "$(cat bad_figures)"
	if have sqlite3; then
		expect "teams" "$(sqlite3 x.db "SELECT group_concat(value || ' ' || threads) FROM (SELECT value, threads FROM runs JOIN settings ON run = id AND name = 'threads' ORDER BY id)")" "1 1,4 4,2 2"
		expect "threads with times" "$(sqlite3 x.db "SELECT group_concat(nr) FROM (SELECT count(DISTINCT thread) AS nr FROM measurements WHERE metric = 'time' GROUP BY run ORDER BY run)")" "1,4,2"
	fi
	"$memsearch" diff x.db@threads=1 x.db@threads=4 > compared 2> errors || wrong "diff: $(cat errors)"
	grep -q "varied_.* 120: 1 threads -> 4 threads; values of one step" compared || wrong "diff: $(cat compared)"
}
for program in $programs; do
	again scales "$program"
	check "sweep_online__each_number_of_threads_is_measured_${program#varied_}"
done

# Marked steps, other settings, and what is stored.
sweep --threads 1,2 --env OMP_PROC_BIND=false,close -- ./marked 20000
expect "marked: status" $status 0
expect "marked: threads" "$(column threads)" "1 2 1 2"
expect "marked: runs" "$(column runs)" "1 1 1 1"
"$memsearch" sweep --online --no-calibrate -o x.db --threads 1,2 --env OMP_PROC_BIND=false,close -- ./marked 20000 > table 2> said || wrong "again: $(cat said)"
said "'x.db' has all runs of this sweep: nothing is run"
check sweep_online__marked_steps_and_other_settings
