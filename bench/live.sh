#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The live tests with their whole matrices of compilers, levels and kinds, of which `make test` takes a part.
#   bench/live.sh [FILTER]
set -eu
export WHOLE=1
exec "$(dirname "$0")/../tests/run" live "$@"
