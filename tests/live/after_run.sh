#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Without `memsearch run` the tool starts the analysis of its record when the program ends; the program notices nothing.
# Runs beside others.
. "$(dirname "$0")/lib.sh"

program=$scratch/column_sum
# Its lines end as on Windows: reports do not show that.
sed 's/$/\r/' "$root/tests/live/programs/column_sum.c" > "$scratch/column_sum.c"
$CC -O2 -g -fopenmp -o "$program" "$scratch/column_sum.c" 2> "$scratch/errors" || wrong "does not build: $(cat "$scratch/errors")"
line=$(line_of "$root/tests/live/programs/column_sum.c" sum)
"$program" 300 > "$scratch/alone"

# WHAT VARIABLE=VALUE…
bare() {
	what=$1
	shift
	rm -f "$scratch/it.ms"
	(cd "$scratch" && env "$@" MEMSEARCH_OVERHEAD=100% MEMSEARCH_OUTPUT=it.ms OMP_TOOL_LIBRARIES="$tool" "$program" 300 $what > out 2> err)
	status=$?
	[ $status = 5 ] || wrong "$what: status $status"
	cmp -s "$scratch/alone" "$scratch/out" || wrong "$what: prints $(cat "$scratch/out"), alone $(cat "$scratch/alone")"
}

analysed() {
	bare handler A=B
	joined "$scratch/err" | grep -q "matrix column_sum.c:$line [^|]*strided access \[recorded, simulated on this machine\]" || wrong "not analysed: $(cat "$scratch/err")"
	grep '^  >  | ' "$scratch/err" > "$scratch/hot" || wrong "no source line: $(cat "$scratch/err")"
	grep -q '[^;}]$' "$scratch/hot" && grep -v '\*/$' "$scratch/hot" && wrong "it ends in something else: $(cat "$scratch/hot")"
	[ "$(grep -c 'is the record' "$scratch/err")" = 1 ] || wrong "printed more than once: $(cat "$scratch/err")"
}
again analysed; check after_run__the_record_is_analysed

not_analysed() {
	bare "$@"
	grep -q '^memsearch: .*   2 threads' "$scratch/err" || wrong "nothing is printed: $(cat "$scratch/err")"
	grep -q 'simulated on this machine' "$scratch/err" && wrong "it was analysed"
}
not_analysed plain MEMSEARCH_QUICK=1; check after_run__quick
not_analysed timer A=B; check after_run__not_beside_a_timer

rm -f "$scratch/err"
bare plain MEMSEARCH_QUIET=1
[ ! -s "$scratch/err" ] || wrong "not quiet: $(cat "$scratch/err")"
check after_run__quiet
