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

# One thread, a machine of one cache: another simulator that reads the trace has as many misses, up to where the stack begins in its page.
other_simulator() {
	OMP_NUM_THREADS=1 record single.ms
	last=$("$memsearch" list traces --format csv "$scratch/single.ms" | awk -F, '$9 == "all regions" { n = $1 } END { print n }')
	(for time in 1 2; do
		for execution in $(seq "$last"); do
			[ "$time$execution" != "2$last" ] || echo count
			"$memsearch" trace --format lackey --execution "$execution" "$scratch/single.ms"
		done
	done) | "$scratch/one_cache" 4096 4 64 > "$scratch/witness"
	"$memsearch" arrays --machine "$programs/one_level.machine" --by region --format csv "$scratch/single.ms" |
		awk -F, '$3 ~ /^loop/ { reads += $11 + $12; misses += $13 } END { print reads, misses }' > "$scratch/simulated"
	paste -d ' ' "$scratch/witness" "$scratch/simulated" | awk '
		{ if ($2 < 100000 || $3 < 100000 || ($1 - $3) ^ 2 > ($3 / 1000) ^ 2 || ($2 - $4) ^ 2 > ($4 / 1000) ^ 2) print "accesses and misses of the witness and of memsearch: " $0 }' > "$scratch/odd"
	[ -s "$scratch/odd" ] && wrong "$(cat "$scratch/odd")"
}

# Of one execution: as text all take long.
count() { "$memsearch" trace --execution 2 "$@" "$scratch/one.ms" | wc -l; }

parts() {
	[ "$("$memsearch" trace "$scratch/one.ms" | wc -l)" -gt "$(count)" ] || wrong "one execution has all accesses"
	all=$(count)
	[ "$all" -gt 1000 ] || wrong "$all accesses"
	[ $(($(count --thread 0) + $(count --thread 1))) = "$all" ] || wrong "threads have others"
	[ "$(count --thread 2)" = 0 ] || wrong "thread 2 has some"
	large=$(count --array large)
	[ "$large" -gt 1000 ] && [ "$large" -lt "$all" ] || wrong "$large accesses to large"
	[ "$(count --array large --region 'in twice')" = "$large" ] || wrong "large is read elsewhere"
	[ "$(count --region 0)" -ge "$large" ] || wrong "the phase has fewer"
	[ "$(count --format din)" -ge "$all" ] || wrong "din has fewer"
	"$memsearch" trace --format din "$scratch/one.ms" | head -n 1000 | grep -qv '^[01] [0-9a-f]*$' && wrong "that is not din"
	"$memsearch" trace --format lackey "$scratch/one.ms" | head -n 1000 | grep -qv '^ [LSM] [0-9a-f]*,[0-9]*$' && wrong "that is not lackey"
	says 2 "did you mean 'large'" trace --array lagre "$scratch/one.ms"
	says 2 "no region is" trace --region nowhere "$scratch/one.ms"
	says 2 "there is no 99" trace --execution 99 "$scratch/one.ms"
}

closed() {
	("$memsearch" trace "$scratch/one.ms" 2> "$scratch/said"; echo $? > "$scratch/status") | head -n 1 > "$scratch/line"
	[ "$(cat "$scratch/status")" = 0 ] && [ ! -s "$scratch/said" ] || wrong "status $(cat "$scratch/status"), $(cat "$scratch/said")"
	[ -w /dev/full ] || return
	"$memsearch" trace "$scratch/one.ms" > /dev/full 2> "$scratch/said"
	[ $? = 3 ] && grep -q "cannot write" "$scratch/said" || wrong "a full disk: $(cat "$scratch/said")"
}

"$CC" -O2 "$programs/one_cache.c" -o "$scratch/one_cache" || wrong "one_cache.c"
other_simulator
check kept_traces__another_simulator_has_the_same_misses
parts
check kept_traces__by_region_array_and_thread
closed
check kept_traces__a_closed_pipe_is_no_mistake
