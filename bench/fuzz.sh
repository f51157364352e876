#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The fuzz tests with all their inputs, under AddressSanitizer and UndefinedBehaviorSanitizer: records, stores and traces through every
# command, property, metric, event and machine files, hwloc's XML, limits of comparisons and argument sets of sweeps, restart states,
# calibrations, programs, their debugging information and unwind tables, and what the kernel and Arm SPE write. An input that crashes, or
# takes more than 10 seconds, is named; FUZZ_ONLY=N build-…/tests/unit/NAME repeats it. Traces are of a record that the test makes, and of
# programs that are recorded here first.
#   bench/fuzz.sh [INPUTS [STORES [TRACES]]]        20000, 2000 and 2000
set -u
cd "$(dirname "$0")/.." || exit 1
inputs=${1:-20000} stores=${2:-2000} traces=${3:-2000}
BUILD=build-address-undefined
tests="record_fuzz asl_fuzz machine_fuzz xml_fuzz texts_fuzz state_fuzz debug_fuzz elf_fuzz unwind_fuzz ring_fuzz spe_fuzz commands_fuzz traces_fuzz"
programs=
for name in $tests; do programs="$programs $BUILD/tests/unit/$name"; done
# shellcheck disable=SC2086
make -s -j"$(nproc)" SAN=address,undefined BUILD=$BUILD all $programs > /dev/null || exit 1
scratch=$(mktemp -d) && trap 'rm -rf "$scratch"' EXIT || exit 1
make -s -j"$(nproc)" > /dev/null || exit 1

# A record with traces; its program is built without sanitizers, as is memsearch.
record() {     # NAME ARGUMENTS…
	name=$1
	shift
	"${CC:-cc}" -O1 -g -fopenmp -o "$scratch/$name" "tests/live/programs/$name.c" || return
	OMP_NUM_THREADS=2 timeout 60 build/bin/memsearch run --quick --no-calibrate --quiet --overhead 1000% -o "$scratch/$name.ms" -- "$scratch/$name" "$@" > /dev/null 2>&1
	build/bin/memsearch list traces "$scratch/$name.ms" > /dev/null 2>&1 && records="$records $scratch/$name.ms" || echo "$name: no accesses are recorded here"
}
records=
record two_phases 100 60
record few_steps 200
export FUZZ_RECORDS="$records" FUZZ_TRACES="$traces"
export FUZZ="$inputs" FUZZ_STORES="$stores" ASAN_OPTIONS="${ASAN_OPTIONS:-allocator_may_return_null=1}"
status=0
for program in $programs; do
	"$program" || status=1
done
exit $status
