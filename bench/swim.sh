#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# What memsearch costs on swim: wall time, peak memory (pairs without and with the tool, alternating), its own
# accounted CPU time, the size of the record.
#   BUILD=build PAIRS=15 SIZE=1000 STEPS=200 OMP_NUM_THREADS=2 bench/swim.sh
#   TURNS=200 …     the two of a pair in turns of so many ms, one stopped while the other runs: what disturbs the machine for longer falls on both. The
#                   tool's clock goes on while it is stopped, so half the limit is set, 2.5 %, of a time that seems twice as long. Who begins is some per cent
#                   slower, even of two without the tool: a pair is both orders, added up
#   EVENTS=perf::PAGE-FAULTS,perf::MAJOR-FAULTS AT_ONCE=1 bench/swim.sh       also counts these, one at a time (0: all at once)
#   MEMSEARCH_MACHINE=xeon-2s MEMSEARCH_OVERHEAD=10% STEPS=100 LIMIT=1.15 bench/swim.sh     with a simulated machine, and what it found
# Exit status 1: the upper bound of a wall ratio is above LIMIT (1.05).
set -eu
build=${BUILD:-build} pairs=${PAIRS:-15} size=${SIZE:-1000} steps=${STEPS:-200} limit=${LIMIT:-1.05}
tool=$(realpath "${TOOL:-$build/lib/libmemsearch.so}") memsearch=$(realpath "$build/bin/memsearch")
export OMP_NUM_THREADS="${OMP_NUM_THREADS:-2}" LC_ALL=C
unset OMP_TOOL_LIBRARIES
[ -z "${TURNS:-}" ] || export MEMSEARCH_OVERHEAD="${MEMSEARCH_OVERHEAD:-2.5%}"
export MEMSEARCH_EVENT="${EVENTS:-}" MEMSEARCH_COUNTERS_AT_ONCE="${AT_ONCE:-0}"
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT

clang-19 -O2 -o "$tmp/timed" bench/timed.c
clang-19 -O2 -o "$tmp/turns" bench/turns.c
clang-19 -O2 -o "$tmp/paired" bench/paired.c -lm
clang-19 -O3 -march=native -g -fopenmp -o "$tmp/c" bench/swim/swim.c -lm
flang-new-19 -O3 -march=native -g -fopenmp -o "$tmp/fortran" bench/swim/swim.f

tool_environment="OMP_TOOL_LIBRARIES=$tool MEMSEARCH_QUIET=1 MEMSEARCH_OUTPUT"

# Of $program, in this order.
run() { # HOW HOW
	if [ -n "${TURNS:-}" ]; then
		"$tmp/turns" "$TURNS" "$tmp/$program.$1" "$(command_of "$1")" "$tmp/$program.$2" "$(command_of "$2")"
		return
	fi
	for how; do
		sh -c "exec $tmp/timed $tmp/$program.$how $(command_of "$how")"
	done
}

command_of() { # HOW
	case $1 in
	plain) echo "$tmp/$program $size $steps" ;;
	tool) echo "env $tool_environment=$tmp/$program.ms $tmp/$program $size $steps" ;;
	esac
}

# Of "WALL CPU PEAK", with turns each two runs as one.
runs_of() { # FILE
	awk -v each="${TURNS:+2}" '{ wall += $1; cpu += $2; peak = $3 > peak ? $3 : peak } !each || NR % 2 == 0 { printf "%.0f %.0f %d\n", wall, cpu, peak; wall = cpu = peak = 0 }' "$1"
}

for program in c fortran; do
	pair=0
	while [ $pair -lt "$pairs" ]; do
		rm -f "$tmp/$program.ms"
		case $((pair % 2)) in 0) first=plain second=tool ;; *) first=tool second=plain ;; esac
		run $first $second
		[ -z "${TURNS:-}" ] || run $second $first
		"$memsearch" report --json "$tmp/$program.ms" | awk -F'[:,]' '
			/"tool_cpu_ns"/ { tool = $2 } /"program_cpu_ns"/ { printf "%.4f\n", tool / $2 }' >> "$tmp/$program.share"
		"$memsearch" report -v "$tmp/$program.ms" | sed -n 's/^memsearch: \([0-9no]*\) finding.*/\1/p; s/^On the modelled machine .*: \([0-9]*\) finding.*/\1/p' |
			awk '{ nr += $1 } END { print nr + 0 }' >> "$tmp/$program.findings"
		pair=$((pair + 1))
	done
	for how in plain tool; do
		runs_of "$tmp/$program.$how" > "$tmp/runs"
		mv "$tmp/runs" "$tmp/$program.$how"
	done
	paste -d' ' "$tmp/$program.plain" "$tmp/$program.tool" |
		awk -v p="$program" '{ print p ".wall", $1, $4; print p ".cpu", $2, $5 }' >> "$tmp/times"
	paste -d' ' "$tmp/$program.plain" "$tmp/$program.tool" |
		awk -v p="$program" '{ print p ".peak_kib", $3, $6 }' >> "$tmp/memory"
done
echo "== swim $size x $size, $steps steps, $OMP_NUM_THREADS threads; A: without, B: with the tool${EVENTS:+, which counts $EVENTS}"
"$memsearch" report -v "$tmp/c.ms" | sed -n 's/^  - counters: /counters: /p'
sort "$tmp/times" "$tmp/memory" | "$tmp/paired"
for program in c fortran; do
	sort -g "$tmp/$program.share" | awk -v p="$program" -v bytes="$(stat -c %s "$tmp/$program.ms")" '
		{ share[NR] = $1 } END { printf "%s: own accounted CPU time: median %.2f %% of the program'"'"'s (%.2f to %.2f); record: %d bytes\n",
			p, 100 * share[int((NR + 1) / 2)], 100 * share[1], 100 * share[NR], bytes }'
done
[ -z "${MEMSEARCH_MACHINE:-}" ] || for program in c fortran; do
	"$memsearch" report -v "$tmp/$program.ms" | sed -n "s/^On the modelled/$program, last run: on the modelled/p"
	awk -v p="$program" '$1 + 0 { some++ } END { printf "%s: findings in %d of %d runs\n", p, some, NR }' "$tmp/$program.findings"
done
grep wall "$tmp/times" | "$tmp/paired" --limit-ratio "$limit" > /dev/null
