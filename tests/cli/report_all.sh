# SPDX-License-Identifier: Apache-2.0
# All that was asked, and the tree of the search; at most one finding.
memsearch report --all --tree --most 1 "$TESTS/experiments/sample.ms"
