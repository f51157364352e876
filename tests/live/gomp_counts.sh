#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# What is recorded of programs of gcc and gfortran on libgomp equals what is recorded on libomp: reads, writes and bytes of each array at each source
# line, and the cache lines that the constructs of each function touch. Of dynamic loops and tasks the sums over all threads are compared; what is on
# stacks or in no array depends on the schedule.
# Runs beside others.
#
#     WHOLE=1 tests/live/gomp_counts.sh        all programs instead of three
. "$(dirname "$0")/lib.sh"

"$memsearch" list sensors | grep -q '^accesses  *yes' || { echo "reason: no accesses can be recorded here"; echo "skip gomp_counts"; exit 0; }
have gcc-12 && have gfortran && have g++-12 || { echo "reason: no gcc-12, g++-12 or gfortran"; echo "skip gomp_counts"; exit 0; }
workloads=$root/tests/workloads flatten=$root/tests/workloads/flatten.awk

build() {      # PROGRAM
	includes="-I$workloads -I$root/include"
	case $1 in
	swim_c) gcc-12 -O2 -g -fopenmp -o "$scratch/$1" "$root/bench/swim/swim.c" -lm ;;
	swim_f) gfortran -O2 -g -fopenmp -o "$scratch/$1" "$root/bench/swim/swim.f" ;;
	*_fortran) gfortran -O2 -g -fopenmp -J"$scratch" -o "$scratch/$1" "$workloads/workload_module.f90" "$workloads/$1.f90" ;;
	*_cxx) g++-12 -O2 -g -fopenmp $includes -o "$scratch/$1" "$workloads/$1.cpp" ;;
	*) gcc-12 -O2 -g -fopenmp $includes -o "$scratch/$1" "$workloads/$1.c" -lm ;;
	esac
}

arguments() {  # PROGRAM: some 0.5 s
	case $1 in
	swim_*) echo 300 150 ;;
	*) echo 0.5 ;;
	esac
}

# $scratch/RUNTIME.counts: "ARRAY|FUNCTION|LINE READS WRITES BYTES"; .lines: "FUNCTION LINES MOST" of all its constructs and of
# one at most; .bytes: of all arrays.
record() {     # PROGRAM RUNTIME
	rm -f "$scratch/it.ms"
	# shellcheck disable=SC2046
	timeout -k 1 100 "$memsearch" run --quiet --no-calibrate --runtime "$2" --overhead 1000% --properties "$root/tests/live/gomp/touched.asl" -o "$scratch/it.ms" -- \
		"$scratch/$1" $(arguments "$1") > /dev/null 2> "$scratch/errors" || wrong "$1 on $2: status $?: $(cat "$scratch/errors")"
	"$memsearch" arrays --json "$scratch/it.ms" | awk -f "$flatten" > "$scratch/arrays"
	list_rows "$scratch/arrays" runs/0/accesses array function line reads writes bytes |
		awk -F '\t' '$1 !~ /^(null|stacks of threads|small heap blocks)$/ { key = $1 "|" $2 "|" $3; reads[key] += $4; writes[key] += $5; bytes[key] += $6 }
			END { for (key in reads) printf "%s %.0f %.0f %.0f\n", key, reads[key], writes[key], bytes[key] }' | sort > "$scratch/$2.counts"
	list_rows "$scratch/arrays" runs/0/arrays bytes | awk '{ sum += $1 } END { printf "%.0f\n", sum }' > "$scratch/$2.bytes"
	"$memsearch" report --all --json "$scratch/it.ms" | awk -f "$flatten" > "$scratch/report"
	for list in findings candidates; do list_rows "$scratch/report" $list property region/function evidence/lines; done |
		awk -F '\t' '$1 == "TouchedLines" { gsub(/ /, "_", $2); lines[$2] += $3; if ($3 > most[$2]) most[$2] = $3 }
			END { for (of in lines) printf "%s %.0f %.0f\n", of, lines[of], most[of] }' | sort > "$scratch/$2.lines"
}

# Lines at the ends of chunks are those of two threads, or of one. On libgomp a static loop is a construct of its own, on libomp a part of its parallel region: lines that several loops of a region touch count once there.
lines_alike() { # PROGRAM
	join -a 1 -a 2 -e none -o 0,1.2,2.2,1.3,2.3 "$scratch/own.lines" "$scratch/libomp.lines" > "$scratch/joined"
	awk '$2 == "none" || $3 == "none" || $2 < 0.99 * $3 || $2 > 1.05 * $3' "$scratch/joined" > "$scratch/unlike"
	[ -s "$scratch/joined" ] && [ ! -s "$scratch/unlike" ] || wrong "$1: lines touched on libgomp and on libomp: $(cat "$scratch/unlike")"
	awk -v bytes="$(cat "$scratch/own.bytes")" '$4 * 64 > 1.05 * bytes || $5 * 64 > 1.05 * bytes { exit 1 }' "$scratch/joined" ||
		wrong "$1: more lines are touched than arrays of $(cat "$scratch/own.bytes") bytes have: $(cat "$scratch/joined")"
}

alike() {      # PROGRAM
	record "$1" own
	record "$1" libomp
	[ -s "$scratch/own.counts" ] || wrong "$1: nothing was recorded"
	cmp -s "$scratch/own.counts" "$scratch/libomp.counts" ||
		wrong "$1: array, function, line, reads, writes, bytes, < on libgomp, > on libomp: $(diff "$scratch/own.counts" "$scratch/libomp.counts" | head -n 6)"
	lines_alike "$1"
}

for program in $(sample "swim_c clean_fortran small_chunks" "swim_c swim_f clean_fortran imbalance_cxx clean_stream small_chunks large_chunks
		critical single ordered lock task_imbalance serial_fraction"); do
	build "$program" 2> "$scratch/errors" && again alike "$program" || wrong "$program does not build: $(head -n 3 "$scratch/errors")"
	check "gomp_counts__$program"
done
