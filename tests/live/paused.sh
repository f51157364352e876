#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Of a run without a phase, only part of which was measured, the report says how much that was.
# Runs beside others.
. "$(dirname "$0")/lib.sh"

paused() {
	rm -f "$scratch/it.ms"
	"$memsearch" run --quiet -o "$scratch/it.ms" -- "$scratch/program" > "$scratch/out" 2> "$scratch/errors" || wrong "exit $?: $(cat "$scratch/errors")"
	[ "$(cat "$scratch/out")" = "done" ] || wrong "printed $(cat "$scratch/out")"
	"$memsearch" report --json "$scratch/it.ms" | awk -f "$root/tests/workloads/flatten.awk" > "$scratch/report"
	awk -F '\t' '$1 == "runs/0/time_seen" { seen = $2 } END { exit !(seen > 0.2 && seen < 0.45) }' "$scratch/report" ||
		wrong "seen: $(grep 'time_seen' "$scratch/report")"
	"$memsearch" report -v "$scratch/it.ms" | tr -s ' \n' ' ' > "$scratch/text"
	grep -q "part of the run's time ([5-8][0-9] %)" "$scratch/text" || wrong "does not say what was not seen"
	! grep -q "values are of the whole run" "$scratch/text" || wrong "takes what was seen for all of the run"
}

export OMP_NUM_THREADS=2
$CC -O2 -g -fopenmp -I"$root/include" -o "$scratch/program" "$root/tests/live/programs/paused.c" 2> "$scratch/errors" || wrong "does not build: $(cat "$scratch/errors")"
[ -n "$bad" ] || again paused
check paused
