#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# A loop that touches four times what the caches hold, or 896 MiB if they are large (a thread has room for 512), is found, with what it touches; the same in pieces that they
# hold is not. Likewise by the caches of a modelled machine, which are much smaller.
. "$(dirname "$0")/accesses_lib.sh"

# A calibration of all CPUs; other tests keep some of fewer, and an uncertain one may keep what was measured before.
"$memsearch" doctor --calibrate > /dev/null
caches=$(sed -n 's/^caches //p' "${XDG_CACHE_HOME:-$HOME/.cache}"/memsearch/bandwidth-*.txt | sort -n | tail -n 1)
[ "${caches:-0}" -gt 0 ] || { echo "reason: the kernel does not tell of caches"; echo "skip beyond_caches"; exit 0; }
bytes=$((2 * caches)) most=$((448 << 20)) modelled=$((8 << 20))      # of each of two arrays; two cores of small.machine have 328 KiB
[ $bytes -le $most ] || bytes=$most
[ $((4 * bytes)) -ge $((3 * caches)) ] || { echo "reason: caches of $caches bytes are too large"; echo "skip beyond_caches"; exit 0; }
free=$(awk '/^MemAvailable/ { printf "%.0f", $2 * 1024 }' /proc/meminfo)
[ $((3 * bytes)) -lt "$free" ] || { echo "reason: too little memory for twice $bytes bytes"; echo "skip beyond_caches"; exit 0; }
export MEMSEARCH_OVERHEAD=1000%

# What it says of them: "LINE TOUCHED FETCHED", in bytes.
beyond() {     # PROPERTY LIST
	list_rows "$scratch/report" "$2" property region/line evidence/touched evidence/fetched |
		awk -F '\t' -v property="$1" '$1 == property { printf "%s %.0f %.0f\n", $2, $3, $4 }'
}

finds() {      # PROPERTY LIST TOUCHED CACHES
	beyond "$1" "$2" > "$scratch/beyond"
	awk -v line="$(line_of "$programs/beyond_caches.c" sweep)" -v touched="$3" -v caches="$4" '
		$1 == line && $2 > 0.999 * touched && $2 < 1.001 * touched && $3 > 0.999 * (touched - caches) && $3 < 1.001 * (touched - caches) { met = 1 }
		END { exit !met || NR != 1 }' "$scratch/beyond" || wrong "$1: not $3 bytes touched: $(cat "$scratch/beyond")"
}

finds_none() { # PROPERTY LIST
	grep -q '^runs/0/accesses/0/' "$scratch/arrays" || wrong "nothing was recorded"
	[ -z "$(beyond "$1" "$2")" ] || wrong "$(beyond "$1" "$2")"
}

# Of the program: BYTES PARTS STEPS, so many that fast machines, too, have time to record a whole one.
arguments() {  # KIND
	case $1 in
	streams) echo "$bytes 1 60" ;;
	fits) echo "$bytes 8 60" ;;
	streams_modelled) echo "$modelled 1 1000" ;;
	fits_modelled) echo "$modelled 64 1000" ;;
	esac
}

streams() {
	under_tool $(arguments streams)
	finds WorkingSetBeyondCaches findings $((2 * bytes)) "$caches"
}

fits() {
	under_tool $(arguments fits)
	finds_none WorkingSetBeyondCaches findings
}

streams_modelled() {
	of_machine="--machine $programs/small.machine"
	under_tool $(arguments streams_modelled)
	of_machine=
	finds BeyondModelledCaches modelled $((2 * modelled)) $((328 << 10))
	finds_none WorkingSetBeyondCaches findings
}

fits_modelled() {
	of_machine="--machine $programs/small.machine"
	under_tool $(arguments fits_modelled)
	of_machine=
	finds_none BeyondModelledCaches modelled
}

for compiler in $(sample clang-19 "clang-19 gcc-12"); do
	have $compiler || { echo "reason: no $compiler"; echo "skip beyond_caches $compiler"; continue; }
	$compiler -O2 -g -fopenmp -o "$scratch/program" "$programs/beyond_caches.c" || wrong "does not compile"
	for kind in streams fits streams_modelled fits_modelled; do
		plain=$scratch/plain.$kind
		"$scratch/program" $(arguments $kind) > "$plain" 2> "$plain.errors"
		echo $? > "$plain.status"
		again $kind
		judge "beyond_caches__$kind $compiler"
	done
done
