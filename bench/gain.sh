#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Claimed shares of time against measured gains: pairs of programs in bench/gain, each with one memory problem and, with -DMENDED, without it.
#     BUILD=build bench/gain.sh [OPTIONS] [PAIR…]      needs jq; without names, all pairs
#       -c COMPILER    clang or gcc; without it both. Fortran: flang-new-19 and gfortran
#       -n PAIRS       timed pairs of runs of each, 5 by default; 0: only what memsearch answers
#       -k FOLDER      keep programs, records and reports there, and use what is there already
# `memsearch run` runs the program with its default options, on THREADS threads (2). Of its report the first cause counts: it is right if it is in the
# lines marked "hot", about one of the "arrays" and of one of the kinds in the program's header. The claim is the first cause's interval; the measured gain is
# 1 - mended / bad, the median of the pairs (its 95 % interval is in parentheses), which must be within 5 points of the claim. Of programs
# with nothing to gain nothing may be claimed that costs more than 5 % at least.
set -eu
cd "$(dirname "$0")/.."
build=${BUILD:-build} pairs=5 compilers="clang gcc" keep=
while getopts c:n:k: option; do
	case $option in
	c) compilers=$OPTARG ;;
	n) pairs=$OPTARG ;;
	k) keep=$OPTARG ;;
	*) exit 2 ;;
	esac
done
shift $((OPTIND - 1))
command -v jq > /dev/null || { echo "gain.sh: needs jq" >&2; exit 2; }
memsearch=$(realpath "$build/bin/memsearch")
export LC_ALL=C OMP_NUM_THREADS="${THREADS:-2}"
tmp=${keep:-$(mktemp -d)}
[ -n "$keep" ] || trap 'rm -rf "$tmp"' EXIT
mkdir -p "$tmp"
clang-19 -O2 -o "$tmp/timed" bench/timed.c
clang-19 -O2 -o "$tmp/paired" bench/paired.c -lm

compile() {    # COMPILER SOURCE OUT [FLAG]
	case $1,$2 in
	clang,*.c) command=clang-19 ;;
	clang,*.cpp) command=clang++-19 ;;
	clang,*) command=flang-new-19 ;;
	gcc,*.c) command=gcc-12 ;;
	gcc,*.cpp) command=g++-12 ;;
	gcc,*) command=gfortran ;;
	esac
	case $2 in *.F90) modules="-J$tmp" ;; *) modules= ;; esac
	[ "$3" -nt "$2" ] || $command -O2 -g -fopenmp $modules ${4:-} -o "$3" "$2"
}

hot_lines() { grep -n '[*/!] hot' "$1" | cut -d: -f1; }

# The words behind a word of the header.
header() {     # SOURCE WORD
	sed -n "s/^[ *!\/]*$2  *//p" "$1" | head -n 1
}

# "KIND PROPERTY LINE LOW HIGH ARRAYS", the line that of the region or, in it, of the hottest access.
first_cause() { # REPORT FIRST-LINE LAST-LINE
	jq -r --argjson first "$2" --argjson last "$3" '.causes[0] // empty
		| (([.region.line, .hot.line] | map(select(. != null and . >= $first and . <= $last))[0]) // .region.line // 0) as $line
		| [.kind, .property, $line, .severity_interval[0], .severity_interval[1], (.data_structures | map(split("::")[-1]) | unique | join(","))] | @tsv' "$1"
}

# "MIDDLE LOW HIGH" of 1 - mended / bad.
measure() {    # PROGRAM
	rm -f "$1.bad.times" "$1.mended.times"
	for _ in $(seq "$pairs"); do
		"$tmp/timed" "$1.bad.times" "$1.bad"
		"$tmp/timed" "$1.mended.times" "$1.mended"
	done
	paste -d ' ' "$1.bad.times" "$1.mended.times" | awk '{ print "gain", $1, $4 }' | "$tmp/paired" |
		sed -n 's/^gain.*  \([0-9.]*\) \[\([0-9.]*\) \([0-9.]*\)\]  .*/\1 \2 \3/p' | awk '{ print 1 - $1, 1 - $3, 1 - $2 }'
}

same_output() { # PROGRAM
	[ "$("$1.bad")" = "$("$1.mended")" ] || echo "gain.sh: $1: the mended program prints something else" >&2
}

# A row of the table; its last three words count.
judge() {      # NAME SOURCE CAUSE GAIN
	awk -v name="$1" -v arrays="$(header "$2" arrays)" -v kinds="$(header "$2" kinds)" -v first="$first" -v last="$last" -v cause="$3" -v gain="$4" '
		function among(word, list,   words, i, n) { n = split(list, words, " "); for (i = 1; i <= n; i++) if (words[i] == word) return 1; return 0 }
		BEGIN {
			n = split(cause, c, "\t"); split(gain, g, " ")
			nothing = kinds == ""
			found = n > 0 && c[1] != ""
			low = found ? c[4] + 0 : 0; high = found ? c[5] + 0 : 0
			if (nothing)
				right = low <= 0.05
			else {
				right = found && c[3] >= first && c[3] <= last && (among(c[1], kinds) || among(c[2], kinds))
				m = split(c[6], of, ",")
				for (i = 1; i <= m && !named; i++) named = among(of[i], arrays)
				right = right && (named || arrays == "-")
			}
			inside = g[1] == "" ? "-" : (g[1] + 0 >= low - 0.05 && g[1] + 0 <= high + 0.05) ? "yes" : "no"
			wide = g[1] + 0 > 0.2 && high > 4 * low ? "wide" : ""
			printf "%-30s %-42s %-14s %-5s  %3.0f - %3.0f %%   %-22s %-6s %s\n", name,
				found ? (c[1] == "property" ? c[2] : c[1] " (" c[2] ")") " :" c[3] : "none", found ? substr(c[6], 1, 14) : "", right ? "yes" : "no",
				100 * low, 100 * high, g[1] == "" ? "-" : sprintf("%3.0f %% (%.0f - %.0f)", 100 * g[1], 100 * g[2], 100 * g[3]), inside, wide
		}'
}

one() {        # COMPILER SOURCE
	name=$(basename "$2" | sed 's/\..*//')
	program=$tmp/$name.$1
	compile "$1" "$2" "$program.bad"
	compile "$1" "$2" "$program.mended" -DMENDED
	first=$(($(hot_lines "$2" | head -n 1) - 1))      # the loop's directive
	last=$(hot_lines "$2" | tail -n 1)
	[ -s "$program.ms" ] || "$memsearch" run --quiet -o "$program.ms" -- "$program.bad" > "$program.out" 2> "$program.err" || :
	"$memsearch" report --json "$program.ms" > "$program.json" 2>> "$program.err" || :
	gain=
	if [ "$pairs" -gt 0 ]; then
		same_output "$program"
		gain=$(measure "$program")
	elif [ -s "$program.gain" ]; then
		gain=$(cat "$program.gain")
	fi
	[ -z "$gain" ] || echo "$gain" > "$program.gain"
	judge "$name.$1" "$2" "$(first_cause "$program.json" "$first" "$last")" "$gain"
}

printf '%-30s %-42s %-14s %-5s  %-11s   %-22s %s\n' "pair" "first cause (property) : line" "arrays" "right" "claimed" "measured gain (95 %)" "inside 5 points"
for source in bench/gain/*; do
	[ $# -eq 0 ] || case " $* " in *" $(basename "$source" | sed 's/\..*//') "*) ;; *) continue ;; esac
	for compiler in $compilers; do
		one "$compiler" "$source"
	done
done | tee "$tmp/table"
awk '{ rows++; right += $0 ~ / yes   *[0-9]+ - /; timed += $0 ~ / (yes|no) *(wide)?$/; inside += $0 ~ / yes *(wide)?$/; wide += /wide$/ }
	END { printf "%d of %d inside, %d of %d first causes right, %d intervals wider than a factor of 4 where the gain is above 20 %%\n", inside, timed, right, rows, wide }' "$tmp/table"
