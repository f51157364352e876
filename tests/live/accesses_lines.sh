#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Cache lines that threads share, falsely or not: loops with known answers.
# Runs beside others.
. "$(dirname "$0")/accesses_lib.sh"

# The same by the arrays' names alone.
names() {      # PROPERTY…
	for property in "$@"; do candidates "$property"; done | tr ';' '\n' | cut -d' ' -f1 | sort -u | tr '\n' ';'
}

lines() {      # KIND WANT ARRAY…
	under_tool "$1"
	moved
	want=$2
	shift 2
	recorded "$@"
	expect "falsely shared" "$(names SharedWrittenLines WatchedFalseSharing)" "$want"
}

# Of the lines in `memsearch arrays`: ARRAY LINES SAME_LINES.
shares() {
	awk -F '\t' -v array="$1" -v lines="$2" -v same="$3" '$1 ~ /^runs\/0\/sharing\// { split($1, path, "/"); value[path[4], path[5]] = $2; nr = path[4] + 1 }
		END {
			for (i = 0; i < nr; i++)
				if (value[i, "array"] == array) {
					met = 1
					wrong = value[i, "lines"] != lines || value[i, "same_lines"] != same
				}
			exit !met || wrong
		}' "$scratch/arrays" || wrong "$1 should share $2 lines, and words of $3: $(grep "^runs/0/sharing" "$scratch/arrays" | tr '\n' ';')"
}

packed() { lines packed "packed;" packed; shares packed 1 0; }
narrow() { lines narrow "narrow;" narrow; shares narrow 1 0; }
cyclic() { lines cyclic "cyclic;" cyclic; shares cyclic $((1048576 * 8 / 64)) 0; }
padded() { lines padded "" padded; shares padded 0 0; }
blocks() { lines blocks "" blocks; shares blocks 0 0; }
stencil() { lines stencil "" new old table; }
common() { lines common "" common; shares common 0 1; }

fortran_packed() { lines packed "shared_fields::packed;" shared_fields::packed; }
fortran_cyclic() { lines cyclic "shared_fields::cyclic;" shared_fields::cyclic; }
fortran_padded() { lines padded "" shared_fields::padded; }

shared_lines() { # COMPILER SOURCE KIND…
	compiler=$1 source=$2
	shift 2
	for kind in "$@"; do
		plain $source $compiler ${kind#fortran_}
		again $kind
		judge "accesses__lines_${kind#fortran_} $compiler"
	done
}

export MEMSEARCH_OVERHEAD=1000%
for compiler in clang-19 gcc-12; do
	have $compiler || { echo "reason: no $compiler"; echo "skip accesses__lines $compiler"; continue; }
	$compiler -O2 -g -fopenmp -o "$scratch/program" "$programs/shared_lines.c" || wrong "does not compile"
	case $compiler in
	clang-19) shared_lines $compiler shared_lines.c packed narrow cyclic padded blocks stencil common ;;
	*) shared_lines $compiler shared_lines.c $(sample "cyclic padded" "packed narrow cyclic padded blocks stencil common") ;;
	esac
done
for compiler in gfortran; do
	have $compiler || { echo "reason: no $compiler"; echo "skip accesses__lines $compiler"; continue; }
	(cd "$scratch" && $compiler -O2 -g -fopenmp -o program "$programs/shared_lines.f90") || wrong "does not compile"
	shared_lines $compiler shared_lines.f90 fortran_packed fortran_cyclic fortran_padded
done
unset MEMSEARCH_OVERHEAD
