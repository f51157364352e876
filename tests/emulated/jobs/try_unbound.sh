# SPDX-License-Identifier: Apache-2.0
# Trials of threads that may run on several nodes: they are bound to one, and let go again.
. /tests/lib.sh
export OMP_NUM_THREADS=$CPUS MEMSEARCH_QUICK=1
unset OMP_PROC_BIND OMP_PLACES
timeout 300 memsearch run --try --quiet --no-calibrate --overhead 1000% -o free.ms -- $tests/placed 350 3 > tool.out 2> tool.err; status=$?
timeout 120 $tests/placed 350 3 > plain.out 2> plain.err; plain=$?
same
memsearch report --json free.ms > it.tried 2> report.err
memsearch report -v free.ms > free.text 2>> report.err
cp free.ms free.text it.tried report.err $JOB/
tr -d ' \n' < it.tried | grep -q '"remedy":"bind","arrays":\[\][^}]*"threads":'$CPUS || wrong "threads are not bound: $(cut -c 1-3000 free.text)"
check try_unbound__threads_are_bound
