#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The main job on real input: swim, unmodified, under `memsearch run` with its defaults. Then with twice as many threads as there are
# CPUs, as happens in containers and batch jobs. Then what the first run recorded, on the caches of other machines, without running swim again.
set -eu
build=${BUILD:-build}
demo=$build/demo
mkdir -p "$demo"
${DEMO_CC:-clang-19} -O3 -march=native -g -fopenmp -o "$demo/swim" bench/swim/swim.c -lm
memsearch=$(realpath "$build/bin/memsearch")
cpus=$(nproc)

run() {        # THREADS STEPS RECORD
	rm -f "$demo/$3"
	echo "\$ OMP_NUM_THREADS=$1 memsearch run -o $3 -- ./swim 1000 $2" >&2
	(cd "$demo" && OMP_NUM_THREADS=$1 "$memsearch" run -o "$3" -- ./swim 1000 "$2")
	echo >&2
}
# Of the three arrays that are used most only the row and the misses.
arrays() {     # OPTIONS…
	echo "\$ memsearch arrays $* swim.ms        # of the three most used arrays, the row and the misses" >&2
	(cd "$demo" && "$memsearch" arrays --most 3 "$@" swim.ms) |
		awk '/^[^ ]/ { shown = /^array / || / (static|heap) / } /^    [a-z]/ { shown = $1 == "misses" } shown' >&2
	echo >&2
}
run "$cpus" 400 swim.ms
run $((2 * cpus)) 300 crowded.ms
arrays --machine altix-bx2
arrays --machine epyc-2s
echo "Every finding with its evidence:  $build/bin/memsearch report -v $demo/swim.ms" >&2
