#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Exceptions, ends of threads and backtraces through copies of functions, by each compiler and in each kind of program.
. "$(dirname "$0")/lib.sh"

grep -q '^CONFIG_HAVE_ZYDIS := 1' "$BUILD/config.mk" || { echo "reason: built without libzydis-dev"; echo "skip unwinding"; exit 0; }
programs=$root/tests/live/programs
copier=$scratch/copier.so
# shellcheck disable=SC2046
$CC -O1 -g -std=gnu11 -fPIC -fvisibility=hidden -I. -Iinclude -shared -o "$copier" "$programs/copier.c" -Wl,--exclude-libs,ALL -Wl,-Bsymbolic \
	"$BUILD/lib/libmscore.a" "$BUILD/lib/libmsanalysis.a" $(sed -n 's/^CONFIG_CORE_LIBS := //p' "$BUILD/config.mk") -ldl -lm || exit 1

build() {      # CC CXX FLAGS…
	cc=$1 cxx=$2
	shift 2
	$cc -fexceptions "$@" -Wno-unused-command-line-argument -c -o "$scratch/cleans.o" "$programs/cleans.c" || return 1
	# Jump tables are beyond the copier.
	$cxx -std=c++14 -Wno-deprecated -fno-jump-tables "$@" -o "$scratch/throws" "$programs/throws.cc" "$scratch/cleans.o" -ldl -pthread
}

compare() {    # LINES [-t]: what the originals and the copies print
	lines=$1
	shift
	timeout 60 "$scratch/throws" "$@" > "$scratch/original" 2>&1 || wrong "originals: status $?"
	timeout 60 "$scratch/throws" "$@" "$copier" > "$scratch/copies" 2>&1 || wrong "copies: status $?"
	[ "$(grep -c '[1-9]' "$scratch/original")" = "$lines" ] || wrong "originals print $(cat "$scratch/original")"
	diff "$scratch/original" "$scratch/copies" > "$scratch/difference" || wrong "$(cat "$scratch/difference")"
}

refused() {    # REASON
	timeout 60 "$scratch/throws" > "$scratch/original" 2>&1 || wrong "originals: status $?"
	timeout 60 "$scratch/throws" "$copier" > "$scratch/copies" 2>&1
	[ "$(cat "$scratch/copies")" = "refused: $1" ] || wrong "not refused: $(cat "$scratch/copies")"
}

for compilers in "gcc g++" "clang-19 clang++-19"; do
	have "${compilers#* }" || continue
	for level in -O0 -O2 -O3; do
		for kind in "-fPIE -pie" "-fno-pie -no-pie"; do
			# shellcheck disable=SC2086
			if build $compilers $level $kind; then compare 6; else wrong "not built"; fi
			check "unwinding__${compilers#* }_${level#-}_${kind##* -}"
		done
	done
done

# The unwinder of LLVM, which takes functions one by one.
llvm=$(ls /usr/lib/llvm-*/lib/libunwind.so.1 2> /dev/null | head -n 1)
if [ -n "$llvm" ]; then
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
