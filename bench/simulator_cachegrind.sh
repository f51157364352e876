#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The simulated PMU against cachegrind on longer programs than the tests', with a D1 of usual size: the same accesses must miss alike within 0.1 %.
#     bench/simulator_cachegrind.sh
set -eu
cd "$(dirname "$0")/.."
build=${BUILD:-build}

make -s BUILD="$build" "$build/tests/unit/simulator_cachegrind" >&2
SIMULATOR_LONG=1 CC=${CC:-clang-19} "$build/tests/unit/simulator_cachegrind"
