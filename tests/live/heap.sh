#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Heap blocks of real programs: known names and sites, with preload and without, by all compilers; and programs that
# make it hard: their output must stay what it is.
# Runs beside others.
. "$(dirname "$0")/lib.sh"

here=$root/tests/live/heap
# A core that writes what it knows to the file $DUMP at the end.
mkdir -p "$scratch/lib/memsearch" "$scratch/share" "$scratch/gomp"
make -s BUILD="$BUILD" CC="$CC" "$BUILD/lib/libmscore.a" "$BUILD/lib/libmsanalysis.a" > "$scratch/make.log" 2>&1 || { cat "$scratch/make.log"; echo "FAIL heap__build"; exit 1; }
cp "$tool" "$producer" "$scratch/lib/" && ln -s "$BUILD/lib/memsearch/strategies" "$scratch/lib/memsearch/strategies" && ln -s "$BUILD/share/memsearch" "$scratch/share/memsearch"
$CC -std=gnu11 -g -O1 -fPIC -fvisibility=hidden -I. -Iinclude $(sed -n 's/^CONFIG_CFLAGS := //p' "$BUILD/config.mk") -shared \
	-Wl,--version-script=ompt_tool/session/core.map -Wl,-Bsymbolic -Wl,-z,nodelete -o "$scratch/lib/memsearch/memsearch-core.so" "$here/dump.c" \
	-Wl,--whole-archive "$BUILD/lib/libmscore.a" -Wl,--no-whole-archive "$BUILD/lib/libmsanalysis.a" \
	$(sed -n 's/^CONFIG_CORE_LIBS := //p' "$BUILD/config.mk") -lm || { echo "FAIL heap__build"; exit 1; }
dumping=$scratch/lib/libmemsearch.so
libomp=$(ls /usr/lib/llvm-*/lib/libomp.so.5 2> /dev/null | tail -n 1)
[ -z "$libomp" ] || ln -s "$libomp" "$scratch/gomp/libgomp.so.1"

# MODE [PRELOADED…]: $program without and with the tool; its dump is $scratch/dump.
run() {
	mode=$1; shift
	rm -f "$scratch/dump"
	libraries=$scratch/gomp
	case $mode in
	preload) preload="$dumping $*" ;;
	libgomp) preload="$scratch/lib/libmemsearch-gomp.so $dumping $*" libraries= ;;
	*) preload="$*" ;;
	esac
	LD_LIBRARY_PATH=$libraries LD_PRELOAD="$*" timeout -k 1 60 "$program" > "$scratch/plain" 2>&1; plain=$?
	LD_LIBRARY_PATH=$libraries LD_PRELOAD=$preload DUMP=$scratch/dump OMP_TOOL_LIBRARIES=$dumping MEMSEARCH_QUIET=1 \
		MEMSEARCH_OUTPUT=$scratch/x.ms timeout -k 1 60 "$program" > "$scratch/under" 2>&1; status=$?
	[ "$plain" = 0 ] || wrong "it does not run without the tool: $(head -n 3 "$scratch/plain")"
	[ "$plain" = "$status" ] || wrong "status $status, without the tool $plain"
	[ -s "$scratch/plain" ] && cmp -s "$scratch/plain" "$scratch/under" || wrong "output changed: $(diff "$scratch/plain" "$scratch/under" | head -n 5)"
	[ -s "$scratch/dump" ] || wrong "no dump"
}
# Those that a compiler's programs are run in.
modes_of() {   # COMPILER
	case $1 in g*) echo "preload bare libgomp" ;; *) echo "preload bare" ;; esac
}
# A row of the dump: NAME FUNCTION:LINE<FUNCTION:LINE< CALLER BLOCKS LIVE BYTES, patterns of the shell.
row() {
	while read -r kind name site caller blocks live bytes; do
		case "$kind $name $site $caller $blocks $live $bytes" in "array "$1) return ;; esac
	done < "$scratch/dump"
	wrong "no row '$1' in: $(cat "$scratch/dump")"
}
no_row() { # PATTERN
	if grep -q "^array $1" "$scratch/dump"; then wrong "row '$1' in: $(cat "$scratch/dump")"; fi
}
at() { line_of "$source" "$1"; }

# -- known blocks
source=$here/blocks.c
blocks_in_c() {
	run "$1"
	row "a * * 1 1 80???"
	row "b * * 1 1 16????"
	row "mesh.field * * 1 1 80???"
	row "grown * * * 1 100000"
	row "never *:$(at late)\<* * 1 1 80000"
	row "- *:$(at passing)\<* * 100 0 9000"
	row "- *:$(at aligned)\<* * 1 1 8192"
	row "rows\[\] * * 6?? 600 2??????"
	[ "$1" != bare ] || return
	grep -q '^status 1 0 0 ' "$scratch/dump" || wrong "$(head -n 1 "$scratch/dump")"
	row "mesh.field *:$(at field)\<* * 1 1 80000"
	row "a *:$(at vector)\<* * 1 1 80000"
	row "b *:$(at vector)\<* * 1 1 160000"
	row "grown *:$(at grown)\<* * 22 1 100000"
	row "- *:$(at mapped)\<* * * 2 196608"
}
for compiler in gcc-12 clang-19; do
	have "$compiler" || { echo "reason: no $compiler"; echo "skip heap__${compiler}"; continue; }
	for optimise in -O0 -O2; do
		program=$scratch/blocks.$compiler$optimise
		$compiler $optimise -g -fopenmp -o "$program" "$source" || wrong "it does not compile"
		for mode in $(modes_of $compiler); do blocks_in_c $mode; check "heap__$compiler${optimise}_$mode"; done
	done
	# All addresses bound at the start, and the table of them read-only from then on.
	$compiler -O1 -g -fopenmp -Wl,-z,relro,-z,now -fno-plt -o "$program" "$source" || wrong "it does not compile"
	blocks_in_c bare; check "heap__${compiler}_read_only_tables"
done

source=$here/blocks.cc
blocks_in_cxx() {
	run "$1"
	row "- *:$(at growing)\<* * * 0 131072"
	row "- *:$(at text)\<* * 1 * 50000"
	row "table * * 1 1 16????"
	[ "$1" != bare ] || return
	row "table *:$(at table)\<* * 1 1 160000"
	row "* *:$(at cells)\<* * 1 0 240000"
	# Code of gcc under libomp: its only region comes through libomp's GOMP_parallel, and no frame names the block.
	case "$compiler $1" in "g++-12 preload") name=- ;; *) name=sized ;; esac
	row "$name *:$(at sized)\<* * 1 0 320000"
}
for compiler in g++-12 clang++-19; do
	have "$compiler" || { echo "reason: no $compiler"; echo "skip heap__${compiler}"; continue; }
	for optimise in -O0 -O2; do
		program=$scratch/blocks.$compiler$optimise
		$compiler $optimise -g -fopenmp -o "$program" "$source" || wrong "it does not compile"
		for mode in $(modes_of $compiler); do blocks_in_cxx $mode; check "heap__$compiler${optimise}_$mode"; done
	done
done

source=$here/blocks.f90
blocks_in_fortran() {
	run "$1"
	row "fields::u * * 1 1 3?????"
	row "fields::v * * * 1 3????"
	row "fields::p *:$(at p)\<* * 1 1 240??"
	[ "$1" != bare ] || return
	row "fields::u *:$(at u)\<* * 1 1 320000"
}
for compiler in gfortran flang-new-19; do
	have "$compiler" || { echo "reason: no $compiler"; echo "skip heap__${compiler}"; continue; }
	for optimise in -O0 -O2; do
		program=$scratch/blocks.$compiler$optimise
		(cd "$scratch" && $compiler $optimise -g -fopenmp -o "$program" "$source") 2> "$scratch/compiler" || wrong "it does not compile: $(cat "$scratch/compiler")"
		for mode in $(modes_of $compiler); do blocks_in_fortran $mode; check "heap__$compiler${optimise}_$mode"; done
	done
done

# -- programs that make it hard
program=$scratch/churn
$CC -O1 -g -fopenmp -pthread -o "$program" "$here/churn.c" || wrong "it does not compile"
for mode in preload bare; do
	run $mode
	grep -q '^0 wrong' "$scratch/under" || wrong "$(cat "$scratch/under")"
	[ "$mode" = bare ] || awk '$1 == "array" && $2 == "-" && $6 > 1 && $3 !~ /early|\?/ { print }' "$scratch/dump" > "$scratch/left"
	[ "$mode" = bare ] || [ ! -s "$scratch/left" ] || wrong "blocks that went are still there: $(cat "$scratch/left")"
	check "heap__churn_$mode"
done

program=$scratch/own_malloc
$CC -O1 -g -fopenmp -fno-builtin -o "$program" "$here/own_malloc.c" || wrong "it does not compile"
for mode in preload bare; do
	run $mode
	grep -q 'an allocator of its own' "$scratch/dump" || wrong "it does not say so: $(head -n 1 "$scratch/dump")"
	check "heap__own_malloc_$mode"
done
"$memsearch" run --quick --quiet -o "$scratch/own.ms" -- "$program" > /dev/null 2> "$scratch/errors" || wrong "status $?: $(cat "$scratch/errors")"
"$memsearch" report --tree "$scratch/own.ms" | tr -s ' \n' ' ' | grep -q 'unknown much time in malloc and free, the whole [a-z]*: not all calls' ||
	wrong "allocations that are not seen are none: $("$memsearch" report --tree "$scratch/own.ms" | grep -A 1 'malloc and free')"
check heap__own_malloc_is_no_zero

source=$here/function_pointer.c
program=$scratch/function_pointer
for compiler in gcc-12 clang-19; do
	have "$compiler" || { echo "reason: no $compiler"; echo "skip heap__function_pointer_$compiler"; continue; }
	$compiler -O0 -g -fno-pic -no-pie -fopenmp -o "$program" "$source" || wrong "it does not compile"
	for mode in preload bare; do
		run $mode
		row "- *:$(at late)\<* * 2 1 400000"
		[ $mode = bare ] || row "- *:$(at early)\<* * 1 0 80000"
		check "heap__function_pointer_${compiler}_$mode"
	done
done

$CC -O1 -shared -fPIC -fno-builtin -o "$scratch/other.so" "$here/other_malloc.c" || wrong "it does not compile"
source=$here/blocks.c
program=$scratch/blocks.$CC-O2
for mode in preload bare; do
	run $mode "$scratch/other.so"
	row "grown * * * 1 100000"
	row "never *:$(at late)\<* * 1 1 80000"
	row "- *:$(at passing)\<* * 100 0 9000"
	no_row "[^ ]* malloc:"
	check "heap__other_malloc_$mode"
done

# -- children: shells and what they start are as without
"$memsearch" run -o "$scratch/y.ms" --quiet -- sh -c 'cat /etc/passwd | wc -l; (exec sh -c "echo $0 in a shell"); env | grep -c "^LD_PRELOAD="' > "$scratch/under" 2> "$scratch/stderr"
sh -c 'cat /etc/passwd | wc -l; (exec sh -c "echo $0 in a shell"); echo 1' > "$scratch/plain"
cmp -s "$scratch/plain" "$scratch/under" || wrong "output changed: $(diff "$scratch/plain" "$scratch/under")"
check heap__shells

# The user's own preloaded library stays, behind ours.
LD_PRELOAD=$scratch/other.so "$memsearch" run -o "$scratch/y.ms" --quiet -- sh -c 'echo "$LD_PRELOAD"' > "$scratch/under" 2> "$scratch/stderr"
[ "$(cat "$scratch/under")" = "$tool:$scratch/other.so" ] || wrong "LD_PRELOAD is $(cat "$scratch/under")"
check heap__preload_of_the_user

# gcc's sanitizers refuse to be second.
if have gcc-12 && gcc-12 -fsanitize=address -o "$scratch/asan" -x c - 2> "$scratch/compiler" <<'END'
#include <stdio.h>
int main(void) { return puts("fine") < 0; }
END
then
	"$memsearch" run -o "$scratch/y.ms" --quiet -- "$scratch/asan" > "$scratch/under" 2>&1
	grep -q '^fine' "$scratch/under" || wrong "$(cat "$scratch/under")"
	check heap__sanitizer
fi
