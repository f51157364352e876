#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Wall time of gcc programs with dynamic loops, tasks, critical sections, ordered, single, sections and nested teams: alone on libgomp, under memsearch on libomp,
# and under memsearch on libgomp, with memsearch's defaults.
#   BUILD=build OMP_NUM_THREADS=2 PAIRS=15 LIMIT=1.05 SECONDS_EACH=2.5 PROGRAMS="small_chunks …" MODES="libomp own" bench/gomp_programs.sh
# MEASURE=cpu compares CPU time instead, which other programs on the CPUs change little, with OMP_WAIT_POLICY=passive.
# Each program takes as many steps as fill SECONDS_EACH (2.5) alone.
# Exit status 1: the upper bound of a ratio on libgomp is above LIMIT, or in most runs there the first finding is not the one that the source names
# (EXPECT in tests/workloads/workload.h). UnequalCpus is the machine's, and skipped; runs with CpusTaken decide nothing, as in tests/live/workloads.sh.
set -eu
build=${BUILD:-build} pairs=${PAIRS:-15} limit=${LIMIT:-1.05} length=${SECONDS_EACH:-2.5} modes=${MODES:-libomp own}
programs=${PROGRAMS:-small_chunks tasks_small critical ordered single sections nested}
memsearch=$(realpath "$build/bin/memsearch")
export OMP_NUM_THREADS="${OMP_NUM_THREADS:-2}" LC_ALL=C
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT

clang-19 -O2 -o "$tmp/paired" bench/paired.c -lm
"$memsearch" doctor --calibrate > /dev/null 2>&1 || :

cpu_seconds() { # COMMAND…: CPU time of user and kernel
	("$@" > "$tmp/out" 2> "$tmp/err" || { cat "$tmp/err" >&2; exit 2; }; times) | tail -n 1 | tr 'ms' '  ' | awk '{ print $1 * 60 + $2 + $3 * 60 + $4 }'
}

seconds() {    # COMMAND…: wall time
	[ "${MEASURE:-wall}" = wall ] || { cpu_seconds "$@"; return; }
	before=$(date +%s%N)
	"$@" > "$tmp/out" 2> "$tmp/err" || { cat "$tmp/err" >&2; exit 2; }
	echo $((($(date +%s%N) - before) / 1000)) | awk '{ print $1 / 1e6 }'
}

first_finding() { # RECORD: "PROPERTY yes|no": of an undisturbed run
	"$memsearch" report --json "$1" | awk -f tests/workloads/flatten.awk | awk -F '\t' '$1 ~ /^findings\/[0-9]+\/property$/ {
			disturbed = disturbed || $2 == "CpusTaken"
			if ($2 !~ /^(CpusTaken|UnequalCpus)$/ && first == "") first = $2
		}
		END { print first == "" ? "none" : first, disturbed ? "no" : "yes" }'
}

status=0
for name in $programs; do
	for flags in -O2 "-O3 -march=native"; do
		program=$tmp/$name
		# shellcheck disable=SC2086
		gcc-12 $flags -g -fopenmp -Itests/workloads -Iinclude -o "$program" "tests/workloads/$name.c" -lm
		scale=$(seconds "$program" 1 | awk -v length_s="$length" '{ print length_s / $1 }')
		label=$name$(echo "$flags" | tr -d ' =')
		pair=0
		while [ $pair -lt "$pairs" ]; do
			for mode in $modes; do
				if [ $((pair % 2)) = 0 ]; then
					alone=$(seconds "$program" "$scale") under=$(seconds "$memsearch" run --runtime "$mode" --no-calibrate -q -o "$tmp/it.ms" -- "$program" "$scale")
				else
					under=$(seconds "$memsearch" run --runtime "$mode" --no-calibrate -q -o "$tmp/it.ms" -- "$program" "$scale") alone=$(seconds "$program" "$scale")
				fi
				echo "$label $alone $under" >> "$tmp/$mode.pairs"
				[ "$mode" != own ] || first_finding "$tmp/it.ms" >> "$tmp/$label.first"
			done
			pair=$((pair + 1))
		done
		[ -e "$tmp/$label.first" ] || continue
		awk -v label="$label" -v expected="$(sed -n 's/^ \* EXPECT \([^ ]*\) .*/\1/p' "tests/workloads/$name.c" | head -n 1)" '
			$2 == "yes" { runs++; met += $1 ~ "^(" expected ")$" }
			$1 !~ "^(" expected ")$" { others = others " " $1 }
			END {
				printf "%s: %s first in %d of %d undisturbed runs%s\n", label, expected, met, runs, others == "" ? "" : "; other first findings:" others
				exit runs && 2 * met <= runs
			}' "$tmp/$label.first" || status=1
	done
done
for mode in $modes; do
	echo "== A: alone, B: memsearch run --runtime $mode, $OMP_NUM_THREADS threads; seconds"
	[ "$mode" = own ] && bound="--limit-ratio $limit" || bound=
	# shellcheck disable=SC2086
	"$tmp/paired" $bound < "$tmp/$mode.pairs" || status=1
done
exit $status
