# SPDX-License-Identifier: Apache-2.0
# A record that was cut in the middle of its last entry still gives a report.
cp "$TESTS/experiments/sample.ms" whole.ms
size=$(wc -c < whole.ms)
head -c $((size - 3)) whole.ms > cut.ms
memsearch report -v cut.ms | head -n 12
