# SPDX-License-Identifier: Apache-2.0
# Sourced by the jobs that count: leaves in `counts`, a line a thread, the mean count of one execution of counted_work's region.
echo 1 > /proc/sys/kernel/perf_event_paranoid

# Next to no samples of the CPU clock: taking one is work of the kernel, which an emulated POWER counts as the program's.
count() {      # BACK-END EVENT STEPS
	timeout 120 memsearch run --quiet --no-calibrate --overhead 50% --sampling-rate 1 --counters "$1" --event "$2" -o counts.ms -- $tests/counted_work "$3" \
		> tool.out 2> tool.err || wrong "status $?: $(cat tool.err)"
	memsearch list counts --format csv counts.ms > counts.csv 2> report.err || wrong "list counts: $(cat report.err)"
	awk -F, -v event="$2" '$2 == event && $6 != "" && /,parallel region in main/ { print $3 * $5 / $4 }' counts.csv > counts
}
