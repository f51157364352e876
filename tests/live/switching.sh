#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Every function that programs hand to their OpenMP runtime passes by a stand-in, and results stay the same to the bit.
# Runs beside others.
. "$(dirname "$0")/lib.sh"

programs=$root/tests/live/programs
case $(uname -m) in x86_64) ;; *) echo "reason: there are no stand-ins for $(uname -m)"; echo "skip switching"; exit 0 ;; esac
libraries="$BUILD/lib/libmscore.a $BUILD/lib/libmsanalysis.a $(sed -n 's/CONFIG_CORE_LIBS := //p' "$BUILD/config.mk") -ldl -lm"
$CC -O2 -g -fPIC -shared -I. -Iinclude -o "$scratch/translate.so" "$programs/translate.c" $libraries -Wl,-z,defs -Wl,--exclude-libs,ALL -Wl,-z,nodelete \
	|| exit 1
bodies='omp_outlined|omp_task_entry|omp_task_dup|copy_func|reduction_func|_omp_fn|_omp_cpyfn|omp_par|omp\.reduction\.func'

# Address and name of every function that the compiler made for a runtime to call, cold parts aside.
outlined() { nm "$1" | grep -E " t .*($bodies)" | grep -v '\.cold' | sed 's/^0*\([0-9a-f]\) *t/\1 t/; s/^0*//; s/ t / /'; }

# Preloads itself only into the program, not into timeout.
translated() { # PRELOAD PROGRAM ARGUMENTS…
	preload=$1; shift
	rm -f seen
	timeout -k 1 60 env TRANSLATE_OUTPUT=seen LD_PRELOAD="$preload$scratch/translate.so" "$@"
}

all_seen() {   # FILE-WITH-REGIONS
	grep -q '^slots [1-9][0-9]* refused 0 calls [1-9]' seen || wrong "$(head -n 1 seen)"
	outlined "$1" > bodies
	[ -s bodies ] || wrong "no outlined functions"
	while read -r address function; do
		grep -q "^function $address " seen || wrong "$function was not seen"
	done < bodies
}

same_and_seen() {      # PRELOAD FILE-WITH-REGIONS PROGRAM ARGUMENTS…
	preload=$1; file=$2; shift 2
	timeout -k 1 60 env LD_PRELOAD="$preload" "$@" > plain.out || wrong "exit $? without"
	[ -s plain.out ] || wrong "no output"
	translated "$preload" "$@" > out || wrong "exit $?"
	cmp -s plain.out out || wrong "the result changed: $(diff plain.out out | head -n 4)"
	all_seen "$file"
}

cd "$scratch" || exit 1
try() {        # NAME PRELOAD COMPILER SOURCE FLAGS…
	name=$1; preload=$2; compiler=$3; source=$4; shift 4
	have "$compiler" || { echo "reason: no $compiler"; echo "skip switching__$name"; return; }
	$compiler -fopenmp -o program "$programs/$source" "$@" > log 2>&1 || wrong "does not build: $(head -n 5 log)"
	[ -n "$bad" ] || same_and_seen "$preload" program ./program
	check "switching__$name"
}

try clang_O2 "" "$CC" regions.c -O2
try clang_O3 "" "$CC" regions.c -O3 -march=native
try clang_no_pie "" "$CC" regions.c -O2 -no-pie -fno-pie
try clang_no_plt "" "$CC" regions.c -O2 -fno-plt
try clang_bound_now "" "$CC" regions.c -O2 -Wl,-z,now -Wl,-z,relro
try gcc_O2 "libomp.so.5 " gcc regions.c -O2
try gcc_O3 "libomp.so.5 " gcc regions.c -O3 -march=native
try gcc_no_pie "libomp.so.5 " gcc regions.c -O2 -no-pie -fno-pie
try gcc_no_plt "libomp.so.5 " gcc regions.c -O2 -fno-plt
try gcc_bound_now "libomp.so.5 " gcc regions.c -O2 -Wl,-z,now -Wl,-z,relro
try gcc_own_runtime "" gcc regions.c -O2
try gfortran_O2 "libomp.so.5 " gfortran regions.f90 -O2 -J.
try gfortran_O3 "libomp.so.5 " gfortran regions.f90 -O3 -march=native -J.
try flang_O2 "" flang-new-19 regions.f90 -O2 -J.
try flang_O3 "" flang-new-19 regions.f90 -O3 -march=native -J.
try clang_pointer "" "$CC" region_pointer.c -O2
try clang_pointer_no_pie "" "$CC" region_pointer.c -O2 -no-pie -fno-pie
try gcc_pointer_no_pie "libomp.so.5 " gcc region_pointer.c -O2 -no-pie -fno-pie
try gcc_pointer_no_pie_lazy "libomp.so.5 " gcc region_pointer.c -O2 -no-pie -fno-pie -Wl,-z,lazy

try clang_target "" "$CC" region_target.c -O2
try gcc_target "" gcc region_target.c -O2
# With code for devices the runtime finds it by the function's address: only the parallel region passes by.
gcc -O2 -fopenmp -DDEVICE_CODE -o program "$programs/region_target.c" || wrong "does not build"
timeout -k 1 60 ./program > plain.out || wrong "exit $? without"
translated "" ./program > out || wrong "exit $?"
cmp -s plain.out out || wrong "the result changed"
grep -q '^slots 1 refused 0 calls 10 ' seen || wrong "$(cat seen)"
check switching__gcc_target_with_device_code

# As a tool it comes in the middle of the first region's begin, so only later executions of that pass by.
for compiler in "$CC" gcc; do
	preload=
	[ "$compiler" = gcc ] && preload="libomp.so.5"
	$compiler -O2 -fopenmp -o program "$programs/regions.c" || wrong "does not build"
	rm -f seen
	timeout -k 1 60 env LD_PRELOAD="$preload" ./program > plain.out || wrong "exit $? without"
	timeout -k 1 60 env TRANSLATE_OUTPUT=seen OMP_TOOL_LIBRARIES="$scratch/translate.so" LD_PRELOAD="$preload" ./program > out || wrong "exit $?"
	cmp -s plain.out out || wrong "the result changed"
	all_seen program
	check "switching__${compiler%-*}_as_a_tool"
done

# On libgomp the tool is what lies beside the library that has its events.
mkdir libgomp && cp "$producer" libgomp && (cd "$root" && $CC -O2 -g -fPIC -shared -I. -Iinclude -Dompt_start_tool=memsearch_start_tool \
	-o "$scratch/libgomp/libmemsearch.so" "$programs/translate.c" $libraries -Wl,-z,defs -Wl,--exclude-libs,ALL -Wl,-z,nodelete) || wrong "does not build"
as_a_tool_of_libgomp() {       # NAME COMPILER SOURCE FLAGS…
	name=$1 compiler=$2 source=$3
	shift 3
	$compiler -fopenmp -o program "$programs/$source" "$@" > log 2>&1 || wrong "does not build: $(head -n 5 log)"
	rm -f seen
	timeout -k 1 60 ./program > plain.out || wrong "exit $? without"
	timeout -k 1 60 env TRANSLATE_OUTPUT=seen LD_PRELOAD="$scratch/libgomp/libmemsearch-gomp.so" ./program > out || wrong "exit $?"
	cmp -s plain.out out || wrong "the result changed"
	all_seen program
	check "switching__${name}_as_a_tool_of_libgomp"
}
as_a_tool_of_libgomp gcc_O2 gcc regions.c -O2
as_a_tool_of_libgomp gcc_no_plt gcc regions.c -O2 -fno-plt
as_a_tool_of_libgomp gfortran_O3 gfortran regions.f90 -O3 -march=native -J.

# Two regions run in place of each other: what is passed on is what runs.
for compiler in "$CC" gcc; do
	preload=
	[ "$compiler" = gcc ] && preload="libomp.so.5 "
	$compiler -O2 -fopenmp -o twins "$programs/region_twins.c" || wrong "does not build"
	[ "$(timeout -k 1 60 ./twins)" = "20 2000" ] || wrong "without: $(./twins)"
	TRANSLATE_EXCHANGE=$(outlined twins | cut -d' ' -f1 | tr '\n' ' ')
	export TRANSLATE_EXCHANGE
	[ "$(translated "$preload" ./twins)" = "2000 20" ] || wrong "exchanged $TRANSLATE_EXCHANGE: $(translated "$preload" ./twins)"
	unset TRANSLATE_EXCHANGE
	check "switching__${compiler%-*}_exchanged"
done

# Libraries: one the program is linked with; ones it opens and closes, whose runtime only they depend on.
for compiler in "$CC" gcc; do
	preload=
	[ "$compiler" = gcc ] && preload="libomp.so.5 "
	$compiler -O2 -fopenmp -fPIC -shared -o libregion.so "$programs/region_library.c" || wrong "library does not build"
	printf '#include <stdio.h>\nlong library_sum(long nr);\nint main(void) { printf("%%ld\\n", library_sum(12345)); return 0; }\n' > user.c
	$compiler -O2 -o user user.c -L. -lregion -Wl,-rpath,"$scratch" || wrong "its user does not build"
	[ -n "$bad" ] || same_and_seen "$preload" libregion.so ./user
	check "switching__${compiler%-*}_shared_library"

	cp libregion.so libother.so
	$compiler -O2 -o opener "$programs/region_opener.c" -ldl || wrong "does not build"
	[ -n "$bad" ] || same_and_seen "$preload" libregion.so ./opener ./libregion.so ./libother.so
	[ "$(sort -u out | wc -l)" = 2 ] || wrong "$(cat out)"
	# 60 regions, and with clang each of two threads' reductions; what runs after the end is not among them
	grep -q 'calls 60 \|calls 180 ' seen || wrong "not 60 regions: $(head -n 1 seen)"
	check "switching__${compiler%-*}_opened_library"
done

printf 'int main(void) { return 0; }\n' > serial.c
$CC -O2 -o serial serial.c && translated "" ./serial || wrong "exit $?"
grep -q 'slots 0 refused 0 calls 0 why no module calls the OpenMP runtime' seen || wrong "$(cat seen)"
check switching__nothing_is_parallel
