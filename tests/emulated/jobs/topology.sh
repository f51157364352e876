# SPDX-License-Identifier: Apache-2.0
# CPUs, nodes and the node of every thread, which is bound to a CPU of its own, as /sys has them.
. /tests/lib.sh
export OMP_NUM_THREADS=$CPUS

timeout 120 memsearch run --quiet --no-calibrate -o it.ms -- $tests/counted_work 0.1 > tool.out 2> tool.err || wrong "status $?: $(cat tool.err)"
memsearch report --json it.ms > it.json 2> report.err || wrong "report: $(cat report.err)"
for fact in cpus:$CPUS cpus_online:$CPUS nodes:$NODES; do
	grep -q "\"${fact%:*}\": ${fact#*:},$" it.json || wrong "not $fact: $(grep "\"${fact%:*}\"" it.json)"
done
awk '/"places"/ { on = 1 } on && /"cpu"/ { cpu = $2 + 0 } on && /"node"/ { print cpu, $2 + 0 } on && /^ *\],?$/ { exit }' it.json > places
[ "$(sort -u places | wc -l)" = "$CPUS" ] || wrong "not $CPUS places: $(cat places)"
while read -r cpu node; do
	[ -e /sys/devices/system/cpu/cpu"$cpu"/node"$node" ] || wrong "CPU $cpu is not on node $node"
done < places
[ "$(cut -d' ' -f2 places | sort | uniq -c | awk -v each=$((CPUS / NODES)) '$1 == each' | wc -l)" = "$NODES" ] ||
	wrong "not $((CPUS / NODES)) threads on each of $NODES nodes: $(cat places)"
check topology__nodes_of_threads
