# SPDX-License-Identifier: Apache-2.0
# PAPI lists events that it cannot add (no PMU), or knows no PMU at all: the reason is told, and a report comes all the same.
. /tests/lib.sh
echo 1 > /proc/sys/kernel/perf_event_paranoid
export OMP_NUM_THREADS=$CPUS

timeout 60 memsearch run --no-calibrate --counters papi --event PAPI_TOT_INS -o it.ms -- $tests/counted_work 0.1 > tool.out 2> tool.err || wrong "status $?"
memsearch report -v it.ms 2>&1 | tr -s ' \n' ' ' | grep -q 'PAPI lists its events, but cannot count them here\|no default PMU found' || wrong "no reason: $(cat tool.err)"
memsearch report --json it.ms > it.json 2> report.err || wrong "report: $(cat report.err)"
memsearch list counts --format csv it.ms | grep PAPI_TOT_INS && wrong "counted all the same"
check papi_refused__is_told
