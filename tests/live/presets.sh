#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Options of `memsearch run` that stand for several.
# Runs beside others.
. "$(dirname "$0")/lib.sh"

$CC -O2 -g -fopenmp -o "$scratch/program" "$root/examples/false_sharing.c" 2> "$scratch/errors" || wrong "does not build: $(cat "$scratch/errors")"
cd "$scratch" || exit 1
export OMP_NUM_THREADS=2 MEMSEARCH_BRIEF=1

# Numbers of two runs are equal, times are not among them.
for name in first second; do
	"$memsearch" run --ci --machine xeon-2s -o $name.ms -- ./program > out 2> $name || wrong "--ci: exit $?: $(cat $name)"
done
sed -n '/^array  *kind/,/shared lines/p' first | grep -v 'not seen\|first touch' > numbers
[ "$(wc -l < numbers)" -ge 5 ] || wrong "no arrays: $(cat first)"
sed -n '/^array  *kind/,/shared lines/p' second | grep -v 'not seen\|first touch' | cmp -s - numbers || wrong "two runs differ: $(diff first second)"
grep -q '100 % false sharing' first || wrong "nothing was simulated: $(cat first)"
grep -q 'of the time' first && wrong "times: $(cat first)"
"$memsearch" run --ci --format json --machine xeon-2s -o first.ms -- ./program 2> json > out
sed -n '/^{/,$p' json | grep -q '"schema": "memsearch-arrays-1"' || wrong "no JSON: $(head -n 5 json)"
# Nothing is recorded: no run passes for one without misses; the program's own status stays.
OMP_TOOL=disabled "$memsearch" run --ci -- ./program > out 2> errors
[ $? = 3 ] && grep -q 'nothing was recorded' errors || wrong "nothing recorded: $(cat errors)"
"$memsearch" run --ci -- sh -c 'exit 5' > out 2> errors
[ $? = 5 ] || wrong "not the program's status: $(cat errors)"
check presets.ci

# The name of a record: the date and time of its start, in UTC; the day may end meanwhile.
before=$(date -u +%Y%m%d)
"$memsearch" run -q --quick -- ./program > out 2> errors || wrong "status $?: $(cat errors)"
ls memsearch-program-*.ms | grep -qE "^memsearch-program-($before|$(date -u +%Y%m%d))-([01][0-9]|2[0-3])([0-5][0-9]){2}\.ms$" || wrong "its name: $(ls)"
check presets.record_name

# What runtimes read of its environment, and the times of all of its steps.
OMP_SCHEDULE=static,7 "$memsearch" run -q --quick -o steps.ms -- ./program > out 2> errors || wrong "status $?: $(cat errors)"
MEMSEARCH_QUICK=1 MEMSEARCH_BRIEF=0 "$memsearch" report --json steps.ms > json
awk -f "$root/tests/workloads/flatten.awk" json > flat
awk -F '\t' '$1 == "runs/0/phases/executions" { want = $2 } $1 ~ /^runs.0.phases.series.[0-9]+.executions$/ { have += $2; rows++ } $1 == "runs/0/environment/OMP_SCHEDULE" { value = $2 }
	END { exit !(rows > 1 && rows <= 256 && have == want && value == "static,7") }' flat || wrong "steps: $(grep 'phases/\|environment' flat | head -n 20)"
check presets.steps

# An option that was given stays.
"$memsearch" run --deep --overhead 7% -o deep.ms -- ./program > out 2> errors || wrong "--deep: exit $?: $(cat errors)"
MEMSEARCH_QUICK=1 "$memsearch" report --json deep.ms > json
grep -q '"limit": 0.07' json || wrong "the limit: $(grep -i limit json)"
MEMSEARCH_OVERHEAD=8% "$memsearch" run --deep -o deep.ms -- ./program > out 2> errors || wrong "--deep: exit $?"
MEMSEARCH_QUICK=1 "$memsearch" report --json deep.ms | grep -q '"limit": 0.08' || wrong "the limit of the environment"
"$memsearch" run --deep -o deep.ms -- ./program > out 2> errors || wrong "--deep: exit $?"
MEMSEARCH_QUICK=1 "$memsearch" report --json deep.ms | grep -q '"limit": 10' || wrong "its own limit"
grep -q 'count .*false_sharing.c:27 .*false sharing' errors || wrong "no cause: $(cat errors)"
check presets.deep
