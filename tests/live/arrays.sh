#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Known arrays, first touched by known threads: exact pages and bytes by every compiler, with and without debugging information.
# Runs beside others.
. "$(dirname "$0")/lib.sh"

"$memsearch" list sensors | grep -q '^faults  *yes' || { echo "reason: page faults cannot be sampled here"; echo "skip arrays"; exit 0; }
[ "$(getconf PAGESIZE)" = 4096 ] || { echo "reason: pages are not of 4 KiB here"; echo "skip arrays"; exit 0; }

# Runs $scratch/program into $scratch/rows: array thread before file line pages bytes resident declared, what is not known being "-".
# Heap blocks are called "heap" here. No sensor is given up where others have the CPUs.
export MEMSEARCH_OVERHEAD=1000%
rows() {
	timeout -k 1 60 "$scratch/program" > "$scratch/plain" 2>&1 || { wrong "the program does not run: $(cat "$scratch/plain")"; return 1; }
	rm -f "$scratch/it.ms"
	timeout -k 1 90 "$memsearch" run --quiet -o "$scratch/it.ms" -- "$scratch/program" > "$scratch/out" 2> "$scratch/err" ||
		wrong "status $?: $(cat "$scratch/err")"
	cmp -s "$scratch/plain" "$scratch/out" || wrong "output changed: $(cat "$scratch/out")"
	"$memsearch" arrays --format csv "$scratch/it.ms" > "$scratch/csv" || wrong "no arrays: $(cat "$scratch/csv")"
	sed 's/"[^"]*"/Q/g' "$scratch/csv" | awk -F, 'NR > 1 {
		gsub(/ /, "_")
		for (i = 1; i <= NF; i++) if ($i == "") $i = "-"
		print ($3 == "heap" ? "heap" : $2), $9, $11, $13, $14, $17, $18, $8, $7 }' > "$scratch/rows"
}

# ARRAY THREAD|. BEFORE|. LINE|. COLUMN(6 pages, 7 bytes): the sum of a column over the rows that fit.
sum() {
	awk -v a="$1" -v t="$2" -v b="$3" -v l="$4" -v c="$5" \
		'$1 == a && (t == "." || $2 == t) && (b == "." || $3 == b) && (l == "." || $5 == l) { s += $c } END { print s + 0 }' "$scratch/rows"
}
expect() {     # WHAT HAVE WANT
	[ "$2" = "$3" ] || wrong "$1: $2, not $3; $(tr '\n' ';' < "$scratch/rows")"
}

# The lines of a program without -g are not known: then LINE is "-".
c_program() {  # DEBUG TWIN
	serial=$(line_of tests/live/programs/first_touch.c serial) shared=$(line_of tests/live/programs/first_touch.c shared)
	[ -n "$1" ] || serial=- shared=-
	rows || return
	expect "early, before" "$(sum early 0 yes . 6)" 512
	expect "early, all" "$(sum early . . . 6)" 512
	if [ -n "$2" ]; then
		expect "serial, thread 0" "$(sum serial 0 no "$serial" 6)" 256
		expect "serial, thread 1" "$(sum serial 1 no "$serial" 6)" 256
	else
		expect "serial, thread 0" "$(sum serial 0 no "$serial" 6)" 512
	fi
	expect "serial, bytes" "$(sum serial . . . 7)" 2097152
	expect "shared, thread 0" "$(sum shared 0 no "$shared" 6)" 256
	expect "shared, thread 1" "$(sum shared 1 no "$shared" 6)" 256
	expect "shared, bytes" "$(sum shared . . . 7)" 2097152
	heap=$(line_of tests/live/programs/first_touch.c heap_touch) short=$(line_of tests/live/programs/first_touch.c short_lived)
	[ -n "$1" ] || heap=- short=-
	if [ -n "$1" ]; then
		expect "heap, thread 0" "$(sum heap 0 no "$heap" 6)" 512
		expect "heap, declared" "$(awk -v l="$heap" '$1 == "heap" && $5 == l { print $9; exit }' "$scratch/rows")" \
			"first_touch.c:$(line_of tests/live/programs/first_touch.c heap_variable)"
		"$memsearch" arrays --json "$scratch/it.ms" | grep -A 13 '"name": "heap"' |
			grep -q "\"allocated\": \"first_touch.c:$(line_of tests/live/programs/first_touch.c heap_block)\"" || wrong "allocated elsewhere"
		expect "short-lived, both threads" "$(sum heap 0 no "$short" 6) $(sum heap 1 no "$short" 6)" "32 32"
	else
		expect "heap" "$(sum heap 0 no - 6) $(sum heap 1 no - 6)" "544 32"
	fi
	expect "crooked, bytes" "$(sum crooked . . . 7)" 2096352
	expect "never" "$(awk '$1 == "never" { print $2, $6, $8 }' "$scratch/rows")" "- - 0"
	[ -z "$1" ] || grep -q '^1,serial,static,double,\[262144\],2097152,first_touch.c:' "$scratch/csv" || wrong "not described: $(grep serial "$scratch/csv")"
	"$memsearch" arrays "$scratch/it.ms" | grep -q 'each of [0-9]* was counted, none was lost' || wrong "losses"
}

for compiler in clang-19 gcc-12; do
	for options in "-O2" "-O3 -march=native"; do
		for debug in "-g" ""; do
			name="arrays__first_touch $compiler $options $debug"
			have $compiler || { echo "reason: no $compiler"; echo "skip $name"; continue; }
			# shellcheck disable=SC2086
			$compiler $options $debug -fopenmp -o "$scratch/program" tests/live/programs/first_touch.c || rm -f "$scratch/program"
			again c_program "$debug" ""
			check "$name"
		done
	done
	have $compiler || continue
	$compiler -O2 -g -DTWIN -fopenmp -o "$scratch/program" tests/live/programs/first_touch.c || rm -f "$scratch/program"
	again c_program -g twin
	check "arrays__first_touch_in_parallel $compiler"
done

# Many pages at once: not each fault is looked at, and what is between is known all the same, to a hundredth.
near() {       # WHAT HAVE WANT
	awk -v have="$2" -v want="$3" 'BEGIN { exit !(have > 0.99 * want && have < 1.01 * want) }' || wrong "$1: $2, not about $3"
}
many_at_once() {
	rows || return
	near "serial, thread 0" "$(sum serial 0 no . 6)" 24576
	for thread in 0 1; do
		near "parts, thread $thread" "$(sum parts $thread no . 6)" 12288
	done
	near "in no order, thread 0" "$(sum random_order 0 no . 6)" 20056
	near "in no order, thread 1" "$(sum random_order 1 no . 6)" 4520
	"$memsearch" arrays "$scratch/it.ms" | tr '\n' ' ' | grep -q 'none was lost\. Many came at once: [0-9]* were not sampled one by one' || wrong "not said"
}
clang-19 -O2 -g -fopenmp -o "$scratch/program" tests/live/programs/much_touched.c || rm -f "$scratch/program"
if rows && "$memsearch" arrays "$scratch/it.ms" | grep -q 'buffers were full'; then
	echo "reason: too little memory may be locked here"
	echo "skip arrays__many_at_once"
else
	again many_at_once
	check "arrays__many_at_once"
fi

# flang describes no members of COMMON blocks: there the block is one array.
fortran_program() {    # NAME DEBUG
	serial=$(line_of tests/live/programs/first_touch.f90 serial) shared=$(line_of tests/live/programs/first_touch.f90 shared)
	[ -n "$2" ] || serial=- shared=-
	rows || return
	waves=waves/cu
	grep -q '^waves/cu ' "$scratch/rows" || waves=waves
	expect "grid, bytes" "$(sum fields::grid . . . 7)" 2097152
	expect "grid, bytes by thread 0" "$(sum fields::grid 0 . . 7)" 2097152
	# An array's first and last pages may be its neighbours', too, and so touched elsewhere.
	[ "$(sum fields::grid 0 no "$serial" 6)" -ge 511 ] || wrong "grid not at its line: $(cat "$scratch/rows")"
	for thread in 0 1; do
		pages=$(sum $waves $thread no "$shared" 6)
		{ [ "$pages" -ge 255 ] && [ "$pages" -le 258 ]; } || wrong "$waves: $pages pages by thread $thread; $(cat "$scratch/rows")"
	done
	[ $waves = waves ] || expect "waves/cu, bytes" "$(sum waves/cu . . . 7)" 2097152
	check "$1"
}

for compiler in gfortran flang-new-19; do
	for options in "-O2" "-O3 -march=native"; do
		for debug in "-g" ""; do
			name="arrays__first_touch $compiler $options $debug"
			have $compiler || { echo "reason: no $compiler"; echo "skip $name"; continue; }
			# shellcheck disable=SC2086
			(cd "$scratch" && $compiler $options $debug -fopenmp -o program "$root/tests/live/programs/first_touch.f90") || wrong "does not compile"
			fortran_program "$name" "$debug"
		done
	done
done
