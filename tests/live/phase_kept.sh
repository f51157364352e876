#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Simulating takes many times what an execution does: that makes it no other phase, of which too few are left.
# Runs beside others.
. "$(dirname "$0")/lib.sh"

case $(uname -m) in x86_64) ;; *) echo "reason: nothing is recorded on $(uname -m)"; echo "skip phase_kept"; exit 0 ;; esac

$CC -O2 -g -fopenmp -o "$scratch/program" "$root/tests/live/programs/sixth_steps.c" 2> "$scratch/errors" || wrong "does not build: $(cat "$scratch/errors")"
kept=0
for try in 1 2 3 4; do                   # others on the CPUs may take it for once
	rm -f "$scratch/it.ms"
	MEMSEARCH_MACHINE=xeon-2s "$memsearch" run --quiet --overhead 200% -o "$scratch/it.ms" -- "$scratch/program" > "$scratch/out" 2> "$scratch/errors" ||
		wrong "exit $?: $(cat "$scratch/errors")"
	"$memsearch" report -v "$scratch/it.ms" | tr -s ' \n' ' ' | grep -o ' - phase .* - search:' > "$scratch/phase"
	grep -q ' executions of ' "$scratch/phase" && kept=$((kept + 1))
done
[ $kept -ge 3 ] || wrong "in $kept of 4 runs; $(cat "$scratch/phase")"
check phase_kept
