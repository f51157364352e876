#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# `memsearch try` on programs with one flaw each puts its remedy first; of a sound one nothing helps.
# Runs beside others.
. "$(dirname "$0")/lib.sh"

for sensor in accesses faults; do
	"$memsearch" list sensors | grep -q "^$sensor  *yes" || { echo "reason: no $sensor can be recorded here"; echo "skip try"; exit 0; }
done
machine=$root/tests/live/programs/small.machine

record() {     # NAME SOURCE OPTIONS…
	name=$1 source=$root/tests/live/programs/$2.c
	shift 2
	$CC -O1 -g -fopenmp "$@" -o "$scratch/program" "$source" 2> "$scratch/errors" || wrong "$name does not build: $(cat "$scratch/errors")"
	timeout -k 1 100 "$memsearch" run --quick --quiet --overhead 1000% -o "$scratch/$name.ms" -- "$scratch/program" 300 > "$scratch/out" 2> "$scratch/errors" ||
		wrong "$name: status $?: $(cat "$scratch/errors")"
}
try() {        # WORDS…: a row a remedy in $scratch/rows
	"$memsearch" try --machine "$machine" --places spread --format csv "$@" "$scratch/$name.ms" > "$scratch/rows" 2> "$scratch/errors" || wrong "$name: status $?: $(cat "$scratch/errors")"
}
# First of all, with a gain of LOW to HIGH and, if given, this remote share before and after.
wins() {       # REMEDY LOW HIGH [BEFORE AFTER]
	awk -F, -v remedy="$1" -v low="$2" -v high="$3" -v before="${4:-}" -v after="${5:-}" 'NR == 2 && $2 == remedy && $3 >= low && $3 <= high && $4 == "yes" {
			met = before == "" || (($8 - before) ^ 2 < 0.0001 && ($7 - after) ^ 2 < 0.0004)
		}
		END { exit !met }' "$scratch/rows" || wrong "$name: not $*: $(cat "$scratch/rows" "$scratch/errors")"
}

record counts remedies -DCOUNTS
try
wins pad-elements:counts 0.9 1
check try__false_sharing

# 128 lines to a row, which L2's 64 sets and L3's 256 hold in one and two places: each access misses. Padded 7 of 8 hit.
record rows remedies -DROWS
try
wins pad-rows:matrix 0.6 0.9
check try__leading_dimension

# 4,096 lines, which the caches of two cores hold, in the place of 32,768; one line in the place of three.
record structs remedies -DSTRUCTS
try
wins split:particles 0.9 1
record fields remedies -DFIELDS
try merge:u
wins merge:u 0.3 0.75
try merge:w split:u
grep -q '^1,merge:w,.*elements of [uvw], [uvw], [uvw] with the same index' "$scratch/rows" && grep -q '^2,split:u,.*no structs' "$scratch/rows" || wrong "fields: $(cat "$scratch/rows")"
check try__structs

# Half of the lines are remote: 100 of 200 cycles longer than local ones.
record serial first_touch_blocks -DBLOCK=4096
try
wins first-touch 0.15 0.3 0.5 0
grep -q "^1,first-touch,.*initialise it in parallel with the same schedule as the loop at first_touch_blocks.c:$(line_of "$source" used)" "$scratch/rows" || wrong "no advice: $(cat "$scratch/rows")"
"$memsearch" try --machine "$machine" --places spread "$scratch/serial.ms" | tr -s ' \n' ' ' > "$scratch/text"
grep -q '1 first-touch predicted -[0-9]* % memory stalls; remote share 0.50 -> 0.00; -[0-9]* % in step (first_touch_blocks.c:' "$scratch/text" || wrong "$(cat "$scratch/text")"
for jobs in 1 3; do
	"$memsearch" try --machine "$machine" --places spread --format csv --jobs $jobs "$scratch/serial.ms" | cmp -s - "$scratch/rows" || wrong "$jobs jobs: other results"
done
check try__first_touch

# What is read only: a copy for each node leaves nothing remote.
record patterns numa_patterns
try replicate:table replicate:blocks
wins replicate:table 0.02 0.3
grep -q '^2,replicate:blocks,,no,.*only read' "$scratch/rows" || wrong "written arrays: $(cat "$scratch/rows")"
check try__replicate

record sound remedies
try first-touch interleave close spread align:values pad-elements:values huge-pages
awk -F, 'NR > 1 && $4 == "yes" { found = 1 } END { exit found || NR != 8 }' "$scratch/rows" || wrong "something helps: $(cat "$scratch/rows")"
"$memsearch" try --machine "$machine" --places spread "$scratch/sound.ms" | grep -q '^Nothing that was tried helps' || wrong "the text does not say so"
try machine:xeon-2s machine:nowhere
grep -q '^1,machine:xeon-2s,' "$scratch/rows" && grep -q '^2,machine:nowhere,.*no such machine' "$scratch/rows" || wrong "machines: $(cat "$scratch/rows")"
"$memsearch" try --machine "$machine" pad-rows:valuse "$scratch/sound.ms" > "$scratch/out" 2> "$scratch/errors"
[ $? = 2 ] && grep -q "unknown array 'valuse'.*values" "$scratch/errors" || wrong "no such array: $(cat "$scratch/errors")"
check try__sound_program

# In the program, where the machine has nodes to move pages to; else it says why not.
"$memsearch" run --try --quick --no-calibrate -o "$scratch/here.ms" -- "$scratch/program" 300 > "$scratch/out" 2> "$scratch/report" || wrong "status $?: $(cat "$scratch/report")"
tr -s ' \n' ' ' < "$scratch/report" > "$scratch/text"
if [ "$(ls -d /sys/devices/system/node/node[0-9]* 2> /dev/null | wc -l)" -gt 1 ]; then
	grep -q 'Tried while it ran ' "$scratch/text" || wrong "nothing is said of trials: $(cat "$scratch/report")"
else
	grep -q 'Tried while it ran nothing: this machine has one NUMA node (memsearch try --machine epyc-2s' "$scratch/text" || wrong "it is not said why: $(cat "$scratch/report")"
fi
! "$memsearch" report "$scratch/sound.ms" | grep -q 'Tried while' || wrong "a run without --try speaks of trials"
check try__in_the_program
