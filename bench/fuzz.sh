#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The fuzz tests with all their inputs, under AddressSanitizer and UndefinedBehaviorSanitizer: records and stores through every command,
# property, metric, event and machine files, hwloc's XML, restart states, calibrations, programs, their debugging information and unwind
# tables, limits of comparisons and argument sets of sweeps, and what the kernel and Arm SPE write. An input that crashes, or takes more than 10 seconds, is named; FUZZ_ONLY=N build-…/tests/unit/NAME repeats it.
#   bench/fuzz.sh [INPUTS [STORES]]        20000 and 2000
set -u
cd "$(dirname "$0")/.." || exit 1
inputs=${1:-20000} stores=${2:-2000}
BUILD=build-address-undefined
tests="record_fuzz asl_fuzz machine_fuzz xml_fuzz texts_fuzz state_fuzz debug_fuzz elf_fuzz unwind_fuzz ring_fuzz spe_fuzz commands_fuzz"
programs=
for name in $tests; do programs="$programs $BUILD/tests/unit/$name"; done
# shellcheck disable=SC2086
make -s -j"$(nproc)" SAN=address,undefined BUILD=$BUILD all $programs > /dev/null || exit 1
export FUZZ="$inputs" FUZZ_STORES="$stores" ASAN_OPTIONS="${ASAN_OPTIONS:-allocator_may_return_null=1}"
status=0
for program in $programs; do
	"$program" || status=1
done
exit $status
