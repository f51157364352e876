#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The sequential table of the Periscope paper in kind: on its machine, the search refines the loop nest of swim's calc2 to the arrays that it writes,
# three below one loop. Counts of a simulation: no times.
# Runs beside others.
. "$(dirname "$0")/lib.sh"

"$memsearch" list sensors | grep -q '^accesses  *yes' || { echo "reason: no accesses can be recorded here"; echo "skip swim_arrays"; exit 0; }
cd "$scratch" || exit 1
$CC -O2 -g -fopenmp -o swim "$root/bench/swim/swim.c" -lm || { echo "FAIL swim_arrays: does not compile"; exit 1; }

# Resource of the code, and data structure, of what is proven by a property.
proven() {     # PROPERTY: lines "CODE DATA"
	awk -F '"' -v wanted="$1" '$2 == "property" { is = $4 == wanted } $2 == "code" { code = $4 } $2 == "data" { data = $4 }
		$2 == "verdict" && is && $4 == "yes" && data != "/Data" { print code, data }' graph | sort -u
}
below_one_loop() {
	OMP_NUM_THREADS=2 "$memsearch" run --no-calibrate --quick -q --overhead 1000% -o it.ms -- ./swim > out 2> errors || wrong "status $?: $(cat errors)"
	"$memsearch" graph --machine altix-bx2 --json it.ms > graph 2> errors || wrong "graph: $(cat errors)"
	proven DataMisses > missed
	loop=$(sed -n 's@^\(/Code/swim/calc2/parallel_1/loop_1\) /Data/static/unew$@\1@p' missed)
	[ -n "$loop" ] || wrong "calc2's loop does not miss unew: $(cat missed)"
	for array in unew vnew pnew; do
		grep -qx "$loop /Data/static/$array" missed || wrong "no $array below $loop: $(cat missed)"
	done
	# the negative case: the extent is read in each iteration, from the first level
	grep -q '/Data/static/n$' missed && wrong "a scalar misses: $(cat missed)"
}
again below_one_loop
check swim_arrays__three_below_one_loop
