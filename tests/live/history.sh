#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# `memsearch run --history`: earlier records of the same program order its search; regions have the same keys in both records, the
# program's output and status stay the same, and records of another program are refused before anything runs.
# Runs beside others.
. "$(dirname "$0")/lib.sh"

$CC -O2 -fopenmp -g -o "$scratch/program" "$root/tests/workloads/imbalance_triangle.c" -I"$root/tests/workloads" -lm || { echo "FAIL history"; exit 1; }
cp "$scratch/program" "$scratch/another"
cd "$scratch" || exit 1
./program > plain || wrong "status $?"
"$memsearch" run --quick --quiet -o first.ms -- ./program > out 2> errors || wrong "status $?: $(cat errors)"
"$memsearch" run --quick --quiet -o second.ms --history first.ms -- ./program > out 2> errors || wrong "status $?: $(cat errors)"
cmp -s plain out || wrong "another output: $(cat out)"
grep -q '^memsearch: history of 1 run: [1-9][0-9]* candidates*, true then, tested first; [0-9]*, false then, last$' errors || wrong "said: $(cat errors)"
"$memsearch" graph second.ms | grep -q '^ *yes ' || wrong "nothing is true: $("$memsearch" graph second.ms)"
check "history run"

"$memsearch" run --quick --quiet -o third.ms --history first.ms,second.ms --restarts 1 -- ./program > out 2> errors || wrong "status $?: $(cat errors)"
grep -q '^memsearch: history of 2 runs' errors || wrong "said: $(cat errors)"
grep -q 'damaged' errors && wrong "damaged: $(cat errors)"
check "history of two, and restarts"

"$memsearch" run --quick --history first.ms -- ./another > out 2> errors
[ $? = 2 ] && [ ! -s out ] && grep -q "'first.ms' is a record of './program', not of './another'" errors || wrong "another program: $(cat out errors)"
"$memsearch" run --quick --history none.ms -- ./program > out 2> errors
[ $? = 3 ] && [ ! -s out ] || wrong "no record: $(cat out errors)"
check "history refused"

command -v sqlite3 > /dev/null || { echo "reason: there is no sqlite3"; echo "skip history keys"; exit 0; }
"$memsearch" import -o both.db first.ms second.ms > /dev/null 2> errors || wrong "status $?: $(cat errors)"
same=$(sqlite3 both.db "select count(*) from regions a join regions b using (key) where a.run = 1 and b.run = 2 and a.kind = 'PARALLEL_REGION' and key <> 0")
[ "$same" -ge 1 ] || wrong "no parallel region has the same key: $(sqlite3 both.db 'select run, row, kind, key from regions')"
check "history keys"
