#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The tests on emulated machines with all that their jobs can do, of which `make test` does a part.
#   bench/emulated.sh [MACHINE]
set -eu
export WHOLE=1
exec "$(dirname "$0")/../tests/run" emulated "$@"
