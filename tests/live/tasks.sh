#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Explicit tasks: what they read and write is recorded, counts for the construct that makes them, and is what the source says to the
# byte, wherever and in how many parts they run; results stay the same.
. "$(dirname "$0")/lib.sh"

"$memsearch" list sensors | grep -q '^accesses  *yes' || { echo "reason: no accesses can be recorded here"; echo "skip tasks"; exit 0; }
cd "$scratch" || exit 1
all=4194304                              # bytes of an array; 16 tasks share it

# "ARRAY BYTES" that one execution of each region, or one task, moves.
moved() {
	"$memsearch" arrays --json record.ms | awk -F'[:,]' '
		/"accesses": \[/ { inside = 1 }
		inside && /"array":/ { array = $0; gsub(/.*"array": |[",]/, "", array); sub(/.*::/, "", array) }
		inside && /"region":/ { region = $2 + 0 }
		inside && /"bytes":/ { bytes[array " " region] += $2; array = "" }
		END { for (at in bytes) { split(at, name, " "); printf "%s %.2f\n", name[1], bytes[at] } }' | sort -u > moved.out
}

recorded() {   # RUNTIME ARRAY-BYTES… -- COMMAND…
	runtime=$1 wanted=
	shift
	while [ "$1" != -- ]; do wanted="$wanted $1"; shift; done
	shift
	rm -f record.ms
	timeout -k 1 60 env LD_PRELOAD="$runtime" "$@" > plain.out 2> err
	status=$?
	timeout -k 1 120 env LD_PRELOAD="$runtime" OMP_TOOL_LIBRARIES="$tool" MEMSEARCH_OVERHEAD=100% MEMSEARCH_OUTPUT="$scratch/record.ms" \
		"$@" > out 2> err
	[ $? = $status ] || different="another status than $status: $(head -n 5 err)"
	[ -s plain.out ] || different="no output: $(head -n 5 err)"
	cmp -s plain.out out || different="another result: $(cat plain.out out)"
	moved
	for row in $wanted; do
		array=${row%-*} bytes=${row#*-}
		awk -v array="$array" -v bytes="$bytes" 'BEGIN { nr = split(bytes, wanted, ",") }
			$1 == array { met = 1; found = 0; for (i = 1; i <= nr; i++) found += $2 == wanted[i]; differs += !found }
			END { exit !met || differs }' moved.out || wrong "$array, not $bytes bytes: $(tr '\n' ';' < moved.out)"
	done
}

try() {        # NAME RUNTIME KIND ARRAY-BYTES…: several numbers, with commas between, are those of several regions
	name=$1 runtime=$2 kind=$3
	shift 3
	[ -n "$bad" ] || again recorded "$runtime" "$@" -- ./program "$kind"
	[ -z "$different" ] || wrong "$different"
	different=
	check "tasks__${kind}_$name"
}
different=

# Of the 255 tasks of each of the two constructs of the recursion 128 read and write 2048 values of 8 bytes.
c() {          # NAME RUNTIME COMPILER FLAGS…
	name=$1 runtime=$2
	shift 2
	have "$1" || { echo "reason: no $1"; echo "skip tasks__$name"; return; }
	"$@" -g -fopenmp -o program "$root/tests/live/programs/tasks.c" 2> err || wrong "does not build: $(head -n 5 err)"
	try "$name" "$runtime" simple from-$((all / 16)) to-$((all / 8))
	try "$name" "$runtime" barrier mixed-$((all * 2)),$all,$((all * 3)),$((all / 8)) halves-$((all * 2))
	try "$name" "$runtime" taskloop looped-16384
	try "$name" "$runtime" recursive leaves-16448.25 waited-8224.13
	try "$name" "$runtime" untied pieces-$((all / 8))
	try "$name" "$runtime" undeferred called-$((all / 8))
}

fortran() {    # NAME RUNTIME COMPILER FLAGS… -- KIND…
	name=$1 runtime=$2
	shift 2
	have "$1" || { echo "reason: no $1"; echo "skip tasks__$name"; return; }
	"$@" -g -fopenmp -o program "$root/tests/live/programs/tasks.f90" 2> err || wrong "does not build: $(head -n 5 err)"
	try "$name" "$runtime" quarters from-$((all / 4)) to-$((all / 2))
}

c clang "" "$CC" -O2
c gcc libomp.so.5 gcc-12 -O3 -march=native
fortran gfortran libomp.so.5 gfortran -O2
fortran flang "" flang-new-19 -O3 -march=native
