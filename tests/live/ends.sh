#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# However a program ends, its output and status are what they are without the tool, and
# what was found is in the record.
# Runs beside others, first.
. "$(dirname "$0")/lib.sh"

program=$scratch/ends
$CC -O2 -g -fopenmp -o "$program" tests/live/programs/ends.c || exit 1
line=$(line_of tests/live/programs/ends.c region)

# Runs the program without and with the tool and compares; the record is $scratch/run/*.ms. What is printed does not depend on the steps.
compare() {    # NAME MODE [STEPS]
	name=$1; shift
	rm -rf "$scratch/run"; mkdir "$scratch/run"
	(cd "$scratch/run" && timeout -k 1 60 "$program" "$1" 2 > ../plain.out 2> ../plain.err); plain=$?
	(cd "$scratch/run" && OMP_TOOL_LIBRARIES=$tool timeout -k 1 60 "$program" "$@" > ../tool.out 2> ../tool.err); status=$?
	[ "$plain" = "$status" ] || wrong "status $status, without the tool $plain"
	cmp -s "$scratch/plain.out" "$scratch/tool.out" || wrong "stdout changed: $(diff "$scratch/plain.out" "$scratch/tool.out" | head -n 5)"
}
# The finding of the region is in the record, whatever happened.
found() {
	record=$(ls "$scratch"/run/*.ms 2> /dev/null | head -n 1)
	[ -n "$record" ] || { wrong "no record: $(head -n 3 "$scratch/tool.err")"; return; }
	"$memsearch" report --json "$record" > "$scratch/report.json" 2> "$scratch/report.err" || wrong "report failed: $(cat "$scratch/report.err")"
	grep -q "\"line\": *$line\b" "$scratch/report.json" || wrong "no finding at line $line: $(head -c 600 "$scratch/report.json")"
}
printed() { grep -q "ends.c:$line" "$scratch/tool.err" || wrong "no finding on stderr: $(head -n 5 "$scratch/tool.err")"; }

ends_on_its_own() {      # HOW
	compare "$1" "$1"
	[ "$1" = closefds ] || found
	printed
}
ends_cut_off() {         # HOW
	compare "$1" "$1" 200
	found
}
ends_at_length() {       # HOW
	compare "$1" "$1"
	found
}
for how in return return1 exit exit_in_region exit_in_worker closefds roots fork; do
	again ends_on_its_own $how; check "ends__$how"
done
for how in _exit quick_exit abort kill term segv exec; do
	again ends_cut_off $how; check "ends__$how"
done
for how in pause_hard late_threads; do
	again ends_at_length $how; check "ends__$how"
done
# 256 threads on few CPUs: that there are too many is the finding; no line is to blame.
crowd() {
	record=$(ls "$scratch"/run/*.ms 2> /dev/null | head -n 1)
	[ -n "$record" ] || { wrong "no record: $(head -n 3 "$scratch/tool.err")"; return; }
	"$memsearch" report --json "$record" > "$scratch/report.json" 2> "$scratch/report.err" || wrong "report failed: $(cat "$scratch/report.err")"
	grep -q '"threads": 256' "$scratch/report.json" || wrong "not 256 threads: $(grep '"threads"' "$scratch/report.json" | head -n 3)"
	[ "$(nproc)" -ge 256 ] || grep -q '"property": "Oversubscription"' "$scratch/report.json" || wrong "Oversubscription was not found"
}
ends_in_a_crowd() {      # NAME
	compare "$1" threads 12
	crowd
}
again ends_in_a_crowd threads; check ends__256_threads

# A child must not write into its parent's record or report twice.
compare fork fork
[ "$(ls "$scratch"/run/*.ms | wc -l)" = 1 ] || wrong "$(ls "$scratch/run")"
[ "$(grep -c 'is the record' "$scratch/tool.err")" = 1 ] || wrong "reported more than once"
check ends__fork_reports_once

# A process that turns into another OpenMP program, and a script with two: a record each, and no finding is lost.
rm -rf "$scratch/run"; mkdir "$scratch/run"
(cd "$scratch/run" && "$memsearch" run -o x.ms -- "$program" exec_again 200 > ../tool.out 2> ../tool.err) || wrong "status $?"
[ "$(cd "$scratch/run" && echo *.ms)" = "x-2.ms x.ms" ] || wrong "records: $(ls "$scratch/run")"
grep -q "turned into 'ends-again' (exec)" "$scratch/tool.err" || wrong "exec is not told: $(grep -v '^ ' "$scratch/tool.err")"
[ "$(grep -c '^memsearch: .*   [0-9]* threads' "$scratch/tool.err")" = 2 ] || wrong "not two lists: $(grep -v '^ ' "$scratch/tool.err")"
check ends__exec_of_openmp
rm -rf "$scratch/run"; mkdir "$scratch/run"
(cd "$scratch/run" && "$memsearch" run -o x.ms -- sh -c "'$program' return 60; '$program' return 60" > ../tool.out 2> ../tool.err) || wrong "status $?"
[ "$(cd "$scratch/run" && echo *.ms)" = "x-2.ms x.ms" ] || wrong "records: $(ls "$scratch/run")"
check ends__two_programs
rm -rf "$scratch/run"; mkdir "$scratch/run"
(cd "$scratch/run" && "$memsearch" run -o x.ms -- sh -c "for i in 1 2 3 4; do '$program' return 60 & done; wait" > ../tool.out 2> ../tool.err) || wrong "status $?"
[ "$(cd "$scratch/run" && echo *.ms)" = "x-2.ms x-3.ms x-4.ms x.ms" ] || wrong "records: $(ls "$scratch/run")"
check ends__four_programs_at_once

# A tool that cannot start says why, and nobody guesses another reason.
mkdir -p "$scratch/broken/bin" "$scratch/broken/lib"
cp "$memsearch" "$scratch/broken/bin"; cp "$tool" "$scratch/broken/lib"
"$scratch/broken/bin/memsearch" run -- "$program" > "$scratch/tool.out" 2> "$scratch/tool.err" || wrong "status $?"
grep -q 'cannot load the core' "$scratch/tool.err" || wrong "no reason: $(cat "$scratch/tool.err")"
grep -q 'OpenMP runtime' "$scratch/tool.err" && wrong "a second reason: $(cat "$scratch/tool.err")"
check ends__broken_installation

(ulimit -n 64; again ends_in_a_crowd nofile; check ends__nofile_64)

# Nowhere to write: the folder, then $TMPDIR, then only stderr.
mkdir -p "$scratch/readonly" "$scratch/tmp"
unprivileged() {
	if [ "$(id -u)" = 0 ]; then setpriv --reuid 65534 --regid 65534 --clear-groups "$@"; else "$@"; fi
}
chmod 755 "$scratch" "$scratch/readonly"; chmod 777 "$scratch/tmp"
if unprivileged true 2> /dev/null && unprivileged test -x "$tool"; then
	(cd "$scratch/readonly" && TMPDIR=$scratch/tmp OMP_TOOL_LIBRARIES=$tool unprivileged "$program" return > ../tool.out 2> ../tool.err) || wrong "status $?"
	ls "$scratch"/tmp/*.ms > /dev/null 2>&1 || wrong "no record in TMPDIR: $(cat "$scratch/tool.err")"
	grep -q "$scratch/tmp" "$scratch/tool.err" || wrong "the other folder is not named"
	check ends__unwritable_folder
else
	echo "reason: cannot drop privileges here"; echo "skip ends__unwritable_folder"
fi

# A full disk: a tmpfs of 8 KiB.
mkdir -p "$scratch/small"
full_disk() {
	rm -f "$scratch"/small/*
	(cd "$scratch/small" && OMP_TOOL_LIBRARIES=$tool "$program" return > ../tool.out 2> ../tool.err) || wrong "status $?"
	printed
	"$memsearch" report -v "$scratch"/small/*.ms > "$scratch/report" 2>&1; status=$?
	[ $status = 0 ] || [ $status = 3 ] || wrong "report ended with $status"
}
if mount -t tmpfs -o size=8k tmpfs "$scratch/small" 2> /dev/null; then
	again full_disk
	umount "$scratch/small"
	check ends__full_disk
else
	echo "reason: mounting a tmpfs needs privilege"; echo "skip ends__full_disk"
fi
