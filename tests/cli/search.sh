# SPDX-License-Identifier: Apache-2.0
# `memsearch search` in all formats, and what it says of bad options and files.
runs=$TESTS/experiments
export MEMSEARCH_BRIEF=1 MEMSEARCH_QUICK=1 COLUMNS=100
memsearch search -h
cp "$runs/searched.ms" here.ms
for options in "" "--all --strategy data_structure_refine" "--executions 5" "--format csv" \
	"--graph text --strategy why_where" "--graph dot --strategy call_graph"; do
	echo "-- search $options"
	memsearch search $options here.ms
	echo "exit $?"
done
echo "-- the newest, as JSON"
memsearch search --json | sed -n '1,/"proven"/p'
echo "-- a run that measured little, and no phase"
memsearch search "$runs/clean.ms" | sed -n '1p;/^Counters/p'
echo "-- of a store the first"
memsearch import -o two.db "$runs/searched.ms" "$runs/swept_2_close.ms" > /dev/null
memsearch search two.db | head -n 1
echo "-- a strategy of a file"
cp "$(dirname "$(command -v memsearch)")/../lib/memsearch/strategies/property_refine.so" mine.so
memsearch search --strategy mine.so here.ms | head -n 1
echo "-- a severity of the user's"
sed 's/^	SEVERITY: [^;]*;/	SEVERITY: 0.05;/' "$TESTS/../properties/cache.asl" > mine.asl
memsearch search --properties mine.asl here.ms | sed -n 3,5p
for options in "--compare here.ms" "--compare --format csv two.db" "--compare two.db"; do
	echo "-- search $options"
	memsearch search $options
	echo "exit $?"
done
memsearch search --compare --svg here.svg two.db > /dev/null
echo "picture: exit $?, $(grep -o '[a-z]*: [0-9]* record[^<]*' here.svg), $(grep -c 'series0' here.svg) lines with the first colour"
memsearch search --compare --json here.ms | sed -n '1,/"profile"/p'
echo "-- verdicts of earlier runs"
memsearch search --history "$runs/sample.ms" here.ms 2>&1 | head -n 2
memsearch search --history "$runs/sample.ms,missing.ms" here.ms 2>&1
echo "exit $?"
echo text > text.so
for options in "--strategy text.so here.ms" "--strategy property_refin here.ms" "--overhead x here.ms" "--deep-threshold 0 here.ms" "--executions 0 here.ms" \
	"--properties missing.asl here.ms" "--format xml here.ms" "missing.ms" "here.ms here.ms" "--compare here.ms missing.ms" "--compare --strategy property_refine here.ms" \
	"--compare --graph dot here.ms" "--svg here.svg here.ms" "--compare --svg text.so here.ms"; do
	memsearch search $options
	echo "$options: exit $?"
done
echo "-- many candidates without a verdict"
for i in $(seq 25); do
	printf 'PROPERTY Costs%s(Region r, Phase p) {\n\tTITLE "cost %s";\n\tKINDS USER_REGION;\n\tLET\n\t\tcost = atomic_cost;\n\tIN\n' "$i" "$i"
	printf '\tCONDITION: cost > 0 ns;\n\tCONFIDENCE: 0.5;\n\tSEVERITY: 0.1 * min(1, cost / 1 ns);\n\tEXPLANATION "It costs {cost}.";\n\tADVICE "Pay less.";\n}\n'
done > many.asl
memsearch search --properties many.asl here.ms | tr -s ' \n' ' ' | grep -o 'and [0-9]* more (--all lists them)'
memsearch search --all --properties many.asl here.ms | tr -s ' \n' ' ' | grep -o 'cost 2[0-9], the whole phase' | tail -n 1
