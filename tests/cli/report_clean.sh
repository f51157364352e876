# SPDX-License-Identifier: Apache-2.0
# Nothing was proven, in a program without a phase.
memsearch report -v "$TESTS/experiments/clean.ms"
