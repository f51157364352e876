# SPDX-License-Identifier: Apache-2.0
# Eight imports into one store at the same time: each waits for the others, and all runs are in it.
for turn in 1 2 3 4 5 6 7 8; do
	(memsearch import "$TESTS"/experiments/*.ms > out.$turn 2> err.$turn; echo "exit $?" >> out.$turn) &
done
wait
cat err.*
cat out.* | grep '^exit' | uniq -c
memsearch import -o alone.db "$TESTS"/experiments/*.ms > /dev/null
memsearch report --json memsearch.db > together.json
memsearch report --json alone.db | cmp - together.json
