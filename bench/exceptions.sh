#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Exceptions thrown through 2,000 functions and through copies of them, registered in one section, in 100 and one by one, and
# through their clones, which also record: processor time an exception (two frames), which must be at most twice as much.
#     bench/exceptions.sh [ROUNDS]
set -eu
cd "$(dirname "$0")/.."
build=${BUILD:-build}
make -s BUILD="$build" "$build/lib/libmscore.a" "$build/lib/libmsanalysis.a" >&2
mkdir -p "$build/bench"
libs=$(sed -n 's/^CONFIG_CORE_LIBS := //p' "$build/config.mk")
clang-19 -O2 -o "$build/bench/paired" bench/paired.c -lm
for copier in copier cloner; do
	# shellcheck disable=SC2086
	clang-19 -O2 -std=gnu11 -fPIC -fvisibility=hidden -I. -Iinclude -shared -o "$build/bench/$copier.so" "tests/live/programs/$copier.c" \
		-Wl,--exclude-libs,ALL -Wl,-Bsymbolic "$build/lib/libmscore.a" "$build/lib/libmsanalysis.a" $libs -ldl -lm
done
rm -f "$build/bench/exceptions.new"
for cxx in clang++-19 g++; do
	$cxx -std=c++14 -O2 -I. -o "$build/bench/exceptions" bench/exceptions.cc -ldl
	for kind in copier:2000 copier:20 copier:1 cloner:1; do
		timeout 300 "$build/bench/exceptions" "$build/bench/${kind%:*}.so" "${kind#*:}" "${1:-15}" > "$build/bench/exceptions.out"
		sed "s/^/$cxx:${kind%:*}:/" "$build/bench/exceptions.out" >> "$build/bench/exceptions.new"
	done
done
status=0
"$build/bench/paired" --limit-ratio 2 < "$build/bench/exceptions.new" || status=1
rm -f "$build/bench/exceptions.new" "$build/bench/exceptions.out"
exit $status
