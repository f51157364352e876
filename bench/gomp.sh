#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# What an OpenMP construct of a gcc program costs on libgomp, with libomp in its place, and on libgomp with libmemsearch-gomp.so: nothing requested
# (none), times everywhere, whatever that costs (time). One row a construct, with the bounds of what memsearch adds.
#   BUILD=build OMP_NUM_THREADS="1 2" PAIRS=15 MILLISECONDS=2 MODES="libomp none time" bench/gomp.sh
# Exit status 1: what is added is above a bound in the median of the pairs. DETAILS=1 prints the 95 % intervals, too.
set -eu
build=${BUILD:-build} pairs=${PAIRS:-15} milliseconds=${MILLISECONDS:-2} modes=${MODES:-libomp none time}
producer=$(realpath "$build/lib/libmemsearch-gomp.so") swap=$(realpath "$build/lib/memsearch/gomp")
teams=${OMP_NUM_THREADS:-1 2}
export OMP_NUM_THREADS MEMSEARCH_QUIET=1 LC_ALL=C
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
export MEMSEARCH_OUTPUT="$tmp/record.ms"
unset OMP_TOOL_LIBRARIES

gcc-12 -O2 -fopenmp -o "$tmp/constructs" bench/overhead/constructs.c -lm

run() {        # MODE
	case $1 in
	native) "$tmp/constructs" "$milliseconds" ;;
	libomp) LD_LIBRARY_PATH="$swap" "$tmp/constructs" "$milliseconds" ;;
	*) MEMSEARCH_MEASURE=$1 MEMSEARCH_OVERHEAD=10000% LD_PRELOAD=$producer "$tmp/constructs" "$milliseconds" ;;
	esac
}

. bench/overhead/compare.sh

# Differences of locks for which threads compete are waits for other threads, which pay the same.
table() {      # MODE NAME NATIVE UNDER ADDED: a line each
	awk -v threads="$OMP_NUM_THREADS" '
	BEGIN {
		split("chunk 5 chunk_of_16 5 barrier 15 task 25 parallel 100", row, " ")
		for (i = 1; i in row; i += 2) bound[row[i]] = row[i + 1]
		if (threads == 1) bound["critical"] = bound["lock"] = 5
	}
	function beside(value, most) {
		above = most != "" && value != "" && value + 0 > most + 0
		exceeded = exceeded || above
		return sprintf("%8s%1s %6s", value == "" ? "-" : sprintf("%.1f", value), above ? "!" : "", most == "" ? "" : "<= " most)
	}
	!($2 in native) { names[++nr] = $2 }
	{ native[$2] = $3; under[$1, $2] = $4; added[$1, $2] = $5 }
	END {
		printf "%-14s %9s %9s %9s %16s %16s\n", "construct", "libgomp", "libomp", "memsearch", "none", "time"
		for (i = 1; i <= nr; i++) {
			of = names[i]
			printf "%-14s %9s %9s %9s %s %s\n", of, native[of], under["libomp", of], under["none", of],
			       beside(added["none", of], bound[of]), beside(added["time", of], of == "contended" ? "" : 120)
		}
		exit exceeded
	}'
}

status=0
for OMP_NUM_THREADS in $teams; do
	rm -f "$tmp"/*.pairs
	# libgomp has no END of single, and static loops have none of their own events.
	gather native 'mode != "time" ? 1 : $1 ~ /^single/ ? $2 - 1 : $1 == "for" ? $2 - 2 : $2'
	for mode in $modes; do
		"$tmp/paired" < "$tmp/$mode.pairs" > "$tmp/$mode.table"
		[ -z "${DETAILS:-}" ] || { echo "== A: native, B: $mode, $OMP_NUM_THREADS threads; ns a construct"; cat "$tmp/$mode.table"; }
	done
	echo "== $OMP_NUM_THREADS threads; ns a construct, medians; none, time: what memsearch adds, a construct and an event; !: above the bound"
	for mode in $modes; do awk -v mode="$mode" 'NR > 1 { print mode, $1, $3, $4, $8 }' "$tmp/$mode.table"; done | table || status=1
done
exit $status
