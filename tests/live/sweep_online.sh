#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# sweep --online: one run has several numbers of threads in turn, each measured apart; programs that do not follow it, or whose result changes, are refused with the reason.
. "$(dirname "$0")/lib.sh"

$CC -O1 -g -fopenmp -o "$scratch/varied_clang" "$root/tests/live/programs/varied.c" 2> "$scratch/errors" || wrong "does not build: $(cat "$scratch/errors")"
$CC -O1 -g -fopenmp -I"$root/include" -DNR=100000 -o "$scratch/marked" "$root/tests/live/programs/marked_steps.c" 2> "$scratch/errors" || wrong "does not build: $(cat "$scratch/errors")"
programs=varied_clang
if have gcc && gcc -O1 -g -fopenmp -o "$scratch/varied_gcc" "$root/tests/live/programs/varied.c" 2> "$scratch/errors"; then programs="$programs varied_gcc"; fi
cd "$scratch" || exit 1

sweep() {      # OPTIONS…: the table is in "table", the rest in "said"
	rm -f x.db
	timeout -k 1 200 "$memsearch" sweep --online --no-calibrate -o x.db --format csv "$@" > table 2> said
	status=$?
}
column() {     # NAME: of the table, in one line
	awk -F , -v name="$1" 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next } { printf "%s%s", (NR > 2 ? " " : ""), $at[name] }' table
}
expect() {     # WHAT HAVE WANT
	[ "$2" = "$3" ] || wrong "$1: $2, not $3: $(cat said)"
}
said() {       # TEXT: is in what was said, in one line
	grep -qF "$1" said || wrong "not said: $1: $(cat said)"
}

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

# What the program prints is the same, and it ends with its own status.
for program in $programs; do
	OMP_NUM_THREADS=2 "./$program" 60 > alone
	MEMSEARCH_VARIED_THREADS=2,1 OMP_NUM_THREADS=2 "$memsearch" run --quiet --quick --no-calibrate --measure all -o varied.ms -- "./$program" 60 > varied 2> said || wrong "status $?: $(cat said)"
	cmp -s alone varied || wrong "prints '$(cat varied)', and '$(cat alone)' alone"
	[ -s varied.ms.1 ] && [ -s varied.ms.2 ] || wrong "no records: $(ls)"
	rm -f varied.ms*
	sweep --threads 1,4 -- "./$program" 100 clock
	expect "status with a clock" $status 0
	said "words or lines of the output that differ in two runs without memsearch were not compared: 1"
	sweep --threads 1,4 -- "./$program" 100 rounding
	expect "status of a sum" $status 0
	said "of their value from those of the run without memsearch, as by rounding"
	check "sweep_online__results_that_stay_are_taken_${program#varied_}"
done

refused() {    # PROGRAM STEPS MODE TEXT
	sweep --threads 1,2,4 -- "./$1" "$2" "$3"
	expect "$3: status" $status 3
	said "1, 2, 4 threads in turn, repetition 1: "
	said "$4"
	said "sweep without --online"
	expect "$3: runs" "$(column runs)" "0 0 0"
	[ "$(echo x.db?*)" = "x.db?*" ] || wrong "left behind: $(echo x.db?*)"
}
for program in $programs; do
	refused "$program" 80 teams "its output depends on the number of threads: line 2 has '640' without memsearch, and '"
	refused "$program" 80 fails "exit status 1, and 0 without memsearch: it depends on the number of threads, and nothing of it is stored"
	check "sweep_online__results_that_change_are_refused_${program#varied_}"

	refused "$program" 80 clause "the program does not follow the number of threads: 4 took part in a step where 2 were set"
	refused "$program" 80 sets "the program does not follow the number of threads: 4 took part in a step where 2 were set"
	refused "$program" 80 region "the repeated phase lies inside one parallel region, whose team stays as it is"
	refused "$program" 9 plain "its phase is repeated too few times"
	refused "$program" 1 plain "too few regions were executed to see a repetition"
	check "sweep_online__threads_that_do_not_vary_are_refused_${program#varied_}"
done

# A limit of the runtime: the greatest number is not reached.
OMP_THREAD_LIMIT=3 sweep --threads 2,4 -- ./varied_clang 80
expect "limit: status" $status 3
said "the program does not follow the number of threads: at most 3 took part in a step where 4 were set"
check sweep_online__a_limit_of_threads_is_seen

# Marked steps, other settings, and what is stored.
sweep --threads 1,2 --env OMP_PROC_BIND=false,close -- ./marked 20000
expect "marked: status" $status 0
expect "marked: threads" "$(column threads)" "1 2 1 2"
expect "marked: runs" "$(column runs)" "1 1 1 1"
"$memsearch" sweep --online --no-calibrate -o x.db --threads 1,2 --env OMP_PROC_BIND=false,close -- ./marked 20000 > table 2> said || wrong "again: $(cat said)"
said "'x.db' has all runs of this sweep: nothing is run"
check sweep_online__marked_steps_and_other_settings
