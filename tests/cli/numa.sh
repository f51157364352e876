# SPDX-License-Identifier: Apache-2.0
# What `memsearch numa` says of its options, and of files that keep no accesses.
runs=$TESTS/experiments
export MEMSEARCH_BRIEF=1
memsearch numa -h
cp "$runs/sample.ms" here.ms
for options in "--machine epyc-2s here.ms" "--machine nowhere here.ms" "--format xml here.ms" "--machine epyc-2s missing.ms" "--range u[0:1] here.ms" "here.ms here.ms"; do
	memsearch numa $options
	echo "$options: exit $?"
done
memsearch numa --svg none.svg here.ms > /dev/null
echo "no accesses, no picture: exit $?, $(ls none.svg 2> /dev/null)"
memsearch import -o one.db here.ms > /dev/null
memsearch numa --machine epyc-2s one.db
echo "exit $?"
