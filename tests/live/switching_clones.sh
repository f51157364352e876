#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Programs whose regions, time loops and serial functions are cloned, switched on and off at phase boundaries and
# barriers: results stay the same to the bit, and the clones are really run. Those of gcc and gfortran run on libomp
# and on libgomp.
# Runs beside others.
. "$(dirname "$0")/lib.sh"

programs=$root/tests/live/programs
libraries="$BUILD/lib/libmscore.a $BUILD/lib/libmsanalysis.a $(sed -n 's/CONFIG_CORE_LIBS := //p' "$BUILD/config.mk") -ldl -lm"
case $(uname -m) in x86_64) ;; *) echo "reason: functions are not cloned on $(uname -m)"; echo "skip switching_clones"; exit 0 ;; esac
built() {      # FILE FLAGS…
	file=$1; shift
	$CC -O2 -g -fPIC -shared -fvisibility=hidden -I. -Iinclude "$@" -o "$file" "$programs/run_clones.c" $libraries \
		-Wl,-z,defs -Wl,-z,nodelete -Wl,--exclude-libs,ALL || exit 1
}
built "$scratch/run_clones.so"
# On libgomp the tool is what lies beside the library that has its events.
mkdir "$scratch/own" && cp "$BUILD/lib/libmemsearch-gomp.so" "$scratch/own" || exit 1
built "$scratch/own/libmemsearch.so" -DON_LIBGOMP
cd "$scratch" || exit 1

# Without WHOLE on so many threads.
team=2

# What came of it must have: words of its first line, each with a number above 0.
ran() {        # RUNTIME WORDS PROGRAM ARGUMENTS…
	runtime=$1; words=$2; shift 2
	for threads in $(sample "$team" "2 3"); do
		export OMP_NUM_THREADS=$threads
		timeout -k 1 100 env LD_PRELOAD="$runtime" "$@" > plain.out 2> plain.err || wrong "exit $? without"
		[ -s plain.out ] || wrong "no output"
		for CLONES_PERIOD in 1 3; do
			export CLONES_PERIOD
			once "$runtime" "$@"
		done
	done
}

once() {       # RUNTIME PROGRAM ARGUMENTS…
	runtime=$1; shift
	rm -f clones.out
	timeout -k 1 200 env LD_PRELOAD="$runtime" OMP_TOOL_LIBRARIES="$scratch/run_clones.so" CLONES_OUTPUT="$scratch/clones.out" \
		"$@" > out 2> err || wrong "$threads threads, period $CLONES_PERIOD: exit $?"
	cmp -s plain.out out || wrong "$threads threads, period $CLONES_PERIOD: $(diff plain.out out | head -n 4)"
	grep -q ' refused 0 ' clones.out || wrong "$(cat clones.out)"
	for word in clones accesses $words; do
		grep -q "\b$word [1-9]" clones.out || wrong "$threads threads, period $CLONES_PERIOD: no $word: $(head -n 1 clones.out)"
	done
}

# Without WHOLE every second case: each program with each compiler at one of two levels.
turn=0
try() {        # NAME COMPILER-AND-FLAGS SOURCE WORDS ARGUMENTS…
	name=$1; compiler=$2; source=$3; words=$4; shift 4
	turn=$(((turn + 1) % 2))
	[ $turn = 1 ] || [ -n "${WHOLE:-}" ] || return
	have "${compiler%% *}" || { echo "reason: no ${compiler%% *}"; echo "skip switching_clones__$name"; return; }
	runtime=
	case $compiler in g*) runtime=libomp.so.5 ;; esac
	$compiler -g -fopenmp -I"$root/tests/workloads" -o program "$root/$source" -lm > log 2>&1 || wrong "does not build: $(head -n 5 log)"
	built=$bad
	[ -n "$built" ] || ran "$runtime" "$words" ./program "$@"
	check "switching_clones__$name"
	[ -z "$built" ] && [ -n "$runtime" ] || return
	ran "$scratch/own/libmemsearch-gomp.so" "$words" ./program "$@"
	check "switching_clones__${name}_on_libgomp"
}

for flags in "-O2" "-O3 -march=native"; do
	label=$(echo "$flags" | cut -c2-3)
	case $label in O3) team=3 ;; esac
	try swim_clang_$label "$CC $flags" bench/swim/swim.c frames 120 30
	try swim_gcc_$label "gcc $flags" bench/swim/swim.c frames 120 30
	try swim_gfortran_$label "gfortran $flags" bench/swim/swim.f frames 120 30
	try swim_flang_$label "flang-new-19 $flags" bench/swim/swim.f frames 120 30
	for compiler in "$CC" gcc; do
		who=${compiler%-*}_$label
		try time_loop_$who "$compiler $flags" tests/workloads/small_chunks.c frames 0.05
		try one_region_$who "$compiler $flags" tests/workloads/spmd_clean.c "returns back" 0.1
		try barriers_$who "$compiler $flags" tests/workloads/barrier_wait.c "returns back" 0.05
		try nested_$who "$compiler $flags" tests/workloads/nested.c frames 0.1
		try tasks_$who "$compiler $flags" tests/workloads/task_fib.c slots 0.1
	done
	turn=1
done
