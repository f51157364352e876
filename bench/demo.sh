#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The main job on real input: swim, unmodified, under the tool. First what memory delivers; then swim as it should be run, which is
# bound by that; then with twice as many threads as there are CPUs, as happens in containers and batch jobs. Then its arrays: who touched
# them first, and what each loop does to them, for which some executions of the loops are recorded. At last what they miss in
# the caches of another machine, two of whose processors have the work.
set -eu
build=${BUILD:-build}
demo=$build/demo
mkdir -p "$demo"
${DEMO_CC:-clang-19} -O3 -march=native -g -fopenmp -o "$demo/swim" bench/swim/swim.c -lm
tool=$(realpath "$build/lib/libmemsearch.so")
cpus=$(nproc)

settings() {
	for name in LINES MACHINE STRATEGY OVERHEAD QUIET; do
		eval "value=\${MEMSEARCH_$name:-}"
		[ -z "$value" ] || printf 'MEMSEARCH_%s=%s ' "$name" "$value"
	done
}
show() {       # THREADS STEPS RECORD
	rm -f "$demo/$3"
	echo "\$ cd $demo; $(settings)OMP_NUM_THREADS=$1 OMP_TOOL_LIBRARIES=\$PWD/../lib/libmemsearch.so MEMSEARCH_OUTPUT=$3 ./swim 1000 $2" >&2
	(cd "$demo" && OMP_NUM_THREADS=$1 OMP_TOOL_LIBRARIES=$tool MEMSEARCH_OUTPUT=$3 ./swim 1000 "$2")
	echo >&2
}
echo "\$ memsearch doctor --calibrate        # of which this is a part" >&2
"$build/bin/memsearch" doctor --calibrate | sed -n '/memory delivers/,/UTC/p' >&2
echo >&2
export MEMSEARCH_OVERHEAD=20%
show "$cpus" 400 swim.ms
unset MEMSEARCH_OVERHEAD
show $((2 * cpus)) 300 crowded.ms
export MEMSEARCH_OVERHEAD=100% MEMSEARCH_QUIET=1
show "$cpus" 300 arrays.ms
echo "\$ cd $demo; memsearch arrays arrays.ms" >&2
"$build/bin/memsearch" arrays "$demo/arrays.ms" >&2
echo >&2
export MEMSEARCH_OVERHEAD=1000% MEMSEARCH_LINES=all MEMSEARCH_MACHINE=altix-bx2 MEMSEARCH_STRATEGY=data_structure_refine
show "$cpus" 300 modelled.ms
echo "\$ cd $demo; memsearch arrays modelled.ms        # of each array only its row and its misses" >&2
"$build/bin/memsearch" arrays "$demo/modelled.ms" | awk '/^[^ ]/ { shown = /^array / || / (static|heap) / } /^    [a-z]/ { shown = $1 == "misses" } shown' >&2
echo >&2
echo "\$ cd $demo; memsearch report --most 4 modelled.ms        # only what is found of the modelled machine" >&2
"$build/bin/memsearch" report --most 4 "$demo/modelled.ms" | awk '/^On the modelled machine/ { shown = 1 } /^Percentages/ { shown = 0 } shown' >&2
echo "The whole report, with everything that was asked:  $build/bin/memsearch report --tree $demo/crowded.ms" >&2
