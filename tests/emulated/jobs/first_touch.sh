# SPDX-License-Identifier: Apache-2.0
# An array that one thread initialised and threads on all nodes use is a candidate with a cost above 0; one that they
# initialised together is not.
. /tests/lib.sh
export OMP_NUM_THREADS=$CPUS MEMSEARCH_OVERHEAD=1000%

timeout 60 $tests/touched_by_one 120 > plain.out 2> plain.err; plain=$?
timeout 120 memsearch run --quiet --no-calibrate -o it.ms -- $tests/touched_by_one 120 > tool.out 2> tool.err; status=$?
same
memsearch report -v it.ms 2> report.err | tr -s ' \n' ' ' > report.txt
cp report.txt it.ms $JOB/
grep -q '(SerialFirstTouch) where by_one in the [a-z ]* in step' report.txt || wrong "by_one is no candidate: $(cut -c 1-4000 report.txt)"
! grep -q '(SerialFirstTouch) where by_all' report.txt || wrong "by_all is a candidate"
check first_touch
