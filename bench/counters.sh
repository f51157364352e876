#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# What reading counters costs: a region boundary with a group of four events beside the bare read() of that group, in one
# run, and the start of a thread that opens them. Wanted: at most 1.3 times, at most 300 us.     bench/counters.sh
set -eu
cd "$(dirname "$0")/.."
build=${BUILD:-build}

make -s BUILD="$build" "$build/lib/libmscore.a" "$build/lib/libmsanalysis.a" >&2
mkdir -p "$build/bench"
libs=$(sed -n 's/^CONFIG_CORE_LIBS := //p' "$build/config.mk")
# shellcheck disable=SC2086
${CC:-clang-19} -std=gnu11 -O2 -g -I. -Iinclude -o "$build/bench/counters" bench/counters.c \
	"$build/lib/libmscore.a" "$build/lib/libmsanalysis.a" $libs -pthread -ldl -lm

status=0
timeout 120 "$build/bench/counters" > "$build/bench/counters.out" || status=$?
[ $status -ne 77 ] || exit 0
[ $status -eq 0 ] || exit 1
awk '
{ value[$1] = $2; printf "%-18s %10s %s\n", $1, $2, $3 }
END {
	if (value["boundary_ratio"] > 1.3) { print "reading at a region boundary takes more than 1.3 times the bare read()"; bad = 1 }
	if (value["thread_start"] > 300) { print "a thread with four events takes more than 300 us to start"; bad = 1 }
	exit bad
}' "$build/bench/counters.out"
