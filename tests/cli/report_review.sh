# SPDX-License-Identifier: Apache-2.0
# Causes at their source lines, for GitHub and for code scanning; in a folder where the source lies below.
mkdir -p src
touch src/swim.c
memsearch report --format github "$TESTS/experiments/sample.ms"
memsearch report --format sarif "$TESTS/experiments/sample.ms"
