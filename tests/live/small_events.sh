#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Where constructs take less than a microsecond, their events are switched off within the region, and the report says so; what
# follows the region is measured.
. "$(dirname "$0")/lib.sh"
cd "$scratch" || exit 1

rests() {      # KIND
	"$memsearch" run -q --quick --overhead 1% -o it.ms -- ./program "$1" > out 2> said || wrong "status $?: $(cat said)"
	cmp -s plain.out out || wrong "another result: $(cat plain.out out)"
	"$memsearch" report -v it.ms 2> errors | tr -s ' \n' ' ' > report
	grep -q 'events of the rest of a parallel region: callbacks alone cost more than the limit' report || wrong "no rest: $(cat report)"
	grep -q 'a repeating sequence of regions; [0-9]* executions' report || wrong "no steps: $(cat report)"
}

for compiler in clang-19 gcc-12; do
	have $compiler || { echo "reason: no $compiler"; echo "skip small_events $compiler"; continue; }
	$compiler -O2 -g -fopenmp -o program "$root/tests/live/programs/small_events.c" -lm || wrong "does not compile"
	# a loop without a barrier has no events on libgomp
	case $compiler in gcc*) kinds=tasks ;; *) kinds=$(sample tasks "tasks loops") ;; esac
	for kind in $kinds; do
		./program $kind > plain.out
		again rests $kind
		check "small_events__$kind $compiler"
	done
done
