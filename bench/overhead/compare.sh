# SPDX-License-Identifier: Apache-2.0
# Runs of constructs.c in alternating pairs: sourced, not run. The caller defines `run MODE`, which prints lines "NAME EVENTS NANOSECONDS",
# and sets $tmp, $pairs and $modes.

# BASE DIVISOR: each of $modes against BASE, into $tmp/MODE.pairs; the difference is divided by DIVISOR, an awk expression of NAME ($1), EVENTS ($2)
# and `mode`.
gather() {
	base=$1 pair=0
	clang-19 -O2 -o "$tmp/paired" bench/paired.c -lm
	while [ $pair -lt "$pairs" ]; do
		order="$base $modes"
		[ $((pair % 2)) = 0 ] || order=$(echo "$order" | awk '{ for (i = NF; i; i--) printf "%s ", $i }')
		for mode in $order; do run "$mode" > "$tmp/$mode"; done
		for mode in $modes; do
			paste -d' ' "$tmp/$base" "$tmp/$mode" | awk -v mode="$mode" '{ print $1, $3, $6, '"$2"' }' >> "$tmp/$mode.pairs"
		done
		pair=$((pair + 1))
	done
}

compare() {    # BASE DIVISOR TITLE
	gather "$1" "$2"
	for mode in $modes; do
		echo "== A: $base, B: $mode, $OMP_NUM_THREADS threads; ns a construct, $3"
		"$tmp/paired" < "$tmp/$mode.pairs"
	done
}
