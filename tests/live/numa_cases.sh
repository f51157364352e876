#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Published cases of NUMA trouble, by their descriptions: the array that the literature names first has most remote lines, arrays that each thread
# initialised itself have none, and first touch by the users of pages is the remedy. Of Needleman-Wunsch the literature has the reference matrix first, by
# sampled loads; with the lines that are written the table is as far away.
# Runs beside others.
. "$(dirname "$0")/lib.sh"

for sensor in accesses faults; do
	"$memsearch" list sensors | grep -q "^$sensor  *yes" || { echo "reason: no $sensor can be recorded here"; echo "skip numa_cases"; exit 0; }
done
machine=$root/tests/live/programs/small.machine

# "NAME REMOTE" of arrays, with most remote lines first.
ranked() {
	"$memsearch" numa --machine "$machine" --places spread --format json "$scratch/it.ms" 2> "$scratch/errors" | awk -f "$root/tests/workloads/flatten.awk" > "$scratch/flat"
	list_rows "$scratch/flat" arrays name remote_lines
}
case_is() {    # NAME FIRST OTHERS: patterns of names; OTHERS have hardly any remote lines
	timeout -k 1 100 "$memsearch" run --quick --quiet --no-calibrate --overhead 1000% -o "$scratch/it.ms" -- "$scratch/program" 100 > "$scratch/out" 2> "$scratch/errors" ||
		wrong "$1: status $?: $(cat "$scratch/errors")"
	ranked > "$scratch/rows"
	head -n 1 "$scratch/rows" | grep -qE "^($2)	" || wrong "$1: first is $(head -n 3 "$scratch/rows")"
	awk -F '\t' -v others="^($3)$" 'NR == 1 { most = $2 } $1 ~ others && $2 > 0.1 * most { print $1 " has " $2; bad = 1 } END { exit bad || !(most > 1000) }' "$scratch/rows" > "$scratch/bad" ||
		wrong "$1: $(cat "$scratch/bad" "$scratch/rows")"
	"$memsearch" try --machine "$machine" --places spread --format csv first-touch "$scratch/it.ms" > "$scratch/tried" 2> "$scratch/errors"
	awk -F, 'NR == 2 && $2 == "first-touch" && $3 > 0.05 && $4 == "yes" { met = 1 } END { exit !met }' "$scratch/tried" || wrong "$1: $(cat "$scratch/tried")"
}

while read -r name first others; do
	$CC -O1 -g -fopenmp -D"$name" -o "$scratch/program" "$root/tests/live/programs/numa_cases.c" 2> "$scratch/errors" || wrong "$name does not build: $(cat "$scratch/errors")"
	again case_is "$name" "$first" "$others"
	check "numa_cases__$(echo "$name" | tr '[:upper:]' '[:lower:]')"
done <<'END'
NODAL nodes_[xyz] volumes|corners
MATRIX values out
POINTS points distances
REFERENCE reference|table none
END
