#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Programs in which no clone can be made, or that do what clones could get in the way of: they end as they do without
# memsearch, and the report says what could not be recorded.
# Runs beside others.
. "$(dirname "$0")/lib.sh"

programs=$root/tests/live/programs
"$memsearch" list sensors | grep -q '^accesses  *yes' || { echo "reason: no accesses can be recorded here"; echo "skip hostile"; exit 0; }
export MEMSEARCH_OVERHEAD=1000% MEMSEARCH_QUICK=1

under_tool() { # [ARGUMENTS]: of $kind, into $bad what is wrong
	rm -f "$scratch/it.ms"
	timeout -k 1 90 "$memsearch" run --quiet -o "$scratch/it.ms" -- "$scratch/program" "$kind" "$@" > "$scratch/out" 2>&1; status=$?
	[ $status = $plain ] || wrong "status $status, not $plain"
	cmp -s "$scratch/plain" "$scratch/out" || wrong "output changed: $(diff "$scratch/plain" "$scratch/out" | head -n 5)"
	"$memsearch" report -v "$scratch/it.ms" | tr -s ' \n' ' ' > "$scratch/report"
	"$memsearch" arrays --by line "$scratch/it.ms" > "$scratch/arrays"
	if [ "$words" ]; then
		grep -q "$words" "$scratch/report" || wrong "'$words' is not in the report: $(cat "$scratch/report")"
	else
		grep -q ' from  *[1-9]' "$scratch/arrays" || wrong "nothing was recorded: $(cat "$scratch/arrays")"
	fi
}

# KIND WORDS [ARGUMENTS]: its report has the words; without words something was recorded, in which a library that is away at the wrong moment may get in the way.
hostile() {
	kind=$1 words=$2
	shift 2
	timeout -k 1 60 "$scratch/program" "$kind" "$@" > "$scratch/plain" 2>&1; plain=$?
	[ $plain != 77 ] || { echo "reason: seccomp is not to be had here"; echo "skip hostile__$kind $compiler"; return; }
	again under_tool "$@"
	check "hostile__$kind $compiler"
}

for compiler in $(sample gcc-12 "gcc-12 clang-19"); do
	have $compiler || { echo "reason: no $compiler"; echo "skip hostile $compiler"; continue; }
	$compiler -O2 -g -fopenmp -o "$scratch/program" "$programs/hostile.c" -ldl || exit 1
	for factor in 2 3; do
		$compiler -O2 -g -fopenmp -fPIC -shared -DFACTOR=$factor -o "$scratch/library$factor.so" "$programs/hostile_library.c" || exit 1
	done
	[ -z "${WHOLE:-}" ] || hostile plain ""
	hostile executable "the kernel refuses executable memory"
	hostile addresses "no free addresses within reach of the function"
	hostile signals ""
	hostile made "before a call through a pointer: nothing was known of the code that it led to"
	hostile libraries "" "$scratch/library2.so" "$scratch/library3.so"
done
