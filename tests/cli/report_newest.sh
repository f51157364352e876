# SPDX-License-Identifier: Apache-2.0
# Without a file the newest record of the folder is taken.
cp "$TESTS/experiments/sample.ms" old.ms
cp "$TESTS/experiments/clean.ms" new.ms
touch -d "2020-01-01" old.ms
memsearch report | head -n 1
touch -d "2020-01-02" new.ms
touch -d "2020-01-03" old.ms
memsearch report | head -n 1
