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
# Without WHOLE a fourth of the cases is built and run: each source with one of its compilers and levels, and a fourth of the sources that say SAMPLED.
#     BUSY=100 tests/live/workloads.sh      nothing is an excuse
. "$(dirname "$0")/workloads_lib.sh"
ATTEMPTS=8
patience=300                     # seconds for repeating what others disturb, of all cases

attempt() {                      # NAME SOURCE PROGRAM; prints what differs
	measure "$@" && awk -f "$sources/check.awk" "$2" "$work/flat"
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
