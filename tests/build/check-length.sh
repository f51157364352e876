#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The ten longest functions. Fails above 80 lines, or when the median passes 15 or the 90th percentile 45.
# A function is what stands between a line starting with "{" and one starting with "}"; tables are "= {" and do not count.
set -u
find ompt_tool analysis include bench tests -name '*.c' -o -name '*.h' | grep -v '/fuzz/corpus' | sort | xargs awk '
	FNR == 1 { head = "" }
	/^[A-Za-z_].*\(/ { head = $0 }
	/^{/ { start = FNR; next }
	/^}/ { if (start) { print FNR - start - 1, FILENAME ":" start, head; start = 0 } }
' | sort -rn > "${TMPDIR:-/tmp}/functions.$$"
head -n 10 "${TMPDIR:-/tmp}/functions.$$"
awk '{ n[NR] = $1 } END {
	median = n[int((NR + 1) / 2)]; p90 = n[int(NR / 10) + 1]
	printf "%d functions: median %d, 90th percentile %d, longest %d lines\n", NR, median, p90, n[1]
	exit !(n[1] <= 80 && median <= 15 && p90 <= 45) }' "${TMPDIR:-/tmp}/functions.$$"
status=$?
rm -f "${TMPDIR:-/tmp}/functions.$$"
exit $status
