#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# `memsearch diff` of live recordings: how often it is wrong. Exit status 1: more often than it may be.
#   aa      swim against itself: of POOL recordings each comparison draws RUNS for each side. Differences of times in at most one of ten comparisons, of recorded
#           and simulated values in none
#   toys    programs of tests/toys beside one busy loop, recorded once for each load: each culprit is the first line in at least nine of ten rounds
#           TOYS="poly lock": these
#     ROUNDS=50 POOL=20 RUNS=5 SIZE=256 STEPS=600 bench/diff_live.sh [PART…]
set -eu
cd "$(dirname "$0")/.."
build=$(realpath "${BUILD:-build}")
rounds=${ROUNDS:-50} runs=${RUNS:-5} pool=${POOL:-20} size=${SIZE:-256} steps=${STEPS:-600}
memsearch=$build/bin/memsearch
work=$(mktemp -d)
busy_loop=
failed=0
trap 'rm -rf "$work"; [ -z "$busy_loop" ] || kill $busy_loop' EXIT
trap 'exit 130' INT TERM
export OMP_NUM_THREADS="${OMP_NUM_THREADS:-2}" LC_ALL=C

# recorded RECORD: of swim, with whole steps in it, which beside others takes more than one run at times
recorded() {
	for _ in 1 2 3 4 5; do
		"$memsearch" run --quick --quiet --no-calibrate --same-addresses --overhead 1000% -o "$1" -- "$work/swim" "$size" "$steps" > "$work/out" 2> "$work/said" ||
			{ cat "$work/said"; exit 1; }
		"$memsearch" diff --machine xeon-2s --format csv "$1" "$1" > "$work/itself.csv"
		! grep '^same,' "$work/itself.csv" | grep -q ,simulated, || return 0
	done
}

# differences FILE: of a comparison as CSV, "TIMES DATA": rows that differ, of times and what the kernel counts, and of recorded and simulated values
differences() {
	awk -F , 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
		{ gsub(/"[^"]*"/, "-") } $1 ~ /^(same|cannot tell)$/ { next }
		{ data += is = $at["rung"] == "simulated" || $at["metric"] ~ /^(accesses|bytes|reads|writes)$/; times += !is }
		END { print times + 0, data + 0 }' "$1"
}

# drawn SEED: two lines, the records of each side with commas between them; the same for the same seed
drawn() {
	awk -v seed="$1" -v pool="$pool" -v runs="$runs" -v work="$work" 'BEGIN {
		srand(seed)
		for (i = 1; i <= pool; i++) number[i] = i
		for (i = 1; i <= 2 * runs; i++) {
			k = i + int(rand() * (pool - i + 1)); n = number[k]; number[k] = number[i]
			printf "%s%s/%d.ms%s", (i - 1) % runs ? "," : "", work, n, i % runs ? "" : "\n"
		}
	}'
}

aa() {
	echo "== swim $size x $size, $steps steps, against itself: $rounds comparisons of $runs and $runs of $pool recordings"
	${CC:-clang-19} -O3 -march=native -g -fopenmp -o "$work/swim" bench/swim/swim.c -lm
	: > "$work/counts"
	for run in $(seq "$pool"); do recorded "$work/$run.ms"; done
	for round in $(seq "$rounds"); do
		drawn "$round" > "$work/drawn"
		base=$(sed -n 1p "$work/drawn") new=$(sed -n 2p "$work/drawn")
		"$memsearch" diff --machine xeon-2s --format csv "$base" "$new" > "$work/diff.csv" 2> "$work/said" || { cat "$work/said"; exit 1; }
		differences "$work/diff.csv" | tee -a "$work/counts" | awk -v round="$round" '$1 || $2 { print "  round " round ": " $1 " of times, " $2 " of data" }'
		awk -F , '$1 !~ /^(verdict|same|cannot tell)$/' "$work/diff.csv" | sed 's/^/    /' | head -n 5
		grep '^same,' "$work/diff.csv" | grep -q ,simulated, || echo "  round $round: no simulated value compared"
	done
	awk '{ times += $1 > 0; data += $2 > 0 } END { print NR " comparisons: " times + 0 " with a difference of times, " data + 0 " of recorded and simulated values"
		exit times > NR / 10 || data }' "$work/counts" || failed=1
}

# say_of SOURCE KEYWORD: what the head of a toy says after it
say_of() {
	sed -n "s/^ \* $2  *//p" "$1"
}

# first SOURCE: sweeps the toy over its loads until whole steps are recorded, and prints the first line of what got worse
first() {
	program=$work/$(basename "$1" .c)
	say_of "$1" LOADS | tr ' ' '\n' > "$work/loads"
	threads=$(say_of "$1" THREADS | tr ' ' ',')
	for _ in 1 2 3 4 5; do
		rm -f "$program.db"
		"$memsearch" sweep --no-calibrate --overhead 1000% --repeat 1 --machine altix-bx2 --threads "${threads:-2}" $([ ! -s "$work/loads" ] || echo "--arg-set $work/loads") \
			-o "$program.db" -- "$program" > "$work/table" 2> "$work/said" || cat "$work/said" >&2
		"$memsearch" diff --by line "$program.db" > "$work/diff" 2>&1
		echo "$1" >> "$work/sweeps"
		tr -s '\n ' ' ' < "$work/diff" | grep -q 'no whole step was recorded\|recorded other steps\|do not compare\|not measured in' || break
	done
	sed -n '/^Worse/,/^$/s/^ *1  //p' "$work/diff"
}

toys() {
	echo "== toys beside one busy loop: $rounds rounds"
	sources=$(for toy in ${TOYS:-fddi inlined lock poly scan thrash}; do echo "tests/toys/$toy.c"; done)
	for source in $sources; do
		${CC:-clang-19} -O2 -g -fopenmp -Itests/workloads -o "$work/$(basename "$source" .c)" "$source"
	done
	while :; do :; done &
	busy_loop=$!
	for round in $(seq "$rounds"); do
		for source in $sources; do
			line=$(grep -n 'HERE: culprit' "$source" | head -n 1 | cut -d : -f 1)
			found=$(first "$source")
			case $found in
			"$(say_of "$source" CULPRIT | cut -d ' ' -f 2) at $(basename "$source"):$line, in "*) echo "$source 1" ;;
			*) echo "$source 0"; echo "  round $round, $source: first is: $found" >&2 ;;
			esac >> "$work/results"
		done
	done
	kill $busy_loop
	busy_loop=
	echo "$(wc -l < "$work/sweeps") sweeps, those without whole steps included"
	sort "$work/results" | awk '{ all[$1]++; first[$1] += $2 } END {
		for (toy in all) { printf "%-24s first in %d of %d rounds\n", toy, first[toy], all[toy]; bad = bad || first[toy] < 0.9 * all[toy] } exit bad }' || failed=1
}

[ $# -gt 0 ] || set -- aa toys
for part in "$@"; do $part; done
exit $failed
