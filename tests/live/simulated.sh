#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# What recorded accesses miss on a modelled machine: arrays with a planted problem, their twins without, and the same values whatever
# CPUs the program runs on.
# Runs beside others.
. "$(dirname "$0")/lib.sh"

"$memsearch" list sensors | grep -q '^accesses  *yes' || { echo "reason: no accesses can be recorded here"; echo "skip simulated"; exit 0; }
export MEMSEARCH_OVERHEAD=1000% OMP_PROC_BIND=false
programs=$root/tests/live/programs
machine=$programs/small.machine addresses= same= beside= busy=
steps=250

# What the record has of this machine. $addresses: --real-addresses, or nothing.
of_machine() {   # COMMAND OPTIONS…
	command=$1
	shift
	"$memsearch" "$command" --machine "$machine" $addresses "$@" "$scratch/it.ms"
}

# "ARRAY/value<TAB>number" of what was simulated, into $scratch/values; names of properties that were proven of an array, into $scratch/found.
simulate() {   # [COMMAND]
	rm -f "$scratch"/it.ms*
	$beside
	timeout -k 1 170 "$@" "$memsearch" run --quiet $same -o "$scratch/it.ms" -- "$scratch/program" $steps > "$scratch/out" 2> "$scratch/errors"
	# shellcheck disable=SC2086
	[ -z "$busy" ] || { kill $busy; wait; busy=; }
	cmp -s "$scratch/plain" "$scratch/out" || wrong "prints $(cat "$scratch/out" "$scratch/errors")"
	of_machine arrays --json 2>&1 | awk -f tests/workloads/flatten.awk | awk -F '\t' '
		$1 ~ /\/arrays\/[0-9]+\/name$/ { name = $2 } $1 ~ /\/arrays\/[0-9]+\/simulated\// { sub(/.*simulated\//, "", $1); print name "/" $1 "\t" $2 }' |
		grep -E '^(by_columns|padded|large|counts|apart|sparse|copied|in_place|every_other|source|streamed|by_one|by_all|kept|small_blocks.c:[0-9]+|counts\[thread\])/' | sort > "$scratch/values"
	of_machine report --json 2>&1 | awk -f tests/workloads/flatten.awk | awk -F '\t' '
		$1 ~ /^modelled\/[0-9]+\/property$/ { property = $2 } $1 ~ /^modelled\/[0-9]+\/data_structure\/name$/ { print property, $2 }' > "$scratch/found"
}

# What an expression over the values of one array is; "" where it was not simulated.
value() {      # ARRAY EXPRESSION
	awk -F '\t' -v array="$1" '{ split($1, path, "/"); if (path[1] == array) { v[path[2]] = $2; nr++ } }
		END { if (nr) printf "%.10g", ('"$2"') }' "$scratch/values"
}
kinds='(v["cold"] + v["capacity"] + v["conflict"] + v["true_sharing"] + v["false_sharing"])'
within() {     # ARRAY WHAT EXPRESSION LEAST MOST
	awk -v x="$(value "$1" "$3")" -v least="$4" -v most="$5" 'BEGIN { exit !(x != "" && x >= least && x <= most) }' ||
		wrong "$1: $2 is '$(value "$1" "$3")', not $4 to $5"
}

misses() {
	simulate
	within by_columns "accesses" 'v["accesses"]' 786432 786432
	within by_columns "part of conflicts" "v[\"conflict\"] / $kinds" 0.7 1
	within padded "part of conflicts" "v[\"conflict\"] / $kinds" 0 0.3
	within padded "bytes used of those fetched" 'v["used_bytes"] / v["fetched_bytes"]' 0.7 1
	within large "misses of L2" 'v["l2_misses"] / v["accesses"]' 1 1
	within large "part of capacity misses" "v[\"capacity\"] / $kinds" 0.95 1
	within large "bytes used of those fetched" 'v["used_bytes"] / v["fetched_bytes"]' 0.125 0.125
	within sparse "bytes used of those fetched" 'v["used_bytes"] / v["fetched_bytes"]' 0.0625 0.0625
	within counts "part of false sharing" "v[\"false_sharing\"] / $kinds" 0.95 1
	within apart "misses of L1" 'v["l1_misses"]' 0 4
	grep -q '^[A-Za-z]* \(by_columns\|large\|padded\)$' "$scratch/found" || wrong "no finding about an array: $(cat "$scratch/found")"
}

# Lines and threads have what the arrays have, each once.
add_up() {
	simulate
	of_machine arrays --json 2>&1 | awk -f tests/workloads/flatten.awk | awk -F '\t' '
		$1 ~ /\/(arrays|accesses)\/[0-9]+\/(name|array)$/ { array = $2 }
		$1 ~ /\/by_thread\/[0-9]+\/arrays\/[0-9]+\/array$/ { array = $2 }
		$1 ~ /\/simulated\/(accesses|l1_misses|l2_misses|l3_misses|conflict|cycles|used_bytes)$/ && array ~ /^(by_columns|large|counts)$/ {
			kind = $1 ~ /\/by_thread\// ? "threads" : $1 ~ /\/accesses\/[0-9]+\/simulated/ ? "lines" : "arrays"
			sub(/.*simulated\//, "", $1); sum[array "/" $1, kind] += $2; of[array "/" $1] }
		END { for (one in of) print one "\t" sum[one, "arrays"], sum[one, "lines"], sum[one, "threads"] }' > "$scratch/sums"
	[ "$(wc -l < "$scratch/sums")" -eq 21 ] || wrong "sums of $(cat "$scratch/sums")"
	awk -F '\t' '{ split($2, sum, " "); if (sum[1] "" != sum[2] "" || sum[1] "" != sum[3] "" || sum[1] == "") print $1, $2 }' "$scratch/sums" > "$scratch/differ"
	[ -s "$scratch/differ" ] && wrong "arrays, lines and threads differ: $(cat "$scratch/differ")"
	awk -F '\t' '$1 == "by_columns/conflict" && $2 + 0 > 0' "$scratch/sums" | grep -q . || wrong "no conflicts"
}

# What is simulated of each line and array, stacks as well, into a file. Who touched a page first is measured, not simulated.
simulated_by_line() {  # FILE [COMMAND]
	of_lines=$1
	shift
	simulate "$@"
	of_machine arrays --by line --json | awk -f tests/workloads/flatten.awk | grep -E '/(array|line|simulated/[a-z0-9_]*)	' |
		grep -v '/first_touches/' | sed 's,^accesses/[0-9]*/,,' > "$of_lines"
	grep -q 'simulated/write_backs' "$of_lines" || wrong "no values"
}

# As many programs as there are CPUs, and one, that do nothing else, while the program runs.
load() {
	for _ in $(seq 0 "$(nproc)"); do
		timeout 170 sh -c 'while :; do :; done' &
		busy="$busy $!"
	done
}

# Misses are exact, and depend neither on how the threads ran nor on what else is in the environment, or runs, where stacks
# and heaps have the same addresses: where in a page a stack begins is random else, and decides some write-backs.
the_same() {
	same=--same-addresses
	simulated_by_line "$scratch/first"
	simulated_by_line "$scratch/second" env A_VARIABLE=of_some_length nice taskset -c 0
	cmp -s "$scratch/first" "$scratch/second" || wrong "on one CPU others: $(diff "$scratch/first" "$scratch/second" | head -n 6)"
	beside=load
	simulated_by_line "$scratch/second"
	beside=
	cmp -s "$scratch/first" "$scratch/second" || wrong "under load others: $(diff "$scratch/first" "$scratch/second" | head -n 6)"
	same=
}

if "$CC" -O2 -g -fopenmp "$programs/simulated.c" -o "$scratch/program" > "$scratch/log" 2>&1; then
	"$scratch/program" $steps > "$scratch/plain"
	again misses
	check simulated__misses_by_array
	again add_up
	check simulated__lines_and_threads_add_up
	again the_same
	check simulated__the_same_on_one_cpu_and_under_load
else
	wrong "$(cat "$scratch/log")"
	check simulated__compiles
fi

# Lines fetched only to be overwritten are told from those that are read, or written in part. Whether it is dear enough to be a finding is the
# host's affair: then it is one wherever lack of room is.
overwritten() {
	simulate
	within copied "reads" 'v["reads"]' 0 0
	within copied "MiB fetched" 'v["fetched_bytes"] / 1048576' 1 1
	within copied "bytes used of those fetched" 'v["used_bytes"] / v["fetched_bytes"]' 1 1
	within in_place "reads for a write" 'v["reads"] / v["writes"]' 1 1
	within every_other "bytes used of those fetched" 'v["used_bytes"] / v["fetched_bytes"]' 0.5 0.5
	of_machine arrays --json 2>&1 | awk -f tests/workloads/flatten.awk | awk -F '\t' -v line="$(grep -n 'pragma' "$programs/overwritten.c" | head -n 1 | cut -d : -f 1)" '
		$1 ~ /\/by_region\/[0-9]+\/place$/ { here = $2 ~ "overwritten.c:" line "\\)" } here && $1 ~ /\/(read_bytes|attainable_why|recorded)$/ { print $1, $2 }' > "$scratch/traffic"
	awk '$1 ~ /read_bytes$/ && $2 >= 2097152 && $2 < 2097152 + 4096' "$scratch/traffic" | grep -q . || wrong "copying reads $(cat "$scratch/traffic")"
	grep -q 'attainable_why .*calibration' "$scratch/traffic" || wrong "the bandwidth of a machine that is not there is known: $(cat "$scratch/traffic")"
	within streamed "writes" 'v["writes"]' 65536 65536
	within streamed "misses and lines fetched" 'v["l1_misses"] + v["local_lines"] + v["remote_lines"] + v["fetched_bytes"]' 0 0
	within streamed "lines written to memory" 'v["write_backs"]' 16384 16384
	grep -E '^WriteAllocateTraffic (in_place|every_other|source|streamed)$' "$scratch/found" && wrong "found of another: $(cat "$scratch/found")"
	grep -q '^CapacityMisses copied$' "$scratch/found" || return
	grep -q '^WriteAllocateTraffic copied$' "$scratch/found" || wrong "not found of copied: $(cat "$scratch/found")"
}

steps=2000
if "$CC" -O2 -g -fopenmp "$programs/overwritten.c" -o "$scratch/program" > "$scratch/log" 2>&1; then
	"$scratch/program" $steps > "$scratch/plain"
	again overwritten
	check simulated__lines_fetched_to_be_overwritten
else
	wrong "$(cat "$scratch/log")"
	check simulated__overwritten_compiles
fi

# Small blocks are arrays of their allocation site: of one that threads share it is told that they do, of blocks of their own it is not.
small_blocks() {       # ARRAY ACCESSES LEAST MOST, of misses of false sharing
	simulate
	within "$1" "accesses" 'v["accesses"]' "$2" 1000000
	within "$1" "misses of false sharing" 'v["false_sharing"]' "$3" "$4"
}
block=small_blocks.c:$(grep -n 'aligned_alloc.*$' "$programs/small_blocks.c" | tail -n 1 | cut -d: -f1)
shared_block() { small_blocks "$block" 100000 300 100000; grep -q "^FalseSharing $block\$" "$scratch/found" || wrong "not found: $(cat "$scratch/found")"; }
own_blocks() { small_blocks 'counts[thread]' 50000 0 4; grep '^FalseSharing' "$scratch/found" && wrong "found where nothing is shared"; }

for compiler in $(sample gcc-12 "$CC gcc-12"); do
	have "$compiler" || continue
	for kind in shared_block own_blocks; do
		steps=$([ $kind = shared_block ] && echo 1000 || echo 40000)     # which take less by themselves
		"$compiler" -O2 -g -fopenmp $([ $kind = shared_block ] || echo -DAPART) "$programs/small_blocks.c" -o "$scratch/program" > "$scratch/log" 2>&1 || wrong "$(cat "$scratch/log")"
		OMP_NUM_THREADS=2 "$scratch/program" $steps > "$scratch/plain"
		OMP_NUM_THREADS=2 again $kind
	done
	check "simulated__small_heap_blocks_$compiler"
done

# A page lies on the node of the thread that the program first touched it with, before any of it was simulated: what the initial thread
# initialised is remote for half of the threads, what each initialised for itself is not, but for the pages where their parts meet.
placed() {
	simulate
	within by_one "part of lines from another node" 'v["remote_lines"] / (v["local_lines"] + v["remote_lines"])' 0.49 0.51
	within by_all "part of lines from another node" 'v["remote_lines"] / (v["local_lines"] + v["remote_lines"])' 0 0.02
	of_machine report -v 2>&1 | tr -s '\n ' ' ' | grep -qE 'first touched it with: (9[0-9]|100) % of the pages' || wrong "does not say whose pages are known"
}

steps=3000
for compiler in $(sample "$CC" "$CC gcc-12"); do
	have "$compiler" || continue
	"$compiler" -O2 -g -fopenmp -DNR='(1 << 16)' "$programs/touched_by_one.c" -o "$scratch/program" > "$scratch/log" 2>&1 || wrong "$(cat "$scratch/log")"
	"$scratch/program" $steps > "$scratch/plain"
	for addresses in "" --real-addresses; do
		OMP_NUM_THREADS=4 again placed
	done
	addresses=
	check "simulated__pages_lie_where_they_were_touched_first_$compiler"
done

# What runs between the marks of two executions is neither: the caches are full of the first execution when the second one counts.
between_marks() {
	simulate
	within kept "accesses" 'v["accesses"] >= 16384' 1 1
	within kept "first misses" 'v["cold"]' 0 0
	within kept "lines from memory" 'v["local_lines"] + v["remote_lines"]' 0 0
}

if "$CC" -O2 -g -fopenmp -I include "$programs/marked_steps.c" -o "$scratch/program" > "$scratch/log" 2>&1; then
	"$scratch/program" $steps > "$scratch/plain"
	again between_marks
	check simulated__executions_that_are_marked
else
	wrong "$(cat "$scratch/log")"
	check simulated__marked_compiles
fi

# No machine, an unknown one, and one that cannot be: a clear word, and the program runs as ever.
bad_machine() {        # NAME TEXT
	MEMSEARCH_MACHINE=$1 MEMSEARCH_QUIET=1 MEMSEARCH_OUTPUT=$scratch/bad.ms OMP_TOOL_LIBRARIES=$tool timeout -k 1 60 "$scratch/program" 20 \
		> "$scratch/out" 2> "$scratch/errors" || wrong "status $?"
	grep -q "$2" "$scratch/errors" || wrong "says $(cat "$scratch/errors")"
}
bad_machine nosuchmachine 'nosuchmachine.machine: cannot be read'
sed 's/^l1.size.*/l1.size = 5000 bytes/' "$programs/small.machine" > "$scratch/odd.machine"
bad_machine "$scratch/odd.machine" 'l1.size'
check simulated__machines_that_cannot_be
