#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# swim of gcc and gfortran on libgomp, beside that of clang on libomp: the same loops on the same lines access the same arrays, with as many bytes and
# as many misses on a modelled machine.
# Runs beside others.
. "$(dirname "$0")/lib.sh"

"$memsearch" list sensors | grep -q '^accesses  *yes' || { echo "reason: no accesses can be recorded here"; echo "skip swim_libgomp"; exit 0; }
machine=xeon-2s

# "ARRAY/calcN BYTES" of each array in the loops of each function, "ARRAY/l1_misses N", "ARRAY/l2_misses N"; and "calcN PLACE" of the loop that has most of it.
facts() {      # PROGRAM
	rm -f "$scratch/$1.ms"
	timeout -k 1 120 "$memsearch" run --quiet --no-calibrate --overhead 1000% -o "$scratch/$1.ms" -- "$scratch/$1" 300 200 > /dev/null 2> "$scratch/errors" ||
		wrong "$1: status $?: $(cat "$scratch/errors")"
	"$memsearch" arrays --json --machine $machine "$scratch/$1.ms" | awk -f tests/workloads/flatten.awk > "$scratch/$1.arrays"
	awk -F '\t' '
		$1 ~ /\/arrays\/[0-9]+\/name$/ { array = $2; sub(/^\/\//, "", array) }
		$1 ~ /\/use\/regions\/[0-9]+\/place$/ { place = $2 }
		$1 ~ /\/use\/regions\/[0-9]+\/loop\/function$/ { function_ = $2 }
		$1 ~ /\/use\/regions\/[0-9]+\/bytes$/ {
			if (function_ ~ /^calc[123]$/ && $2 > 100000) { print array "/" function_, $2; of_swim[array] = 1 }
			if ($2 > most[function_]) { most[function_] = $2; places[function_] = place }
			function_ = ""
		}
		$1 ~ /\/arrays\/[0-9]+\/simulated\/l[12]_misses$/ && array in of_swim { sub(/.*\//, "", $1); print array "/" $1, $2 }
		END { for (of in places) if (of ~ /^calc/) print "place/" of, places[of] > "'"$scratch/$1.places"'" }
	' "$scratch/$1.arrays" | sort > "$scratch/$1.facts"
}

# Bytes to 1 %, misses of L1 to 5 %, of L2 to 25 %: there it matters which thread comes first.
alike() {      # PROGRAM OTHER
	join -a 1 -a 2 -e none -o 0,1.2,2.2 "$scratch/$1.facts" "$scratch/$2.facts" > "$scratch/joined"
	[ "$(wc -l < "$scratch/joined")" -ge 50 ] || wrong "$1, $2: too little was recorded: $(head -n 5 "$scratch/joined")"
	awk '{ may = $1 ~ /l2_misses/ ? 0.25 : $1 ~ /l1_misses/ ? 0.05 : 0.01; off = $2 / $3 - 1 }
		$2 == "none" || $3 == "none" || off > may || off < -may' "$scratch/joined" > "$scratch/unlike"
	[ ! -s "$scratch/unlike" ] || wrong "$1, $2: $(head -n 5 "$scratch/unlike")"
}

on_both() {    # into $bad what differs
	for program in c_clang c_gcc f_gfortran; do facts $program; done
	alike c_clang c_gcc
	alike c_clang f_gfortran
	cmp -s "$scratch/c_clang.places" "$scratch/c_gcc.places" || wrong "other loops: $(cat "$scratch/c_clang.places" "$scratch/c_gcc.places")"
	grep -c 'loop in calc[123] (swim.c:[1-9]' "$scratch/c_gcc.places" | grep -q 3 || wrong "not three loops: $(cat "$scratch/c_gcc.places")"
	grep -c 'loop in calc[123] ([a-z ]*swim.f:[1-9]' "$scratch/f_gfortran.places" | grep -q 3 || wrong "not three loops: $(cat "$scratch/f_gfortran.places")"
	"$memsearch" report --json "$scratch/c_gcc.ms" | grep -q '"runtime": *"GNU libgomp' || wrong "c_gcc did not run on libgomp"
}

have gcc-12 && have gfortran || { echo "reason: no gcc-12 or no gfortran"; echo "skip swim_libgomp"; exit 0; }
clang-19 -O2 -g -fopenmp bench/swim/swim.c -o "$scratch/c_clang" -lm && gcc-12 -O2 -g -fopenmp bench/swim/swim.c -o "$scratch/c_gcc" -lm &&
	gfortran -O2 -g -fopenmp bench/swim/swim.f -o "$scratch/f_gfortran" || exit 1
again on_both
check swim_libgomp__finds_what_libomp_shows
