#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Heap blocks that no variable with static storage points to: they have the names that the sources give them.
# Runs beside others.
. "$(dirname "$0")/lib.sh"

programs=$root/tests/live/programs
"$memsearch" list sensors > /dev/null || exit 1

# COMPILER OPTIONS SOURCE NAME[=BYTES]…; one is allocated in $called.
named() {
	compiler=$1 options=$2 source=$3
	shift 3
	name="allocations__$(basename "$source" | tr . _) $compiler $options"
	command -v "$compiler" > /dev/null || { echo "reason: no $compiler"; echo "skip $name"; return; }
	rm -f "$scratch/it.ms"
	# shellcheck disable=SC2086
	(cd "$scratch" && $compiler $options -g -fopenmp -o program "$source" 2> log) || wrong "does not compile: $(cat "$scratch/log")"
	"$scratch/program" > "$scratch/plain"
	timeout -k 1 60 "$memsearch" run --quiet -o "$scratch/it.ms" -- "$scratch/program" > "$scratch/out" 2> "$scratch/errors" || wrong "status $?: $(cat "$scratch/errors")"
	cmp -s "$scratch/plain" "$scratch/out" || wrong "output changed"
	"$memsearch" arrays --format csv "$scratch/it.ms" > "$scratch/csv" 2> "$scratch/errors" || wrong "arrays: $(cat "$scratch/errors")"
	for variable in "$@"; do
		cut -d, -f2 "$scratch/csv" | grep -qFx "${variable%=*}" || wrong "$variable is not there: $(cut -d, -f2 "$scratch/csv" | sort -u)"
		[ "$variable" = "${variable#*=}" ] || grep -q "^1,${variable%=*},heap,[^,]*,[^,]*,${variable#*=}," "$scratch/csv" || wrong "not $variable: $(cut -d, -f2-6 "$scratch/csv" | sort -u)"
	done
	[ "$called" = main ] || grep -qE "main( -> [^,]*)* -> $called \(" "$scratch/csv" || wrong "no calls to $called: $(cat "$scratch/csv")"
	check "$name"
}

for options in -O0 -O2; do
	called=compute
	for compiler in g++-12 clang++-19; do
		named $compiler $options "$programs/allocations.cc" heat cold field-\>pressure field-\>velocity flux raw twice=1600000 thrice=2400000 \
			ones.data owned-\>data made-\>data mesh.edges.data mesh.nodes
	done
	called=grids::make
	for compiler in gfortran flang-new-19; do
		named $compiler $options "$programs/allocations.f90" g%inner%rho g%inner%mu twice=1600000 thrice=2400000
	done
done

# Callers of one wrapper have arrays and names of their own.
for compiler in gcc-12 clang-19; do
	for options in -O2 "-O3 -march=native"; do
		called=main
		named $compiler "$options" "$programs/wrappers.c" left=720000 right=720000 temp=720000 outer=720000 grid.u=720000 grid.v=720000 tally=720000 grid.w=720000
	done
done

# Without the source, or with one that is newer than the program, its line is what is known.
cp "$programs/allocations.cc" "$scratch/moved.cc"
called=compute
named clang++-19 -O2 "$scratch/moved.cc" heat
sleep 1
rm "$scratch/moved.cc"
rm -f "$scratch/it.ms"
"$memsearch" run --quiet -o "$scratch/it.ms" -- "$scratch/program" > /dev/null 2>&1
"$memsearch" arrays --format csv "$scratch/it.ms" > "$scratch/csv"
grep -q "moved.cc:$(grep -n 'heat = allocate' "$programs/allocations.cc" | cut -d: -f1)" "$scratch/csv" || wrong "no name by its line: $(cut -d, -f1-6 "$scratch/csv")"
check allocations__without_the_source
