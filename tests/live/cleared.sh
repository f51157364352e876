#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Arrays that one function of libc touches first, called at different lines: each has the line of its own call.
# Runs beside others.
. "$(dirname "$0")/lib.sh"

"$memsearch" list sensors | grep -q '^faults  *yes' || { echo "reason: page faults cannot be sampled here"; echo "skip cleared"; exit 0; }
source=tests/live/programs/cleared.c

# Page faults that could not be sampled beside other programs are not seen; a callback that loses its CPU counts to the limit.
seen() {
	rm -f "$scratch/it.ms"
	timeout -k 1 60 "$memsearch" run --overhead 1000% --quiet -o "$scratch/it.ms" -- "$scratch/program" > "$scratch/out" 2> "$scratch/err" || wrong "status $?"
	"$memsearch" arrays "$scratch/it.ms" > "$scratch/arrays"
	for array in first second third; do
		line=$(awk -v a=$array '$1 == a && $2 != "touch" { here = 1 } here && /first touch/ { print; exit }' "$scratch/arrays")
		echo "$line" | grep -q "\(9[0-9]\|100\) % \(at\|near\) cleared.c:$(line_of $source $array) " ||
			wrong "$array: $line"
	done
}

# COMPILER OPTIONS…
cleared() {
	have "$1" || { echo "reason: no $1"; echo "skip cleared__$1"; return; }
	if "$@" -g -fopenmp -o "$scratch/program" $source; then again seen; else wrong "does not build"; fi
	check "cleared__$1"
}

cleared gcc-12 -O2
cleared clang-19 -O2
