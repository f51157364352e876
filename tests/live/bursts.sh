#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Programs that repeat nothing: bursts of first executions are recorded, and answer what accesses can.
# Runs beside others.
. "$(dirname "$0")/lib.sh"

source=$root/tests/live/programs/once.c

# COMPILER WHAT
run() {
	program=$scratch/once.$1
	[ -x "$program" ] || "$1" -O2 -g -fopenmp -o "$program" "$source" 2> "$scratch/errors" || wrong "does not build: $(cat "$scratch/errors")"
	"$program" "$2" > "$scratch/alone"
	rm -f "$scratch/it.ms"
	"$memsearch" run -o "$scratch/it.ms" -- "$program" "$2" > "$scratch/out" 2> "$scratch/err"
	status=$?
	[ $status = 6 ] || wrong "$1 $2: status $status"
	cmp -s "$scratch/alone" "$scratch/out" || wrong "$1 $2: prints $(cat "$scratch/out"), alone $(cat "$scratch/alone")"
}

# ARRAY: its reads, by the array's row for the whole program.
reads_of() {
	"$memsearch" arrays --format csv "$scratch/it.ms" 2> "$scratch/errors" |
		awk -F , -v array="$1" 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i } $at["array"] == array { print $at["reads"]; exit }'
}

# COMPILER WHAT [MARK [TIMES]]: TIMES x 25.2 million reads, estimated by time, also while other programs run.
looks_up() {
	line=$(line_of "$source" "${3:-look-up}")
	run "$1" "$2"
	joined "$scratch/err" | grep -q "table once.c:$line [^|]*irregular access \[recorded, simulated on this machine\]" || wrong "$1: $(cat "$scratch/err")"
	reads_of table > "$scratch/reads"
	awk -v times="${4:-1}" '$1 > 5e6 * times && $1 < 100e6 * times { right = 1 } END { exit !right }' "$scratch/reads" || wrong "$1: $(cat "$scratch/reads") reads"
}
for c in $(sample "$CC" "$CC gcc-12"); do
	again looks_up "$c" look_up; check "bursts__one_region_that_runs_once.$c"
done
again looks_up gcc-12 serially; check bursts__first_construct.gcc

# The region's tasks, by the code that creates them; those that it creates late, and after the threads' own parts, too.
for c in $(sample gcc-12 "$CC gcc-12"); do
	case $c in gcc-12) suffix=.gcc ;; *) suffix= ;; esac
	[ -z "${WHOLE:-}" ] || { again looks_up "$c" tasks "task's look-up"; check bursts__tasks_of_a_region_that_runs_once$suffix; }
	again looks_up "$c" later_tasks "task's look-up"; check bursts__tasks_that_are_created_late$suffix
done

# What one region does later, in loops and in code that is divided by hand: of the matrix 34.6 million reads.
later() {      # COMPILER WHAT MARK
	looks_up "$@"
	reads_of matrix > "$scratch/reads"
	awk '$1 > 8.6e6 && $1 < 138e6 { right = 1 } END { exit !right }' "$scratch/reads" || wrong "$1 $2: $(cat "$scratch/reads") reads of the matrix: $(cat "$scratch/err")"
}
for c in $(sample "$CC" "$CC gcc-12"); do
	case $c in gcc-12) suffix=.gcc ;; *) suffix= ;; esac
	[ -z "${WHOLE:-}" ] || { again later "$c" later_loops "later look-up"; check bursts__loops_of_a_region_that_runs_once$suffix; }
	[ -z "${WHOLE:-}" ] || { again later "$c" by_hand "by hand"; check bursts__code_that_is_divided_by_hand$suffix; }
	[ -z "${WHOLE:-}" ] || { again looks_up "$c" all_by_hand "all by hand" 2; check bursts__a_region_that_is_divided_by_hand$suffix; }
done

# A loop that repeats at the begin, and takes a small part of the run, is not its phase.
after_steps() {
	looks_up "$1" after_steps look-up 8
	"$memsearch" report -v "$scratch/it.ms" | tr -s '\n ' ' ' | grep -q 'phase (the piece of the program that repeats): none' || wrong "$1: $("$memsearch" report -v "$scratch/it.ms" | grep -A 2 'phase (')"
}
for c in $(sample gcc-12 "$CC gcc-12"); do
	again after_steps "$c"; check "bursts__after_a_loop_that_is_soon_over.$c"
done

# Copies of a region are one region.
unrolls() {
	line=$(line_of "$source" column)
	run "$CC" unrolled
	joined "$scratch/err" | grep -q "matrix once.c:$line [^|]*strided access \[recorded, simulated on this machine\]" || wrong "$(cat "$scratch/err")"
	"$memsearch" list traces "$scratch/it.ms" > "$scratch/traces"
	[ "$(grep -o '  [0-9]*$' "$scratch/traces" | sort -u | wc -l)" -le 1 ] || wrong "several regions: $(cat "$scratch/traces")"
}
again unrolls; check bursts__a_loop_that_is_unrolled

# Of each step's 4.2 million reads of counts; the first burst waits for pages most of its time.
waits_for_pages() {
	run "$1" scattered
	reads_of counts > "$scratch/reads"
	awk '$1 > 5e5 && $1 < 15e6 { right = 1 } END { exit !right }' "$scratch/reads" || wrong "$1: $(cat "$scratch/reads") reads: $(cat "$scratch/err")"
}
for c in $(sample gcc-12 "$CC gcc-12"); do
	again waits_for_pages "$c"; check "bursts__a_first_execution_that_waits_for_pages.$c"
done
