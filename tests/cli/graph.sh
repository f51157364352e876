# SPDX-License-Identifier: Apache-2.0
# `memsearch graph` in all formats, and what it says of bad options and files.
runs=$TESTS/experiments
export MEMSEARCH_BRIEF=1 COLUMNS=100
memsearch graph -h
cp "$runs/sample.ms" here.ms
for options in "" "--all" "--foci" "--format dot" "--format dot --foci" "--json"; do
	echo "-- graph $options"
	memsearch graph $options here.ms
	echo "exit $?"
done
memsearch graph --svg here.svg here.ms > /dev/null
echo "picture: exit $?, $(grep -c '<circle' here.svg) circles, $(grep -o '<title>[^<]*' here.svg | head -n 1)"
memsearch import -o two.db "$runs/swept_2_close.ms" "$runs/swept_4_close.ms" > /dev/null
memsearch graph two.db | head -n 1
echo mine > mine.svg
memsearch graph --svg mine.svg here.ms > /dev/null
echo "not a picture of memsearch: exit $?, $(cat mine.svg)"
memsearch graph --svg nowhere/here.svg here.ms > /dev/null
echo "no such folder: exit $?"
for options in "--format xml here.ms" "missing.ms" "here.ms here.ms" "--machine nowhere here.ms"; do
	memsearch graph $options
	echo "$options: exit $?"
done
