# SPDX-License-Identifier: Apache-2.0
# What doctor says of the machine itself; the whole of it is left in $JOB/doctor.txt.
. /tests/lib.sh

memsearch doctor > $JOB/doctor.txt 2> doctor.err || wrong "status $?: $(cat doctor.err)"
grep -q "^ *architecture *$(uname -m | tr _ -)$" $JOB/doctor.txt || wrong "another architecture"
grep -q "^ *NUMA nodes *$NODES with memory$" $JOB/doctor.txt || wrong "not $NODES nodes"
grep -q "^ *CPUs *$CPUS of $CPUS may be used" $JOB/doctor.txt || wrong "not $CPUS CPUs"
# Without recorded accesses there is nothing to simulate.
grep -q '^  accesses  *works' $JOB/doctor.txt || grep -q '^  simulated  *accesses cannot be recorded here' $JOB/doctor.txt || wrong "simulates nothing"
[ -z "$bad" ] || wrong "$(cat $JOB/doctor.txt)"
check doctor__knows_the_machine
