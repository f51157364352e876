#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# --page-writes: which pages of arrays a step writes, and by which thread first; the program's result is as alone; nothing where that is denied.
# Runs beside others.
. "$(dirname "$0")/lib.sh"

"$memsearch" list sensors | grep -q '^faults  *yes' || { echo "reason: no page faults can be sampled here"; echo "skip page_writes"; exit 0; }
export OMP_NUM_THREADS=2 OMP_PROC_BIND=true
cd "$scratch" || exit 1

run() {        # OPTIONS…
	timeout -k 1 90 "$memsearch" run --quick --quiet --no-calibrate -o it.ms "$@" -- ./program 100 > out 2> errors
	status=$?
	[ $status = 3 ] || wrong "$*: status $status: $(tail -n 3 errors)"
	cmp -s plain out || wrong "$*: output changed: $(head -n 5 out errors)"
}
# ARRAY FIELD of the JSON report.
field() {
	"$memsearch" numa --format json it.ms | tr -d ' ,"' | awk -F: -v array="$1" -v field="$2" '
		$1 == "page_writes" { here = 1 }
		here && $1 == "name" { name = $2 }
		here && (array == "-" || name == array) && $1 == field && !done { print $2; done = 1 }'
}
# ARRAY CONDITION: of w(ritten), u(nwritten), n (without known writer), p(attern).
holds() {
	echo "$(field "$1" written) $(field "$1" unwritten) $(field "$1" unknown_writer) $(field "$1" pattern)" > found
	awk "{ w = \$1; u = \$2; n = \$3; p = \$4 } END { exit !($2) }" found || wrong "$1: $(cat found): not $2"
}

for compiler in clang-19 gcc-12; do
	have $compiler || { echo "reason: no $compiler"; echo "skip page_writes $compiler"; continue; }
	$compiler -O2 -g -fopenmp -o program "$root/tests/live/programs/page_writes.c" || { wrong "does not compile"; check "page_writes $compiler"; continue; }
	./program 100 > plain
	[ $? = 3 ] || wrong "alone it fails"
	run --page-writes
	why=$(field - missing)
	case $why in unsupported* | notpermitted*) echo "reason: $why"; echo "skip page_writes $compiler"; continue ;; esac
	[ "$(field - executions)" -ge 1 ] || wrong "no execution: $why"
	holds blocks 'w == 256 && u == 0 && n <= 13 && p == "private_blocks"'
	holds cyclic 'w == 256 && u == 0 && n <= 13 && p == "mixed"'
	holds by_one 'w == 256 && u == 0 && n <= 13 && p == "one_writer"'
	holds never 'w == 0 && u == 256'
	holds filled 'w == 256 && n == 256 && p == "null"'
	"$memsearch" numa it.ms | tr -s ' \n' ' ' | grep -q 'by_one 1 MiB 100 % each page written by thread 0 ' || wrong "text: $("$memsearch" numa it.ms | head -n 30)"
	"$memsearch" numa --format csv it.ms | grep -q '^[0-9]*,by_one,.*,256,0,0=256,one_writer,' || wrong "CSV: $("$memsearch" numa --format csv it.ms)"
	rm -f it.svg
	"$memsearch" numa --svg it.svg it.ms > text 2> errors || wrong "picture: $(cat errors)"
	for text in 'written by thread 0: 256 pages' 'written by thread 1: [0-9]* pages' 'not written: 256 pages' 'written by an unknown thread: 256 pages'; do
		grep -q "$text" it.svg || wrong "no '$text' in the picture"
	done
	check "page_writes $compiler"

	run
	[ "$("$memsearch" numa --format json it.ms 2>/dev/null | grep -c '"page_writes": null')" = 1 ] || wrong "without the option: $("$memsearch" numa --format json it.ms 2>&1 | tail -n 3)"
	check "page_writes__only_where_asked_for $compiler"
done

# A program without repeating steps.
if [ -x program ]; then
	timeout -k 1 90 "$memsearch" run --quick --quiet --no-calibrate -o it.ms --page-writes -- ./program 1 > out 2> errors
	"$memsearch" numa it.ms 2>&1 | tr -s ' \n' ' ' | grep -q 'Page writes are not measured: the program had no repeating phase' || wrong "one step: $("$memsearch" numa it.ms 2>&1)"
	check page_writes__without_a_phase
fi
