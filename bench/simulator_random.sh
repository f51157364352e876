#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The simulated PMU against the plain one of the tests: every counter of random machines under random traces, other seeds than the tests',
# some 17 million accesses a round.     bench/simulator_random.sh [ROUNDS] [FIRST SEED]
set -eu
cd "$(dirname "$0")/.."
build=${BUILD:-build}
rounds=${1:-10}
first=${2:-10000}

make -s BUILD="$build" "$build/tests/unit/simulator_random" >&2
mkdir -p "$build/bench"
out=$build/bench/simulator_random.out
: > "$out"
for round in $(seq 0 $((rounds - 1))); do
	SIMULATOR_SEEDS="$((first + round * 100)) 100" "$build/tests/unit/simulator_random" > "$out.round" 2>&1 || { cat "$out.round"; exit 1; }
	cat "$out.round" >> "$out"
done
awk '/ accesses on / { accesses += $1; machines += $4 } END {
	printf "%d accesses on %d machines: all counters equal\n", accesses, machines
	exit !accesses }' "$out"
