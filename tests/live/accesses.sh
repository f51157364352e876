#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Recorded accesses of programs that say themselves how many bytes of which array they move, how, and on which thread.
# Runs beside others.
. "$(dirname "$0")/accesses_lib.sh"

counts() {     # SOURCE
	under_tool counts
	moved
	case $1 in
	*.c)
		for array in sum_left sum_right sum_to picks picked pick; do moves $array $((524288 * 8)); done
		moves counters $((524288 * 8))       # half as long, read and written
		moves chosen $((524288 * 4))
		recorded choice
		;;
	*)
		for array in sum_left sum_right sum_to; do moves fields::$array $((524288 * 8)); done
		moves fields::counters $((524288 * 4 * 8))
		;;
	esac
	expect strided "$(candidates StridedAccess)" ""
	expect uneven "$(candidates ArrayAccessImbalance)" ""
}

# Arrays of a module have its name, and those of flang's regions are "near" a line.
strides() {    # SOURCE
	line=$(line_of "$1" columns_region) file=${1##*/} module=
	[ "$file" = accesses.c ] || module=fields::
	under_tool strides
	moved
	recorded ${module}by_columns ${module}by_rows
	[ "$module" ] || recorded unrolled near bodies
	expect strided "$(candidates StridedAccess)" "${module}by_columns $line;"
	loop=$(line_of "$1" columns)
	grep -q "^${module}by_columns $loop\$" "$scratch/in_loops" || loop=$((loop - 1))
	grep -q "^${module}by_columns $loop\$" "$scratch/in_loops" || wrong "in no loop at its line: $(cat "$scratch/in_loops")"
	expect uneven "$(candidates ArrayAccessImbalance)" ""
	"$memsearch" report -v "$scratch/it.ms" | tr -s ' \n' ' ' > "$scratch/text"
	grep -q "is not used (StridedAccess) where ${module}by_columns in the loop \(at\|near\) $file:$loop in [^ ]*columns, in .* in columns (\(near \)\{0,1\}$file:$line)" "$scratch/text" ||
		wrong "no candidate in the text"
	"$memsearch" arrays --by line "$scratch/it.ms" | tr -s ' \n' ' ' > "$scratch/text"
	grep -q "$file:$(line_of "$1" columns) ${module}by_columns [0-9][^(]* columns (\(near \)\{0,1\}$file:$line)" "$scratch/text" ||
		wrong "no line in the table"
}

threads() {    # SOURCE
	module=
	[ "${1##*/}" = accesses.c ] || module=fields::
	under_tool threads
	moved
	recorded ${module}triangle
	[ "$module" ] || recorded square
	expect uneven "$(candidates ArrayAccessImbalance)" "${module}triangle $(line_of "$1" triangular_region);"
	expect strided "$(candidates StridedAccess)" ""
}

known() {      # NAME SOURCE
	for kind in counts strides threads; do
		plain "$2" "$1" $kind
		export MEMSEARCH_OVERHEAD=1000%
		again $kind "$2"
		unset MEMSEARCH_OVERHEAD
		judge "accesses__$kind $1"
	done
}

levels() {     # COMPILER SOURCE SAMPLE
	have $1 || { echo "reason: no $1"; echo "skip accesses__known $1"; return; }
	for level in $(sample "$3" "-O2 -O3"); do
		options=$level
		[ "$level" = -O2 ] || options="$level -march=native"
		# shellcheck disable=SC2086
		(cd "$scratch" && $1 $options -g -fopenmp -o program "$2") || wrong "does not compile"
		case "$1 $level" in "clang-19 -O2" | "gfortran -O2") simulates ;; *) only_counts ;; esac
		known "$1 $options" "$2"
	done
}
levels clang-19 "$programs/accesses.c" "-O2 -O3"
levels gcc-12 "$programs/accesses.c" -O3
levels gfortran "$programs/accesses.f90" -O2
levels flang-new-19 "$programs/accesses.f90" -O3
