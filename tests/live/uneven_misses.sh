#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Without counters, and with more threads than CPUs, the search after the run proves that some threads miss the modelled machine's caches more than
# others, and how much more with 8 threads than with 4. Of a loop whose threads miss alike it proves none.
# Runs beside others.
. "$(dirname "$0")/lib.sh"
source=$root/tests/live/programs/uneven_misses.c

"$memsearch" list sensors | grep -q '^accesses  *yes' || { echo "reason: no accesses can be recorded here"; echo "skip uneven_misses"; exit 0; }
cd "$scratch" || exit 1

sweep() {      # OPTIONS…: "RUN PROPERTY KIND LINE RATE" of what is found of the machine
	"$CC" -O1 -g -fopenmp "$@" -o program "$source" 2> errors || wrong "does not build: $(cat errors)"
	rm -f it.db
	timeout -k 1 200 "$memsearch" sweep --no-calibrate --counters none --overhead 1000% --threads 4,8,16 --repeat 1 --machine altix-bx2 -o it.db -- ./program > table 2> said ||
		wrong "sweep: $(cat said)"
	"$memsearch" report --json it.db 2> errors | awk -f "$root/tests/workloads/flatten.awk" > flat
	list_rows flat modelled run property region/kind region/line evidence/rate > found
}

rate_is() {    # RUN PROPERTY LOW HIGH
	awk -F '\t' -v run="$1" -v property="$2" -v line="$(line_of "$source" uneven)" -v low="$3" -v high="$4" '
		$1 == run && $2 == property && $3 == "DO_REGION" && $4 == line && $5 > low && $5 < high { met = 1 }
		END { exit !met }' found || wrong "run $1: $2 not $3 to $4: $(cat found)"
}

# By hand: with 4 threads the first misses all of its 26 MB, the second 14 MB, the others have less than the 9 MiB of a cache; with 8 the first two have 15 and 11 MB.
# With 16 no one has as much, but more than the 256 KiB of the second level: 18 % of all lines are the first one's.
uneven() {
	sweep
	rate_is 1 UnbalancedL3DataMissRate 0.9 1.1
	rate_is 2 UnbalancedL3DataMissRate 2.8 3.4
	rate_is 3 UnbalancedL2DataMissRate 1.6 2.1
	"$memsearch" diff --by property it.db@threads=4 it.db@threads=8 > diff 2>&1
	grep -q '(UnbalancedL3DataMissRate)$' diff && grep -q 'rate: 4 threads [01]\.[0-9]* (.*), 8 threads 3\.' diff || wrong "not in memsearch diff: $(cat diff)"
}

even() {
	sweep -DEVEN
	grep 'L3DataMissRateInSomeThread\|LocalDramAccesses\|RemoteDramAccesses' found > misses || wrong "no misses found: $(cat found said)"
	! grep Unbalanced found || wrong "some threads miss more: $(cat found)"
}

again uneven
check uneven_misses__unbalanced_is_proven
again even
check uneven_misses__balanced_is_not
