#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The HTML page of large records. 500 regions x 200 arrays: at most 2 MiB, drawn in headless Chromium in less than 1 s of
# processor time above an empty page, where there is one. 10,000 regions x 256 threads x 1,000 arrays: written in less than 3 s.
set -eu
cd "$(dirname "$0")/.."
build=${BUILD:-build}
make -s BUILD="$build" all >&2
mkdir -p "$build/bench"
${CC:-clang-19} -std=gnu11 -O2 -g -I. -Iinclude -o "$build/bench/page" bench/page.c "$build/lib/libmsanalysis.a" -pthread -lm
memsearch=$(cd "$build/bin" && pwd)/memsearch
cd "$build/bench"
browser=$(command -v chromium-headless-shell || command -v chromium || true)
seconds() {    # COMMAND…: of processor time
	{ TIMEFORMAT=; bash -c 'TIMEFORMAT="%U %S"; time "$@" > drawn 2> /dev/null' sh "$@"; } 2>&1 | tail -n 1 | awk '{ print $1 + $2 }'
}
failed=0
bound() { awk -v value="$1" -v most="$2" 'BEGIN { exit !(value < most) }' || { echo "$3: $1 is not below $2"; failed=1; }; }

./page medium.ms 500 16 200
./page large.ms 10000 256 1000
for size in medium large; do
	taken=$(seconds env MEMSEARCH_QUICK=1 "$memsearch" report --html=$size.html $size.ms)
	bytes=$(wc -c < $size.html)
	echo "$size: $(wc -c < $size.ms) bytes, page written in $taken s, $bytes bytes"
	bound "$taken" 3 "seconds to write the $size page"
	bound "$bytes" 2097153 "bytes of the $size page"
	[ -n "$browser" ] || continue
	echo '<!DOCTYPE html><p>' > empty.html
	empty=$(seconds "$browser" --headless --no-sandbox --disable-gpu --dump-dom "file://$PWD/empty.html")
	drawn=$(seconds "$browser" --headless --no-sandbox --disable-gpu --dump-dom "file://$PWD/$size.html")
	drawn=$(awk -v all="$drawn" -v empty="$empty" 'BEGIN { print all - empty }')
	echo "$size: drawn in $drawn s"
	[ $size = large ] || bound "$drawn" 1 "seconds to draw the $size page"
done
rm -f medium.ms large.ms
exit $failed
