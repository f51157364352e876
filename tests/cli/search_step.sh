# SPDX-License-Identifier: Apache-2.0
# `memsearch search --step`: choices from a pipe, and what is said of bad ones.
export MEMSEARCH_BRIEF=1 MEMSEARCH_QUICK=1 COLUMNS=100
cp "$TESTS/experiments/searched.ms" here.ms
step() { memsearch search --step here.ms; echo "exit $?"; }
echo "-- by hand, along each axis, then ended"
printf 'foci\n5\nthreads\n1 4\nfoci\ncode\n1\nq\n' | step
echo "-- bad choices are refused, and nothing is tested"
printf '0\n1-\n99\n2 x\n5-3\n-1\ndata\nwhy\n+1\nq\n' | step | grep -v '^ *[0-9]* *+ '
echo "-- what the strategy proposes, then it alone"
printf '\na\n' | step | sed -n '/^The path/,/^experiment/p' | grep -E '^ +[0-9]+  by|^ +yes|^memsearch'
echo "-- the input ends"
step < /dev/null | grep -v '^ *[0-9]* *+ '
for options in "--step --json here.ms" "--step --compare here.ms" "--step missing.ms"; do
	memsearch search $options < /dev/null
	echo "$options: exit $?"
done
