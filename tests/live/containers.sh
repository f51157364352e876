#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# What code of the C++ library's headers does is at the lines of the program that use it.
# Runs beside others.
. "$(dirname "$0")/lib.sh"
source=$root/tests/live/programs/containers.cc

"$memsearch" list sensors | grep -q '^accesses  *yes' || { echo "reason: no accesses can be recorded here"; echo "skip containers"; exit 0; }
cd "$scratch" || exit 1

lines() {      # COMPILER
	"$1" -O2 -g -fopenmp -o program "$source" 2> errors || wrong "does not build: $(cat errors)"
	"$memsearch" run --quiet --overhead 1000% -o it.ms -- ./program > out 2> said || wrong "status $?: $(cat said)"
	"$memsearch" arrays --by line --format csv it.ms 2> errors | awk -F , '
		NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
		{ gsub(/"[^"]*"/, "-"); sum[$at["file"] ":" $at["line"]] += $at["executions"] * $at["reads"] }
		END { for (line in sum) printf "%.0f %s\n", sum[line], line }' | sort -rn > reads
	head -n 2 reads | grep -q "containers.cc:$(line_of "$source" ordered)$" || wrong "most is not read where lower_bound is called: $(cat reads)"
	grep -q "containers.cc:$(line_of "$source" hashed)$" reads || wrong "nothing is read where find is called: $(cat reads)"
	grep -q "containers.cc:$(line_of "$source" own)$" reads || wrong "nothing is read from the program's own container: $(cat reads)"
	grep -q "containers.cc:$(line_of "$source" accessor)$" reads && wrong "is read by the accessor, not its caller: $(cat reads)"
	"$memsearch" arrays it.ms > arrays 2> errors
	grep -q "^hashed  *heap.* containers.cc:$(line_of "$source" declared)\$" arrays || wrong "the table has no name or declaration: $(grep ' heap ' arrays)"
}

for compiler in g++-12 clang++-19; do
	have $compiler || { echo "reason: no $compiler"; echo "skip containers__lines $compiler"; continue; }
	again lines $compiler
	check "containers__lines $compiler"
done
