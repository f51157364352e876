#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# sweep --online: results that stay are taken; programs that do not follow the number of threads, or whose result changes, are refused with the reason.
# Runs beside others, first.
. "$(dirname "$0")/sweep_online_lib.sh"

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
for program in $(sample varied_clang "$programs"); do
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
