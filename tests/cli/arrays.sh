# SPDX-License-Identifier: Apache-2.0
# The data structures of the invented run in tests/unit/sample_run.h, and of runs that know less of theirs.
runs=$TESTS/experiments
export MEMSEARCH_BRIEF=1
for options in "" --all "--most 1" "--by line" "--by line --all" "--by thread" "--format csv" "--by line --format csv"; do
	echo "== $options"
	memsearch arrays $options "$runs/sample.ms"
done
echo "== json"
memsearch arrays --json "$runs/sample.ms" | head -n 78
memsearch arrays --json "$runs/sample.ms" | sed -n '/"accesses"/,$p'
for options in "" "--by line" "--by region" "--by thread" "--by region --format csv" "--by thread --format csv"; do
	echo "== a modelled machine $options"
	memsearch arrays $options "$runs/modelled.ms"
done
memsearch arrays --json "$runs/modelled.ms" | sed -n '/"by_region"/,/^      "accesses"/p' | head -n 130
echo "== nobody was seen"
memsearch arrays "$runs/clean.ms"
memsearch arrays --by line "$runs/clean.ms"
echo "== killed"
memsearch arrays "$runs/killed.ms"
memsearch arrays --format csv "$runs/killed.ms"
echo "== through a store"
memsearch arrays --json "$runs/sample.ms" > direct
memsearch import -o one.db "$runs/sample.ms" > /dev/null
memsearch arrays --json one.db | cmp - direct
memsearch arrays --by page "$runs/sample.ms"
echo "exit $?"
memsearch arrays missing.ms
echo "exit $?"
echo "== ranges"
for range in u 'u[0' 'u[0:]' 'u[2:1]' 'u(:)' 'u[0:1],' 'u[0:1],v'; do
	memsearch arrays --range "$range" "$runs/sample.ms"
	echo "$range: exit $?"
done
cp "$runs/sample.ms" here.ms
memsearch report --range 'u[0:1]' --machine xeon-2s here.ms
echo "exit $?"
memsearch arrays --range 'u[0:1]' --machine xeon-2s one.db
echo "exit $?"
