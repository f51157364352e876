#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Arrays in frames of functions have the names of the source, by each compiler.
# Runs beside others.
. "$(dirname "$0")/lib.sh"

"$memsearch" list sensors | grep -q '^accesses  *yes' || { echo "reason: no accesses can be recorded here"; echo "skip automatic"; exit 0; }

# What is read of the one and written of the other is that of one step or several, 400 x 400 each.
moves() {      # READ WRITTEN COMMAND…
	read=$1 written=$2
	shift 2
	"$@" -o "$scratch/program" > "$scratch/log" 2>&1 || wrong "$(cat "$scratch/log")"
	"$scratch/program" 1000 > "$scratch/plain"
	timeout -k 1 170 "$memsearch" run --quick --quiet --overhead 1000% -o "$scratch/it.ms" -- "$scratch/program" 1000 > "$scratch/out" 2> "$scratch/errors" || wrong "exit $?: $(cat "$scratch/errors")"
	cmp -s "$scratch/plain" "$scratch/out" || wrong "prints $(cat "$scratch/out")"
	"$memsearch" arrays --format csv "$scratch/it.ms" > "$scratch/page" 2> "$scratch/errors"
	awk -F , -v read="$read" -v written="$written" '
		{ gsub(/"[^"]*"/, "-") }
		NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
		$at["kind"] == "automatic" { moved[$at["array"]] = $at["moved"] }
		END { exit !(moved[read] && moved[read] % (8 * 160000) == 0 && moved[written] == moved[read]) }' "$scratch/page" || wrong "$*: $(cut -c 1-200 "$scratch/page" "$scratch/errors")"
}
for compiler in "$CC" gcc-12; do
	have "$compiler" || continue
	for options in "-O2" "-O3 -march=native" "-O2 -DNOINLINE" "-O0"; do
		# shellcheck disable=SC2086
		moves grid work "$compiler" $options -g -fopenmp "$root/tests/live/programs/automatic.c"
	done
	check "automatic__$compiler"
	ulimit -Ss 400000 2> /dev/null || { echo "reason: stacks cannot be larger than $(ulimit -Hs) KiB"; echo "skip automatic__large_frames_$compiler"; continue; }
	levels=$(sample "$([ "$compiler" = gcc-12 ] || echo -O2)" "-O2 -O0")
	[ "$levels" ] || continue
	for options in $levels; do
		moves grid work "$compiler" $options -DPAD=12000000 -g -fopenmp "$root/tests/live/programs/automatic.c"
	done
	check "automatic__large_frames_$compiler"
done
# What objects that are local in main point to has the object's name.
names() {      # COMMAND…
	"$@" -o "$scratch/program" "$root/tests/live/programs/objects.cc" > "$scratch/log" 2>&1 || wrong "$(cat "$scratch/log")"
	timeout -k 1 170 "$memsearch" run --quick --quiet --overhead 1000% -o "$scratch/it.ms" -- "$scratch/program" 1000 > "$scratch/out" 2> "$scratch/errors" || wrong "exit $?: $(cat "$scratch/errors")"
	"$memsearch" arrays --format csv "$scratch/it.ms" > "$scratch/page" 2> "$scratch/errors"
	for name in left.values right.values table.data_; do
		grep -q "^1,$name,heap," "$scratch/page" || wrong "$*: no $name: $(cut -c 1-120 "$scratch/page")"
	done
}
for compiler in clang++-19 g++-12; do
	have "$compiler" || continue
	levels=$(sample "$([ "$compiler" = g++-12 ] || echo -O2)" "-O2 -O0")
	[ "$levels" ] || continue
	for options in $levels; do
		again names "$compiler" $options -g -fopenmp
	done
	check "automatic__objects_$compiler"
done
# Small ones, and scalars, too, which threads write in turn.
counts() {     # NAME KIND COMMAND…
	name=$1 kind=$2
	shift 2
	"$@" -o "$scratch/program" "$source" > "$scratch/log" 2>&1 || wrong "$(cat "$scratch/log")"
	timeout -k 1 170 "$memsearch" run --no-calibrate --quiet -o "$scratch/it.ms" -- "$scratch/program" > "$scratch/out" 2> "$scratch/errors" || wrong "exit $?: $(cat "$scratch/errors")"
	"$memsearch" report "$scratch/it.ms" > "$scratch/page" 2> "$scratch/errors"
	grep -q "^  1  $name   automatic_counters.c:$(line_of "$source" "$name") .*$kind" "$scratch/page" || wrong "$*: $(head -n 12 "$scratch/page")"
}
source=$root/tests/live/programs/automatic_counters.c
for compiler in $(sample clang-19 "clang-19 gcc-12"); do
	have "$compiler" || continue
	again counts counts "false sharing" "$compiler" -O2 -g -fopenmp
	again counts total "write the same data" "$compiler" -DTOTAL -O2 -g -fopenmp
	check "automatic__counters_$compiler"
done
for options in "-O2" "-O3 -march=native"; do
	! have gfortran || moves grid work gfortran $options -g -fopenmp "$root/tests/live/programs/automatic.f90"
done
check automatic__gfortran
