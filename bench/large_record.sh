#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Reports and searches of a record of 10,000 regions x 256 threads x 1,000 arrays: `memsearch report` takes less than 1 s of processor time, and it and
# `memsearch search` less than 512 MB of memory. bench/page.sh has the HTML page.
#     BUILD=build REGIONS=10000 THREADS=256 ARRAYS=1000 bench/large_record.sh
set -eu
cd "$(dirname "$0")/.."
build=${BUILD:-build}
make -s BUILD="$build" all >&2
mkdir -p "$build/bench"
${CC:-clang-19} -std=gnu11 -O2 -g -I. -Iinclude -o "$build/bench/page" bench/page.c "$build/lib/libmsanalysis.a" -pthread -lm
memsearch=$(cd "$build/bin" && pwd)/memsearch
cd "$build/bench"
trap 'rm -f huge.ms huge.out huge.took' EXIT
./page huge.ms "${REGIONS:-10000}" "${THREADS:-256}" "${ARRAYS:-1000}"
failed=0
bound() {      # VALUE MOST TEXT
	awk -v value="$1" -v most="$2" 'BEGIN { exit !(value < most) }' || { echo "$3: $1 is not below $2"; failed=1; }
}
measured() {   # SECONDS COMMAND…
	most=$1
	shift
	MEMSEARCH_QUICK=1 /usr/bin/time -o huge.took -f '%U %S %M' "$memsearch" "$@" huge.ms > huge.out
	seconds=$(awk '{ print $1 + $2 }' huge.took) megabytes=$(awk '{ print int($3 * 1.024e-3 + 0.5) }' huge.took)
	echo "memsearch $*: $seconds s of processor time, $megabytes MB"
	bound "$seconds" "$most" "seconds of memsearch $*"
	bound "$megabytes" 512 "MB of memsearch $*"
}
measured 1 report
measured 60 search --strategy property_refine
sed -n '/candidates: /p' huge.out
exit $failed
