#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# A variable of some bytes that threads write in turn is named, and no other is.
# Runs beside others.
. "$(dirname "$0")/lib.sh"
source=$root/tests/live/programs/shared_counter.c

"$memsearch" list sensors | grep -q '^accesses  *yes' || { echo "reason: no accesses can be recorded here"; echo "skip scalars"; exit 0; }
cd "$scratch" || exit 1

record() {     # WAY
	"$memsearch" run --quiet --overhead 1000% -o it.ms -- ./program "$1" > out 2> said || wrong "status $?: $(cat said)"
	"$memsearch" report it.ms 2> errors | tr -s ' \n' ' ' > report
}

first_is() {   # WAY TEXT
	record "$1"
	grep -q " 1 $2 shared_counter.c:[0-9]* [^|]*threads write the same data" report || wrong "$1: $(cat report)"
}

nothing() {
	record private
	! grep -q 'threads write the same data\|false sharing' report || wrong "private: $(cat report)"
	"$memsearch" arrays --format csv it.ms > arrays 2> errors
	# the private ones are added to it once a step
	awk -F , '
		NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
		$at["array"] == "sum" && $at["reads"] + $at["writes"] > 1000 { exit 1 }' arrays || wrong "a private variable is a data structure: $(cat arrays)"
}

for compiler in clang-19 gcc-12; do
	have $compiler || { echo "reason: no $compiler"; echo "skip scalars $compiler"; continue; }
	$compiler -O2 -g -fopenmp -o program "$source" || wrong "does not compile"
	again first_is shared hits
	check "scalars__shared $compiler"
	again first_is local local
	check "scalars__local $compiler"
	again nothing
	check "scalars__private $compiler"
done
