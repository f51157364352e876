# SPDX-License-Identifier: Apache-2.0
# Runs of several files, one after the other; a page shows one.
export MEMSEARCH_QUICK=1
sample=$TESTS/experiments/sample.ms clean=$TESTS/experiments/clean.ms
memsearch report "$sample" "$clean" | grep ^memsearch:
memsearch arrays "$sample" "$clean" | grep "^run"
memsearch report --json "$sample" "$clean" | grep -c '"program"'
memsearch report "$sample" none.ms 2>&1; echo "exit $?"
for way in --html "--format html"; do
	memsearch report $way "$sample" "$clean" 2>&1 | sed "s|$TESTS|TESTS|g"
done
memsearch graph "$sample" "$clean" 2>&1 | sed "s|$TESTS|TESTS|g"
