# SPDX-License-Identifier: Apache-2.0
# What doctor says of the machine itself; the whole of it is left in /job/doctor.txt.
. /tests/lib.sh

memsearch doctor > /job/doctor.txt 2> doctor.err || wrong "status $?: $(cat doctor.err)"
grep -q "^ *architecture *$(uname -m | tr _ -)$" /job/doctor.txt || wrong "another architecture"
grep -q "^ *NUMA nodes *$NODES with memory$" /job/doctor.txt || wrong "not $NODES nodes"
grep -q "^ *CPUs *$CPUS of $CPUS may be used" /job/doctor.txt || wrong "not $CPUS CPUs"
# Without recorded accesses there is nothing to simulate.
grep -q '^  accesses  *works' /job/doctor.txt || grep -q '^  simulated  *accesses cannot be recorded here' /job/doctor.txt || wrong "simulates nothing"
[ -z "$bad" ] || wrong "$(cat /job/doctor.txt)"
check doctor__knows_the_machine
