# SPDX-License-Identifier: Apache-2.0
# The program was killed before anything was resolved, and its file is not there any more.
memsearch report -v "$TESTS/experiments/killed.ms"
