#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Events of the kernel, which every machine has, counted for each region and thread against a known answer.
# Runs beside others.
. "$(dirname "$0")/lib.sh"

[ "$(getconf PAGE_SIZE)" = 4096 ] || { echo "reason: pages are not of 4096 bytes"; echo "skip counters"; exit 0; }
$CC -O2 -g -fopenmp -o "$scratch/counters" tests/live/programs/counters.c || exit 1
line=$(line_of tests/live/programs/counters.c region)
cd "$scratch" || exit 1

run() {        # STEPS OPTION…: as always, but for the tool's overhead on a busy machine
	steps=$1; shift
	"$memsearch" run -o x.ms --overhead 50% "$@" -- ./counters "$steps" > out 2> err || wrong "exit $?: $(cat err)"
	[ "$(cat out)" = $((steps * 1536)) ] || wrong "stdout: $(cat out)"
	"$memsearch" list counts --format csv x.ms > counts.csv 2>> err || wrong "list counts: $(cat err)"
}
# In a mean execution of the phase, or in the run; `more` for what the runtime touches in its first region.
counted() {    # EVENT THREAD COUNT MORE
	awk -F, -v event="$1" -v thread="$2" -v want="$3" -v more="$4" -v place="counters.c:$line" '
		$2 == event && $6 == thread && $7 > 0 && index($0, ",parallel region in") && index($0, place) { nr++; bad += $3 < want || $3 > want + more }
		END { exit nr != 1 || bad }' counts.csv || wrong "thread $2 had not $3 $1: $(cat counts.csv)"
}
if ! "$memsearch" run -q -o x.ms --event perf::PAGE-FAULTS -- ./counters 1 > out 2>&1 || ! grep -q '^1536$' out || grep -q 'left out' out; then
	echo "reason: $(tail -n 1 out)"; echo "skip counters"; exit 0
fi

run 1 --event perf::PAGE-FAULTS
for thread in 0 1; do counted perf::PAGE-FAULTS $thread $((512 * (thread + 1))) 64; done
grep -q "^perf::PAGE-FAULTS *[0-9]* *1 *parallel region in main (counters.c:$line)" err || wrong "not in the report: $(cat err)"
check counters__of_a_whole_program

run 400 --event perf::PAGE-FAULTS
for thread in 0 1; do counted perf::PAGE-FAULTS $thread $((512 * (thread + 1))) 1; done
check counters__of_an_execution_of_the_phase

run 400 --event perf::PAGE-FAULTS --event perf::MINOR-FAULTS,perf::TASK-CLOCK --counters-at-once 1
for thread in 0 1; do
	counted perf::PAGE-FAULTS $thread $((512 * (thread + 1))) 1
	counted perf::MINOR-FAULTS $thread $((512 * (thread + 1))) 1
done
"$memsearch" report -v x.ms | grep -q "counters: perf, events of .*; at most 1 metric at a time, [1-9][0-9]* sets of them in turn" || wrong "took no turns: $("$memsearch" report -v x.ms | grep -A2 counters: )"
check counters__take_turns

MEMSEARCH_OUTPUT=z.ms MEMSEARCH_EVENT=perf::PAG-FAULTS OMP_TOOL_LIBRARIES=$tool ./counters 2 > out 2> err || wrong "exit $?"
grep -q "memsearch: event 'perf::PAG-FAULTS' is left out: unknown event 'PAG-FAULTS' in perf; did you mean 'PAGE-FAULTS'?" err ||
	wrong "not named: $(cat err)"
tr -s '\n ' ' ' < err | grep -q "Not measured .*event perf::PAG-FAULTS (unknown event" || wrong "not in the report: $(cat err)"
check counters__an_unknown_event_is_named

run 2 --counters none --event perf::PAGE-FAULTS
tr -s '\n ' ' ' < err | grep -q "Not measured .*event perf::PAGE-FAULTS (" || wrong "not in the report: $(cat err)"
[ "$(wc -l < counts.csv)" = 1 ] || wrong "counted: $(cat counts.csv)"
check counters__none_are_none

MEMSEARCH_EVENT=perf::PAGE-FAULTS MEMSEARCH_QUIET=1 MEMSEARCH_OUTPUT=y.ms OMP_TOOL_LIBRARIES=$tool ./counters 2 > out 2> err
"$memsearch" list counts y.ms | grep -q "perf::PAGE-FAULTS *[0-9]" || wrong "nothing counted: $(cat err)"
check counters__by_a_bare_variable
