#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Explicit tasks: what they read and write is recorded, counts for the construct that makes them, and is what the source says to the
# byte, wherever and in how many parts they run; results stay the same.
# Runs beside others.
. "$(dirname "$0")/lib.sh"

"$memsearch" list sensors | grep -q '^accesses  *yes' || { echo "reason: no accesses can be recorded here"; echo "skip tasks"; exit 0; }
cd "$scratch" || exit 1
all=4194304                              # bytes of an array

# Only counts are checked: without WHOLE nothing is kept to simulate.
[ -n "${WHOLE:-}" ] || export MEMSEARCH_TRACE_LIMIT=0

# "ARRAY BYTES" that one execution of the phase moves, all regions and tasks together.
moved() {
	"$memsearch" arrays --json record.ms | awk -F'[:,]' '
		/"accesses": \[/ { inside = 1 }
		inside && /"array":/ { array = $0; gsub(/.*"array": |[",]/, "", array); sub(/.*::/, "", array) }
		inside && /"executions":/ { executions = $2 }
		inside && /"bytes":/ { bytes[array] += $2 * executions; array = "" }
		END { for (array in bytes) printf "%s %.0f\n", array, bytes[array] }' > moved.out
}

recorded() {   # RUNTIME ARRAY-BYTES… -- COMMAND…
	runtime=$1 wanted=
	shift
	while [ "$1" != -- ]; do wanted="$wanted $1"; shift; done
	shift
	rm -f record.ms
	timeout -k 1 60 env LD_PRELOAD="${runtime#"$producer"}" "$@" > plain.out 2> err
	status=$?
	timeout -k 1 120 env LD_PRELOAD="$runtime" OMP_TOOL_LIBRARIES="$tool" MEMSEARCH_OVERHEAD=1000% MEMSEARCH_OUTPUT="$scratch/record.ms" \
		"$@" > out 2> err
	[ $? = $status ] || different="another status than $status: $(head -n 5 err)"
	[ -s plain.out ] || different="no output: $(head -n 5 err)"
	cmp -s plain.out out || different="${different:-another result: $(cat plain.out out)}"
	moved
	for row in $wanted; do
		grep -q "^${row%-*} ${row#*-}$" moved.out || wrong "${row%-*}, not ${row#*-} bytes: $(tr '\n' ';' < moved.out)"
	done
}

try() {        # NAME RUNTIME KIND ARRAY-BYTES…
	name=$1 runtime=$2 kind=$3
	shift 3
	[ -n "$bad" ] || again recorded "$runtime" "$@" -- ./program "$kind"
	[ -z "$different" ] || wrong "$different"
	different=
	check "tasks__${kind}_$name"
}
different=

c() {          # NAME RUNTIME COMPILER FLAGS…
	name=$1 runtime=$2
	shift 2
	have "$1" || { echo "reason: no $1"; echo "skip tasks__$name"; return; }
	"$@" -g -fopenmp -o program "$root/tests/live/programs/tasks.c" 2> err || wrong "does not build: $(head -n 5 err)"
	try "$name" "$runtime" simple from-$all to-$((all * 2))
	[ "$(sample clang "$name")" = "$name" ] || return
	try "$name" "$runtime" barrier mixed-$((all * 5)) halves-$((all * 2))
	try "$name" "$runtime" taskloop looped-$((all * 2))
	try "$name" "$runtime" recursive leaves-$((all * 2)) waited-$all
	try "$name" "$runtime" untied pieces-$((all * 2))
	try "$name" "$runtime" undeferred called-$((all * 2))
}

fortran() {    # NAME RUNTIME COMPILER FLAGS… -- KIND…
	name=$1 runtime=$2
	shift 2
	have "$1" || { echo "reason: no $1"; echo "skip tasks__$name"; return; }
	"$@" -g -fopenmp -o program "$root/tests/live/programs/tasks.f90" 2> err || wrong "does not build: $(head -n 5 err)"
	try "$name" "$runtime" quarters from-$all to-$((all * 2))
}

c clang "" "$CC" -O2
c gcc libomp.so.5 gcc-12 -O3 -march=native
c gcc_libgomp "$producer" gcc-12 -O2
fortran gfortran libomp.so.5 gfortran -O2
fortran gfortran_libgomp "$producer" gfortran -O3 -march=native
fortran flang "" flang-new-19 -O3 -march=native
