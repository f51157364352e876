#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# A loop that touches four times what the caches hold is found, with what it touches; the same in pieces that they hold is not.
. "$(dirname "$0")/accesses_lib.sh"

# A calibration of these CPUs; others may be kept of fewer.
"$memsearch" doctor --calibrate > /dev/null
# shellcheck disable=SC2012
caches=$(sed -n 's/^caches //p' "$(ls -t "${XDG_CACHE_HOME:-$HOME/.cache}"/memsearch/bandwidth-*.txt | head -n 1)")
[ "${caches:-0}" -gt 0 ] || { echo "reason: the kernel does not tell of caches"; echo "skip beyond_caches"; exit 0; }
free=$(awk '/^MemAvailable/ { printf "%.0f", $2 * 1024 }' /proc/meminfo)
[ $((6 * caches)) -lt "$free" ] || { echo "reason: too little memory for 4 times $caches bytes"; echo "skip beyond_caches"; exit 0; }
bytes=$((2 * caches))                    # of each of two arrays
export MEMSEARCH_OVERHEAD=1000%

# What it says of them: "LINE TOUCHED FETCHED", in bytes.
beyond() {
	list_rows "$scratch/report" findings property region/line evidence/touched evidence/fetched |
		awk -F '\t' '$1 == "WorkingSetBeyondCaches" { printf "%s %.0f %.0f\n", $2, $3, $4 }'
}

streams() {
	under_tool "$bytes" 1
	beyond > "$scratch/beyond"
	awk -v line="$(line_of "$programs/beyond_caches.c" sweep)" -v touched=$((2 * bytes)) -v caches="$caches" '
		$1 == line && $2 > 0.999 * touched && $2 < 1.001 * touched && $3 > 0.999 * (touched - caches) && $3 < 1.001 * (touched - caches) { met = 1 }
		END { exit !met || NR != 1 }' "$scratch/beyond" || wrong "not $((2 * bytes)) bytes touched: $(cat "$scratch/beyond")"
}

fits() {
	under_tool "$bytes" 8
	grep -q '^runs/0/accesses/0/' "$scratch/arrays" || wrong "nothing was recorded"
	[ -z "$(beyond)" ] || wrong "$(beyond)"
}

for compiler in clang-19 gcc-12; do
	have $compiler || { echo "reason: no $compiler"; echo "skip beyond_caches $compiler"; continue; }
	$compiler -O2 -g -fopenmp -o "$scratch/program" "$programs/beyond_caches.c" || wrong "does not compile"
	for kind in streams fits; do
		plain=$scratch/plain.$kind
		"$scratch/program" "$bytes" "$([ $kind = fits ] && echo 8 || echo 1)" > "$plain" 2> "$plain.errors"
		echo $? > "$plain.status"
		again $kind
		judge "beyond_caches__$kind $compiler"
	done
done
