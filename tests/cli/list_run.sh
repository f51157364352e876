# SPDX-License-Identifier: Apache-2.0
# What is in a recorded run.
for what in runs regions sensors; do memsearch list $what "$TESTS/experiments/sample.ms"; echo; done
memsearch list regions --json "$TESTS/experiments/sample.ms" | head -n 12
memsearch list runs --format csv "$TESTS/experiments/sample.ms"
