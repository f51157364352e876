# SPDX-License-Identifier: Apache-2.0
# Trials of placements between steps of the program: arrays of a program that one thread initialised are moved to the nodes that use them and back, by the kernel;
# memory of other nodes is as fast here, so that nothing is gained: that is what the report must say.
. /tests/lib.sh
export OMP_NUM_THREADS=$CPUS MEMSEARCH_QUICK=1

[ ! -e /proc/sys/kernel/numa_balancing ] || echo 0 > /proc/sys/kernel/numa_balancing
timeout 120 $tests/placed 520 3 > plain.out 2> plain.err; plain=$?
timeout 300 memsearch run --try --quiet --no-calibrate --overhead 1000% -o it.ms -- $tests/placed 520 3 > tool.out 2> tool.err; status=$?
same
memsearch report --json it.ms > it.tried 2> report.err
memsearch report -v it.ms > it.text 2>> report.err
memsearch numa --json it.ms > it.numa 2>> report.err
cp it.ms it.tried it.text it.numa report.err $JOB/

# TRIAL KEY: a value of the trial of this number, from 1.
of_trial() {
	tr -d ' ,' < it.tried | awk -F'":' -v number=$1 -v key="\"$2" '/^"remedy":/ && tried { nr++ } /^"tried":/ { tried = 1 }
		nr == number && $1 == key { print $2; exit }'
}
trials=$(tr -d ' ' < it.tried | grep -c '^"pages_not_moved_back":')
[ "$trials" -ge 2 ] || wrong "$trials trials: $(cut -c 1-3000 it.text)"
[ "$(of_trial 1 remedy)" = '"first-touch"' ] && [ "$(of_trial 2 remedy)" = '"interleave"' ] || wrong "$(of_trial 1 remedy), $(of_trial 2 remedy)"
for array in by_one by_other spread; do
	tr -d ' \n' < it.tried | grep -q "\"remedy\":\"first-touch\",\"arrays\":\[[^]]*\"$array\"" || wrong "$array is not moved to its users"
done
! tr -d ' \n' < it.tried | grep -q '"arrays":\[[^]]*"by_all"' || wrong "by_all is placed well"
for trial in $(seq 1 "$trials"); do
	[ "$(of_trial $trial pages)" -gt 100 ] && [ "$(of_trial $trial pages_not_moved)" = 0 ] && [ "$(of_trial $trial pages_not_moved_back)" = 0 ] ||
		wrong "trial $trial: $(of_trial $trial pages) pages, $(of_trial $trial pages_not_moved) did not move, $(of_trial $trial pages_not_moved_back) not back"
	[ "$(of_trial $trial result)" != '"helps"' ] || wrong "trial $trial gained $(of_trial $trial gain), half width $(of_trial $trial gain_half_width)"
done
[ "$(of_trial 1 ended_early)" = null ] && [ "$(of_trial 1 pairs)" -ge 4 ] || wrong "trial 1: $(of_trial 1 pairs) pairs, ended early: $(of_trial 1 ended_early)"
grep -q 'All of it was undone' it.text || wrong "$(cut -c 1-3000 it.text)"
# as the kernel has them at the end: all where they were
tr -d ' ,' < it.numa | awk -F'":' '/"measured"/ { on = 1 } on && $1 == "\"name" { its = $2 == "\"by_one\"" } its && $1 == "\"pages" { all = $2 }
	its && $1 == "\"pages_by_node" { getline; first = $1; exit } END { exit !(all > 100 && first == all) }' || wrong "by_one is not on node 0 again"
check try_here__pages_move_and_return
