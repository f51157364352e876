#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# libmemsearch-gomp.so: OMPT events of GNU libgomp. A tool that checks the order of events stands in for memsearch; then memsearch itself.
# Runs beside others.
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
	LD_PRELOAD=./libmemsearch-gomp.so timeout -k 1 60 "$3" "$2" > out 2> events || wrong "$3, $1 threads: status $?"
	cmp -s alone out || wrong "$3, $1 threads: output changed: $(diff alone out | head -n 3)"
	grep -q '^parallel_begin [1-9]' events || wrong "$3, $1 threads: no events: $(head -n 3 events)"
	grep '^violation' events > violations && wrong "$3, $1 threads: $(head -n 5 violations)"
	[ -z "${RULES_REST:-}" ] || return 0
	grep ' ' out > expected
	while read -r event count; do
		grep -q "^$event $count\$" events || wrong "$3, $1 threads: $event $count expected: $(grep "^$event " events)"
	done < expected
}

# Every version of GCC that is installed calls other functions of libgomp.
compilers=
for version in 9 10 11 12 13 14 15 16; do
	! have gcc-$version || compilers="$compilers gcc-$version"
done
for compiler in $compilers; do
	for flags in -O0 -O2 "-O3 -march=native"; do
		name=constructs$(echo "$flags" | tr -d ' =-')
		[ $compiler = gcc-12 ] || name=$name-$compiler
		# shellcheck disable=SC2086
		$compiler $flags -Wno-deprecated-openmp -fopenmp -o "$name" "$sources/constructs.c" || wrong "$compiler $flags does not compile constructs.c"
		for threads in 1 2 5; do in_order $threads 3 "./$name"; done
	done
done
check gomp__events_are_in_order

export RULES_REST=1
for threads in 1 2 5; do
	in_order $threads 6 ./constructsO2
	grep -q '^work [1-9]' events && [ "$(sed -n 's/^tasks_begun //p' events)" -lt "$(sed -n 's/^tasks_begun //p' alone)" ] || wrong "no rest: $(cat events)"
done
gcc-12 -O2 -fopenmp -o two_roots "$sources/two_roots.c" || wrong "two_roots.c does not compile"
./two_roots > alone || wrong "two_roots alone: status $?"
for number in 1 2 3; do
	RULES_ROOTS=2 LD_PRELOAD=./libmemsearch-gomp.so ./two_roots > out 2> events || wrong "two_roots: status $?"
	cmp -s alone out || wrong "two_roots: $(diff alone out)"
	grep '^violation thread_begin' events > violations && wrong "two_roots: $(head -n 2 violations)"
	grep -q '^sync_region [1-9]' events || wrong "two_roots: no events: $(cat events)"
done
unset RULES_REST
check gomp__events_rest

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
	"$memsearch" run --no-calibrate -q $options -o it.ms -- ./constructsO2 40 > out 2> messages || wrong "run $options: status $?"
	./constructsO2 40 > alone
	cmp -s alone out || wrong "run $options: output changed: $(diff alone out | head -n 3)"
	grep . messages > /dev/null && wrong "run $options: $(head -n 3 messages)"
done
"$memsearch" list regions it.ms > regions
for kind in PARALLEL DO SECTIONS SINGLE BARRIER CRITICAL LOCK ORDERED TASK TASKWAIT; do
	grep -q "${kind}_REGION" regions || wrong "no ${kind}_REGION: $(grep -c REGION regions) regions"
done
"$memsearch" report -v it.ms | grep -q "ran on LLVM's" && wrong "the report says that the runtime was swapped"
check gomp__regions_of_all_constructs

# A library of clang in a program of gcc. Where libgomp comes first, each runtime has its own regions; where libomp comes first, it answers for both.
$CC -O2 -g -fopenmp -shared -fPIC -o librelax.so "$sources/two_library.c" || wrong "two_library.c does not compile"
for first in gomp omp; do
	flags=-lgomp
	[ $first = gomp ] || flags="-L$(dirname "$($CC -print-file-name=libomp.so)") -lomp"
	# shellcheck disable=SC2086
	gcc-12 -O2 -g -fopenmp -o two "$sources/two.c" -L. -Wl,-rpath,"$scratch" -Wl,--no-as-needed $flags -lrelax || wrong "two.c does not compile"
	./two 100 > alone
	for options in "" "--overhead 1000% --machine xeon-2s"; do
		rm -f it.ms
		# shellcheck disable=SC2086
		"$memsearch" run --no-calibrate -q $options -o it.ms -- ./two 100 > out 2> messages || wrong "$first, run $options: status $?"
		cmp -s alone out || wrong "$first, run $options: output changed: $(diff alone out | head -n 3)"
		grep . messages > /dev/null && wrong "$first, run $options: $(head -n 3 messages)"
	done
	"$memsearch" list regions it.ms > regions
	# two regions of the program's, one of the library's in serial code and one nested
	for region in "2 two.c" "2 two_library.c"; do
		[ "$(grep PARALLEL_REGION regions | grep -c "${region#* }:")" = "${region% *}" ] || wrong "$first: not $region: $(grep PARALLEL regions)"
	done
	"$memsearch" report --json it.ms > report.json
	case $first in
	gomp) grep -q '"runtime": *".*LLVM.*and.*libgomp\|"runtime": *"GNU libgomp and .*LLVM' report.json || wrong "not both runtimes: $(grep runtime report.json)" ;;
	omp) grep -q '"runtime": *"[^"]*libgomp' report.json && wrong "libgomp answers: $(grep runtime report.json)" ;;
	esac
done
check gomp__two_runtimes

# Same output and status as alone, and a record.
as_alone() {   # WHAT RUN-OPTIONS -- COMMAND…
	what=$1 options=
	shift
	while [ "$1" != -- ]; do options="$options $1"; shift; done
	shift
	"$@" > alone 2> alone.errors; status=$?
	rm -f it.ms
	# shellcheck disable=SC2086
	"$memsearch" run --no-calibrate -q $options -o it.ms -- "$@" > out 2> messages; under=$?
	[ $under = $status ] || wrong "$what, run $options: status $under, not $status: $(head -n 3 messages)"
	cmp -s alone out || wrong "$what, run $options: output changed: $(diff alone out | head -n 3)"
	cmp -s alone.errors messages || wrong "$what, run $options: $(diff alone.errors messages | head -n 3)"
	[ -s it.ms ] || wrong "$what, run $options: no record"
}

gcc-12 -O2 -g -fopenmp -o odd "$sources/odd.c" || wrong "odd.c does not compile"
for options in "" "--overhead 1000% --machine xeon-2s"; do
	for mode in pause fork many cancel; do
		# shellcheck disable=SC2086
		as_alone "$mode" $options -- ./odd $mode
	done
	# shellcheck disable=SC2086
	OMP_STACKSIZE=64K as_alone "64 KiB of stack" $options -- ./odd cancel
done
check gomp__odd_programs

# libgomp creates the threads of nested teams anew each time: neither memory nor the record grows with them. What the search adds to the record
# depends on how much of it was done: less than 20 bytes a nesting. An ended thread may overlap with the one that takes over its row.
gcc-12 -O2 -g -fopenmp -o nestings "$sources/nestings.c" && $CC -O2 -I. -o timed "$root/bench/timed.c" || wrong "nestings.c does not compile"
nested() {     # NUMBER METRICS LIMIT: "PEAK_KIB RECORD_BYTES ROWS"
	rm -f it.ms usage
	LD_PRELOAD=$gomp_tool MEMSEARCH_QUIET=1 MEMSEARCH_OUTPUT=it.ms MEMSEARCH_MEASURE=$2 MEMSEARCH_OVERHEAD=$3 ./timed usage ./nestings "$1" || { echo 0 0 0; return; }
	"$memsearch" report --json it.ms | awk -f "$root/tests/workloads/flatten.awk" > flat
	echo "$(cut -d' ' -f3 usage) $(wc -c < it.ms) $(grep -c '^runs/0/places/[0-9]*/thread' flat)"
}
nested_teams() { # METRICS LIMIT ROWS_LEAST ROWS_MOST BYTES_A_NESTING
	few=$(nested 500 "$1" "$2") many=$(nested 2000 "$1" "$2")
	echo "$few $many" | awk -v least="$3" -v most="$4" -v bytes="$5" '
		!$1 || !$4 || $4 > 1.05 * $1 || $5 > 1.2 * $2 + 1500 * bytes || $3 < least || $6 < least || $3 > most || $6 > most { exit 1 }' ||
		wrong "nested teams, $1, $2: KiB, bytes of record, rows of threads: $few with 500, $many with 2000"
}
nested_teams none 5% 0 0 0
nested_teams time 5% 4 8 20
nested_teams time 1000% 4 8 20
check gomp__nested_teams_take_no_memory

# The report counts the threads that had no sensors.
as_alone "nested teams" --overhead 1% -- ./nestings 2000
"$memsearch" report -v it.ms | tr -s '\n ' ' ' | grep -q '[0-9][0-9] threads without sensors, as the program keeps creating threads' ||
	wrong "the report does not count threads without sensors: $("$memsearch" report -v it.ms | grep -A 6 '^Not measured')"
check gomp__threads_without_sensors_are_counted

# A copy of libgomp that the program's RPATH finds; and entries newer than memsearch.
mkdir -p own && cp "$(gcc-12 -print-file-name=libgomp.so.1)" own/libgomp.so.1
gcc-12 -O2 -g -fopenmp -Wl,--disable-new-dtags,-rpath,"$scratch/own" -o rpath "$sources/odd.c" || wrong "odd.c does not compile"
as_alone "RPATH" -- ./rpath pause
"$memsearch" list regions it.ms | grep -q 'DO_REGION.*odd.c:' || wrong "RPATH: no loop was seen"
gcc-12 -O2 -shared -fPIC -DLIBRARY -o libfuture.so "$sources/future.c" && gcc-12 -O2 -g -fopenmp -o future "$sources/future.c" -L. -lfuture -Wl,-rpath,"$scratch" ||
	wrong "future.c does not compile"
as_alone "unknown entries" -- ./future
"$memsearch" report -v it.ms | tr -s '\n ' ' ' > report
grep -q "what calls of 'GOMP_future_construct' do: this function of GNU's OpenMP runtime (libgomp) is newer than memsearch" report ||
	wrong "the report does not name it: $(cat report)"
grep -q "GOMP_target_future\|GOMP_[a-z]*_alloc" report && wrong "what has no events is named: $(cat report)"
check gomp__other_libgomps

# Static loops, which gcc compiles inline: what lies between two barriers and is one loop, or versions of one, has a DO_REGION, on the pragma's line, with the
# time of all threads; loops that every thread executes as a whole have none, nor have several loops without a barrier.
functions=$(sed -n 's/.*static [a-z]* \(\(loops\{0,1\}\|whole\)_[a-z_]*\)(.*/\1/p' "$sources/static_loops.c")
static_loops() { # COMPILER FLAGS…
	flags=$*
	"$@" -g -fopenmp -o static_loops "$sources/static_loops.c" -lm || wrong "$flags: static_loops.c does not compile"
	as_alone "static loops $flags" --measure time --overhead 100% -- ./static_loops
	"$memsearch" list regions --format csv it.ms > regions
	for function in $functions; do
		nr=$(grep DO_REGION regions | grep -c "loop in $function ")
		case "$function" in
		whole_dynamic) [ "$nr" = 1 ] || wrong "$flags: $nr loops in $function: $(grep REGION regions | grep "$function ")" ;;
		whole_*) [ "$nr" = 0 ] || wrong "$flags: a loop in $function: $(grep DO_REGION regions | grep "$function ")" ;;
		loops_*) [ "$nr" = 2 ] || wrong "$flags: $nr loops in $function: $(grep REGION regions | grep "$function ")" ;;
		loop_*) [ "$nr" = 1 ] || wrong "$flags: no loop in $function: $(grep REGION regions | grep "$function ")" ;;
		esac
	done
	line=$(grep -n 'void loop_calls' "$sources/static_loops.c" | cut -d: -f1)
	grep -q "loop in loop_calls (static_loops.c:$((line + 2)))" regions || wrong "$flags: not the pragma's line: $(grep loop_calls regions)"
	for function in loops_barrier loops_single; do
		begin=$(grep -n "void $function" "$sources/static_loops.c" | cut -d: -f1)
		for line in $(sed -n "$begin,\$p" "$sources/static_loops.c" | grep -n '^#pragma omp for' | head -n 2 | cut -d: -f1); do
			grep -q "loop in $function ([a-z ]*static_loops.c:$((begin + line - 1)))" regions ||
				wrong "$flags: no loop of $function at line $((begin + line - 1)): $(grep "DO_REGION.*$function" regions)"
		done
	done
	# Behind the last barrier of a loop around them, none is executed: all are counted as often as each other.
	for function in loops_steps loops_around; do
		awk -F , -v place="loop in $function " '/DO_REGION/ && index($7, place) { wrong = wrong || nr++ && $4 != last; last = $4 } END { exit wrong }' regions ||
			wrong "$flags: loops are not executed as often as each other: $(grep "DO_REGION,loop in $function" regions)"
	done
}
for flags in ${WHOLE:+-O1 "-O3 -march=native"} -O2 "-O3 -funswitch-loops -fno-plt"; do
	# shellcheck disable=SC2086
	static_loops gcc-12 $flags
done
for compiler in $compilers; do
	[ $compiler = gcc-12 ] || static_loops $compiler -O2
done
check gomp__static_loops

# Single constructs: what follows one without a barrier is not its own.
for flags in ${WHOLE:+-O2} -O1 ${WHOLE:+"-O2 -fno-plt -fPIE"} "-O3 -march=native"; do
	# shellcheck disable=SC2086
	gcc-12 $flags -g -fopenmp -o single_ends "$sources/single_ends.c" || wrong "$flags: single_ends.c does not compile"
	as_alone "single constructs $flags" --measure time --overhead 100% -- ./single_ends
	"$memsearch" list regions --format csv it.ms | grep SINGLE_REGION > regions
	for function in shown_barrier shown_last unseen_loop unseen_function; do
		measured=$(grep "single in $function " regions | cut -d, -f4)
		case "$function" in
		shown_*) [ "${measured:-0}" -gt 0 ] || wrong "$flags: $function is not measured: $(cat regions)" ;;
		*) [ "${measured:-0}" -le 8 ] || wrong "$flags: what follows $function is measured as its own: $(cat regions)" ;;
		esac
	done
done
check gomp__single_ends

# libgomp's lock of atomic updates and reductions: its waits are those of a critical construct in that function.
gcc-12 -O2 -g -fopenmp -o atomics "$sources/atomics.c" || wrong "atomics.c does not compile"
as_alone "atomics" --measure time --overhead 100% -- ./atomics
"$memsearch" list regions --format csv it.ms | grep CRITICAL_REGION > regions
for function in update reduce; do
	grep -q "in $function (near atomics.c:[0-9]" regions || wrong "no lock in $function: $(cat regions)"
done
check gomp__atomics

# The first call of OpenMP in odd places.
gcc-12 -O2 -fopenmp -shared -fPIC -DLIBRARY -o libasks.so "$sources/first_calls.c" && gcc-12 -O2 -g -fopenmp -o first_calls "$sources/first_calls.c" -ldl -lpthread ||
	wrong "first_calls.c does not compile"
for mode in "constructor ./libasks.so" malloc signal helper; do
	# shellcheck disable=SC2086
	as_alone "first call: $mode" -- timeout 60 ./first_calls $mode
	"$memsearch" report -v it.ms | tr -s '\n ' ' ' | grep -q 'a repeating sequence of regions' || wrong "$mode: no phase: $(grep -A 2 'phase (' out)"
done
check gomp__first_calls

# Programs without libgomp, with a tool of their own, with two copies of libgomp, with libomp under libgomp's name.
gcc-12 -O2 -o weak "$sources/weak.c" -ldl && ./weak > alone || wrong "weak.c does not compile"
LD_PRELOAD=$gomp_tool ./weak > out || wrong "weak references: status $?"
cmp -s alone out || wrong "weak references: $(cat out)"
gcc-12 -O2 -shared -fPIC -o libowntool.so "$sources/own_tool.c"
gcc-12 -O2 -g -fopenmp -o own_tool "$sources/odd.c" -Wl,--no-as-needed,-rpath,"$scratch" -L. -lowntool || wrong "own_tool.c does not compile"
as_alone "own tool" -- ./own_tool cancel
for copy in a b; do
	sed "s/libgomp\.so\.1/libgomp-$copy.so/g" "$(gcc-12 -print-file-name=libgomp.so.1)" > libgomp-$copy.so
	gcc-12 -O2 -fopenmp -fPIC -DLIBRARY -c -o copy.o "$sources/copies.c" && gcc-12 -shared -o module-$copy.so copy.o -L. -l:libgomp-$copy.so -Wl,-rpath,"$scratch" ||
		wrong "copies.c does not compile"
done
gcc-12 -O2 -o copies "$sources/copies.c" -ldl
./copies ./module-a.so ./module-b.so > alone || wrong "copies: status $?"
LD_PRELOAD=$gomp_tool MEMSEARCH_QUIET=1 MEMSEARCH_OUTPUT=it.ms timeout 60 ./copies ./module-a.so ./module-b.so > out || wrong "copies under memsearch: status $?"
cmp -s alone out || wrong "copies: $(diff alone out | head -n 3)"
[ -s it.ms ] || wrong "copies: no record"
mkdir -p conda && ln -sf "$(realpath "$($CC -print-file-name=libomp.so)")" conda/libgomp.so.1
LD_LIBRARY_PATH=$scratch/conda
export LD_LIBRARY_PATH
as_alone "libomp as libgomp" -- ./static_loops
"$memsearch" report --json it.ms | grep -q '"runtime": *"[^"]*GNU libgomp' && wrong "libomp is taken for libgomp"
unset LD_LIBRARY_PATH
check gomp__other_programs
