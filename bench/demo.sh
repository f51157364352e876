#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The main job on real input: swim, unmodified, under the tool. First as it should be run; then with twice as
# many threads as there are CPUs, as happens in containers and batch jobs, to see what a finding looks like. At last
# its arrays: who touched them first, and what each loop does to them, for which some executions of the loops are recorded.
set -eu
build=${BUILD:-build}
demo=$build/demo
mkdir -p "$demo"
${DEMO_CC:-clang-19} -O3 -march=native -g -fopenmp -o "$demo/swim" bench/swim/swim.c -lm
tool=$(realpath "$build/lib/libmemsearch.so")
cpus=$(nproc)

show() {       # THREADS STEPS RECORD
	rm -f "$demo/$3"
	echo "\$ cd $demo; ${MEMSEARCH_OVERHEAD:+MEMSEARCH_OVERHEAD=$MEMSEARCH_OVERHEAD }${MEMSEARCH_QUIET:+MEMSEARCH_QUIET=1 }OMP_NUM_THREADS=$1 OMP_TOOL_LIBRARIES=\$PWD/../lib/libmemsearch.so MEMSEARCH_OUTPUT=$3 ./swim 1000 $2" >&2
	(cd "$demo" && OMP_NUM_THREADS=$1 OMP_TOOL_LIBRARIES=$tool MEMSEARCH_OUTPUT=$3 ./swim 1000 "$2")
	echo >&2
}
show "$cpus" 400 swim.ms
show $((2 * cpus)) 300 crowded.ms
export MEMSEARCH_OVERHEAD=100% MEMSEARCH_QUIET=1
show "$cpus" 300 arrays.ms
echo "\$ cd $demo; memsearch arrays arrays.ms" >&2
"$build/bin/memsearch" arrays "$demo/arrays.ms" >&2
echo >&2
echo "The whole report, with everything that was asked:  $build/bin/memsearch report --tree $demo/crowded.ms" >&2
