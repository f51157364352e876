# SPDX-License-Identifier: Apache-2.0
# Limits of memory that the machine at hand does not have, or that would concern all of it: strict overcommit, and a control group of version 2.
# The program has what it has alone, and memsearch takes less, or goes away.
. /tests/lib.sh
export OMP_NUM_THREADS=2 MEMSEARCH_QUICK=1

both() {       # PROGRAM ARGUMENTS…
	timeout 100 "$@" > plain.out 2> plain.err; plain=$?
	rm -f it.ms
	timeout 200 memsearch run --no-calibrate -o it.ms -- "$@" > tool.out 2> tool.err; status=$?
	same
	[ $plain = 0 ] || wrong "alone it ends with status $plain: $(cat plain.err plain.out)"
}

# Half of what can be committed is left to the program, a quarter goes to memsearch at most.
committed() {  # WORD: of /proc/meminfo, in MiB
	awk -v word="$1:" '$1 == word { print int($2 / 1024) }' /proc/meminfo
}
echo 2 > /proc/sys/vm/overcommit_memory || wrong "vm.overcommit_memory cannot be set"
for ratio in 100 ${WHOLE:+200}; do
	echo $ratio > /proc/sys/vm/overcommit_ratio
	left=$(($(committed CommitLimit) - $(committed Committed_AS)))
	both $tests/takes_memory 60 $((left / 2 < 300 ? left / 2 : 300))
	cp tool.err $JOB/overcommit_$ratio.err
done
check memory_limits__strict_overcommit
echo 0 > /proc/sys/vm/overcommit_memory

# A limit of locked memory that all of the program's suffices for, and memsearch's would exceed: rights are given up first.
GUEST_TIMES=1 both $tests/limit_memory_locked
cp tool.out $JOB/locked.out
check memory_limits__locked_memory

mkdir -p /sys/fs/cgroup
mount -t cgroup2 none /sys/fs/cgroup 2> mount.err || wrong "cgroup2: $(cat mount.err)"
echo +memory > /sys/fs/cgroup/cgroup.subtree_control
mkdir /sys/fs/cgroup/small
for mib in 64 ${WHOLE:+200}; do
	echo $((mib << 20)) > /sys/fs/cgroup/small/memory.max
	(echo 0 > /sys/fs/cgroup/small/cgroup.procs && both $tests/takes_memory 60 16 && printf '%s' "$bad" > group.bad)
	bad=$bad$(cat group.bad)
	cp tool.err $JOB/group_$mib.err
done
check memory_limits__of_a_control_group_of_version_2
