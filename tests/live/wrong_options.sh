#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# A wrong value of a bare variable gets one line; the program runs as alone, and is measured by the default.
# Runs beside others.
. "$(dirname "$0")/lib.sh"

$CC -O1 -g -fopenmp -o "$scratch/ends" tests/live/programs/ends.c || exit 1
cd "$scratch" || exit 1
./ends return > plain 2>&1; plain=$?

# NAME WORDS VARIABLE=VALUE…
told() {
	name=$1 words=$2
	shift 2
	env OMP_TOOL_LIBRARIES="$tool" MEMSEARCH_QUIET=1 MEMSEARCH_OUTPUT=it.ms "$@" ./ends return > out 2> err; status=$?
	[ $status = $plain ] || wrong "status $status, not $plain"
	cmp -s plain out || wrong "output: $(cat out)"
	[ "$(grep -c . err)" = 1 ] && grep -q "$words" err || wrong "said: $(cat err)"
	record=$(find . -name '*.ms' | head -n 1)
	[ -n "$record" ] && "$memsearch" report -v "$record" > report || wrong "no record"
	rm -rf ./*.ms tmp/*.ms
	check "wrong_options__$name"
}
told strategy "'property_refine' is used" MEMSEARCH_STRATEGY=propery_refine
told machine "altix.machine: cannot be read" MEMSEARCH_MACHINE=altix
told overhead "MEMSEARCH_OVERHEAD is ignored: 'lots' is not a share" MEMSEARCH_OVERHEAD=lots
told restarts "MEMSEARCH_RESTARTS is ignored: .* is not a whole number" MEMSEARCH_RESTARTS=1e18
told addresses "MEMSEARCH_ADDRESSES is ignored: 'pebbles' is not one of" MEMSEARCH_ADDRESSES=pebbles
told properties "none.asl: cannot read" MEMSEARCH_PROPERTIES=none.asl
told unknown "unknown variable MEMSEARCH_OVERHAED is ignored (did you mean MEMSEARCH_OVERHEAD?)" MEMSEARCH_OVERHAED=1%
mkdir tmp
told output "cannot write '.*none/it.ms' (No such file or directory): the record goes to '$scratch/tmp/it.ms'" MEMSEARCH_OUTPUT=none/it.ms TMPDIR="$scratch/tmp"

# The folder for temporary files is looked for elsewhere where it does not exist, and is not made.
env OMP_TOOL_LIBRARIES="$tool" MEMSEARCH_QUIET=1 MEMSEARCH_OUTPUT=none/memsearch-$$.ms TMPDIR="$scratch/gone" ./ends return > out 2> err
grep -q "the record goes to '/tmp/memsearch-$$.ms'" err && rm -f "/tmp/memsearch-$$.ms" || wrong "$(cat err)"
[ ! -e gone ] || wrong "TMPDIR was made"
check wrong_options__no_temporary_folder

# What the user has there stays.
echo thesis > thesis.tex
ln -s new.ms link.ms
for output in thesis.tex link.ms; do
	env OMP_TOOL_LIBRARIES="$tool" MEMSEARCH_QUIET=1 MEMSEARCH_OUTPUT=$output ./ends return > out 2> err || wrong "status $?"
	cmp -s plain out || wrong "output: $(cat out)"
	grep -q "$output' exists and is no record: it is left as it is" err || wrong "said: $(cat err)"
done
[ "$(cat thesis.tex)" = thesis ] && [ ! -e new.ms ] || wrong "changed: $(ls -l)"
check wrong_options__files_of_the_user_stay
