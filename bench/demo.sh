#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The main job on real input: swim, unmodified, under `memsearch run` with its defaults. Then with twice as many threads as there are
# CPUs, as happens in containers and batch jobs. Then what the first run recorded, on the caches of other machines, without running swim again.
# Then what gets worse from 16 to 32 threads.
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
		awk '/^[^ ]/ { shown = /^array  *kind / || / (static|heap) / } /^    [a-z]/ { shown = $1 == "misses" } shown' >&2
	echo >&2
}
run "$cpus" 400 swim.ms
run $((2 * cpus)) 300 crowded.ms
arrays --machine altix-bx2
arrays --machine epyc-2s
# What gets worse with 32 threads, on a machine that has as many: simulated, as there are fewer CPUs here.
echo "\$ memsearch sweep --threads 16,32 --repeat 1 --machine altix-bx2 --overhead 1000% -o scaling.db -- ./swim 512 200" >&2
echo "\$ memsearch diff --by region scaling.db        # of its list, the first two loops" >&2
(
	cd "$demo"
	rm -f scaling.db
	"$memsearch" sweep --threads 16,32 --repeat 1 --machine altix-bx2 --no-calibrate --overhead 1000% -o scaling.db -- ./swim 512 200 > sweep.out 2> sweep.err || { cat sweep.err >&2; exit 1; }
	"$memsearch" diff --by region --format csv scaling.db |
		awk -F, '$1 == "worse" && $2 ~ /^loop/ && !seen[$2]++ && n++ < 2 { printf "%s: %s %.2f M a step with 16 threads, %.2f M with 32 (%.2f times)\n", $2, $5, $8 / 1e6, $9 / 1e6, $10 }'
) >&2
echo >&2
(cd "$demo" && "$memsearch" report --html --machine epyc-2s --places spread swim.ms) >&2
echo "The report as a page for a browser:  $demo/swim.html" >&2
echo "Every finding with its evidence:  $build/bin/memsearch report -v $demo/swim.ms" >&2
