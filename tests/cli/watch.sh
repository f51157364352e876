# SPDX-License-Identifier: Apache-2.0
# `memsearch watch` of a run that has ended, and of what is no record. Runs under way: tests/live/watch.sh.
runs=$TESTS/experiments
export COLUMNS=100
memsearch watch -h
cp "$runs/sample.ms" here.ms
echo hello > text
for operands in "--once here.ms" "here.ms" "--lines" "missing.ms" "text" "a b" "999999999"; do
	echo "-- watch $operands"
	memsearch watch $operands
	echo "exit $?"
done
mkdir empty && cd empty && memsearch watch
echo "no record: exit $?"
cd .. && memsearch watch --once here.ms > /dev/full
echo "full: exit $?"
