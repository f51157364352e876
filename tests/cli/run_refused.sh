# SPDX-License-Identifier: Apache-2.0
# An option that is wrong stops the run before the program starts, whether it is on the command line or in the environment.
try() { memsearch run "$@" -- sh -c "echo the program ran"; echo "exit $?"; }
try --strategy propery_refine
try --strategy zzzzzz
try --properties ./missing.asl
echo "PROPERTY Mine(Region r, Phase p) { KINDS DO_REGION; CONDITION: sum(r.tme) > 5 ms; CONFIDENCE: 1; SEVERITY: 1; }" > bad.asl
try --properties bad.asl
echo "PROPERTY Mine(Region r, Phase p) { TITLE \"mine\"; KINDS DO_REGION; CONDITION: sum(r.time) > 5 ms; CONFIDENCE: 1; SEVERITY: 1; EXPLANATION \"e\"; ADVICE \"a\"; }" > good.asl
try --quiet --strategy property_refine --properties good.asl:good.asl 2> /dev/null
MEMSEARCH_STRATEGY=zzzzzz try --quiet
MEMSEARCH_PROPERTIES=bad.asl try
# Values.
try --restarts 1e18
try --restarts 2.5
try --restarts=-1
try --overhead 5
try --overhead nan
try --counters-at-once 1e9
try --addresses pebbles
try --measure everything
try --follow libc.so.6
try --follow
try --interval calc2
try --interval "faults>1"
MEMSEARCH_RESTARTS=1e18 try
MEMSEARCH_OVERHEAD=lots try
MEMSEARCH_QUIET=maybe try
MEMSEARCH_OVERHEAD=lots try --overhead 5% -q 2> /dev/null
# Machines and events.
try --machine altix-bx
try --machine zzzzzz
try --machine ./none.machine
echo "l1.sise = 3" > bad.machine
try --machine bad.machine
MEMSEARCH_MACHINE=hots try
try --event perf::PAGE-FALTS
MEMSEARCH_EVENT=perf::PAGE-FALTS try
try --event perf::PAGE-FALTS --counters none -q 2> /dev/null
# The place of the record.
mkdir folder
echo thesis > thesis.tex
ln -s thesis.tex link.ms
for output in folder none/x.ms thesis.tex thesis.tex/x.ms link.ms /dev/full; do try -o $output; done
MEMSEARCH_OUTPUT=none/x.ms try
cp "$TESTS/data/sample.ms" old.ms
try -q -o old.ms 2> /dev/null
try -q -o new.ms 2> /dev/null
cat thesis.tex
cmp "$TESTS/data/sample.ms" old.ms
ls
# A folder for temporary files that does not exist, and a home that does not, are not made.
TMPDIR=$PWD/tmp HOME=$PWD/home XDG_CACHE_HOME= try -q 2> /dev/null
[ ! -e tmp ] && [ ! -e home ] || echo "a folder was made"
# The tool finds them wherever the program goes.
memsearch run -q --properties good.asl:$PWD/good.asl -- sh -c 'cd / && echo "$MEMSEARCH_PROPERTIES"' 2> /dev/null | sed "s,$PWD,HERE,g"
