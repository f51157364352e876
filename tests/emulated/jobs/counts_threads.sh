# SPDX-License-Identifier: Apache-2.0
# Instructions of each thread in a region within 2 % of known, unequal work, and of the threads on each node, by perf_event_open and by PAPI. QEMU 7.2 stops
# a CPU's counters some 2^31 ns of the machine's time after an event of cycles began there, and tells nobody: this comes first, and is short.
. /tests/lib.sh
. /tests/counts.sh
export OMP_NUM_THREADS=$NODES OMP_PROC_BIND=spread

for row in perf/perf::INSTRUCTIONS papi/PAPI_TOT_INS; do
	count "${row%%/*}" "${row#*/}" 0.15
	sort -n counts | awk -v threads="$NODES" '{ known = 16000000 * NR; bad += $1 < known || $1 > 1.02 * known }
		END { exit NR != threads || bad }' || wrong "not 16000000 times 1 to $NODES: $(sort -n counts | tr '\n' ' ')"
	check counts_threads__"${row%%/*}"
	awk -F, -v event="${row#*/}" -v nodes="$NODES" '$2 == event && /,parallel region in main/ && $6 != "" { of[$8] += $3; threads++ }
		$2 == event && /,parallel region in main/ && $6 == "" { node[$8] = $3; rows++ }
		END { for (at in of) bad += at == "" || of[at] < 0.999999 * node[at] || of[at] > 1.000001 * node[at]
			exit rows != nodes || threads != nodes || bad }' counts.csv || wrong "not a row for each of $NODES nodes: $(cat counts.csv)"
	check counts_threads__by_node__"${row%%/*}"
done
