#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Three of the programs with a planted memory problem (bench/gain): the first cause of a default run names the line and the arrays, and of the mended
# program it does not. What is claimed of the time, and what is gained, is measured by bench/gain.sh.
live=$(dirname "$0")
. "$live/lib.sh"

hot_lines() { grep -n '[*/!] hot' "$1" | cut -d: -f1; }

# "KIND LINE" of the first cause, and the line after that its arrays.
first_cause() { # PROGRAM
	"$memsearch" run --quiet --no-calibrate --output "$scratch/run.ms" -- "$1" > /dev/null 2> "$scratch/err"
	"$memsearch" report --json "$scratch/run.ms" 2> /dev/null | awk -f tests/workloads/flatten.awk > "$scratch/flat"
	list_rows "$scratch/flat" causes kind region/line hot/line data_structures/0 | head -n 1
}

# Prints the program's cause if it is what was planted.
planted() {    # NAME KIND ARRAY
	first=$(($(hot_lines "bench/gain/$1.c" | head -n 1) - 1)) last=$(hot_lines "bench/gain/$1.c" | tail -n 1)
	first_cause "$scratch/$1" | awk -F '\t' -v kind="$2" -v array="$3" -v first="$first" -v last="$last" '
		$1 == kind && $4 == array && ($2 >= first && $2 <= last || $3 >= first && $3 <= last)'
}

named() {      # NAME KIND ARRAY
	[ -n "$(planted "$@")" ] || wrong "$1: the first cause is no $2 of $3 in its hot lines: $(cat "$scratch/err"; grep '^causes/0/' "$scratch/flat" | head -n 20)"
}

for row in "column_major loop_order temp" "hot_field layout particles" "atomic_scatter atomic_updates force"; do
	set -- $row
	$CC -O2 -g -fopenmp -o "$scratch/$1" "bench/gain/$1.c" || wrong "cannot compile bench/gain/$1.c"
	[ -n "$bad" ] || again named "$@"
	check "first_cause_of_$1"
	$CC -O2 -g -fopenmp -DMENDED -o "$scratch/$1" "bench/gain/$1.c" || wrong "cannot compile bench/gain/$1.c"
	[ -n "$bad" ] || [ -z "$(planted "$@")" ] || wrong "$1, mended: $2 of $3 is still the first cause"
	check "mended_$1"
done
