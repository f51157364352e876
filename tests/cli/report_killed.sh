# SPDX-License-Identifier: Apache-2.0
# The program was killed before anything was resolved, and its file is not there any more.
memsearch report "$TESTS/experiments/killed.ms"
