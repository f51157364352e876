#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Exceptions, ends of threads and backtraces through copies of functions, by each compiler and in each kind of program.
# Runs beside others.
. "$(dirname "$0")/lib.sh"

grep -q '^CONFIG_HAVE_ZYDIS := 1' "$BUILD/config.mk" || { echo "reason: built without libzydis-dev"; echo "skip unwinding"; exit 0; }
programs=$root/tests/live/programs
# Copies with nothing but gaps, and clones with all probes.
for copier in copier cloner; do
	# shellcheck disable=SC2046
	$CC -O1 -g -std=gnu11 -fPIC -fvisibility=hidden -I. -Iinclude -shared -o "$scratch/$copier.so" "$programs/$copier.c" \
		-Wl,--exclude-libs,ALL -Wl,-Bsymbolic "$BUILD/lib/libmscore.a" "$BUILD/lib/libmsanalysis.a" \
		$(sed -n 's/^CONFIG_CORE_LIBS := //p' "$BUILD/config.mk") -ldl -lm || exit 1
done

build() {      # CC CXX FLAGS…
	cc=$1 cxx=$2
	shift 2
	$cc -fexceptions "$@" -Wno-unused-command-line-argument -c -o "$scratch/cleans.o" "$programs/cleans.c" || return 1
	# Jump tables are beyond the copier.
	$cxx -std=c++14 -Wno-deprecated -fno-jump-tables "$@" -o "$scratch/throws" "$programs/throws.cc" "$scratch/cleans.o" -ldl -pthread
}

same() {       # what the originals and the copies print
	diff "$scratch/original" "$scratch/copies" > "$scratch/difference" || wrong "$(cat "$scratch/difference")"
}

recorded() {   # by clones, of which none was refused
	grep -q '^[1-9][0-9]* clones made, 0 refused, [1-9][0-9]* words recorded$' "$scratch/stderr" || wrong "clones: $(cat "$scratch/stderr")"
}

compare() {    # LINES [-t]
	lines=$1
	shift
	timeout 60 "$scratch/throws" "$@" > "$scratch/original" 2>&1 || wrong "originals: status $?"
	[ "$(grep -c '[1-9]' "$scratch/original")" = "$lines" ] || wrong "originals print $(cat "$scratch/original")"
	timeout 60 "$scratch/throws" "$@" "$scratch/copier.so" > "$scratch/copies" 2>&1 || wrong "copies: status $?"
	same
	timeout 60 "$scratch/throws" "$@" "$scratch/cloner.so" > "$scratch/copies" 2> "$scratch/stderr" || wrong "clones: status $?"
	same
	recorded
}

refused() {    # REASON
	for copier in copier cloner; do
		timeout 60 "$scratch/throws" "$scratch/$copier.so" > "$scratch/copies" 2> "$scratch/stderr"
		[ "$(cat "$scratch/copies")" = "refused: $1" ] || wrong "not refused by $copier: $(cat "$scratch/copies")"
	done
}

regions() {    # PRELOAD
	timeout 60 env LD_PRELOAD="$1" "$scratch/regions" > "$scratch/original" || wrong "originals: status $?"
	[ "$(wc -l < "$scratch/original")" = 21 ] || wrong "originals print $(cat "$scratch/original")"
	timeout 60 env CLONER_REGIONS=1 LD_PRELOAD="$1$scratch/cloner.so" "$scratch/regions" > "$scratch/copies" 2> "$scratch/stderr" ||
		wrong "clones: status $?"
	same
	recorded
}

for compilers in "gcc g++" "clang-19 clang++-19"; do
	have "${compilers#* }" || continue
	for level in -O0 -O2 -O3; do
		for kind in "-fPIE -pie" "-fno-pie -no-pie"; do
			# shellcheck disable=SC2086
			if build $compilers $level $kind; then compare 7; else wrong "not built"; fi
			check "unwinding__${compilers#* }_${level#-}_${kind##* -}"
		done
	done
done

# Regions, loops, sections and tasks that the runtime is handed, on two threads.
for compiler in g++ clang++-19; do
	have "$compiler" || continue
	for level in -O0 -O2 -O3; do
		$compiler $level -fopenmp -o "$scratch/regions" "$programs/throws_regions.cc" || wrong "not built"
		regions ""
		[ "$compiler" = clang++-19 ] || regions "libomp.so.5 "
		check "unwinding__regions_${compiler}_${level#-}"
	done
done

# The unwinder of LLVM, which takes functions one by one.
llvm=$(ls /usr/lib/llvm-*/lib/libunwind.so.1 2> /dev/null | head -n 1)
if [ -n "$llvm" ]; then
	build clang-19 clang++-19 -O2 -fPIE || wrong "not built"
	export LD_PRELOAD="$llvm"
	compare 5 -t
	unset LD_PRELOAD
	check unwinding__llvm_unwinder
else
	echo "reason: LLVM's libunwind is not installed"
	echo "skip unwinding__llvm_unwinder"
fi

# Linked statically, an unwinder cannot be told of copies.
build gcc g++ -O2 -fPIE -static-libgcc || wrong "not built"
refused "its file may have an unwinder of its own, linked statically"
check unwinding__static_unwinder
build gcc g++ -O2 -fPIE -static-libstdc++ || wrong "not built"
refused "its personality routine is not one of gcc's or clang's for C and C++"
check unwinding__static_personality
