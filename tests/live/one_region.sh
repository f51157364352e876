#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Programs that keep their time loop inside of one parallel region: threads go into clones by themselves and come back,
# accesses are recorded, and results stay the same to the bit.
# Runs beside others.
. "$(dirname "$0")/lib.sh"

case $(uname -m) in x86_64) ;; *) echo "reason: functions are not cloned on $(uname -m)"; echo "skip one_region"; exit 0 ;; esac
cd "$scratch" || exit 1
bytes=800000                             # of each array

# What a step reads and writes of both arrays, and by how many threads: a row each. "ARRAY READS|WRITES BYTES THREADS"
rows() {
	"$memsearch" arrays --json record.ms | awk -F'[:,]' '
		/"accesses": \[/ { on = 1 }
		/"sharing": \[/ { on = 0 }
		on && /"array":/ { array = $0; gsub(/.*": "|".*/, "", array); sub(/.*::/, "", array) }
		/"reads":/ { reads = $2 }
		/"bytes":/ { moved = $2 }
		/"threads":/ && (array == "heat" || array == "next") { print array, (reads > 0 ? "reads" : "writes"), moved, $2 + 0; array = "" }'
}

# A thread hands over what it did in the region at its next construct, so that a loop or two may be missing at the ends.
recorded() {   # PROGRAM RUNTIME STEPS
	timeout -k 1 100 env LD_PRELOAD="${2#"$producer"}" "$1" "$3" > plain.out 2> err || wrong "exit $? without"
	[ -s plain.out ] || wrong "no output"
	rm -f record.ms
	timeout -k 1 200 env LD_PRELOAD="$2" OMP_TOOL_LIBRARIES="$tool" MEMSEARCH_OVERHEAD=1000% MEMSEARCH_OUTPUT="$scratch/record.ms" \
		"$1" "$3" > out 2> err || wrong "exit $? with"
	cmp -s plain.out out || wrong "another result: $(cat plain.out out)"
	rows > rows.out
	if [ "$taken" ]; then cat rows.out >> rows.tried; else cp rows.out rows.tried; fi
	for row in "heat reads" "heat writes" "next reads" "next writes"; do
		awk -v row="$row" -v bytes=$bytes -v threads="$OMP_NUM_THREADS" '
			$1 " " $2 != row { next }
			$4 == threads { all = 1 }
			FILENAME == "rows.out" { sum += $3 }
			END { exit !(sum > 0.8 * bytes && sum < 1.2 * bytes && all) }' rows.tried rows.out || wrong "$row: $(cat rows.out)"
	done
}

try() {        # NAME RUNTIME COMPILER-AND-FLAGS SOURCE [taken: one thread may take all of a loop, so that all of them are looked for in all tries]
	name=$1; runtime=$2; compiler=$3; source=$4; taken=${5:-}
	have "${compiler%% *}" || { echo "reason: no ${compiler%% *}"; echo "skip one_region__$name"; return; }
	$compiler -g -fopenmp -o program "$root/tests/live/programs/$source" > log 2>&1 || wrong "does not build: $(head -n 5 log)"
	for threads in $(sample 2 "2 4"); do
		export OMP_NUM_THREADS=$threads
		: > rows.tried
		[ -z "$bad" ] || continue
		again recorded ./program "$runtime" 4000
		# a loop of 0.1 ms: beside other tests one thread may take all of it five times
		[ -z "$bad" ] || [ -z "$taken" ] || again recorded ./program "$runtime" 4000
	done
	check "one_region__$name"
}

levels() {     # PART NAME RUNTIME COMPILER SOURCE: at one of two levels, with WHOLE at both
	for level in $(sample "$1" "O2 O3"); do
		flags=-$level
		[ $level = O2 ] || flags="-O3 -march=native"
		try "$2_$level" "$3" "$4 $flags" "$5"
	done
}
# By turns, so that each language and runtime has both levels.
levels O2 clang "" "$CC" one_region.c
levels O3 gcc libomp.so.5 gcc one_region.c
levels O2 gcc_libgomp "$producer" gcc one_region.c
levels O2 gfortran libomp.so.5 gfortran one_region.f90
levels O3 gfortran_libgomp "$producer" gfortran one_region.f90
levels O3 flang "" flang-new-19 one_region.f90

# Without a call that tells where it was made.
try gcc_dynamic libomp.so.5 "gcc -O2 -DSCHEDULE=dynamic,4096" one_region.c taken
try gcc_libgomp_dynamic "$producer" "gcc -O2 -DSCHEDULE=dynamic,4096" one_region.c taken

# Without an event in the region's own code: frames of the functions it calls move, by rsp and by rbp.
try clang_calls "" "$CC -O3 -march=native" one_region_calls.c
try gcc_libgomp_calls "$producer" "gcc -O2" one_region_calls.c
try gcc_calls_by_pointer libomp.so.5 "gcc -O1 -fno-omit-frame-pointer" one_region_calls.c
