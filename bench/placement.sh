#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# What asking for the nodes of an array's pages costs beside bare batched move_pages, and the sampled map of 64 GiB.     bench/placement.sh
set -eu
cd "$(dirname "$0")/.."
build=${BUILD:-build}
mkdir -p "$build/bench"
libraries=$(sed -n 's/^CONFIG_CORE_LIBS := //p' "$build/config.mk") flags=$(sed -n 's/^CONFIG_CFLAGS := //p' "$build/config.mk")
# shellcheck disable=SC2086
${CC:-clang-19} -std=gnu11 -O2 -g -pthread -I. -Iinclude $flags -o "$build/bench/placement" bench/placement.c "$build/lib/libmscore.a" "$build/lib/libmsanalysis.a" $libraries -ldl -lm
"$build/bench/placement"
