#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# An array that one thread initialised and all use is told from one that they initialised together.
# Runs beside others.
. "$(dirname "$0")/lib.sh"

source=$root/tests/live/programs/touched_by_one.c
for sensor in accesses faults; do
	"$memsearch" list sensors | grep -q "^$sensor  *yes" || { echo "reason: no $sensor can be recorded here"; echo "skip touched_by_one"; exit 0; }
done
nodes=$(find /sys/devices/system/node -maxdepth 1 -name 'node[0-9]*' 2> /dev/null | wc -l)
export OMP_PROC_BIND=true MEMSEARCH_OVERHEAD=1000%

# The answer in the tree of questions: "yes", "no", "unknown" …
answer() {     # ARRAY
	sed -n "s/.* \([a-z]*\) one thread touched an array first[^,]*, $1 in the [a-z ]* in step .*/\1/p" "$scratch/tree" | head -n 1
}

touched() {
	timeout -k 1 90 "$memsearch" run --quiet -o "$scratch/it.ms" -- "$scratch/program" 1000 > "$scratch/out" 2> "$scratch/errors" || wrong "status $?"
	cmp -s "$scratch/plain" "$scratch/out" || wrong "output changed: $(head -n 5 "$scratch/out" "$scratch/errors")"
	"$memsearch" report --tree "$scratch/it.ms" | tr -s ' \n' ' ' | sed 's/ \(yes\|no\|unknown\) /\n \1 /g' > "$scratch/tree"
	[ "$(answer by_one)" = yes ] || wrong "by_one: '$(answer by_one)', not yes"
	[ "$(answer by_all)" = no ] || wrong "by_all: '$(answer by_all)', not no"
	"$memsearch" report -v "$scratch/it.ms" | tr -s ' \n' ' ' > "$scratch/text"
	if [ "$nodes" -gt 1 ]; then return; fi
	! grep -q SerialFirstTouch "$scratch/text" || wrong "a cost on one node: $(grep -o '.\{200\}SerialFirstTouch' "$scratch/text")"
}

for compiler in clang-19 gcc-12; do
	have $compiler || { echo "reason: no $compiler"; echo "skip touched_by_one $compiler"; continue; }
	$compiler -O2 -g -fopenmp -o "$scratch/program" "$source" || wrong "does not compile"
	"$scratch/program" 1000 > "$scratch/plain"
	again touched
	check "touched_by_one $compiler"
done
