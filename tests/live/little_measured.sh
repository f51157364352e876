#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# A limit that leaves a phase no more than one or two measured executions: the answers are those of the whole program.
# Runs beside others.
. "$(dirname "$0")/lib.sh"

$CC -O2 -g -fopenmp -o "$scratch/program" "$root/tests/live/programs/few_steps.c" 2> "$scratch/errors" || wrong "does not build: $(cat "$scratch/errors")"
answers_of_the_whole() {
	for limit in 0.01% 0.1% 0.3% 1%; do
		rm -f "$scratch/it.ms"
		"$memsearch" run --quiet --overhead $limit -o "$scratch/it.ms" -- "$scratch/program" 40 > "$scratch/out" 2> "$scratch/errors" ||
			wrong "exit $?: $(cat "$scratch/errors")"
		"$memsearch" report --tree "$scratch/it.ms" > "$scratch/report"
		grep -q 'yes *parallel regions take part of the time' "$scratch/report" || wrong "at $limit: $(head -n 20 "$scratch/report")"
		if grep -q 'phase.*none:' "$scratch/report"; then
			tr -s ' \n' ' ' < "$scratch/report" | grep -q 'one was found, but too few' || wrong "at $limit: $(grep -A 3 'phase.*none:' "$scratch/report")"
		fi
	done
}
# Beside programs that take the CPUs away for long, a measured execution is mostly waiting.
again answers_of_the_whole
check little_measured
