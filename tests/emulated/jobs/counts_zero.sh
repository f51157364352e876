# SPDX-License-Identifier: Apache-2.0
# Events that open and always read 0, because nothing is emulated behind them, are told from events that count.
. /tests/lib.sh
echo 1 > /proc/sys/kernel/perf_event_paranoid

memsearch doctor --format csv > doctor.csv 2> doctor.err || wrong "doctor: $? $(cat doctor.err)"
grep -q '^metric,instructions,works' doctor.csv || wrong "instructions do not count: $(grep '^metric,instructions' doctor.csv)"
for metric in stall_cycles l1d_misses tlb_walks; do
	grep "^metric,$metric," doctor.csv | grep -q 'open but count nothing' || wrong "$metric should be told: $(grep "^metric,$metric," doctor.csv)"
done
check counts_zero__events_that_read_0_are_told
