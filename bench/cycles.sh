#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# What is left of instrumentation that was removed: kernels of bench/clones/kernels.c whose begin was made a jump to the clone and then as
# it was a thousand times, against another copy of them whose begin never was: that ratio after (B) by the same before (A). Wanted: 1.00 within
# noise; no kernel's upper bound (95 %) may be above 1.05.     bench/cycles.sh [CYCLES [PAIRS]]
set -eu
cd "$(dirname "$0")/.."
build=${BUILD:-build}
make -s BUILD="$build" "$build/lib/libmscore.a" "$build/lib/libmsanalysis.a" >&2
mkdir -p "$build/bench"
libs=$(sed -n 's/^CONFIG_CORE_LIBS := //p' "$build/config.mk")
clang-19 -O2 -o "$build/bench/paired" bench/paired.c -lm
# shellcheck disable=SC2086
${CC:-clang-19} -std=gnu11 -O2 -g -I. -Iinclude -o "$build/bench/cycles" bench/clones/cycles.c \
	"$build/lib/libmscore.a" "$build/lib/libmsanalysis.a" $libs -ldl -lm -pthread
gcc-12 -O3 -march=native -shared -fPIC -o "$build/bench/kernels.one.so" bench/clones/kernels.c
cp "$build/bench/kernels.one.so" "$build/bench/kernels.other.so"
timeout 900 "$build/bench/cycles" "$build/bench/kernels.one.so" "$build/bench/kernels.other.so" "${1:-1000}" "${2:-15}" > "$build/bench/cycles.out"
"$build/bench/paired" --limit-ratio 1.05 < "$build/bench/cycles.out"
