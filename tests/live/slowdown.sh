#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# How much slower a program was is told of all its time, also of what was before the OpenMP runtime began.
. "$(dirname "$0")/lib.sh"

cat > "$scratch/late.c" << 'END'
#include <time.h>

static double now(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return time.tv_sec + 1e-9 * time.tv_nsec;
}

int main(void)
{
	volatile double sum = 0;
	double end = now() + 1;

	while (now() < end)
		sum += 1;
	for (int step = 0; step < 2000; step++) {
		#pragma omp parallel
		for (int i = 0; i < 2000; i++)
			sum += i;
	}
	return 0;
}
END
$CC -O2 -g -fopenmp -o "$scratch/late" "$scratch/late.c" || exit 1

# On one thread all that memsearch takes is its.
OMP_NUM_THREADS=1 timeout -k 1 60 "$memsearch" run --quiet --overhead 100% -o "$scratch/it.ms" -- "$scratch/late" || wrong "status $?"
"$memsearch" report --json "$scratch/it.ms" | awk -f tests/workloads/flatten.awk > "$scratch/report"
awk -F '\t' '$1 == "runs/0/cost/tool_cpu_ns" { tool = $2 } $1 == "runs/0/cost/slowdown" { slowdown = $2 }
	END { print slowdown, tool; exit !(tool > 0 && slowdown > 1 && slowdown - 1 < 2 * tool / 1e9) }' "$scratch/report" > "$scratch/words" ||
	wrong "slowdown and tool's ns: $(cat "$scratch/words")"
check slowdown__of_all_the_time
