#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# swim in C and Fortran: the accesses of all three loops of its time step are recorded, nothing is refused, and it prints what it
# prints without the tool; its phase is seen to its end, whatever recording took. ALL=1: by four compilers at three levels (bench/swim_recorded.sh).
# Runs beside others.
. "$(dirname "$0")/lib.sh"

"$memsearch" list sensors | grep -q '^accesses  *yes' || { echo "reason: no accesses can be recorded here"; echo "skip swim_recorded"; exit 0; }
export MEMSEARCH_OVERHEAD=1000%
ulimit -s unlimited                  # gfortran -O0 puts arrays on stacks
export OMP_STACKSIZE=200M

recorded() {   # into $bad what is wrong
	rm -f "$scratch/it.ms"
	timeout -k 1 120 "$memsearch" run --quiet -o "$scratch/it.ms" -- "$scratch/swim" 120 ${steps:-2000} > "$scratch/out" 2> "$scratch/errors"
	cmp -s "$scratch/plain" "$scratch/out" || wrong "prints $(cat "$scratch/out" "$scratch/errors")"
	"$memsearch" arrays --json "$scratch/it.ms" 2>&1 | awk -f tests/workloads/flatten.awk > "$scratch/arrays"
	"$memsearch" report --json "$scratch/it.ms" 2>&1 | awk -f tests/workloads/flatten.awk > "$scratch/report"
	for loop in calc1 calc2 calc3; do
		awk -F '\t' -v loop=$loop '$1 ~ /\/accesses\/[0-9]+\/function$/ { at = tolower($2) ~ loop }
			at && $1 ~ /\/accesses\/[0-9]+\/(reads|writes)$/ { nr += $2 } END { exit nr < 10000 }' "$scratch/arrays" ||
			wrong "$loop is not recorded: $(cut -f1,2 "$scratch/arrays" | grep function | sort -u -k2 | head -n 8)"
	done
	executions=$(awk -F '\t' '$1 == "runs/0/phases/executions" { print $2 }' "$scratch/report")
	[ "${executions:-0}" -ge $((${steps:-2000} / 2)) ] || wrong "only ${executions:-0} executions of the phase were seen"
	awk -F '\t' '$1 ~ /\/accesses\/[0-9]+\/array$/ { array = $2 }
		$1 ~ /\/accesses\/[0-9]+\/executions$/ { executions = $2 }
		$1 ~ /\/accesses\/[0-9]+\/reads$/ { lines[array] += $2 * executions }
		$1 ~ /\/arrays\/[0-9]+\/name$/ { name = $2 }
		$1 ~ /\/arrays\/[0-9]+\/use\/reads$/ { all[name] += $2; used++ }
		END { for (name in all) if (all[name] > 1.001 * lines[name] || all[name] < 0.999 * lines[name]) exit 1; exit used < 10 }' "$scratch/arrays" ||
		wrong "arrays are not read as often as their lines read them: $(grep -E '/(arrays/[0-9]+/(name|use/reads)|accesses/[0-9]+/reads)' "$scratch/arrays")"
	refused=$(grep -E 'could not be copied' "$scratch/report" "$scratch/arrays")
	[ -z "$refused" ] || wrong "refused: $refused"
}

swim() {       # COMPILER SOURCE OPTIONS…
	have "$1" || return
	compiler=$1 source=bench/swim/$2
	shift 2
	"$compiler" "$@" -g -fopenmp "$source" -o "$scratch/swim" -lm > "$scratch/log" 2>&1 || wrong "$(cat "$scratch/log")"
	timeout -k 1 60 "$scratch/swim" 120 ${steps:-2000} > "$scratch/plain"
	[ -s "$scratch/plain" ] || wrong "prints nothing"
	[ -n "$bad" ] || again recorded
	check "swim_recorded__$(echo "$compiler $*" | tr ' ' '_')"
}

if [ -n "${ALL:-}" ]; then
	for level in -O0 -O2 "-O3 -march=native"; do
		steps=2000
		[ "$level" != -O0 ] || steps=6000
		# shellcheck disable=SC2086
		for compiler in gcc-12 clang-19; do swim $compiler swim.c $level; done
		# shellcheck disable=SC2086
		for compiler in gfortran flang-new-19; do swim $compiler swim.f $level; done
	done
else
	swim clang-19 swim.c -O3 -march=native
	swim gfortran swim.f -O2
fi
