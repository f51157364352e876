# SPDX-License-Identifier: Apache-2.0
# The recorded accesses on the model of the machine itself: threads on the nodes where they were, pages where the kernel had them.
# An emulated CPU is so slow that latencies of the model cost nothing beside it: properties that weigh them are tested in tests/unit/array_properties.c.
. /tests/lib.sh
export OMP_NUM_THREADS=$CPUS MEMSEARCH_QUICK=1

echo 0 > /proc/sys/kernel/numa_balancing
record() {     # NAME ARGUMENTS…
	name=$1
	shift
	timeout 120 $tests/placed_large "$@" > plain.out 2> plain.err; plain=$?
	timeout 200 memsearch run --quiet --no-calibrate --overhead 1000% -o $name.ms -- $tests/placed_large "$@" > tool.out 2> tool.err; status=$?
	same
	memsearch numa --format csv $name.ms > $name.csv 2> numa.err || wrong "$name: numa: $(cat numa.err)"
	cp $name.* numa.err $JOB/
}
remote() {     # ARRAY LOW HIGH: its remote share
	awk -F, -v a="$1" -v low="$2" -v high="$3" '$2 == a { found = $7 != "" && $7 >= low && $7 <= high } END { exit !found }' $name.csv || wrong "$name: $1: not remote from $2 to $3: $(grep ",$1," $name.csv)"
}
finds() {      # PROPERTY ARRAY
	grep -q "($1) where $2 in" $name.report || wrong "$name: no $1 of $2: $(cut -c 1-6000 $name.report)"
}
record it 12 3
remote by_one 0.45 0.55
remote by_all 0 0.02
remote by_other 0.98 1
remote spread 0.45 0.55
memsearch numa it.ms > it.text 2>> numa.err
tr -s ' \n' ' ' < it.text | grep -q 'pages lie where the kernel had them' || wrong "$(cat it.text numa.err)"
env -u MEMSEARCH_QUICK memsearch report -v it.ms 2> report.err | tr -s ' \n' ' ' > it.report
cp it.text it.report $JOB/
finds SerialFirstTouch by_one
! grep -q '(\(SerialFirstTouch\|MisplacedBlocks\|AllPagesOnOneNode\)) where by_all' it.report || wrong "by_all is placed well: $(cut -c 1-6000 it.report)"
check placement_simulated__pages_of_the_kernel

# All pages on node 0, whoever touches them first.
record bound 12 3 bind
remote by_all 0.45 0.55
remote by_other 0.45 0.55
check placement_simulated__bound_to_one_node
