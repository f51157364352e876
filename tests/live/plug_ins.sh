#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Strategies in files: they search in the program, and the mistakes of one neither end the program nor lose findings.
# Runs beside others.
. "$(dirname "$0")/lib.sh"

stage=$scratch/stage
make -s BUILD="${BUILD#"$root"/}" DESTDIR="$stage" PREFIX=/opt/memsearch install > "$scratch/log" 2>&1 || wrong "$(tail -n 5 "$scratch/log")"
installed=$stage/opt/memsearch
cp "$root/tests/workloads/serial_fraction.c" "$scratch" || exit 1
cd "$scratch" || exit 1
$CC -O2 -g -fopenmp -I "$root/include" -I "$root/tests/workloads" -o program serial_fraction.c || exit 1
./program 1 > plain

# Built as documented: greedy.c with the headers, levels.c with the library of bricks, too.
examples=$installed/share/memsearch/properties/examples
$CC -std=c11 -Wall -Werror -shared -fPIC -I "$installed/include" -o greedy.so "$examples/greedy.c" || wrong "greedy.c does not build"
$CC -std=c11 -Wall -Werror -shared -fPIC -I "$installed/include" -o levels.so "$examples/levels.c" -L "$installed/lib" -lmemsearch-bricks ||
	wrong "levels.c does not build"
[ "$(wc -l < "$examples/levels.c")" -lt 60 ] && [ "$(wc -l < "$examples/greedy.c")" -lt 60 ] || wrong "no short examples"
check plug_ins__built_from_what_is_installed

found() {      # RECORD STRATEGY: what is planted
	"$memsearch" report -v "$1" > report 2>&1
	grep -q "(Serial\(Stretch\|Fraction\))" report || wrong "$2: not in the report: $(cat report)"
	joined report | grep -q "by strategy $2" || wrong "not by strategy $2: $(cat report)"
}
by_run() {     # NAME
	rm -f it.ms
	"$memsearch" run --strategy "./$1.so" --measure all --quiet --output it.ms -- ./program 1 > out 2> err || wrong "the program fails"
	cmp -s plain out || wrong "output: $(cat out)"
	found it.ms "$scratch/$1.so"
}
for name in greedy levels; do again by_run $name; check plug_ins__run_$name; done

bare() {       # the variable alone, from another folder
	rm -f it.ms
	OMP_TOOL_LIBRARIES=$tool MEMSEARCH_STRATEGY=levels.so MEMSEARCH_QUIET=1 MEMSEARCH_MEASURE=all MEMSEARCH_OUTPUT=it.ms ./program 1 > out 2> err || wrong "the program fails"
	cmp -s plain out || wrong "output: $(cat out)"
	found it.ms "$scratch/levels.so"
}
again bare; check plug_ins__bare

# MISTAKE WORDS: one line, and the default strategy finds what is there.
mistaken() {
	$CC -O1 -shared -fPIC -DMISTAKE="$1" -I "$root/include" -o bad.so "$root/tests/live/programs/bad_strategy.c" || exit 1
	rm -f it.ms
	OMP_TOOL_LIBRARIES=$tool MEMSEARCH_STRATEGY=bad.so MEMSEARCH_QUIET=1 MEMSEARCH_OUTPUT=it.ms ./program 1 > out 2> err || wrong "$1: the program fails"
	cmp -s plain out || wrong "$1: output: $(cat out)"
	[ "$(grep -c . err)" = 1 ] && grep -q "$2.*'property_refine' is used" err || wrong "$1: said: $(cat err)"
	found it.ms property_refine
}
for row in CRASHES_IN_INIT:'fails in init (SIGSEGV)' ABORTS:'fails in init (SIGABRT)' RECURSES:'fails in init (SIGSEGV)' LOOPS:'fails in init (1 s of CPU time)' \
	CRASHES_IN_REFINE:'fails in refine (SIGSEGV)' ENDLESS:'fails in refine (more than 50000 candidates)' COUNTS_WRONGLY:'fails in initial (more than 50000 candidates)'; do
	again mistaken "${row%%:*}" "${row#*:}"
	check "plug_ins__$(echo "${row%%:*}" | tr 'A-Z' 'a-z')"
done

# MISTAKE WORDS: the run does not start.
refused() {
	$CC -O1 -shared -fPIC -DMISTAKE="$1" -I "$root/include" -o bad.so "$root/tests/live/programs/bad_strategy.c" -Wl,-z,lazy || exit 1
	"$memsearch" run --strategy ./bad.so -- ./program 1 > out 2> err && wrong "$1: the program runs"
	[ ! -s out ] && [ "$(grep -c . err)" = 1 ] && grep -q "$2" err || wrong "$1: said: $(cat out err)"
}
refused OTHER_ABI "'./bad.so' left out: made for interface version 99"
refused UNDEFINED "'./bad.so' left out: .*undefined symbol: missing_function"
refused CRASHES_WHEN_LOADED "'./bad.so' left out: loading it ends the program"
check plug_ins__refused_before_the_program_starts
