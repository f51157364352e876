#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Programs whose culprit shows where two loads are compared (tests/toys, format in toy.h): each is swept over its loads, and the culprit must
# be first by the combining function that is for it, and grow as it was written to.
#
#     tests/live/toys.sh [PATTERN]     only "NAME.COMPILER.LEVEL" matching the shell pattern
#
# Without WHOLE each source is built and run with the compiler and level of its SAMPLE line.
# Runs beside others, first.
. "$(dirname "$0")/lib.sh"
toys=$root/tests/toys
pattern=${1:-*}
CUT_OFF=200                      # of the metric: what is less in both runs is left out, as a ratio of few is chance

"$memsearch" list sensors | grep -q '^accesses  *yes' || { echo "reason: no accesses can be recorded here"; echo "skip toys"; exit 0; }

say_of() {     # KEYWORD: what $source says after it
	sed -n "s/^ \* $1  *//p" "$source"
}

build() {      # COMPILER LEVEL PROGRAM [OPTION]
	flags=-O2
	[ "$2" = O3 ] && flags="-O3 -march=native"
	"$1" $flags -Wall -Wextra -g -fopenmp -I"$root/tests/workloads" ${4:-} -o "$3" "$source" > "$scratch/errors" 2>&1 || wrong "does not build: $(cat "$scratch/errors")"
}

# ------------------------------------------------------------------ two profiles

# Runs both loads into a store, and prints functions, arrays and lines with the metric in each of the two runs, into $scratch/profiles.
sweep() {      # PROGRAM
	rm -f "$scratch/toy.db"
	say_of LOADS | tr ' ' '\n' > "$scratch/loads"
	threads=$(say_of THREADS | tr ' ' ',')
	timeout -k 1 120 "$memsearch" sweep --no-calibrate --overhead 1000% --repeat 1 --machine altix-bx2 --threads "${threads:-2}" \
		$([ -s "$scratch/loads" ] && echo "--arg-set $scratch/loads") -o "$scratch/toy.db" -- "$1" > "$scratch/table" 2> "$scratch/said" ||
		wrong "sweep: $(cat "$scratch/said")"
	"$memsearch" arrays --by line --format csv "$scratch/toy.db" 2> "$scratch/errors" | awk -F , -v metric="$(say_of METRIC)" '
		NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
		{
			gsub(/"[^"]*"/, "-")
			bucket = $at["function"] "\t" $at["array"] "\t" $at["line"]
			sum[$at["run"], bucket] += metric == "cycles" ? $at["simulated_cycles"] : $at["executions"] * ($at["reads"] + $at["writes"])
			buckets[bucket]
		}
		END { for (bucket in buckets) printf "%s\t%d\t%d\n", bucket, sum[1, bucket], sum[2, bucket] }' > "$scratch/profiles"
	[ -s "$scratch/profiles" ] || wrong "nothing was recorded: $(cat "$scratch/said" "$scratch/errors")"
}

# "FUNCTION ARRAY FIRST SECOND RATIO DIFFERENCE" between tabs, all lines together, without what is below the cut-off in both.
combined() {
	awk -F '\t' -v cut_off=$CUT_OFF '
		{ name = $1 "\t" $2; first[name] += $4; second[name] += $5 }
		END {
			for (name in first)
				if (first[name] >= cut_off || second[name] >= cut_off)
					printf "%s\t%d\t%d\t%.3f\t%d\n", name, first[name], second[name], second[name] / (first[name] ? first[name] : 1), second[name] - first[name]
		}' "$scratch/profiles"
}

sorted() {     # ratio|difference: with the largest first
	combined | sort -t "$(printf '\t')" "-k$([ "$1" = ratio ] && echo 5 || echo 6),$([ "$1" = ratio ] && echo 5 || echo 6)gr"
}

# ------------------------------------------------------------------ the culprit

is_first() {
	sorted "$(say_of BY)" > "$scratch/sorted"
	[ "$(head -n 1 "$scratch/sorted" | cut -f 1,2 | tr '\t' ' ')" = "$(say_of CULPRIT)" ] || wrong "first by $(say_of BY): $(head -n 3 "$scratch/sorted")"
}

grows() {      # as GROWS, OTHERS and SHARE say
	awk -F '\t' -v culprit="$(say_of CULPRIT)" -v grows="$(say_of GROWS)" -v others="$(say_of OTHERS)" -v share="$(say_of SHARE)" '
		{ first += $3; second += $4 }
		$1 " " $2 == culprit { split(grows, band, "\\.\\."); ratio = $5; of_first = $3; of_second = $4; next }
		others && $5 > others { print $1 " " $2 " grows " $5 " times, more than " others }
		END {
			if (!(ratio >= band[1] && ratio <= band[2]))
				print culprit " grows " ratio " times, not " grows
			if (share && !(of_first <= share * first && of_second <= share * second))
				print culprit " is " of_first / first " and " of_second / second " of all, more than " share
		}' "$scratch/sorted" > "$scratch/complaints"
	[ ! -s "$scratch/complaints" ] || wrong "$(cat "$scratch/complaints")"
}

at_its_line() {                  # with most of what it does
	line=$(awk -F '\t' -v culprit="$(say_of CULPRIT)" '$1 " " $2 == culprit && $5 > most { most = $5; line = $3 } END { print line }' "$scratch/profiles")
	[ "$line" = "$(line_of "$source" culprit)" ] || wrong "most at line $line, not $(line_of "$source" culprit)"
}

# Time that all threads wait for the lock in one execution of the phase: at least twice as long.
waits_longer() {
	[ -n "$(say_of LOCK)" ] && have sqlite3 || return
	sqlite3 -separator ' ' "$scratch/toy.db" "SELECT source_line, sum(sum / phases) FROM measurements m JOIN regions r ON r.run = m.run AND r.id = m.region
		WHERE metric = 'lock_wait' AND kind = 'CRITICAL_REGION' AND source_function = '$(say_of LOCK)' GROUP BY m.run ORDER BY m.run" > "$scratch/waits"
	awk -v line="$(line_of "$source" lock)" '$1 == line { wait[NR] = $2 } END { exit !(NR == 2 && wait[1] > 0 && wait[2] > 2 * wait[1]) }' "$scratch/waits" ||
		wrong "lock in $(say_of LOCK), line and ns waited: $(cat "$scratch/waits")"
}

# `memsearch diff` lists its line first of what got worse, whatever the metrics it looks at.
diff_names_it() {
	"$memsearch" diff --by line "$scratch/toy.db" > "$scratch/diff" 2>&1
	first=$(sed -n '/^Worse/,/^$/s/^ *1  //p' "$scratch/diff")
	case $first in
	"$(say_of CULPRIT | cut -d ' ' -f 2) at $(basename "$source"):$(line_of "$source" culprit), in "*) ;;
	*) wrong "first in memsearch diff: $first: $(sed '/^Findings/,$d' "$scratch/diff")" ;;
	esac
}

compare() {    # PROGRAM
	sweep "$1"
	is_first
	grows
	at_its_line
	waits_longer
	diff_names_it
}

mended() {     # PROGRAM
	sweep "$1"
	sorted ratio > "$scratch/sorted"
	awk -F '\t' -v culprit="$(say_of CULPRIT)" -v grows="$(say_of GROWS)" '
		$1 " " $2 == culprit { split(grows, band, "\\.\\."); met = 1; bad = $5 >= band[1] }
		END { exit !met || bad }' "$scratch/sorted" || wrong "still grows: $(cat "$scratch/sorted")"
}

# ------------------------------------------------------------------ all toys

same_for_any_threads() {         # PROGRAM: its sum of a few steps
	for threads in 1 2 3; do
		OMP_NUM_THREADS=$threads timeout -k 1 60 "$1" $(say_of LOADS | cut -d ' ' -f 1) 16 2>&1
	done | uniq -c > "$scratch/sums"
	grep -q '^ *3 checksum [0-9]*$' "$scratch/sums" || wrong "sums by threads: $(cat "$scratch/sums")"
}

toy() {        # NAME COMPILER LEVEL
	program=$scratch/$1
	build "$2" "$3" "$program"
	[ -n "$bad" ] || same_for_any_threads "$program"
	[ -n "$bad" ] || again compare "$program"
	check "toys__$1 $2 $3"
	option=$(say_of MENDED)
	[ -n "$option" ] || return
	build "$2" "$3" "$program" "$option"
	[ -n "$bad" ] || again mended "$program"
	check "toys__$1_mended $2 $3"
}

for source in "$toys"/*.c; do
	name=$(basename "$source" .c)
	for compiler in clang-19 gcc-12; do
		have $compiler || { echo "reason: no $compiler"; echo "skip toys__$name $compiler"; continue; }
		for level in O2 O3; do
			if [ "$compiler $level" = "$(say_of SAMPLE)" ] || [ -n "${WHOLE:-}" ] || [ "$pattern" != "*" ]; then
				case $name.$compiler.$level in $pattern) toy "$name" $compiler $level ;; esac
			fi
		done
	done
done
