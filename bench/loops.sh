#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The loop-aware search on programs with functions and loops: the quantities of Collins and Miller (2005), beside their own figures.
#     BUILD=build RUNS=3 THREADS=2 bench/loops.sh
# Loops: natural and work-shared ones of the program's code (memsearch sir; those of one line count once: 32 functions of a macro in many_regions), per function
# with a loop, and the share at nesting 1 to 6. Bottlenecks: functions and loops in which a run with loop_aware proved something (a loop of a function counts for both), in any run; leaf: no bottleneck is inside, of functions no
# function's, of loops no loop's. Experiments per second of the run: call_graph, the default search of the paper, and loop_aware, mean over RUNS.
# Exit status 1: a program fails, or loop_aware finds no loop in any.
set -eu
cd "$(dirname "$0")/.."
build=${BUILD:-build} runs=${RUNS:-3}
memsearch=$(realpath "$build/bin/memsearch")
export LC_ALL=C OMP_WAIT_POLICY=passive OMP_NUM_THREADS="${THREADS:-2}" MEMSEARCH_QUICK=1
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT

compile() {    # NAME SOURCE
	clang-19 -O2 -g -fopenmp -o "$tmp/$1" "$2" -lm
}
compile swim bench/swim/swim.c
compile many_regions bench/search/many_regions.c
compile triangular bench/gain/triangular.c
compile loop_times tests/live/programs/loop_times.c

# A construct that is called from several places is written once in full, and elsewhere with same=.
declared() {   # NAME: functions with loops, loops, loops at nesting 1 to 6
	"$memsearch" sir "$tmp/$1" 2> /dev/null | awk '
		/<region / {
			depth++
			is_loop[depth] = /kind="(LOOP|DO)_REGION"/
			skipped[depth] = skipped[depth - 1] || / same="/
			if (is_loop[depth] && !skipped[depth]) {
				nesting = 0
				for (i = 1; i <= depth; i++) nesting += is_loop[i]
				at[nesting]++; loops++
				match($0, / name="[^"]*"/); with_loop[substr($0, RSTART, RLENGTH)] = 1
			}
			if (/\/>$/) depth--
		}
		/<\/region>/ { depth-- }
		END {
			for (name in with_loop) functions++
			printf "%d %d", functions, loops
			for (i = 1; i <= 6; i++) printf " %d", at[i]
			print ""
		}'
}

# NAME STRATEGY RUN ARGUMENTS: experiments per second; the proven places go to NAME.places
search() {
	name=$1 strategy=$2 run=$3
	shift 3
	"$memsearch" run --quiet --overhead 1000% --strategy "$strategy" -o "$tmp/it.ms" -- "$tmp/$name" "$@" > /dev/null 2> "$tmp/said" ||
		[ "$name" = loop_times ] || { cat "$tmp/said" >&2; return 1; }
	[ "$strategy" = call_graph ] || "$memsearch" graph --json "$tmp/it.ms" 2> /dev/null |
		awk -F'"' '$2 == "code" { code = $4 } $2 == "verdict" && $4 == "yes" { print code }' >> "$tmp/$name.places"
	"$memsearch" report --json "$tmp/it.ms" 2> /dev/null |
		awk -F'[:,]' '/"experiments":/ && !nr { nr = $2 } /"program_wall_ns":/ && !ns { ns = $2 } END { print ns ? 1e9 * nr / ns : 0 }' >> "$tmp/$name.$strategy"
	rm -f "$tmp/it.ms"
}

# NAME: functions, leaf functions, loops, leaf loops with a bottleneck
bottlenecks() {
	awk -F/ '
		{
			path = ""
			for (i = 3; i <= NF; i++) {
				path = path "/" $i
				if (i == 3 || $i ~ /^(parallel|serial|barrier|task|single|critical|lock|call)_[0-9]+$/) continue
				kind[path] = $i ~ /^loop_[0-9]+$/ ? "loop" : "function"
			}
		}
		END {
			for (path in kind) {
				leaf = 1
				for (other in kind)
					if (kind[other] == kind[path] && other != path && index(other, path "/") == 1) leaf = 0
				nr[kind[path]]++; leaves[kind[path]] += leaf
			}
			printf "%d %d %d %d\n", nr["function"], leaves["function"], nr["loop"], leaves["loop"]
		}' "$tmp/$1.places"
}

mean() { awk '{ sum += $1 } END { printf "%.1f", NR ? sum / NR : 0 }' "$1"; }

row="%-14s %9s %6s %10s %6s %6s %6s %6s %6s %6s %13s %9s %11s\n"
# shellcheck disable=SC2059
line() { printf "$row" "$@"; }
line program functions loops per_func "1" "2" "3" "4" "5" "6" "func (leaf)" "loop(leaf)" "exp/s cg la"
share() { awk -v part="$1" -v all="$loops" 'BEGIN { printf "%.0f%%", all ? 100 * part / all : 0 }'; }
found=0
measure() {    # NAME ARGUMENTS
	name=$1
	shift
	for run in $(seq "$runs"); do
		search "$name" call_graph "$run" "$@"
		search "$name" loop_aware "$run" "$@"
	done
	declared "$name" > "$tmp/declared"
	bottlenecks "$name" > "$tmp/bottlenecks"
	read -r with_loop loops one two three four five six < "$tmp/declared"
	read -r functions leaf_functions in_loops leaf_loops < "$tmp/bottlenecks"
	line "$name" "$with_loop" "$loops" "$(awk -v l="$loops" -v f="$with_loop" 'BEGIN { printf "%.1f", f ? l / f : 0 }')" \
		"$(share "$one")" "$(share "$two")" "$(share "$three")" "$(share "$four")" "$(share "$five")" "$(share "$six")" \
		"$functions ($leaf_functions)" "$in_loops ($leaf_loops)" "$(mean "$tmp/$name.call_graph") $(mean "$tmp/$name.loop_aware")"
	[ "$in_loops" = 0 ] || found=1
}
measure swim 512 300
measure many_regions 150
measure triangular
measure loop_times shares 2000
cat <<'END'
The paper (table 3), functions (leaf), loops (leaf), experiments per second of the default and of the loop-aware search:
  ALARA  598 loops   11 (4)   8 (3)   0.9 1.0        DRACO 5,477 loops    6 (2)   8 (3)   0.4 1.5
  OM3    202 loops    3 (1)  10 (4)   1.6 1.7        SPhot   106 loops    8 (3)  10 (5)   2.9 1.9
END
[ "$found" = 1 ]
