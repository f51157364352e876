#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Programs with known answers (tests/workloads, format in workload.h): each is built by every
# compiler of its language at -O2 and -O3 -march=native, run as it is and under `memsearch run`, and
# must print the same, end the same, and yield the findings it was written for and no others.
#
#     tests/live/workloads.sh [PATTERN]     only "NAME.COMPILER.LEVEL" matching the shell pattern
#
# Other programs on the CPUs plant problems of their own and hide the program's. So a run whose findings
# are wrong is repeated; if they stay wrong, the case failed, unless every run of it was disturbed: then it is
# skipped as undecided. Wrong output, status or a broken report fail at once, whatever else runs.
# Without WHOLE a fourth of the cases is built and run: each source with one of its compilers and levels.
#     BUSY=100 tests/live/workloads.sh      nothing is an excuse
. "$(dirname "$0")/workloads_lib.sh"
ATTEMPTS=8
BUSY=${BUSY:-10}                 # percent of the machine that others may use without being an excuse
patience=300                     # seconds for repeating what others disturb, of all cases
. "$sources/others.sh"

# One run under the tool; prints what differs.
attempt() {                      # NAME SOURCE PROGRAM
	rm -f "$work/run/it.ms" "$work/flat"
	(cd "$work/run" && env $(settings_of "$2") MEMSEARCH_OUTPUT=it.ms timeout -k 5 $SECONDS_EACH \
		"$memsearch" run --quiet -- "$3") > "$work/have" 2> "$work/log"
	status=$?
	[ $status -eq 124 ] && { echo "late: not done in $SECONDS_EACH s"; return; }
	echo "status $status" >> "$work/have"
	diff "$work/$1.want" "$work/have" > "$work/diff" || { sed 's/^/output: /' "$work/diff" "$work/log" | head -n 12; return; }
	"$memsearch" report --json "$work/run/it.ms" > "$work/report.json" 2> "$work/log" ||
		{ sed 's/^/report: /' "$work/log"; echo "report: failed"; return; }
	awk -f "$sources/flatten.awk" "$work/report.json" > "$work/flat" || { echo "report: malformed"; return; }
	awk -f "$sources/check.awk" "$2" "$work/flat"
}

disturbed() {                    # the last run, as measured from outside or as it says itself
	[ "$others" -gt "$BUSY" ] || { [ "$BUSY" -lt 100 ] && grep -qs '/property	CpusTaken$' "$work/flat"; }
}

# Before the next try: a while, longer each time. 1: all were disturbed, and enough time went that way.
rest() {                         # TRY
	[ "$excuse" ] || return 0
	[ $(($(date +%s) - failed_at)) -lt $patience ] || return 1
	sleep $(($1 < 4 ? 1 << $1 : 16))
}

repeated() {                     # the time since the first failure is gone
	[ -z "$failed_at" ] || patience=$((patience - $(date +%s) + failed_at))
}

check() {                        # CASE NAME SOURCE COMPILER FLAGS
	prepare "$@" || return
	excuse=yes failed_at=
	for try in $(seq $ATTEMPTS); do
		others_begin
		attempt "$2" "$3" "$work/$1" > "$work/differences"
		others_end
		[ -s "$work/differences" ] || { repeated; echo "ok workload__$1"; return; }
		disturbed || excuse=
		grep -q '^output:\|^report:' "$work/differences" && { excuse=; break; }
		failed_at=${failed_at:-$(date +%s)}
		rest $try || break
	done
	repeated
	sed 's/^/    /' "$work/differences"
	[ "$excuse" ] && echo "skip workload__$1: undecided, others used $others % of the CPUs" || echo "FAIL workload__$1"
}

each_workload check
