# SPDX-License-Identifier: Apache-2.0
# Instructions of one thread on one CPU: the known work and some 1000 of the tool's own, the same each time.
. /tests/lib.sh
. /tests/counts.sh
export OMP_NUM_THREADS=1

for row in perf/perf::INSTRUCTIONS papi/PAPI_TOT_INS; do
	count "${row%%/*}" "${row#*/}" 1; mv counts first
	count "${row%%/*}" "${row#*/}" 1
	cat first counts | awk '{ bad += $1 < 16000000 || $1 > 16004000; value[NR] = $1 }
		END { far = value[1] - value[2]; exit NR != 2 || bad || far > 100 || far < -100 }' ||
		wrong "not twice some 16000000: $(cat first counts)"
	check counts_exact__"${row%%/*}"
done
