# SPDX-License-Identifier: Apache-2.0
# One row a finding.
memsearch report --format csv "$TESTS/experiments/sample.ms"
