#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Reading a large program's declarations while it runs leaves its heap as it is: the same sizes are mapped, the heap has the same end.
# Blocks that a program on libgomp allocates before its first region lie where they lie without memsearch.
# Runs beside others.
. "$(dirname "$0")/lib.sh"

"$memsearch" list sensors | grep -q '^accesses  *yes' || { echo "reason: no accesses can be recorded here"; echo "skip heap_layout"; exit 0; }
export OMP_PROC_BIND=true MEMSEARCH_OVERHEAD=1000%

# 300,000 names in compressed debugging information: unpacked it is some 10 MB, more than glibc's threshold of mmap.
awk 'BEGIN {
	print "enum many {"
	for (i = 0; i < 300000; i++) printf "one_of_many_names_%d,\n", i
	print "};\nenum many many_names = one_of_many_names_7;"
}' > "$scratch/many.c"

# Before the program's last blocks: where the heap ends, what is mapped. Then which blocks are, and where the large others lie, to
# 4096 bytes; the linker and the unwinder allocate some hundred bytes for clones.
layout() {     # OUTPUT
	sed -n '1s/, [0-9]* used.*//; 1p; /mapped$/p; s/^\([0-9]\{6,\} at\) .*/\1/p' "$1"
}

large_moved() { # OUTPUT OUTPUT
	awk '/^[0-9]+ at/ && $1 >= 100000 {
		if (!($1 in place)) place[$1] = $3
		else if ((d = $3 - place[$1]) > 4096 || d < -4096) print $1, d
	}' "$1" "$2"
}

run() {        # MEASURE
	MEMSEARCH_MEASURE=$1 timeout -k 1 120 "$memsearch" run --quiet -o "$scratch/$1.ms" -- "$scratch/program" 1500 \
		> "$scratch/$1" 2> "$scratch/errors" || wrong "status $?: $(cat "$scratch/errors")"
	layout "$scratch/$1" > "$scratch/$1.layout"
}

compare() {
	run time
	run search
	grep -q mapped "$scratch/time" || wrong "nothing is mapped"
	cmp -s "$scratch/time.layout" "$scratch/search.layout" || wrong "$(diff "$scratch/time" "$scratch/search")"
	[ -z "$(large_moved "$scratch/time" "$scratch/search")" ] || wrong "$(diff "$scratch/time" "$scratch/search")"
	"$memsearch" arrays "$scratch/search.ms" | grep -q ' step (heap_layout.c:' || wrong "nothing was recorded"
}

clang-19 -O2 -g -gz=zlib -fopenmp -o "$scratch/program" "$root/tests/live/programs/heap_layout.c" "$scratch/many.c" || wrong "does not compile"
again compare
check heap_layout

# Programs that use libdw themselves, and free what it leaves to them.
alongside() {
	timeout -k 1 120 "$memsearch" run --quiet -o "$scratch/it.ms" -- "$scratch/program" > "$scratch/out" 2> "$scratch/errors" ||
		wrong "status $?: $(cat "$scratch/errors")"
	cmp -s "$scratch/plain" "$scratch/out" || wrong "output changed: $(cat "$scratch/out")"
	"$memsearch" arrays "$scratch/it.ms" | grep -q ' step (reads_itself.c:' || wrong "nothing was recorded"
	"$memsearch" report -v "$scratch/it.ms" | tr -s ' \n' ' ' | grep -q 'the program has libdw or libelf itself' && said=yes || said=no
	[ $said = "$1" ] || wrong "it is said that the program has libdw: $said, not $1"
}

for how in "yes -DLINKED -ldw" "no -ldl"; do
	# shellcheck disable=SC2086
	clang-19 -O2 -g -fopenmp -o "$scratch/program" "$root/tests/live/programs/reads_itself.c" ${how#* } || wrong "does not compile"
	"$scratch/program" > "$scratch/plain"
	grep -q ' 1 0$' "$scratch/plain" || wrong "without the tool: $(cat "$scratch/plain")"
	again alongside "${how%% *}"
	check "heap_layout__alongside ${how#* }"
done

# libomp's own blocks depend on the length of the environment, which has more variables then.
for options in "" "--overhead 1000%" --quick; do
	gcc-12 -O2 -g -fopenmp -o "$scratch/program" "$root/tests/live/programs/small_addresses.c" || wrong "does not compile"
	"$scratch/program" > "$scratch/plain"
	# shellcheck disable=SC2086
	timeout -k 1 60 "$memsearch" run --quiet $options -o "$scratch/it.ms" -- "$scratch/program" > "$scratch/out" 2> "$scratch/errors" || wrong "status $?"
	cmp -s "$scratch/plain" "$scratch/out" || wrong "$options: blocks are at $(cat "$scratch/out"), not $(cat "$scratch/plain")"
done
check heap_layout__small_blocks
