#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Every search strategy over records of four programs: the quantities of table 2 of Roth and Miller's Deep Start, in executions of the phase instead of
# seconds. Each program is run RUNS times; all strategies search each of its records (memsearch search --compare), so that they see the same values.
#     BUILD=build RUNS=5 THREADS=2 LIMITS="5% 0.2%" STRATEGIES="call_graph deep_start" bench/search.sh      mean (least to most) by program and strategy
# LIMITS: overhead limits of the searches. At 5 % one experiment tests most candidates, so that their order hardly matters; at 0.2 % they wait in the queue.
# THRESHOLD: the deep-starter threshold (20%); the paper tried 20, 40, 60 and 80 %.
# What is known is the union of what all strategies find in one record; "of all" counts records in which everything known was found. Then deep_start beside
# call_graph, as the paper's headlines: 32 to 59 % sooner to half of the known bottlenecks, 10 to 61 % sooner to the last one.
# PROFILES: a file for the search profiles of the last limit as SVG, as figure 5 of that paper (memsearch search --compare --svg).
# Exit status 1: a program fails, or no strategy finds anything in any record.
set -eu
cd "$(dirname "$0")/.."
build=${BUILD:-build} runs=${RUNS:-5} limits=${LIMITS:-5% 0.2%} threshold=${THRESHOLD:-20%} strategies=${STRATEGIES:-}
memsearch=$(realpath "$build/bin/memsearch")
export LC_ALL=C OMP_WAIT_POLICY=passive OMP_NUM_THREADS="${THREADS:-2}"
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
for name in $strategies; do
	"$memsearch" list strategies | grep -q "^ *$name\b" || { echo "search.sh: no strategy '$name'" >&2; exit 2; }
done

compile() {    # NAME SOURCE
	clang-19 -O2 -g -fopenmp -o "$tmp/$1" "$2" -lm
}
compile swim bench/swim/swim.c
compile many_regions bench/search/many_regions.c
compile triangular bench/gain/triangular.c
compile transposition bench/gain/transposition.c

# NAME ARGUMENTS
searched() {
	name=$1
	shift
	for run in $(seq "$runs"); do
		"$memsearch" run --quiet -o "$tmp/$name.$run.ms" -- "$tmp/$name" "$@" > /dev/null 2> "$tmp/said" || { cat "$tmp/said" >&2; return 1; }
	done
	for limit in $limits; do
		"$memsearch" search --compare --overhead "$limit" --deep-threshold "$threshold" --format csv "$tmp/$name".*.ms | sed "1d; s|^[^,]*,[^,]*|$name|" >> "$tmp/rows.$limit"
	done
}
searched swim 512 300
searched many_regions 150
searched triangular
searched transposition

table() {      # LIMIT
	awk -F, -v wanted="$strategies" '
function note(key, value) {
	if (value == "" || value == "-") { never[key]++; return }
	if (!(key in times) || value < least[key]) least[key] = value
	if (!(key in times) || value > most[key]) most[key] = value
	times[key]++; sum[key] += value
}
function mean(key) { return times[key] ? sum[key] / times[key] : 0 }
function shown(key) { return times[key] ? sprintf("%.3g (%.3g to %.3g)", mean(key), least[key], most[key]) : "-" }
# Both reached it in the same records, or there is nothing to compare.
function sooner(name, what,    a, b) {
	a = name SUBSEP "call_graph" SUBSEP what; b = name SUBSEP "deep_start" SUBSEP what
	return times[a] && times[a] == times[b] && mean(a) ? sprintf("%.0f %%", 100 * (1 - mean(b) / mean(a))) : "-"
}
BEGIN { split(wanted, names, " "); for (i in names) is_wanted[names[i]] = 1 }
{
	key = $1 SUBSEP $4
	if (!(key in records)) order[++nr] = key
	if (!($1 in seen)) { seen[$1] = 1; programs[++nr_programs] = $1 }
	records[key]++; known[key] += $3; found[key] += $5; all += $5
	whole[key] += $3 > 0 && $5 == $3
	note(key SUBSEP "experiments", $11)
	if ($3 > 0) { note(key SUBSEP "half", $6); note(key SUBSEP "all", $7); note(key SUBSEP "utility", $8) }
}
END {
	row = "%-14s %-22s %16s %6s %7s %16s %16s %24s\n"
	printf row, "program", "strategy", "experiments", "found", "of all", "to half", "to all", "weighted sum"
	for (i = 1; i <= nr; i++) {
		split(order[i], of, SUBSEP); key = order[i]
		if (wanted == "" || of[2] in is_wanted)
			printf row, of[1], of[2], shown(key SUBSEP "experiments"), known[key] ? sprintf("%.0f %%", 100 * found[key] / known[key]) : "-",
				whole[key] "/" records[key], shown(key SUBSEP "half"), shown(key SUBSEP "all"), shown(key SUBSEP "utility")
	}
	print "\ndeep_start beside call_graph, less of: executions to half (the paper: 32 to 59 %), to all (10 to 61 %), the weighted sum (19 to 51 %)"
	for (i = 1; i <= nr_programs; i++)
		printf "  %-14s %8s %8s %8s\n", programs[i], sooner(programs[i], "half"), sooner(programs[i], "all"), sooner(programs[i], "utility")
	exit !all
}' "$tmp/rows.$1"
}
found=0
if [ -n "${PROFILES:-}" ]; then
	"$memsearch" search --compare --overhead "$limit" --deep-threshold "$threshold" --svg "$PROFILES" "$tmp"/*.ms > /dev/null
fi
for limit in $limits; do
	echo "== searches with an overhead limit of $limit"
	table "$limit" && found=1
	echo
done
[ "$found" = 1 ]
