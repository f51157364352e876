#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Page faults that belong to no region and no thread, but to a part of the run: found in its interval, by mark and by trigger.
# Runs beside others.
. "$(dirname "$0")/lib.sh"

$CC -O1 -g -fopenmp -Iinclude -o "$scratch/program" "$root/tests/live/programs/intervals.c" 2> "$scratch/errors" || wrong "does not build: $(cat "$scratch/errors")"
cd "$scratch" || exit 1
expected=$(./program)
# PROPERTY INTERVAL: verdict at the whole phase; "" where it was not tested.
verdict() {
	awk -F '\t' -v property="$1" -v interval="$2" '
		{ split($1, at, "/"); value[at[2], at[3]] = $2; last = at[2] }
		END { for (i = 0; i <= last; i++) if (value[i, "property"] == property && value[i, "region"] == "0" && value[i, "interval"] == interval) print value[i, "verdict"] }' flat
}
# NAME: number of the interval, its executions, first and last one.
interval() { awk -F, -v name="$1" '$9 == name { print NR - 1, $4, $5, $6 }' list; }
finds() {
	OMP_NUM_THREADS=2 timeout -k 1 100 "$memsearch" run --quick --no-calibrate --quiet --interval 'minor_faults>2560,from:late' -o it.ms -- ./program > out 2> errors || wrong "status $?: $(cat errors)"
	[ "$(cat out)" = "$expected" ] || wrong "the program printed '$(cat out)', not '$expected'"
	"$memsearch" list intervals --format csv it.ms > list 2> errors || wrong "$(cat errors)"
	"$memsearch" graph --format json it.ms | awk -f "$root/tests/workloads/flatten.awk" > flat
	"$memsearch" report --tree it.ms > tree
	[ "$(verdict PageFaults null)" = yes ] || wrong "page faults of the phase are not found: $(grep -A1 'page faults in the phase' tree)"
	grep -q '^ *yes *page faults in a region' tree && wrong "a region stands out: $(grep -A1 '^ *yes *page faults in a region' tree)"
	[ "$(verdict PageFaults 1)" = yes ] || wrong "not found while there are page faults: $(grep -A1 'page faults in the phase' tree)"
	[ "$(verdict PageFaults 3)" = yes ] || wrong "not found in the marked interval: $(grep -A1 'page faults in the phase' tree)"
	[ "$(verdict PageFaults 2)" = no ] || wrong "found where there are none: $(grep -A1 'page faults in the phase' tree)"
	grep -q "page faults in the phase, the whole phase, during 'interval 3'" tree || tr -s '\n ' ' ' < tree | grep -q "page faults in the phase, the whole phase, during 'interval 3'" || wrong "the tree does not name the interval"
	# Of 600 steps the middle third; before the phase is searched a few pass.
	interval 'interval 3' | awk '{ exit !($2 > 150 && $2 <= 202 && $3 > 150 && $3 <= 202 && $4 > 330 && $4 <= 402) }' || wrong "the marked interval: $(cat list)"
	interval 'minor_faults>2560' | awk '{ exit !($2 > 130 && $2 <= 204 && $4 > 330 && $4 <= 402) }' || wrong "the trigger by a metric: $(cat list)"
	interval 'from late' | awk '{ exit !($2 > 130 && $2 <= 202 && $3 > 330 && $3 <= 403) }' || wrong "the trigger by a call: $(cat list)"
}
again finds
check intervals__where_cannot_isolate_when_does

"$memsearch" report -v it.ms > text 2> errors
tr -s '\n ' ' ' < text | grep -q "when .*'interval 3' ([0-9]* steps of" || wrong "the finding does not say when: $(grep -A3 '^ *when ' text)"
check intervals__the_finding_says_when
