#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Descriptors and memory while threads come and go, with four events each: after half of them no more may be added (256 KiB). Then what 256 threads with
# 1024 descriptors are told that they lack.                               bench/threads.sh [THREADS]
set -eu
build=${BUILD:-build} nr=${1:-10000}
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
clang-19 -O2 -g -fopenmp -o "$tmp/threads" bench/threads.c
tool=$(realpath "$build/lib/libmemsearch.so")
export MEMSEARCH_QUIET=1 MEMSEARCH_OUTPUT="$tmp/it.ms" MEMSEARCH_EVENT=perf::PAGE-FAULTS,perf::MAJOR-FAULTS,perf::MINOR-FAULTS,perf::CONTEXT-SWITCHES:u:k

begin=$(date +%s%N)
"$tmp/threads" "$nr" > /dev/null
middle=$(date +%s%N)
OMP_TOOL_LIBRARIES=$tool "$tmp/threads" "$nr" > "$tmp/out"
end=$(date +%s%N)
echo "us a thread: $(((middle - begin) / nr / 1000)) without, $(((end - middle) / nr / 1000)) with memsearch"
clang-19 -O2 -g -fopenmp -o "$tmp/team" -x c - << 'EOF'
int main(void)
{
	int sum = 0;
#pragma omp parallel reduction(+:sum)
	sum += 1;
	return sum != 256;
}
EOF
(ulimit -n 1024 && OMP_NUM_THREADS=256 OMP_TOOL_LIBRARIES=$tool "$tmp/team")
"$build/bin/memsearch" report "$tmp/it.ms" | sed -n '/threads whose counters\|threads a sensor/{N;p}'
awk '{ print } NR == 5 { descriptors = $2; kib = $3 } END { exit $2 > descriptors || $3 > kib + 256 }' "$tmp/out"
