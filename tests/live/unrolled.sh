#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Strides of unrolled loops are those of the source, whatever a single instruction has.
# Runs beside others.
. "$(dirname "$0")/accesses_lib.sh"

source=$programs/unrolled.c

# Of the accesses to an array in a line, that of most: the first iterations, before the copies, have that of the loop around.
stride() {    # ARRAY LINE
	"$memsearch" arrays --json "$scratch/it.ms" 2> "$scratch/errors" | awk -f "$flatten" | awk -F '\t' -v array="$1" -v line="$2" '
		$1 ~ /^runs\/0\/accesses\// { split($1, path, "/"); row[path[4]]; value[path[4], path[5]] = $2 }
		END { for (r in row) if (value[r, "array"] == array && value[r, "line"] == line) print value[r, "reads"] + value[r, "writes"], value[r, "stride"] }' | sort -n | tail -n 1 | cut -d' ' -f2
}
unrolled() {
	under_tool
	moved
	expect drops "$(stride drops "$(line_of "$source" field)")" 104
	expect columns "$(stride columns "$(line_of "$source" rows)")" 65536
	expect pairs "$(stride pairs "$(line_of "$source" pairs)")" 128
}

export MEMSEARCH_OVERHEAD=1000%
only_counts
for compiler in "clang-19 -O2" "gcc-12 -O2 -funroll-loops"; do
	have "${compiler%% *}" || { echo "reason: no ${compiler%% *}"; echo "skip unrolled__strides ${compiler%% *}"; continue; }
	$compiler -g -fopenmp -o "$scratch/program" "$source" || wrong "does not compile"
	plain "$source" "$compiler" strides
	again unrolled
	judge "unrolled__strides ${compiler%% *}"
done
