#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# With MEMSEARCH_QUIET=1 users see on stderr what they see without the tool, also where the
# runtime warns only because there is a tool (flang); warnings asked for stay.
# Runs beside others.
. "$(dirname "$0")/lib.sh"

compiler=flang-new-19
have $compiler || { echo "skip stderr__flang: no $compiler"; exit 0; }
export MEMSEARCH_QUIET=1

# Runs the program without and with the tool in an environment; the messages must be the same.
same() {       # NAME PROGRAM [VARIABLE=VALUE]
	(cd "$scratch" && env ${3:-} timeout -k 1 60 "$2") > "$scratch/plain" 2>&1 || wrong "failed without the tool"
	(cd "$scratch" && env ${3:-} OMP_TOOL_LIBRARIES="$tool" timeout -k 1 60 "$2") > "$scratch/watched" 2>&1 || wrong "failed"
	diff "$scratch/plain" "$scratch/watched" > "$scratch/diff" || wrong "$(cat "$scratch/diff")"
	[ -n "$(ls "$scratch"/*.ms 2> /dev/null)" ] || wrong "nothing was measured"
	rm -f "$scratch"/*.ms
	check "stderr__$1"
}

$compiler -O2 -g -fopenmp -o "$scratch/quiet" tests/live/programs/quiet.f90 || exit 1
same flang "$scratch/quiet"
same flang_environment "$scratch/quiet" OMP_SCHEDULE=nonsense
strip "$scratch/quiet"
same flang_stripped "$scratch/quiet"

# Whoever asks for warnings gets them, this one included.
(cd "$scratch" && KMP_WARNINGS=1 OMP_TOOL_LIBRARIES="$tool" timeout -k 1 60 ./quiet) > "$scratch/watched" 2>&1
grep -q 'OMP: Warning' "$scratch/watched" || wrong "KMP_WARNINGS=1 was not respected: $(cat "$scratch/watched")"
check stderr__flang_asked_for

# Programs of other compilers keep the runtime's warnings.
cat > "$scratch/warns.c" << 'END'
#include <omp.h>
int main(void)
{
	volatile int sum = 0;
#pragma omp parallel
	sum = 1;
	omp_set_nested(1);
	return sum - 1;
}
END
$CC -O2 -w -fopenmp -o "$scratch/warns" "$scratch/warns.c" || exit 1
same clang "$scratch/warns"
grep -q 'OMP: ' "$scratch/watched" || wrong "the runtime did not warn: $(cat "$scratch/watched")"
check stderr__clang_warning
