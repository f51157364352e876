#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# What an OpenMP construct costs under memsearch, against a tool that registers the same callbacks with
# empty bodies: nothing requested (none), times everywhere (time), everything everywhere (all).
#   BUILD=build OMP_NUM_THREADS=2 PAIRS=15 MILLISECONDS=2 MODES="none time all" bench/overhead.sh
# The difference is nanoseconds per event and thread.
set -eu
build=${BUILD:-build} pairs=${PAIRS:-15} milliseconds=${MILLISECONDS:-2} modes=${MODES:-none time all}
tool=$(realpath "${TOOL:-$build/lib/libmemsearch.so}")
export OMP_NUM_THREADS="${OMP_NUM_THREADS:-2}" MEMSEARCH_QUIET=1 LC_ALL=C
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
export MEMSEARCH_OUTPUT="$tmp/record.ms"
unset OMP_TOOL_LIBRARIES

clang-19 -O2 -fopenmp -o "$tmp/constructs" bench/overhead/constructs.c -lm
clang-19 -O2 -fPIC -shared -fvisibility=hidden -I. -Iinclude -o "$tmp/empty.so" bench/overhead/empty.c

run() {        # MODE: constructs under it, lines "NAME EVENTS NANOSECONDS"
	case $1 in
	empty) OMP_TOOL_LIBRARIES="$tmp/empty.so" "$tmp/constructs" "$milliseconds" ;;
	*) MEMSEARCH_MEASURE=$1 OMP_TOOL_LIBRARIES=$tool "$tmp/constructs" "$milliseconds" ;;
	esac
}

. bench/overhead/compare.sh
compare empty '$2' "difference ns an event (empty: a tool with empty callbacks; else MEMSEARCH_MEASURE)"
