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
clang-19 -O2 -o "$tmp/paired" bench/paired.c -lm

run() {        # MODE: constructs under it, lines "NAME EVENTS NANOSECONDS"
	case $1 in
	empty) OMP_TOOL_LIBRARIES="$tmp/empty.so" "$tmp/constructs" "$milliseconds" ;;
	*) MEMSEARCH_MEASURE=$1 OMP_TOOL_LIBRARIES=$tool "$tmp/constructs" "$milliseconds" ;;
	esac > "$tmp/$1"
}

pair=0
while [ $pair -lt "$pairs" ]; do
	order="empty $modes"
	[ $((pair % 2)) = 0 ] || order=$(echo "$order" | awk '{ for (i = NF; i; i--) printf "%s ", $i }')
	for mode in $order; do run "$mode"; done
	for mode in $modes; do
		paste -d' ' "$tmp/empty" "$tmp/$mode" | awk '{ print $1, $3, $6, $2 }' >> "$tmp/$mode.pairs"
	done
	pair=$((pair + 1))
done
for mode in $modes; do
	echo "== A: empty callbacks, B: MEMSEARCH_MEASURE=$mode, $OMP_NUM_THREADS threads; ns a construct, difference ns an event"
	"$tmp/paired" < "$tmp/$mode.pairs"
done
