# SPDX-License-Identifier: Apache-2.0
# The contract for programs.
memsearch report --json "$TESTS/experiments/sample.ms"
