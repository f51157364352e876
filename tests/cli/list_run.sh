# SPDX-License-Identifier: Apache-2.0
# What is in a recorded run.
for what in runs regions intervals sync sensors; do memsearch list $what "$TESTS/experiments/sample.ms"; echo; done
memsearch list regions --json "$TESTS/experiments/sample.ms" | head -n 13
memsearch list runs --format csv "$TESTS/experiments/sample.ms"
echo "== traces of a record without any, and of a store"
memsearch list traces --json "$TESTS/experiments/sample.ms" 2> said
sed "s@record '.*/sample@record 'sample@" said
memsearch import -o one.db "$TESTS/experiments/sample.ms" > /dev/null
memsearch list traces one.db 2>&1
echo "exit $?"
