#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The unit tests with all that they can try, of which `make test` takes a part.
#   bench/unit.sh [FILTER]
set -eu
cd "$(dirname "$0")/.."
export WHOLE=1
make -s -j"$(nproc)" BUILD="${BUILD:-build}" check-built > /dev/null
exec tests/run unit "$@"
