#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Is every loop of swim recorded, by gcc, clang, gfortran and flang at -O0, -O2 and -O3 -march=native?     BUILD=build bench/swim_recorded.sh
# Exit status 1: it is not so.
cd "$(dirname "$0")/.." || exit 1
out=$(ALL=1 BUILD="${BUILD:-build}" tests/live/swim_recorded.sh)
printf '%s\n' "$out"
! printf '%s\n' "$out" | grep -q '^FAIL'
