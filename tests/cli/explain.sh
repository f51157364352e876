# SPDX-License-Identifier: Apache-2.0
# `memsearch explain`: one cause with its evidence, and what it says of bad numbers and files.
runs=$TESTS/experiments
export MEMSEARCH_BRIEF=1 COLUMNS=100
memsearch explain -h
for record in foreign sample modelled; do
	echo "-- $record"
	memsearch explain 1 "$runs/$record.ms"
	echo "exit $?"
done
for operands in "" "0 $runs/sample.ms" "one $runs/sample.ms" "-1 $runs/sample.ms" "99999999999999999999 $runs/sample.ms" "1000 $runs/sample.ms" "1 missing.ms"; do
	memsearch explain $operands 2>&1 | sed "s,$TESTS/,,"
done
memsearch import -o two.db "$runs/swept_2_close.ms" "$runs/swept_4_close.ms" > /dev/null
memsearch explain 1 two.db
echo "exit $?"
