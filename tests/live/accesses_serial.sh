#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The same of serial code.
# Runs beside others.
. "$(dirname "$0")/accesses_lib.sh"

serial_counts() { # SOURCE
	under_tool counts
	moved
	case $1 in
	*.c)
		for array in scale_from scale_to main_from main_to picks picked pick; do moves $array $((2097152 * 8)); done
		moves counters $((2097152 * 8))
		;;
	*)
		for array in scale_from scale_to main_from main_to; do moves serial_fields::$array $((2097152 * 8)); done
		moves serial_fields::counters $((2097152 * 8))
		;;
	esac
	expect strided "$(candidates StridedAccess)" ""
	expect uneven "$(candidates ArrayAccessImbalance)" ""
}

# Its region has the line of the parallel one before; those of the loops stand in the advice.
serial_strides() { # SOURCE
	module=
	[ "${1##*/}" = serial.c ] || module=serial_fields::
	under_tool strides
	moved
	recorded ${module}by_columns ${module}by_rows
	expect strided "$(candidates StridedAccess | sed 's/ [0-9]*;/;/g')" "${module}by_columns;"
	expect uneven "$(candidates ArrayAccessImbalance)" ""
	"$memsearch" report -v "$scratch/it.ms" | tr -s ' \n' ' ' > "$scratch/text"
	grep -q "interchange the loops at ${1##*/}:[0-9]* and $(($(line_of "$1" columns) - 1))[, ]" "$scratch/text" || wrong "no lines in the advice: $(grep -o 'interchange the loops.*' "$scratch/text")"
	"$memsearch" arrays --by line "$scratch/it.ms" | tr -s ' \n' ' ' > "$scratch/text"
	grep -q "${1##*/}:$(line_of "$1" columns) ${module}by_columns [0-9][^(]* after begin_team" "$scratch/text" || wrong "no line in the table"
}

serial() {     # NAME SOURCE KIND…
	name=$1 source=$2
	shift 2
	export MEMSEARCH_OVERHEAD=1000%
	for kind in "$@"; do
		plain "$source" "$name" $kind
		again serial_$kind "$source"
		judge "accesses__serial_$kind $name"
	done
	unset MEMSEARCH_OVERHEAD
}

serial_levels() { # COMPILER SOURCE KIND…
	compiler=$1 source=$2
	shift 2
	have $compiler || { echo "reason: no $compiler"; echo "skip accesses__serial $compiler"; return; }
	for level in $(sample "3" "2 3"); do
		[ $level = 2 ] && options=-O2 || options="-O3 -march=native"
		# shellcheck disable=SC2086
		(cd "$scratch" && $compiler $options -g -fopenmp -o program "$source") || wrong "does not compile"
		case $compiler in gcc-12) simulates ;; *) only_counts ;; esac
		serial "$compiler $options" "$source" "$@"
	done
}
serial_levels clang-19 "$programs/serial.c" counts strides
serial_levels gcc-12 "$programs/serial.c" counts strides
serial_levels gfortran "$programs/serial.f90" counts strides
serial_levels flang-new-19 "$programs/serial.f90" counts strides
