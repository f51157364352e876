#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Rows below a page are an array of the place that allocates them, not small heap blocks, also those from before the OpenMP runtime's begin;
# small heap blocks have the place that allocates most of them, or both places; few of one place are an array.
# Runs beside others.
. "$(dirname "$0")/lib.sh"

"$memsearch" list sensors | grep -q '^accesses  *yes' || { echo "reason: no accesses can be recorded here"; echo "skip rows"; exit 0; }
line=$(line_of "$root/tests/live/programs/rows.c" row)
for compiler in $(sample "$CC" "$CC gcc-12"); do
	have "$compiler" || continue
	"$compiler" -O1 -g -fopenmp "$root/tests/live/programs/rows.c" -o "$scratch/program" > "$scratch/log" 2>&1 || wrong "$(cat "$scratch/log")"
	timeout -k 1 170 "$memsearch" run --quick --quiet --overhead 1000% -o "$scratch/it.ms" -- "$scratch/program" 300 > "$scratch/out" 2> "$scratch/errors" || wrong "exit $?: $(cat "$scratch/errors")"
	"$memsearch" arrays --machine xeon-2s --json "$scratch/it.ms" 2> "$scratch/errors" | awk -f tests/workloads/flatten.awk > "$scratch/page"
	# BLOCKS READS SIMULATED_READS of all that the line allocates
	awk -F '\t' -v line="$line" '
		match($1, /arrays\/[0-9]+\//) { $1 = substr($1, RSTART); split($1, path, "/"); row[path[2], substr($1, length("arrays/" path[2] "/") + 1)] = $2; rows[path[2]] }
		END { for (i in rows) if (row[i, "file"] ~ /rows.c$/ && row[i, "line"] == line) { blocks += row[i, "blocks"]; reads += row[i, "use/reads"]; simulated += row[i, "simulated/reads"] }
			print blocks + 0, reads + 0, simulated + 0 }' "$scratch/page" > "$scratch/rows"
	read -r blocks reads simulated < "$scratch/rows"
	[ "$blocks" = 4000 ] && [ "$reads" -ge 264000 ] && [ "$simulated" -ge 132000 ] || wrong "blocks, reads, simulated reads: $(cat "$scratch/rows") $(cat "$scratch/errors")"
	check "rows__of_their_allocation_site_$compiler"
done

line=$(line_of "$root/tests/live/programs/list_nodes.c" node)
for compiler in $(sample gcc-12 "$CC gcc-12"); do
	have "$compiler" || continue
	"$compiler" -O2 -g -fopenmp "$root/tests/live/programs/list_nodes.c" -o "$scratch/program" > "$scratch/log" 2>&1 || wrong "$(cat "$scratch/log")"
	timeout -k 1 170 "$memsearch" run --quick --quiet --overhead 1000% -o "$scratch/it.ms" -- "$scratch/program" 100 > "$scratch/out" 2> "$scratch/errors" || wrong "exit $?: $(cat "$scratch/errors")"
	"$memsearch" arrays --format csv "$scratch/it.ms" 2> "$scratch/errors" > "$scratch/page"
	grep -q "small heap blocks.*list_nodes.c.*\b$line\b" "$scratch/page" || wrong "not of line $line: $(cut -c 1-300 "$scratch/page") $(cat "$scratch/errors")"
	! grep -q 'heap,,,0,' "$scratch/page" || wrong "an array without a block: $(cat "$scratch/page")"
	check "rows__small_blocks_of_most_$compiler"
done

of_two_kinds() {
	run_into_page two_kinds 30
	grep -q "small heap blocks,.*two_kinds.c:$(line_of "$root/tests/live/programs/two_kinds.c" node)\>" "$scratch/page" || wrong "no node: $(cut -c 1-300 "$scratch/page")"
	grep -q "small heap blocks,.*two_kinds.c:$(line_of "$root/tests/live/programs/two_kinds.c" branch)\>" "$scratch/page" || wrong "no branch: $(cut -c 1-300 "$scratch/page")"
}
few_of_one_place() {
	run_into_page few_small 300
	grep -q ",hits,heap,,,16,few_small.c:$(line_of "$root/tests/live/programs/few_small.c" hits)," "$scratch/page" || wrong "no hits: $(cut -c 1-300 "$scratch/page")"
	grep -q ",few_small.c:$(line_of "$root/tests/live/programs/few_small.c" name),heap,,,1300," "$scratch/page" || wrong "no names: $(cut -c 1-300 "$scratch/page")"
	"$memsearch" report "$scratch/it.ms" > "$scratch/page" 2> "$scratch/errors" || wrong "$(cat "$scratch/errors")"
	grep -q "^  1  hits  *few_small.c:$(line_of "$root/tests/live/programs/few_small.c" shared) .*false sharing" "$scratch/page" || wrong "$(cat "$scratch/page")"
}
run_into_page() {      # PROGRAM STEPS
	timeout -k 1 170 "$memsearch" run --quick --quiet --overhead 1000% -o "$scratch/it.ms" -- "$scratch/$1" "$2" > "$scratch/out" 2> "$scratch/errors" || wrong "exit $?: $(cat "$scratch/errors")"
	"$memsearch" arrays --format csv "$scratch/it.ms" 2> "$scratch/errors" > "$scratch/page"
}
for compiler in $(sample "$CC" "$CC gcc-12"); do
	have "$compiler" || continue
	for program in two_kinds few_small; do
		"$compiler" -O2 -g -fopenmp "$root/tests/live/programs/$program.c" -o "$scratch/$program" > "$scratch/log" 2>&1 || wrong "$(cat "$scratch/log")"
	done
	of_two_kinds
	check "rows__small_blocks_of_two_kinds_$compiler"
	few_of_one_place
	check "rows__few_small_blocks_of_one_place_$compiler"
done
