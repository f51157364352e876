# SPDX-License-Identifier: Apache-2.0
# The report of a recorded run, as people read it.
memsearch report -v "$TESTS/experiments/sample.ms"
