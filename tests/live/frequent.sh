#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Constructs whose events take most of the time are dropped, the report says which, and the search finds what is behind them:
# here the imbalance of another region.
. "$(dirname "$0")/lib.sh"
have "$CC" || { echo "reason: no $CC"; echo "skip frequent"; exit 0; }
source=$root/tests/live/programs/frequent.c
"$CC" -O2 -g -fopenmp -fopenmp-version=51 -o "$scratch/frequent" "$source" || { wrong "does not compile"; check frequent; exit 0; }
"$scratch/frequent" > "$scratch/plain"
cd "$scratch" || exit 1

goes_on() {
	"$memsearch" run -q --quick -o it.ms -- ./frequent > out 2> said || wrong "status $?: $(cat said)"
	cmp -s plain out || wrong "another result: $(cat plain out)"
	"$memsearch" report -v it.ms 2> errors | tr -s ' \n' ' ' > report
	grep -q "constructs inside of the parallel region in often (frequent.c:$(line_of "$source" often)): their events cost too much" report ||
		wrong "nothing dropped: $(cat report)"
	grep -q 'CpusTaken' report || # then waits prove nothing
		grep -qE "(Imbalance[A-Za-z]*|UnevenWork[A-Za-z]*|SlowThreads)\) where [a-z ]*in uneven \(frequent.c:$(line_of "$source" uneven)\)" report || wrong "no imbalance: $(cat report)"
}

again goes_on
check frequent
