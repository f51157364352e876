#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Exceptions thrown through 2,000 functions and through copies of them, registered in one section, in 100 and one by one:
# processor time an exception (two frames), which must be at most twice as much by copies.     bench/exceptions.sh [ROUNDS]
set -eu
cd "$(dirname "$0")/.."
build=${BUILD:-build}
make -s BUILD="$build" "$build/lib/libmscore.a" "$build/lib/libmsanalysis.a" >&2
mkdir -p "$build/bench"
libs=$(sed -n 's/^CONFIG_CORE_LIBS := //p' "$build/config.mk")
clang-19 -O2 -o "$build/bench/paired" bench/paired.c -lm
# shellcheck disable=SC2086
clang-19 -O2 -std=gnu11 -fPIC -fvisibility=hidden -I. -Iinclude -shared -o "$build/bench/copier.so" tests/live/programs/copier.c \
	-Wl,--exclude-libs,ALL -Wl,-Bsymbolic "$build/lib/libmscore.a" "$build/lib/libmsanalysis.a" $libs -ldl -lm
for cxx in clang++-19 g++; do
	$cxx -std=c++14 -O2 -I. -o "$build/bench/exceptions" bench/exceptions.cc -ldl
	for each in 2000 20 1; do
		timeout 300 "$build/bench/exceptions" "$build/bench/copier.so" "$each" "${1:-15}" | sed "s/^/$cxx:/" >> "$build/bench/exceptions.new"
	done
done
status=0
"$build/bench/paired" --limit-ratio 2 < "$build/bench/exceptions.new" || status=1
rm -f "$build/bench/exceptions.new"
exit $status
