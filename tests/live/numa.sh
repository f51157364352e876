#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# `memsearch numa` on a modelled machine with two nodes: how arrays are used, who touched them first, from which node's memory lines come, their pages, and the advice.
# Runs beside others.
. "$(dirname "$0")/lib.sh"

for sensor in accesses faults; do
	"$memsearch" list sensors | grep -q "^$sensor  *yes" || { echo "reason: no $sensor can be recorded here"; echo "skip numa"; exit 0; }
done
machine=$root/tests/live/programs/small.machine

record() {     # NAME SOURCE ARGUMENT OPTIONS…
	name=$1 source=$root/tests/live/programs/$2.c argument=$3
	shift 3
	$CC -O1 -g -fopenmp "$@" -o "$scratch/program" "$source" 2> "$scratch/errors" || wrong "$name does not build: $(cat "$scratch/errors")"
	timeout -k 1 100 "$memsearch" run --quick --quiet --overhead 1000% -o "$scratch/$name.ms" -- "$scratch/program" "$argument" > "$scratch/out" 2> "$scratch/errors" ||
		wrong "$name: status $?: $(cat "$scratch/errors")"
}
# ARRAY: its remote share, pattern, first touch and use.
row() {
	"$memsearch" numa --machine "$machine" --places "${places:-spread}" --format csv "$scratch/$name.ms" 2> "$scratch/errors" | awk -F, -v a="$1" '$2 == a { print $7, $11, $12, $13 }'
}
is() {         # ARRAY LOW HIGH PATTERN TOUCHED USED
	row "$1" | awk -v low="$2" -v high="$3" -v rest="$4 $5 $6" '{ share = $1; sub(/^[^ ]* /, "") } END { exit !(share >= low && share <= high && $0 == rest) }' ||
		wrong "$name: $1 is '$(row "$1")', not $2 to $3 $4 $5 $6; $(cat "$scratch/errors")"
}

record patterns numa_patterns 300
at=numa_patterns.c:$(line_of "$source" touched)
line() { echo "numa_patterns.c:$(line_of "$source" "$1")"; }
is blocks 0.49 0.51 private_blocks "$at" "$(line blocks)"
is cyclic 0.49 0.51 block_cyclic "$at" "$(line cyclic)"
is table 0.49 0.51 read_only_shared "$at" "$(line used)"
is published 0.25 0.45 one_writer "$at" "$(line used)"
is mixed 0.45 0.55 irregular "$at" "$(line used)"
[ "$("$memsearch" numa --machine "$machine" --places spread --format csv "$scratch/patterns.ms" | awk -F, 'NR == 2 { print $2 }')" = published ] ||
	[ "$("$memsearch" numa --machine "$machine" --places spread --format csv "$scratch/patterns.ms" | awk -F, 'NR == 2 { print $2 }')" = table ] || wrong "those with most remote lines are not first"
places=close is blocks 0 0 one_node "$at" "$(line blocks)"
check numa__patterns

record serial first_touch_blocks 500 -DBLOCK=4096
at=first_touch_blocks.c:$(line_of "$source" touched) used=first_touch_blocks.c:$(line_of "$source" used)
is temp 0.49 0.51 private_blocks "$at" "$used"
"$memsearch" numa --machine "$machine" --places spread "$scratch/serial.ms" > "$scratch/text"
for text in "of its own" "of node 0" "initialise it in parallel with the same schedule as" "the cores 0, 2 of nodes 0-1 (spread)"; do
	tr -s ' \n' ' ' < "$scratch/text" | grep -q -F "$text" || wrong "not '$text': $(cat "$scratch/text")"
done
grep -q 'pages on  *0\{64\}$' "$scratch/text" && grep -q 'used by  *0\{31,33\}\**1\{31,33\}$' "$scratch/text" || wrong "page map: $(cat "$scratch/text")"
places=0,1 is temp 0 0 one_node "$at" "$used"
record placed first_touch_blocks 500 -DBLOCK=4096 -DTWIN
is temp 0 0.01 private_blocks "$at" "$used"
# One step, though several were recorded before it was known what repeats.
"$memsearch" arrays --format csv "$scratch/placed.ms" |
	awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i } $at["array"] == "temp" { exit !($at["reads"] > 32000 && $at["reads"] < 60000) }' ||
	wrong "a step of 32,768 reads: $("$memsearch" arrays "$scratch/placed.ms")"
"$memsearch" numa --machine "$machine" --places spread "$scratch/placed.ms" | grep -q 'advice  *nothing' || wrong "the placed one has advice"
"$memsearch" numa --machine "$machine" --places spread --pages interleave "$scratch/placed.ms" | grep -q 'pages on  *\*\{64\}$' || wrong "pages do not go round"
check numa__first_touch

# Each half of an array has its line of first touch, and the advice names both with their misplaced parts; what read(2) filled is the kernel's.
OMP_NUM_THREADS=2 record halves halves_touched 0
"$memsearch" numa --machine "$machine" --places spread "$scratch/halves.ms" > "$scratch/text"
tr -s ' \n' ' ' < "$scratch/text" | sed 's/ 2 input.*//' > "$scratch/half"
for text in "at halves_touched.c:$(line_of "$source" alone) in main" "at halves_touched.c:$(line_of "$source" parts) in main" "halves_touched.c:$(line_of "$source" alone) (half["; do
	grep -q -F "$text" "$scratch/half" || wrong "halves: not '$text': $(cat "$scratch/text")"
done
grep -q 'touched at  *[ab*]\([ab]\)\1\{28,31\}[ab*]\{0,2\}\([ab]\)\2\{29,31\}$' "$scratch/text" || wrong "map of first touches: $(cat "$scratch/text")"
"$memsearch" arrays "$scratch/halves.ms" | tr -s ' \n' ' ' | grep -q 'input static .*first touch [0-9.]* % by the kernel (system calls such as read)' || wrong "input is not the kernel's: $("$memsearch" arrays "$scratch/halves.ms")"
cp "$scratch/halves.ms.kept" "$scratch/kept" && "$memsearch" numa --machine "$machine" --places spread "$scratch/halves.ms" | cmp - "$scratch/text" && cmp "$scratch/kept" "$scratch/halves.ms.kept" || wrong "the kept result has other pages"
check numa__first_touch_by_part

# A range has its own pages, and the rest of the array has the others: together they have the array's lines.
lines() {      # OPTIONS: lines of the arrays whose name begins so, and how many there are
	"$memsearch" numa --machine "$machine" --places spread --format json "$@" "$scratch/halves.ms" | awk -F'[:,]' '/^ *"name": "half/ { on = 1; n++ } on && /^ *"lines":/ { sum += $2; on = 0 } END { print n, sum }'
}
set -- $(lines) $(lines --range 'half[65536:131071]')
[ "$1 $3" = "1 2" ] && [ "$2" -gt 0 ] && [ "$2" = "$4" ] || wrong "arrays and lines without and with a range: $*"
check numa__range

# The same as a picture: links and a matrix of two nodes, all pages on node 0, half of them used by node 1.
"$memsearch" numa --machine "$machine" --places spread --svg "$scratch/serial.svg" "$scratch/serial.ms" > "$scratch/text" 2> "$scratch/errors" || wrong "exit $?: $(cat "$scratch/errors")"
grep -q '^ *1  temp ' "$scratch/text" || wrong "no text beside the picture: $(cat "$scratch/text")"
sed 's/>/>\n/g' "$scratch/serial.svg" > "$scratch/elements"
[ "$(grep -c '^<circle' "$scratch/elements")" = 2 ] && [ "$(grep -c '<line[^>]*class="link3"' "$scratch/elements")" = 1 ] || wrong "nodes and links: $(grep -c '^<circle' "$scratch/elements")"
for text in 'threads of node 1, memory of node 0: ' 'on node 0: [0-9]* pages' 'used by node 1: [0-9]* pages' '[45][0-9] % of [0-9. kM]* remote'; do
	grep -q "$text" "$scratch/elements" || wrong "no '$text' in the picture"
done
echo mine > "$scratch/mine.svg"
! "$memsearch" numa --machine "$machine" --svg "$scratch/mine.svg" "$scratch/serial.ms" > /dev/null 2>&1 && [ "$(cat "$scratch/mine.svg")" = mine ] || wrong "a file of others was replaced"
"$memsearch" numa --machine host --svg "$scratch/one.svg" "$scratch/serial.ms" > /dev/null 2> "$scratch/errors"
grep -q 'has one NUMA node\|class="link' "$scratch/one.svg" || wrong "the picture of one node does not say why it is empty"
! have xmllint || xmllint --noout "$scratch/serial.svg" || wrong "no XML"
check numa__picture

# What is found of each array: of data that all nodes read and nothing writes, a copy for each node; of interleaved pages that they are remote; of huge pages that nodes share them.
found() {      # NAME OPTIONS…: "PROPERTY ARRAY" of each finding on the modelled machine
	name=$1
	shift
	"$memsearch" report --all --format json --places spread "$@" "$scratch/$name.ms" 2> "$scratch/errors" | awk -f "$root/tests/workloads/flatten.awk" > "$scratch/flat"
	list_rows "$scratch/flat" modelled property data_structure/name | tr '\t' ' ' | sort -u > "$scratch/found"
}
expect() {     # PROPERTY ARRAY
	grep -q -x "$1 $2" "$scratch/found" || wrong "$name: no $1 of $2: $(cat "$scratch/found" "$scratch/errors")"
}
expect_no() {  # PROPERTY ARRAY
	! grep -q -x "$1 $2" "$scratch/found" || wrong "$name: $1 of $2"
}
only() {       # PROPERTY ARRAY: of these properties only that one is found
	for property in SharedReadOnlyHot HugePageFalseSharing RemoteStallShare SerialFirstTouch AllPagesOnOneNode MisplacedBlocks; do
		if [ $property = "$1" ]; then expect $property "$2"; else expect_no $property "$2"; fi
	done
}
(cat "$machine" && echo "huge_page = 2 MiB") > "$scratch/huge.machine"
found patterns --machine "$machine"
only SharedReadOnlyHot table
for array in blocks cyclic published mixed; do
	expect_no SharedReadOnlyHot $array
done
expect SerialFirstTouch published
# Shares are of the time that threads took here: where other programs have the CPUs, little is left of them.
placed_is_found() {
	record placed first_touch_blocks 500 -DBLOCK=4096 -DTWIN
	found placed --machine "$scratch/huge.machine"
	only none temp
	found placed --machine "$scratch/huge.machine" --pages interleave
	only RemoteStallShare temp
	found placed --machine "$scratch/huge.machine" --huge-pages
	only HugePageFalseSharing temp
}
patterns=$bad
again placed_is_found
bad=$patterns$bad
check numa__findings

# Lines that both nodes write go to and fro between them; on one node they do not.
name=shared
$CC -O1 -g -fopenmp -o "$scratch/program" "$root/tests/live/programs/shared_lines.c" 2> "$scratch/errors" || wrong "does not build: $(cat "$scratch/errors")"
OMP_NUM_THREADS=2 timeout -k 1 100 "$memsearch" run --quick --quiet --overhead 1000% -o "$scratch/shared.ms" -- "$scratch/program" common > "$scratch/out" 2> "$scratch/errors" || wrong "status $?: $(cat "$scratch/errors")"
found shared --machine "$machine"
expect PingPongPages common
found shared --machine "$machine" --places close
expect TrueSharing common
expect_no PingPongPages common
check numa__lines_between_nodes

# One node: it says so, and which machine to name.
sed 's/^nodes = 2/nodes = 1/; /^remote/d' "$machine" > "$scratch/one.machine"
"$memsearch" numa --machine "$scratch/one.machine" "$scratch/serial.ms" > "$scratch/text" 2>&1
status=$?
[ $status = 0 ] && tr -s ' \n' ' ' < "$scratch/text" | grep -q 'has one NUMA node.*--machine epyc-2s' || wrong "status $status: $(cat "$scratch/text")"
"$memsearch" numa --json --machine "$machine" --places spread "$scratch/serial.ms" > "$scratch/json"
grep -q '"schema": "memsearch-numa-1"' "$scratch/json" && grep -q '"pattern": "private_blocks"' "$scratch/json" || wrong "JSON: $(head -n 30 "$scratch/json")"
check numa__one_node_and_data
