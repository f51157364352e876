#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Programs of gcc that name what libomp lacks, and programs to which libgomp says nothing where libomp would: they print the
# same and end as they do without memsearch, on libgomp and with libomp in its place.
# Runs beside others.
. "$(dirname "$0")/lib.sh"

have gcc-12 || { echo "skip lacking: no gcc-12"; exit 0; }
export MEMSEARCH_QUIET=1

# NAME [VARIABLE=VALUE]: with $runtime, of $scratch/NAME.c; what it says without the tool, and under it, but for memsearch's own lines.
same() {
	gcc-12 -O2 -w -g -fopenmp ${flags:-} -o "$scratch/$1" "$scratch/$1.c" || { wrong "does not build"; return; }
	env ${2:-} timeout -k 1 60 "$scratch/$1" > "$scratch/plain" 2>&1; plain=$?
	rm -f "$scratch/it.ms"
	env ${2:-} timeout -k 1 60 "$memsearch" run --runtime "$runtime" -o "$scratch/it.ms" -- "$scratch/$1" > "$scratch/out" 2>&1; status=$?
	[ $status = $plain ] || wrong "status $status, not $plain: $(cat "$scratch/out")"
	grep -v '^memsearch: ' "$scratch/out" | diff "$scratch/plain" - > "$scratch/diff" || wrong "$(cat "$scratch/diff")"
}

cat > "$scratch/target.c" << 'END'
#include <stdio.h>

static double a[1000];

int main(void)
{
	double sum = 0;
	#pragma omp parallel for reduction(+:sum)
	for (int i = 0; i < 1000; i++)
		sum += a[i] = i;
	#pragma omp target teams distribute parallel for map(tofrom: a)
	for (int i = 0; i < 1000; i++)
		a[i] *= 2;
	printf("%g %g\n", sum, a[999]);
	return 3;
}
END
runtime=own
same target
[ -f "$scratch/it.ms" ] || wrong "nothing was measured on libgomp"
runtime=libomp
for flags in '-Wl,-z,lazy' '-Wl,-z,now'; do
	same target
	grep -q 'lacks functions that the program names' "$scratch/out" || wrong "does not say why nothing was measured: $(cat "$scratch/out")"
done
check lacking__target
flags=

cat > "$scratch/nested.c" << 'END'
#include <omp.h>
#include <stdio.h>

int main(void)
{
	volatile int sum = 0;
	omp_set_nested(1);
	#pragma omp parallel
	sum = 1;
	printf("%d %d\n", sum, omp_get_nested());
	return sum;
}
END
for runtime in own libomp; do
	same nested
	[ -f "$scratch/it.ms" ] || wrong "nothing was measured on $runtime"
done
check lacking__nothing_is_said_of_deprecated_functions

# Whoever asks for warnings gets them.
env KMP_WARNINGS=1 timeout -k 1 60 "$memsearch" run --runtime libomp -o "$scratch/it.ms" -- "$scratch/nested" > "$scratch/out" 2>&1
grep -q 'OMP: ' "$scratch/out" || wrong "KMP_WARNINGS=1 was not respected: $(cat "$scratch/out")"
check lacking__warnings_asked_for
