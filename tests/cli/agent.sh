# SPDX-License-Identifier: Apache-2.0
# `memsearch agent`: over a record the same as `memsearch search`; processes that it cannot attach to, and bad options.
runs=$TESTS/experiments
export MEMSEARCH_BRIEF=1 MEMSEARCH_QUICK=1 COLUMNS=100
memsearch agent -h
for options in "" "--all --strategy data_structure_refine"; do
	memsearch search $options "$runs/searched.ms" > wanted
	memsearch agent $options "$runs/searched.ms" > found
	[ -s found ] && diff wanted found && echo "agent $options: as search"
done
echo "-- two records"
memsearch agent "$runs/searched.ms" "$runs/clean.ms" | grep -c ' strategy '
echo "-- processes"
memsearch agent --attach 99999999
echo "exit $?"
memsearch agent --attach $$ 2>&1 | sed "s/$$/PID/"
memsearch agent --attach 99999999,$$
echo "exit $?"
for options in "" "--attach x" "--attach 12x" "--attach 0" "--attach -1" "--attach 99999999999" "--attach 1 $runs/clean.ms" "missing.ms" "--strategy none $runs/clean.ms" "--overhead x --attach 1"; do
	memsearch agent $options
	echo "agent: exit $?"
done
