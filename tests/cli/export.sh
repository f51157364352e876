# SPDX-License-Identifier: Apache-2.0
# Runs in formats of other tools.
export MEMSEARCH_QUICK=1
export_() { memsearch export "$@" 2>&1; echo "exit $?"; }
record=$TESTS/experiments/modelled.ms
export_ "$record" | grep -e ^run -e l2_misses -e exit
export_ --format hatchet "$record" | grep -v '\[simulated\]' | sed -n '1,/"column_metadata"/p'
export_ --format speedscope "$record" | sed -n '1,/"frames"/p'
export_ --format perfetto "$record" | sed -n '1,/"ph": "B"/p'
# Files.
export_ -o a.csv "$record"
export_ -o a.csv "$record"
export_ --format extrap -o a.csv "$record"
export_ --format hatchet -o a.csv "$record"
export_ --format perfetto -o a.csv "$record"
export_ --format hatchet -o runs.json "$record" "$record"
memsearch export --format hatchet "$record" | cmp - runs-2.json
export_ -o none/a.csv "$record"
memsearch export "$record" > /dev/full; echo "exit $?"
ls
# What a format cannot hold.
export_ --format extrap "$record"
export_ --format extrap "$record" "$TESTS/experiments/sample.ms"
export_ --format hatchet "$record" "$record"
export_ --format cube "$record"
export_
export_ none.ms
export_ "$record@threads=3" | sed "s|$TESTS|TESTS|"
