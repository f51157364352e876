#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Every guest of tests/live/guest in every way: RUNS (8) runs at the default limit, and as many with everything recorded, which take in turn
# compilers, flags, 2, 3 and 16 threads, and the ways of recording; half of them beside busy loops, two for each CPU (LOADS=idle: none).
# RUNS=100 tries what is promised. GUESTS="NAME…": only these. Prints a table: guest, runs, failures, what memsearch does, and what its user reads of it.
live=$(cd "$(dirname "$0")/../tests/live" && pwd)
. "$live/guest_lib.sh"

runs=${RUNS:-8}
nth() {        # N WORDS…
	shift $((1 + $1 % ($# - 1)))
	echo "$1"
}

# Run number N of a guest, and whether it is at the default limit.
numbered() {   # FILE N default|recording LOAD
	who=$(nth "$2" clang gcc) flags=$(nth $(($2 / 2)) O2 O3)
	threads=$(header "$1" Threads)
	[ "$threads" ] || threads=$(nth $(($2 / 3)) 2 3 16)
	case $3.$who in
	default.gcc) way=$(nth $(($2 / 2)) default default quick) ;;
	default.clang) way=$(nth $(($2 / 2)) default bare default quick) ;;
	recording.gcc) way=$(nth $(($2 / 2)) record refine host all faults swapped sampled phase_only page_writes) ;;
	recording.clang) way=$(nth $(($2 / 2)) record bare_record refine host all faults sampled phase_only page_writes) ;;
	esac
	case " $(header "$1" Compilers) " in "  " | *" $who "*) ;; *) who=$(header "$1" Compilers | cut -d' ' -f1) ;; esac
	run_guest "$1" "$who" "$flags" "$threads" "$way"
	[ "$4" = busy ] || promised "$1" "$who" "$flags" "$threads" "$way"       # a phase may not be found among busy loops
	rm -rf "$now" "$now.again"
}

# A line a run: outcome, what memsearch did; then what was wrong.
try_guest() {  # FILE
	for kind in default recording; do
		for n in $(seq $((begin + 1)) $((begin + per_load))); do
			bad=
			numbered "$1" "$n" $kind $load
			printf '%s\t%s\n' "$outcome" "$line"
			[ -z "$bad" ] || printf '%s' "$bad" | sed 's/^/wrong	/'
		done
	done
	words=$(header "$1" Says)
	[ -z "$words" ] || echo "says	$words"
}

table() {      # FILE…
	printf '| guest | what it does | runs | failures | memsearch | what is read |\n|---|---|---|---|---|---|\n'
	for file in "$@"; do
		awk -F '\t' -v name="$(named "$file")" -v does="$(header "$file" Does)" -v guest="$(header "$file" Guest)" '
			$1 == "ok" || $1 == "FAIL" { runs++; if ($2 != "" && $2 !~ /were not recorded/ || read == "") read = $2 }
			$1 == "FAIL" { failures++ }
			$1 == "says" { says = $2 }
			END { printf "| %s | %s | %d | %d | %s | %s |\n", name, guest, runs, failures, runs ? (does == "" ? "transparent" : does) : "not to be had here", says == "" ? read : says }' \
			"$scratch"/kept/*."$(named "$file")"
	done
}

busy_loops=
busy() {
	for loop in $(seq $((2 * $(nproc)))); do
		(trap - EXIT; while :; do :; done) &
		busy_loops="$busy_loops $!"
	done
}
calm() {
	[ -z "$busy_loops" ] || kill $busy_loops
	busy_loops=
}
trap 'calm; rm -rf "$scratch"' EXIT

files=
for file in "$guests"/*.c "$guests"/*.cc "$guests"/*.f90; do
	case " ${GUESTS:-$(named "$file")} " in *" $(named "$file") "*) [ ! -f "$file" ] || files="$files $file" ;; esac
done
mkdir -p "$scratch/kept"
loads=${LOADS:-idle busy}
per_load=$((runs / $(echo "$loads" | wc -w)))
begin=0
for load in $loads; do
	[ $load = idle ] || busy
	lanes "$(nproc)" try_guest $files
	calm
	for file in $files; do mv "$scratch/results/$(named "$file")" "$scratch/kept/$load.$(named "$file")"; done
	begin=$((begin + per_load))
done
table $files
for file in $files; do
	sed -n "s/^wrong	/$(named "$file"): /p" "$scratch"/kept/*."$(named "$file")"
done
! grep -q '^FAIL' "$scratch"/kept/*
