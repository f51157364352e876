#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Small stacks: what memsearch takes of threads' stacks is bounded, and what it takes of its own is half of them at most.
# Runs beside others.
. "$(dirname "$0")/lib.sh"

programs=$root/tests/live/programs
guests=$root/tests/live/guest
BOUND=4096                      # bytes that any callback, flush or allocation takes of the program's stack beyond the runtime's own

options() {    # one set a line
	sample "--overhead 100%
--measure all --restarts 1" "--measure none
--overhead 5%
--overhead 100%
--overhead 1000%
--overhead 1000% --machine host
--measure all --overhead 1000%
--measure time
--overhead 1000% --addresses faults --event perf::PAGE-FAULTS
--overhead 1000% --strategy data_structure_refine --follow libm
--overhead 1000% --trace-limit 1 --no-bursts --try --same-addresses
--strategy deep_start --quick
--restarts 2"
}

# Own stacks are not to be fuller than half, in any process of the run.
note_own() {   # FILE
	for used in $(sed -n 's/^memsearch: stacks of its own: \([0-9]*\) bytes used of \([0-9]*\)$/\1,\2/p' "$1"); do
		[ $((${used%,*} * 2)) -le ${used#*,} ] || wrong "${used%,*} bytes of ${used#*,} of an own stack were used"
	done
	grep -q 'stacks of its own: [1-9]' "$1" || wrong "nothing ran on an own stack: $(head -n 3 "$1")"
}

# What each part of stack_depth takes beyond what it takes alone.
compare_depths() {     # ALONE UNDER
	while read -r what alone; do
		under=$(sed -n "s/^$what //p" "$2")
		[ "$under" ] || wrong "no depth of $what: $(head -n 3 "$2")"
		[ ${under:-0} -le $((alone + BOUND)) ] || wrong "$what: $under bytes of stack, $alone alone"
	done < "$1"
}

depths() {     # COMMAND…: stack_depth with little stack
	"$@" "$scratch/depth" 400 64 > "$scratch/out" 2> "$scratch/err" || wrong "status $? of $*: $(tail -n 3 "$scratch/err")"
	compare_depths "$scratch/alone" "$scratch/err"
	cmp -s "$scratch/plain" "$scratch/out" || wrong "output changed under $*"
}

$CC -O2 -g -fopenmp -o "$scratch/depth" "$programs/stack_depth.c" || exit 1
"$scratch/depth" 400 64 > "$scratch/plain" 2> "$scratch/alone" || { echo "reason: the program alone does not run here"; echo "skip stacks"; exit 0; }
export MEMSEARCH_DEBUG=1
options > "$scratch/options"
while read -r words; do
	depths "$memsearch" run --quiet -o "$scratch/it.ms" $words --
	note_own "$scratch/err"
	check "stacks__depth $words"
done < "$scratch/options"
depths env OMP_TOOL_LIBRARIES="$tool" MEMSEARCH_QUIET=1 MEMSEARCH_OVERHEAD=1000% MEMSEARCH_OUTPUT="$scratch/it.ms"
check stacks__depth_bare

# A program in a shell with these limits: the same result as alone at every option.
same_within() {        # NAME PROGRAM SHELL-COMMANDS
	(eval "$3"; exec "$2") > "$scratch/plain" 2> /dev/null; plain=$?
	[ $plain = 0 ] || { echo "reason: the program alone does not run with '$3'"; echo "skip stacks__$1"; return; }
	while read -r words; do
		(eval "$3"; exec timeout -k 1 100 "$memsearch" run --quiet -o "$scratch/it.ms" $words -- "$2") > "$scratch/out" 2> "$scratch/err" ||
			wrong "status $? with $words: $(tail -n 3 "$scratch/err")"
		cmp -s "$scratch/plain" "$scratch/out" || wrong "output changed with $words: $(cat "$scratch/out")"
		note_own "$scratch/err"
	done < "$scratch/options"
	(eval "$3"; OMP_TOOL_LIBRARIES=$tool MEMSEARCH_QUIET=1 MEMSEARCH_OVERHEAD=100% MEMSEARCH_OUTPUT=$scratch/it.ms exec "$2") > "$scratch/out" 2> "$scratch/err" ||
		wrong "status $? with the bare variable: $(tail -n 3 "$scratch/err")"
	cmp -s "$scratch/plain" "$scratch/out" || wrong "output changed with the bare variable: $(cat "$scratch/out")"
	check "stacks__$1"
}

for compiler in $(sample "$CC" "clang-19 gcc-12"); do
	have $compiler || continue
	for guest in small_stack stack_limit signal_on_own_stack coroutine_stack; do
		$compiler -O2 -g -fopenmp -o "$scratch/$guest" "$guests/$guest.c" || exit 1
	done
	same_within "a_thread_of_16_KiB $compiler" "$scratch/small_stack" :
	same_within "coroutines_of_16_KiB $compiler" "$scratch/coroutine_stack" :
	same_within "handlers_run_on_the_programs $compiler" "$scratch/signal_on_own_stack" :
	for size in $(sample "16k" "16k 32k 64k"); do
		same_within "workers_of_$size $compiler" "$scratch/stack_limit" "export OMP_STACKSIZE=$size KMP_STACKSIZE=$size"
	done
	for limit in $(sample "24 64" "24 32 64 128 1024"); do
		same_within "ulimit_$limit $compiler" "$scratch/stack_limit" "ulimit -s $limit"
	done
done

# memsearch itself has the program's limit.
for words in "list sensors" doctor "report $scratch/it.ms" "properties --check $root/properties/arrays.asl"; do
	(ulimit -s 24; exec "$memsearch" $words) > "$scratch/out" 2>&1; status=$?
	[ $status -le 2 ] || wrong "status $status of memsearch $words: $(tail -n 3 "$scratch/out")"
done
check stacks__memsearch_itself
