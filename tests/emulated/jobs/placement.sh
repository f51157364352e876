# SPDX-License-Identifier: Apache-2.0
# Where the kernel has the pages of arrays, by the node: what one thread touched, what all did, interleaved, untouched, freed; with automatic NUMA balancing
# pages in memory are never untouched; the same as a user without privilege.
. /tests/lib.sh
export OMP_NUM_THREADS=$CPUS
mask=$(((1 << NODES) - 1))

record() {     # NAME COMMAND…: the program's output and end are those without memsearch
	name=$1
	shift
	timeout 60 "$@" > plain.out 2> plain.err; plain=$?
	MEMSEARCH_OVERHEAD=1000% MEMSEARCH_QUICK=1 timeout 120 memsearch run --quiet --no-calibrate -o $name.ms -- "$@" > tool.out 2> tool.err; status=$?
	same
	memsearch numa --json $name.ms > $name.placed 2> numa.err || wrong "$name: numa: $(cat numa.err)"
	memsearch numa $name.ms > $name.text 2>> numa.err
	cp $name.ms $name.placed $name.text $JOB/
}
# ARRAY KEY: a number of the array's, or the pages of its nodes.
of() {
	tr -d ' ,' < $name.placed | awk -F'":' -v array="\"$1\"" -v key="\"$2" '/"measured"/ { on = 1 } on && $1 == "\"name" { its = $2 == array }
		its && $1 == key { if ($2 != "[") { print $2; exit } list = 1; next } list && /^]/ { print text; exit } list { text = text " " $0 }'
}
# ARRAY CONDITION: of its pages on the nodes 0, 1 … (n[1], n[2] …), `all` of them, untouched and unknown.
holds() {
	of "$1" pages_by_node | awk -v all="$(of "$1" pages)" -v untouched="$(of "$1" untouched)" -v unknown="$(of "$1" unknown)" -v end="$(of "$1" at_end)" \
		'{ for (i = 1; i <= NF; i++) { n[i] = $i; placed += $i } } END { nodes = '"$NODES"'; exit !(all > 0 && ('"$2"')) }' ||
		wrong "$name: $1: nodes $(of "$1" pages_by_node) of $(of "$1" pages), untouched $(of "$1" untouched), unknown $(of "$1" unknown), end $(of "$1" at_end)"
}

[ ! -e /proc/sys/kernel/numa_balancing ] || echo 0 > /proc/sys/kernel/numa_balancing
record off $tests/placed 20 $mask
holds by_one "n[1] == all && end == \"true\""
for array in by_all by_other; do holds $array "placed == all && n[1] == all / nodes && n[nodes] == all / nodes"; done
holds spread "placed == all && n[1] <= all / nodes + 1 && n[1] >= all / nodes - 1 && n[nodes] >= all / nodes - 1"
# a quarter was read only: the kernel's page of zeros
holds half "n[1] == all / 2 && untouched == all / 2"
freed=$(grep -o '"freed"\|"placed.c:[0-9]*"' off.placed | head -n 1 | tr -d '"')
holds $freed "n[1] == all && end == \"false\""
grep -q '^ *pages on  *0*$' off.text && grep -q 'on the machine it ran on, '$NODES' NUMA nodes' off.text || wrong "$(cat off.text)"
[ $NODES != 4 ] || grep -q ' 32$' /sys/devices/system/node/node0/distance || [ "$(uname -m)" != x86_64 ] || wrong "distances are $(cat /sys/devices/system/node/node0/distance)"
[ "$(grep -c '"free_bytes": [1-9]' off.placed)" = $NODES ] && grep -q '^Free memory when pages were asked for, at least: node 0 .*, node 1 ' off.text || wrong "no free memory of each node: $(cat off.text)"
check placement__by_node

[ ! -e /proc/sys/kernel/numa_balancing ] || {
	echo 1 > /proc/sys/kernel/numa_balancing
	record on $tests/placed 20 $mask
	echo 0 > /proc/sys/kernel/numa_balancing
	for array in by_one by_all; do holds $array "untouched == 0"; done
	holds half "unknown <= all / 2"
	grep -q 'Automatic NUMA balancing was on' on.text || wrong "$(cat on.text)"
	check placement__with_balancing
}

# Without privilege a process may ask for its own pages.
mkdir -p user && chown user user && cd user
su user -c "OMP_NUM_THREADS=2 OMP_WAIT_POLICY=passive MEMSEARCH_QUICK=1 timeout 90 memsearch run --quiet --no-calibrate --overhead 1000% -o it.ms -- $tests/placed 5 1" > tool.out 2> tool.err || wrong "status $?: $(cat tool.err)"
memsearch numa it.ms > it.text 2> numa.err
grep -q ' spread .* node 0 100 %$' it.text || wrong "$(cat it.text)"
check placement__without_privilege

# Pages that a step writes: kernels before 6.7 cannot say, which is said; else half of the pages of by_all are written on each of two nodes.
timeout 60 $tests/placed 20 $mask > plain.out 2> plain.err; plain=$?
MEMSEARCH_QUICK=1 timeout 120 memsearch run --page-writes --quiet --no-calibrate --overhead 1000% -o writes.ms -- $tests/placed 20 $mask > tool.out 2> tool.err; status=$?
same
memsearch numa writes.ms > writes.text 2> numa.err
memsearch numa --format csv writes.ms > writes.csv 2>> numa.err
cp writes.ms writes.text writes.csv $JOB/
if [ "$(uname -r | awk -F. '{ print ($1 * 100 + $2 >= 607) }')" = 0 ]; then
	tr -s ' \n' ' ' < writes.text | grep -q 'Page writes are not measured: unsupported: .*Linux 6.7' || wrong "$(grep -A 3 'Page writes' writes.text)"
else
	awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i } $at["array"] == "by_all" { found = $at["written_pattern"] == "private_blocks" && $at["written_pages"] > 0 } END { exit !found }' writes.csv ||
		wrong "$(cat writes.csv)"
fi
check placement__page_writes

# An array whose pages the program moves to and fro is found so, by the kernel's answers; one that stays is not. It takes recorded accesses.
if memsearch list sensors | grep -q '^accesses  *yes'; then
	timeout 60 $tests/moving 150 > plain.out 2> plain.err; plain=$?
	timeout 200 memsearch run --quiet --no-calibrate --overhead 1000% -o moving.ms -- $tests/moving 150 > tool.out 2> tool.err; status=$?
	same
	memsearch report --all -v moving.ms > moving.text 2> report.err
	memsearch numa --json moving.ms > moving.numa 2>> report.err
	cp moving.ms moving.text moving.numa $JOB/
	tr -s ' \n' ' ' < moving.text | grep -q 'between NUMA nodes (MigratingPages) where moving in' || wrong "no finding: $(grep -h moves_per_page moving.numa; cut -c 1-3000 moving.text; cat report.err)"
	! tr -s ' \n' ' ' < moving.text | grep -q '(MigratingPages) where staying' || wrong "staying stays"
	check placement__pages_go_back_and_forth
fi
