#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# `memsearch diff`: processor time and memory for large runs, with the time of its parts. The least of ROUNDS rounds.
#   large   two runs of 1,000,000 buckets each, records and stores: below 1 s and 500 MB
#   sweep   a store of 20 runs of 100,000 buckets each: below 2 s
#     ROUNDS=5 bench/diff.sh [PART…]
set -eu
cd "$(dirname "$0")/.."
build=${BUILD:-build}
rounds=${ROUNDS:-5}
work=$build/bench/diff.work
failed=0

make -s BUILD="$build" all "$build/lib/libmscore.a" >&2
mkdir -p "$work"
trap 'rm -rf "$work"' EXIT
cc=${CC:-clang-19}
libs=$(sed -n 's/^CONFIG_\(CORE\|PROGRAM\)_LIBS := //p' "$build/config.mk")
# shellcheck disable=SC2086
$cc -std=gnu11 -O2 -g -I. -Iinclude -o "$work/diff" bench/diff.c "$build"/obj/analysis/store/*.o "$build"/obj/analysis/sweep/*.o \
	"$build"/obj/analysis/differential/*.o -Wl,--start-group "$build/lib/libmscore.a" "$build/lib/libmsanalysis.a" -Wl,--end-group $libs -pthread -ldl -lm
$cc -std=gnu11 -O2 -o "$work/timed" bench/timed.c

# below WHAT SECONDS MB COMMAND…: the command's least processor time and its peak memory, and whether they are below the bounds; 0: none
below() {
	what=$1 seconds=$2 mb=$3
	shift 3
	rm -f "$work/times"
	for _ in $(seq "$rounds"); do
		"$work/timed" "$work/times" "$@" || { echo "failed: $*"; failed=1; return; }
	done
	sort -nk2 "$work/times" | awk -v what="$what" -v seconds="$seconds" -v mb="$mb" 'NR == 1 { least = $2 / 1e9 } $3 > most { most = $3 }
		END { most *= 1024 / 1e6; bad = seconds && least >= seconds || mb && most >= mb
		      printf "%-34s %6.2f s%s %6.0f MB%s%s\n", what, least, seconds ? " of " seconds : "     ", most, mb ? " of " mb : "", bad ? "  too much" : ""; exit bad }' || failed=1
}

# split BASE NEW BY: seconds of the parts, the least of each
split() {
	for _ in $(seq "$rounds"); do "$work/diff" parts "$@" || { echo "failed: diff parts $*"; failed=1; return; }; done > "$work/parts"
	awk '
		NR == 1 { for (i = 1; i <= 5; i++) least[i] = $i } { for (i = 1; i <= 5; i++) if ($i < least[i]) least[i] = $i; buckets = $7 }
		END { printf "    reading %.2f, profiles %.2f, matching %.2f, comparing %.2f, printing %.2f s; %d buckets\n", least[1], least[2], least[3], least[4], least[5], buckets }' "$work/parts"
}

large() {
	echo "== two runs of 1,000,000 buckets each: memsearch diff BASE NEW --by BY"
	for kind in "instructions instruction" "arrays array" "threads thread"; do
		for ending in ms db; do
			# shellcheck disable=SC2086
			set -- $kind $ending
			for side in base new; do "$work/diff" write "$work/$side.$ending" "$1" 1000000 $side 1; done
			below "by $2, $([ $ending = ms ] && echo records || echo stores)" 1 500 "$build/bin/memsearch" diff "$work/base.$ending" "$work/new.$ending" --by "$2"
			split "$work/base.$ending" "$work/new.$ending" "$2"
			rm -f "$work"/base.* "$work"/new.*
		done
	done
}

sweep() {
	echo "== 20 runs of 100,000 buckets each, with 2 and 4 threads: memsearch diff SWEEP.db --by BY"
	for kind in "instructions instruction" "arrays array"; do
		# shellcheck disable=SC2086
		set -- $kind
		"$work/diff" write "$work/sweep.db" "$1" 100000 sweep 20
		below "by $2" 2 0 "$build/bin/memsearch" diff "$work/sweep.db" --by "$2"
		rm -f "$work/sweep.db"
	done
}

[ $# -gt 0 ] || set -- large sweep
for part in "$@"; do $part; done
exit $failed
