#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Samples of data addresses: with page faults in the place of accesses each data structure has its share, exactly; without a source
# a program runs as ever, and it is said why there are none.
# Runs beside others.
. "$(dirname "$0")/lib.sh"

name=addresses
"$memsearch" list sensors | grep -q '^faults  *yes' || { echo "reason: page faults cannot be sampled here"; echo "skip $name"; exit 0; }
[ "$(getconf PAGESIZE)" = 4096 ] || { echo "reason: the program's pages have 4 KiB"; echo "skip $name"; exit 0; }
export MEMSEARCH_OVERHEAD=100%

run() {        # SOURCE
	timeout -k 1 100 "$memsearch" run --quiet --addresses "$1" -o "$scratch/it.ms" -- "$scratch/program" 300 > "$scratch/out" 2> "$scratch/errors" || wrong "status $?"
	cmp -s "$scratch/plain" "$scratch/out" || wrong "output changed: $(head -n 5 "$scratch/out" "$scratch/errors")"
	"$memsearch" arrays --json "$scratch/it.ms" > "$scratch/arrays.json" || wrong "no arrays"
	"$memsearch" arrays "$scratch/it.ms" | tr -s ' \n' ' ' > "$scratch/arrays"
}

# Samples of an array in the JSON.
samples_of() { # ARRAY
	sed -n "/\"name\": \"$1\"/,/\"first_touches\"/s/^ *\"samples\": \([0-9]*\).*/\1/p" "$scratch/arrays.json" | head -n 1
}

# Executions that were begun or ended in between may have one of the two only.
by_faults() {
	run faults
	of_heap=$(samples_of heap_pages) of_static=$(samples_of static_pages)
	[ "${of_heap:-0}" -ge 2048 ] || wrong "heap_pages has '$of_heap' samples: $(cat "$scratch/arrays")"
	[ "$(( ${of_static:-0} * 2 ))" -gt "$(( ${of_heap:-0} * 19 / 20 ))" ] && [ "$(( ${of_static:-0} * 2 ))" -lt "$(( ${of_heap:-0} * 21 / 20 ))" ] ||
		wrong "heap_pages has '$of_heap' samples, static_pages '$of_static', not half of it"
	grep -q 'sampled 6[5-7] % of [0-9]* samples .*sampled 3[2-4] % of [0-9]* samples' "$scratch/arrays" || wrong "shares are not a third: $(cat "$scratch/arrays")"
	grep -q 'Samples of data addresses: page faults in the place of accesses' "$scratch/arrays" || wrong "their source is not told"
}

without() {
	run none
	! grep -q 'sampled [0-9]\|Samples of data' "$scratch/arrays" || wrong "sampled all the same: $(cat "$scratch/arrays")"
	[ -z "$(samples_of heap_pages)" ] || wrong "samples of none"
}

$CC -O2 -g -fopenmp -o "$scratch/program" tests/live/programs/sampled_pages.c || wrong "does not compile"
"$scratch/program" 300 > "$scratch/plain"
again by_faults
check "${name}__by_page_faults"
without
check "${name}__none"
# On what machine this runs is not known: samples by PMU are there, or it is said why not.
"$memsearch" list sensors | tr -s ' ' | grep -q '^addresses \(yes\|partly\|no\)' || wrong "not in the list: $("$memsearch" list sensors)"
"$memsearch" doctor --json | tr -d '\n' | grep -q '"addresses"[^}]*\(untested on hardware\|perf_event\)' || wrong "doctor does not say it: $("$memsearch" doctor --json | grep -A 4 addresses)"
check "${name}__doctor"
