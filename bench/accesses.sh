#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# What counting a recorded access and marking its cache line costs, in ns, by the kind of stream; medians over rounds. Loops that go on by constant strides
# (the first four, and the one of several pieces) must cost 1.5 ns at most.     bench/accesses.sh [ROUNDS]
set -eu
cd "$(dirname "$0")/.."
build=${BUILD:-build}
rounds=${1:-15}

make -s BUILD="$build" "$build/lib/libmscore.a" "$build/lib/libmsanalysis.a" >&2
mkdir -p "$build/bench"
libs=$(sed -n 's/^CONFIG_CORE_LIBS := //p' "$build/config.mk")
# shellcheck disable=SC2086
${CC:-clang-19} -std=gnu11 -O2 -g -I. -Iinclude -o "$build/bench/accesses" bench/accesses.c \
	"$build/lib/libmscore.a" "$build/lib/libmsanalysis.a" $libs -pthread -ldl -lm
"$build/bench/accesses" "$rounds" > "$build/bench/accesses.out"

failed=0
for stream in triad unrolled strided stencil pieces short_rows branches gather randomly list; do
	ns=$(awk -v name=$stream '$1 == name { print $2 }' "$build/bench/accesses.out" | sort -n | sed -n "$(((rounds + 1) / 2))p")
	printf '%-12s %6.2f ns an access\n' $stream "$ns"
	case $stream in
	triad|unrolled|strided|stencil|pieces)
		awk -v ns="$ns" 'BEGIN { exit !(ns <= 1.5) }' || failed=1 ;;
	esac
done
exit $failed
