#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# A program's first OpenMP construct, by which the runtime starts, may be a parallel region that is all of it: it is recorded,
# however the program calls the runtime, and the program gives its result.
# Runs beside others.
. "$(dirname "$0")/lib.sh"

case $(uname -m) in x86_64) ;; *) echo "reason: functions are not cloned on $(uname -m)"; echo "skip first_region"; exit 0 ;; esac
cd "$scratch" || exit 1
source=$root/tests/live/programs/first_region.c
export OMP_NUM_THREADS=1

same() {       # COMMAND AND OPTIONS THAT START ./program, THEN ITS ARGUMENT
	timeout -k 1 60 "$@" > out 2> errors
	status=$?
	{ [ $status = "$(cat plain.status)" ] && cmp -s plain.out out; } || wrong "$*: status $status, '$(cat out errors)', not '$(cat plain.out)'"
}
plain() {      # [ARGUMENT]
	timeout -k 1 60 ./program "$@" > plain.out 2> errors
	echo $? > plain.status
}
recorded() {   # [ARGUMENT]
	same "$memsearch" run --quiet --overhead 1000% -o it.ms -- ./program "$@"
	"$memsearch" arrays --machine xeon-2s --format csv it.ms > arrays 2>&1
	awk -F , 'NR == 1 { for (i = 1; i <= NF; i++) if ($i == "reads") reads = i }
		$2 == "table" && $reads > 0 { found = 1 } END { exit !found }' arrays || wrong "the table was not recorded: $(cat arrays)"
	"$memsearch" report --machine xeon-2s it.ms 2>&1 | tr -s ' \n' ' ' > report
	grep -q 'strided access of table' report || wrong "no strided access: $(cat report)"
	"$memsearch" report --verbose it.ms 2>&1 | tr -s ' \n' ' ' > report
	! grep -q 'could not be copied' report || wrong "copied: $(cat report)"
}

for flags in $(sample "-fno-plt" "-O1 -Wl,-z,now -fno-plt -no-pie"); do
	$CC -O1 -g -fopenmp "$flags" -o program "$source" 2> errors || wrong "does not build: $(cat errors)"
	plain
	[ "$(cat plain.out)" = "8073600 2" ] || wrong "$(cat plain.out)"
	again recorded
	same env OMP_TOOL=disabled "$memsearch" run --quiet -o it.ms -- ./program
	same env OMP_TOOL_LIBRARIES="$tool" MEMSEARCH_OUTPUT=it.ms MEMSEARCH_QUIET=1 ./program
	check "first_region__is_recorded $flags"
done

# The body that is called is the program's, not a clone of it.
plain started
[ "$(cat plain.out)" = "8073600 1" ] || wrong "$(cat plain.out)"
again recorded started
check first_region__of_a_runtime_that_was_started

plain race
[ "$(cat plain.out)" = "1 1" ] || wrong "$(cat plain.out)"
for i in 1 2 3 4 5; do same "$memsearch" run --quiet -o it.ms -- ./program race; done
check first_region__of_two_threads_at_once
