#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Precision and recall of the search, by property and by strategy: runs each program of tests/workloads under `memsearch run` and compares the findings
# with those that its source states (tests/workloads/workload.h). accuracy.awk has the definitions.
#     BUILD=build COMPILERS="clang gfortran" LEVELS=O2 STRATEGIES=property_refine bench/accuracy.sh [PATTERN]
# PATTERN: a shell pattern of NAME.COMPILER.LEVEL. COMPILERS: of clang gcc gfortran flang; LEVELS: of O2 O3. STRATEGIES: names, or all.
# A run counts whatever it yields, unless other programs used more than BUSY (10) percent of the CPUs: then it is repeated, ATTEMPTS (4) times at
# most, and undecided if all runs were disturbed. BUSY=100: all runs count.
# Some 2 s for each program, strategy and compiler. Exit status 1: a target is missed (precision 0.95, recall 0.9), something is found in a program
# without a problem, or a program's output or status changes.
cd "$(dirname "$0")/.." || exit 2
compilers=${COMPILERS:-clang gfortran} levels=${LEVELS:-O2} strategies=${STRATEGIES:-property_refine} attempts=${ATTEMPTS:-4}
set -- "${1:-*.*}"
. tests/live/workloads_lib.sh
[ "$strategies" != all ] || strategies=$("$memsearch" list strategies | sed -n '1d; s/^\([a-z][a-z_]*\)  .*/\1/p')
[ -t 2 ] && progress=1 || progress=
counted=$(mktemp) && said=$(mktemp) || exit 2
trap 'rm -f "$counted" "$said"' EXIT

note() {       # STRATEGY CASE KIND TEXT
	printf '%s\t%s\t%s\t%s\n' "$@" >> "$counted"
}

count() {      # STRATEGY CASE NAME SOURCE: one that counts, or none
	for try in $(seq "$attempts"); do
		others_begin
		measure "$3" "$4" "$work/$2" --strategy "$1" > "$said"
		status=$?
		others_end
		[ $status = 0 ] || { note "$1" "$2" broken "$(head -n 1 "$said")"; return; }
		if disturbed; then
			[ "$try" -ge "$attempts" ] || sleep $((try < 16 ? try : 16))
			continue
		fi
		awk -v count=1 -f "$sources/check.awk" "$4" "$work/flat" | while IFS='	' read -r kind text; do
			note "$1" "$2" "$kind" "$text"
		done
		return
	done
	note "$1" "$2" undecided "(others used $others % of the CPUs)"
}

accuracy() {   # CASE NAME SOURCE COMPILER FLAGS
	case " $compilers " in *" $4 "*) ;; *) return ;; esac
	case " $levels " in *" ${1##*.} "*) ;; *) return ;; esac
	prepare "$@" || { note - "$1" broken "does not run"; return; }
	for strategy_ in $strategies; do
		[ -z "$progress" ] || printf '\r%-70s' "$1 $strategy_" >&2
		count "$strategy_" "$1" "$2" "$3"
	done
}

each_workload accuracy
[ -z "$progress" ] || printf '\r%-70s\r' "" >&2
awk -f bench/accuracy.awk "$counted"
