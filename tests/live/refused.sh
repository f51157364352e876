#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Without perf_event_open serial code is still found, between the lines of the regions around it, and
# the report says why there are no samples.
# Runs beside others.
. "$(dirname "$0")/lib.sh"

source=tests/workloads/serial_fraction.c
$CC -O2 -g -fopenmp -Itests/workloads -o "$scratch/serial" $source -lm || exit 1
$CC -O2 -o "$scratch/refuse" tests/live/programs/refuse.c || exit 1
line=$(grep -n 'pragma omp parallel' $source | head -n 1 | cut -d: -f1)
export OMP_PROC_BIND=true
unset OMP_WAIT_POLICY

(cd "$scratch" && ./serial 1 > plain.out)
(cd "$scratch" && OMP_TOOL_LIBRARIES=$tool MEMSEARCH_OUTPUT=x.ms ./refuse ./serial 1 > out 2> err)
status=$?
if [ $status = 77 ]; then
	echo "reason: seccomp is not to be had here"; echo "skip refused__serial_code_is_found"; exit 0
fi
[ $status = 0 ] || wrong "status $status"
cmp -s "$scratch/plain.out" "$scratch/out" || wrong "stdout changed"
grep -q 'SerialStretch' "$scratch/err" || wrong "SerialStretch was not found: $(head -n 12 "$scratch/err")"
grep -q "serial_fraction.c:$line" "$scratch/err" || wrong "line $line of the region around is not named: $(head -n 12 "$scratch/err")"
check refused__serial_code_is_found

grep -q 'perf_event_open' "$scratch/err" || wrong "the reason is not in the report: $(cat "$scratch/err")"
"$memsearch" report --json "$scratch/x.ms" > "$scratch/json" || wrong "report failed"
grep -q '"works": false' "$scratch/json" || wrong "no sensor is reported as not working"
check refused__the_reason_is_reported

# Started under a filter that kills for it, the command opens no event either: the program runs, and the reason is said.
$CC -O2 -DKILLS -o "$scratch/kill" tests/live/programs/refuse.c || exit 1
(cd "$scratch" && ./kill "$memsearch" run -o y.ms -- ./serial 1 > out 2> err) || wrong "status $?: $(cat "$scratch/err")"
cmp -s "$scratch/plain.out" "$scratch/out" || wrong "stdout changed"
grep -q 'a seccomp filter on this process kills it' "$scratch/err" || wrong "the reason is not said: $(cat "$scratch/err")"
check refused__killed_for_it
