#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# libmemsearch-gomp.so: OMPT events of GNU libgomp. A tool that checks the order of events stands in for memsearch; then memsearch itself.
. "$(dirname "$0")/lib.sh"

gomp_tool=$BUILD/lib/libmemsearch-gomp.so
sources=$root/tests/live/gomp
cd "$scratch" || exit 1
cp "$gomp_tool" .
$CC -O2 -Wall -shared -fPIC -o libmemsearch.so "$sources/rules.c" || wrong "rules.c does not compile"
export OMP_CANCELLATION=true

# Same output as alone, no rule violated, and the counts that the program expects.
in_order() {   # THREADS REPETITIONS PROGRAM
	export OMP_NUM_THREADS=$1
	"$3" "$2" > alone || wrong "alone: status $?"
	LD_PRELOAD=./libmemsearch-gomp.so "$3" "$2" > out 2> events || wrong "$3, $1 threads: status $?"
	cmp -s alone out || wrong "$3, $1 threads: output changed: $(diff alone out | head -n 3)"
	grep -q '^parallel_begin [1-9]' events || wrong "$3, $1 threads: no events: $(head -n 3 events)"
	grep '^violation' events > violations && wrong "$3, $1 threads: $(head -n 5 violations)"
	grep ' ' out > expected
	while read -r event count; do
		grep -q "^$event $count\$" events || wrong "$3, $1 threads: $event $count expected: $(grep "^$event " events)"
	done < expected
}

for flags in -O0 -O2 "-O3 -march=native"; do
	name=constructs$(echo "$flags" | tr -d ' =-')
	# shellcheck disable=SC2086
	gcc-12 $flags -fopenmp -o "$name" "$sources/constructs.c" || wrong "gcc $flags does not compile constructs.c"
	for threads in 1 2 5; do in_order $threads 3 "./$name"; done
done
check gomp__events_are_in_order

# Off, and where there is no tool, programs run as alone.
OMP_TOOL=disabled LD_PRELOAD=./libmemsearch-gomp.so ./constructsO2 2 > out 2> events || wrong "OMP_TOOL=disabled: status $?"
./constructsO2 2 > alone
cmp -s alone out && [ ! -s events ] || wrong "OMP_TOOL=disabled: $(diff alone out | head -n 2) $(head -n 2 events)"
mkdir without && cp libmemsearch-gomp.so without
LD_PRELOAD=without/libmemsearch-gomp.so ./constructsO2 2 > out 2> events || wrong "without a tool: status $?"
cmp -s alone out && [ ! -s events ] || wrong "without a tool: $(diff alone out | head -n 2) $(head -n 2 events)"
check gomp__without_a_tool

# libgomp comes with dlopen, and goes with dlclose while the tool still works.
gcc-12 -O2 -fopenmp -shared -fPIC -o late_library.so "$sources/late_library.c" && gcc-12 -O2 -o late "$sources/late.c" -ldl || wrong "late.c does not compile"
for how in keep close; do
	./late ./late_library.so $how > alone || wrong "alone, $how: status $?"
	for overhead in 5% 1000%; do
		LD_PRELOAD=$gomp_tool MEMSEARCH_OUTPUT=late.ms MEMSEARCH_QUIET=1 MEMSEARCH_OVERHEAD=$overhead MEMSEARCH_MACHINE=xeon-2s \
			./late ./late_library.so $how > out 2> messages || wrong "$how, $overhead: status $?"
		cmp -s alone out && [ ! -s messages ] || wrong "$how, $overhead: $(diff alone out | head -n 2) $(head -n 2 messages)"
		[ -s late.ms ] || wrong "$how, $overhead: no record"
		rm -f late.ms
	done
done
check gomp__libgomp_comes_and_goes

# memsearch: same output, and each construct is a region.
export OMP_NUM_THREADS=2
for options in "" "--overhead 1000% --machine xeon-2s" "--overhead 1000% --measure all"; do
	# shellcheck disable=SC2086
	"$memsearch" run --no-calibrate -q --runtime own $options -o it.ms -- ./constructsO2 40 > out 2> messages || wrong "run $options: status $?"
	./constructsO2 40 > alone
	cmp -s alone out || wrong "run $options: output changed: $(diff alone out | head -n 3)"
	grep . messages > /dev/null && wrong "run $options: $(head -n 3 messages)"
done
"$memsearch" list regions it.ms > regions
for kind in PARALLEL DO SECTIONS SINGLE BARRIER CRITICAL LOCK ORDERED TASK TASKWAIT; do
	grep -q "${kind}_REGION" regions || wrong "no ${kind}_REGION: $(grep -c REGION regions) regions"
done
"$memsearch" report it.ms | grep -q "ran on LLVM's" && wrong "the report says that the runtime was swapped"
check gomp__regions_of_all_constructs
