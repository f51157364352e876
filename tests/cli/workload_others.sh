# SPDX-License-Identifier: Apache-2.0
# What the workloads call a busy machine: CPU time that is neither idle nor of the test's own children.
. "$TESTS/workloads/others.sh"
PROC=$(pwd)/proc
mkdir -p "$PROC/$$"

machine() {    # USER SYSTEM IDLE STEAL CHILDREN: ticks so far
	echo "cpu  $1 0 $2 $3 10 0 0 $4 0 0" > "$PROC/stat"
	echo "cpu0 1 1 1 1 1 1 1 1 1 1" >> "$PROC/stat"
	echo "1 (a) b) S 1 1 1 0 -1 0 0 0 0 0 7 7 $5 0 20 0 1" > "$PROC/$$/stat"
}

between() {    # NAME, then the machine afterwards; before: 1000 500 9000 0 50
	name=$1
	shift
	machine 1000 500 9000 0 50
	others_begin
	machine "$@"
	others_end
	echo "$name: $others %"
}

between "idle" 1000 500 9400 0 50
between "only our children" 1150 550 9200 0 250
between "half is another's" 1350 550 9000 0 250
between "the hypervisor's" 1150 550 9100 100 250
between "no time at all" 1000 500 9000 0 50
rm -r "$PROC"
others_begin
others_end
echo "nothing to read: $others %"
