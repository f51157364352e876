#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Phase marks: programs with them link and run with every compiler, with and without OpenMP, and a tool hears them.
# Runs beside others.
set -u
BUILD=${BUILD:-build}
work=$(mkdir -p "$BUILD/tests/phase_marks" && cd "$BUILD/tests/phase_marks" && pwd) || exit 1
sources=tests/live/phase_marks
libomp=$(clang-19 -print-file-name=libomp.so 2>/dev/null)
heard='64 7 65 7 64 7 65 7 1 0 2 0 4 0 '

clang-19 -shared -fPIC -O2 -o "$work/listener.so" $sources/listener.c || { echo "FAIL phase_marks__listener: does not build"; exit 1; }

# On libgomp the tool is what lies beside the library that has its events.
mkdir -p "$work/libgomp" && cp "$BUILD/lib/libmemsearch-gomp.so" "$work/libgomp/" &&
	clang-19 -shared -fPIC -O2 -Dompt_start_tool=memsearch_start_tool -o "$work/libgomp/libmemsearch.so" $sources/listener.c || { echo "FAIL phase_marks__listener: does not build for libgomp"; exit 1; }
producer=$work/libgomp/libmemsearch-gomp.so

# NAME WANT PRELOAD COMPILER FLAGS...: builds, runs with the listener, compares what it heard
check() {
	name=phase_marks__$1 want=$2 preload=$3 compiler=$4
	shift 4
	command -v "$compiler" > /dev/null || { echo "skip $name: no $compiler"; return; }
	"$compiler" -O2 "$@" -o "$work/program" > "$work/log" 2>&1 || { cat "$work/log"; echo "FAIL $name: does not build"; return; }
	out=$(OMP_TOOL_LIBRARIES=$work/listener.so LD_PRELOAD=$preload timeout 20 "$work/program" 2> "$work/heard")
	[ "$out" = "sum 999000" ] || { echo "FAIL $name: printed '$out'"; return; }
	have=$(grep -v '^OMP' "$work/heard" | tr '\n' ' ')
	[ "$have" = "$want" ] && echo "ok $name" || echo "FAIL $name: heard '$have', not '$want'"
}

c="-Wall -Wextra -Werror -Iinclude"
check clang "$heard" '' clang-19 $c -fopenmp $sources/marks.c
check clang_no_pie "$heard" '' clang-19 $c -fopenmp -fno-pie -no-pie $sources/marks.c
check clang_cxx "$heard" '' clang++-19 $c -fopenmp -x c++ $sources/marks.c
check clang_without_openmp '' '' clang-19 $c -Wno-unknown-pragmas $sources/marks.c
check gcc '' '' gcc $c -fopenmp $sources/marks.c
check gcc_c89_inline '' '' gcc $c -fopenmp -fgnu89-inline $sources/marks.c
check gcc_on_libomp "$heard" "$libomp" gcc $c -fopenmp $sources/marks.c
check gcc_no_pie_on_libomp "$heard" "$libomp" gcc $c -fopenmp -fno-pie -no-pie $sources/marks.c
check gcc_on_libgomp "$heard" "$producer" gcc $c -fopenmp $sources/marks.c
check gcc_no_pie_on_libgomp "$heard" "$producer" gcc $c -fopenmp -fno-pie -no-pie $sources/marks.c
check gxx_on_libgomp "$heard" "$producer" g++ $c -fopenmp -x c++ $sources/marks.c
check gxx '' '' g++ $c -fopenmp -x c++ $sources/marks.c
check gcc_static_inline_pedantic "" "" gcc $c -std=c11 -pedantic -fopenmp $sources/marks.c
check gcc_without_openmp '' '' gcc $c -Wno-unknown-pragmas $sources/marks.c
f="include/memsearch/memsearch_phase.f90 $sources/marks.f90"
check gfortran '' '' gfortran -Wall -J"$work" -fopenmp $f
check gfortran_on_libomp "$heard" "$libomp" gfortran -J"$work" -fopenmp $f
check gfortran_on_libgomp "$heard" "$producer" gfortran -J"$work" -fopenmp $f
check gfortran_without_openmp '' '' gfortran -J"$work" $f
check flang "$heard" '' flang-new-19 -module-dir "$work" -fopenmp $f
check flang_without_openmp '' '' flang-new-19 -module-dir "$work" $f
