#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# What a record keeps of a program's accesses, listed, in files for other simulators, and simulated with other placements.
# Runs beside others.
. "$(dirname "$0")/lib.sh"

"$memsearch" list sensors | grep -q '^accesses  *yes' || { echo "reason: no accesses can be recorded here"; echo "skip kept_traces"; exit 0; }
programs=$root/tests/live/programs
machine=$programs/small.machine
steps=250
export OMP_PROC_BIND=false

record() {     # FILE OPTIONS…
	file=$1
	shift
	rm -f "$scratch/$file"
	timeout -k 1 170 "$memsearch" run --quick --quiet --overhead 1000% "$@" -o "$scratch/$file" -- "$scratch/program" $steps > "$scratch/out" 2> "$scratch/errors"
	cmp -s "$scratch/plain" "$scratch/out" || wrong "prints $(cat "$scratch/out" "$scratch/errors")"
}
says() {       # STATUS WORDS COMMAND…
	want=$1 words=$2
	shift 2
	"$memsearch" "$@" > "$scratch/page" 2> "$scratch/said"
	status=$?
	[ $status = "$want" ] || wrong "$*: status $status, not $want: $(cat "$scratch/said")"
	grep -q "$words" "$scratch/said" || wrong "$* says '$(cat "$scratch/said")', not '$words'"
}

# execution,threads,accesses,bytes,bytes_per_access,percent,kept,region,place
listed() {
	"$memsearch" list traces --format csv "$scratch/one.ms" > "$scratch/list" || wrong "status $?"
	awk -F, 'NR > 1 && $9 == "all regions" { if ($2 != 2 || $3 < 1000 || $5 <= 0 || $5 > 1 || $7 != "whole") print "not so: " $0; all[$1] = $3; any = 1 }
		NR > 1 && $9 != "all regions" { sum[$1] += $3 }
		END { if (!any) print "no execution"
			for (i in all) if (sum[i] != all[i]) print "execution " i ": regions have " sum[i] " accesses of " all[i] }' "$scratch/list" > "$scratch/odd"
	[ -s "$scratch/odd" ] && wrong "$(cat "$scratch/odd")"
	"$memsearch" list traces "$scratch/one.ms" | grep -q 'all regions' || wrong "no text"
	head -c $(($(wc -c < "$scratch/one.ms") / 2)) "$scratch/one.ms" > "$scratch/half.ms"
	"$memsearch" list traces "$scratch/half.ms" > /dev/null 2> "$scratch/said" || [ $? = 3 ] || wrong "cut: $(cat "$scratch/said")"
}

"$CC" -O2 -g -fopenmp "$programs/simulated.c" -o "$scratch/program" > "$scratch/log" 2>&1 || { wrong "$(cat "$scratch/log")"; check kept_traces__compiles; exit 0; }
"$scratch/program" $steps > "$scratch/plain"
record one.ms
listed
check kept_traces__listed
