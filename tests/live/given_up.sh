#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Simulating that takes more than was thought is given up, and tried again once there is room for it.
. "$(dirname "$0")/lib.sh"

case $(uname -m) in x86_64) ;; *) echo "reason: nothing is recorded on $(uname -m)"; echo "skip given_up"; exit 0 ;; esac

$CC -O2 -g -fopenmp -o "$scratch/program" "$root/tests/live/programs/scattered.c" 2> "$scratch/errors" || wrong "does not build: $(cat "$scratch/errors")"
OMP_NUM_THREADS=2 "$memsearch" run --machine xeon-2s --lines all --quiet --overhead 20% -o "$scratch/it.ms" -- "$scratch/program" 8 > "$scratch/out" 2> "$scratch/errors" ||
	wrong "exit $?: $(cat "$scratch/errors")"
"$memsearch" arrays "$scratch/it.ms" > "$scratch/arrays"
grep -q 'misses .* in L1' "$scratch/arrays" || wrong "nothing was simulated: $(head -n 20 "$scratch/arrays")"
check given_up
