#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Page faults of each thread and reading exactly, a program that closes our descriptors, and too few of them for all threads.
# Runs beside others.
. "$(dirname "$0")/lib.sh"

source=tests/live/programs/touch_pages.c
$CC -O2 -g -fopenmp -o "$scratch/touch_pages" $source || exit 1
touches=$(line_of $source touches)
computes=$(line_of $source computes)
export OMP_NUM_THREADS=4
if ! "$memsearch" doctor --format csv | grep -q '^metric,page_faults,works'; then
	echo "reason: perf_event_open is refused here"; echo "skip counters_exact"; exit 0
fi

# "EVENT LINE THREAD SUM READINGS", a line each, of the parallel regions.
counts() {     # RECORD
	"$memsearch" report --json "$1" | awk -F'"' '
	$2 == "event" { event = $4 }
	$2 == "kind" { kind = $4 }
	$2 == "place" { line = $4; sub(/.*:/, "", line); sub(/[^0-9].*/, "", line) }
	$2 == "thread" { thread = $3; gsub(/[^0-9]/, "", thread) }
	$2 == "sum" { sum = $3; gsub(/[^0-9.e+]/, "", sum) }
	$2 == "readings" && kind == "PARALLEL_REGION" { readings = $3; gsub(/[^0-9]/, "", readings); print event, line, thread, sum, readings }'
}
measure() {    # NAME ARGUMENT…
	name=$1; shift
	(cd "$scratch" && timeout 60 "$memsearch" run --overhead 50% -o "$name.ms" "$@" > "$name.out" 2> "$name.err")
	status=$?
	[ $status = 0 ] || wrong "status $status: $(head -n 12 "$scratch/$name.err")"
	counts "$scratch/$name.ms" > "$scratch/$name.counts"
}

# Threads are numbered as the runtime announces them, maybe not as OpenMP does: each of 50, 100, 150 and 200 pages must be one's.
measure exact --event perf::PAGE-FAULTS,MINOR-FAULTS -- ./touch_pages 200 50
awk -v touches="$touches" -v computes="$computes" '
$2 == touches { pages[$1, $4 / $5]++; few += $5 < 20 }
$2 == computes { others++; wrong += $4 > 2 }
END {
	for (k = 1; k <= 4; k++)
		wrong += pages["perf::PAGE-FAULTS", 50 * k] != 1 || pages["MINOR-FAULTS", 50 * k] != 1
	exit !(others == 8 && !few && !wrong)
}' "$scratch/exact.counts" || wrong "not 50 pages times a number of thread (event line thread sum readings): $(cat "$scratch/exact.counts")"
check counters_exact__page_faults_are_exact

measure closed --event perf::PAGE-FAULTS -- ./touch_pages 200 50 close
awk -v touches="$touches" '
$2 == touches { seen++; pages[$4 / $5]++ }
END { exit seen && !(pages[50] == 1 && pages[100] == 1 && pages[150] == 1 && pages[200] == 1) }' "$scratch/closed.counts" ||
	wrong "counts are wrong after the program closed all descriptors: $(cat "$scratch/closed.counts")"
check counters_exact__a_program_that_closes_all_descriptors_is_survived

(ulimit -n 256 && export OMP_NUM_THREADS=128 &&
	measure crowd --event perf::PAGE-FAULTS,perf::MINOR-FAULTS -- ./touch_pages 20 1 && cat "$scratch/crowd.err") > "$scratch/crowd" 2>&1
"$memsearch" report -v "$scratch/crowd.ms" | tr -s ' \n' ' ' | grep -q 'threads whose counters could not be opened' || wrong "128 threads on 256 descriptors: nobody says who is missing: $(cat "$scratch/crowd")"
awk -v touches="$touches" '$2 == touches { wrong += $4 < $5 || $4 % $5 } END { exit wrong > 0 }' "$scratch/crowd.counts" ||
	wrong "a thread that was not counted has a value: $(cat "$scratch/crowd.counts")"
check counters_exact__threads_without_descriptors_are_told
