# SPDX-License-Identifier: Apache-2.0
# What cannot be written is an error.
memsearch report "$TESTS/experiments/sample.ms" > /dev/full
echo "exit $?"
