#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# A construct that two calls lead to, with arrays of their own: the report says which call has which. With the same arrays it does not. Frames
# of varying size, and stacks of the program's own, change neither the result nor the answer.
# Runs beside others.
. "$(dirname "$0")/lib.sh"

source=$root/tests/live/programs/calls.c
"$memsearch" list sensors | grep -q "^accesses  *yes" || { echo "reason: no accesses can be recorded here"; echo "skip calls"; exit 0; }

# VARIANT COMPILER
measure() {
	# shellcheck disable=SC2086
	$2 -O2 -g -fopenmp ${1:+-D$1} -o "$scratch/program" "$source" 2> "$scratch/errors" || wrong "does not build: $(cat "$scratch/errors")"
	"$scratch/program" > "$scratch/alone"
	timeout -k 1 100 "$memsearch" run --quiet --overhead 100% -o "$scratch/calls.ms" -- "$scratch/program" > "$scratch/out" 2> "$scratch/errors" ||
		wrong "status $?: $(cat "$scratch/errors")"
	cmp -s "$scratch/alone" "$scratch/out" || wrong "the program prints something else"
	"$memsearch" arrays "$scratch/calls.ms" > "$scratch/arrays" 2> "$scratch/errors" || wrong "arrays: status $?"
}
used() {       # ARRAY: where, as one line
	awk -v array="$1" '/^[^ ]/ { on = $1 == array } on' "$scratch/arrays" | tr -s ' \n' ' ' | sed 's/.* used \([0-9].*\) used by.*/\1/'
}
expect_call() { # ARRAY LINE
	case $(used "$1") in
	*"when called by "*"(calls.c:$(line_of "$source" "$2"))"*) ;;
	*) wrong "$variant: $1 is used '$(used "$1")'" ;;
	esac
}
expect_none() {
	! grep -q "when called" "$scratch/arrays" || wrong "$variant: $(grep "when called" "$scratch/arrays")"
}

judge() {      # VARIANT COMPILER
	variant=$1
	measure "$1" "$2"
	case $1 in
	SAME) expect_none ;;
	WRAPPED | VARYING)
		expect_call u "wrapped first"
		expect_call x "wrapped second"
		;;
	COROUTINE) expect_none ;;
	*)
		expect_call u "own first"
		expect_call v "own first"
		expect_call w "own second"
		"$memsearch" report --json "$scratch/calls.ms" > "$scratch/json"
		grep -q '"calls": ".* when called by steps (calls.c:' "$scratch/json" || wrong "no calls in JSON: $(grep '"calls"' "$scratch/json")"
		;;
	esac
}

for compiler in $CC gcc-12; do
	have "$compiler" || continue
	case $compiler in gcc*) others= ;; *) others="SAME VARYING" ;; esac
	for variant in "" $(sample "$others" "SAME WRAPPED VARYING COROUTINE"); do
		again judge "$variant" "$compiler"
		check "calls__$compiler${variant:+_$variant}"
	done
done
again judge COROUTINE "$CC"
check calls__on_a_stack_of_the_programs
