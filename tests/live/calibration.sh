#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# A program's record carries what memory delivers, as it was kept; nobody is made to wait for it where nothing needs it.
. "$(dirname "$0")/lib.sh"

cat > "$scratch/loop.c" <<'EOP'
#include <stdlib.h>
int main(void)
{
	double *a = calloc(100000, sizeof(*a)), sum = 0;
	for (int i = 0; i < 200; i++) {
#pragma omp parallel for reduction(+ : sum)
		for (int j = 0; j < 100000; j++)
			sum += a[j] + i;
	}
	return sum < 0;
}
EOP
cd "$scratch" || exit 1
$CC -O2 -g -fopenmp -o loop loop.c || exit 1
# 4 MB of memory: arrays are small, whatever the caches.
export XDG_CACHE_HOME="$scratch/cache" MEMSEARCH__CALIBRATION_MS=20 MEMSEARCH__CALIBRATION_SPREAD=0.05 MEMSEARCH__CALIBRATION_MEMORY=4000000

attainable() { "$memsearch" report -v "$1" --json | sed -n 's/^ *"attainable": \([0-9.e+]*\).*/\1/p' | head -n 1; }

"$memsearch" run -o without.ms --no-calibrate --quiet -- ./loop || wrong "exit $?"
[ ! -e cache ] || wrong "measured against the user's word"
[ -z "$(attainable without.ms)" ] || wrong "a figure that nobody measured: $(attainable without.ms)"
check calibration__not_against_the_users_word

"$memsearch" run -o first.ms -- ./loop 2> err || wrong "exit $?"
if "$memsearch" doctor --format csv | grep -q '^metric,\(dram_reads\|touched_lines\),works'; then
	grep -q 'measuring what this machine.s memory delivers, once' err || wrong "nothing was said: $(cat err)"
	[ -n "$(attainable first.ms)" ] || wrong "not in the record"
else
	[ ! -e cache ] || wrong "measured where nothing needs it"
	grep -q 'delivers' err && wrong "$(cat err)"
fi
check calibration__only_where_something_needs_it

"$memsearch" doctor --calibrate > /dev/null
kept=$(sed -n 's/^all \([0-9]*\) .*/\1/p' cache/memsearch/bandwidth-*.txt)
OMP_TOOL_LIBRARIES=$tool MEMSEARCH_OUTPUT=bare.ms MEMSEARCH_QUIET=1 ./loop || wrong "exit $?"
[ -n "$kept" ] && [ "$(attainable bare.ms)" = "$kept" ] || wrong "kept $kept, in the record $(attainable bare.ms)"
echo oops > "$(ls cache/memsearch/*)"
OMP_TOOL_LIBRARIES=$tool MEMSEARCH_OUTPUT=damaged.ms MEMSEARCH_QUIET=1 ./loop 2> err || wrong "exit $?"
grep -q "is damaged: .memsearch doctor --calibrate" err || wrong "nothing was said: $(cat err)"
[ -z "$(attainable damaged.ms)" ] || wrong "a damaged figure was taken"
check calibration__what_is_kept_is_in_the_record

# Beside busy loops nothing is kept that would be taken for what memory delivers: reports have a range, and say so. Tries are long enough to see who else has
# the CPUs, which the kernel tells in hundredths of a second.
unset MEMSEARCH__CALIBRATION_SPREAD
MEMSEARCH__CALIBRATION_MS=300
rm -rf cache
loops=
for loop in $(seq $((2 * $(nproc)))); do
	(trap - EXIT; while :; do :; done) &
	loops="$loops $!"
done
"$memsearch" doctor --calibrate > doctor.out 2> err || wrong "exit $?"
kill $loops
ls cache/memsearch/bandwidth-*.txt > /dev/null 2>&1 && wrong "kept: $(cat cache/memsearch/bandwidth-*.txt)"
grep -q 'calibration uncertain, as repetitions differ or other programs run' err || wrong "nothing was said: $(cat err)"
tr -s ' \n' ' ' < doctor.out | grep -q 'calibration uncertain: [0-9.]* [GM]B/s - [0-9.]* [GM]B/s to ' || wrong "doctor: $(grep -A 3 delivers doctor.out)"
OMP_TOOL_LIBRARIES=$tool MEMSEARCH_OUTPUT=busy.ms MEMSEARCH_QUIET=1 ./loop || wrong "exit $?"
"$memsearch" report -v busy.ms | tr -s ' \n' ' ' | grep -q 'calibration uncertain: memory delivers [0-9.]* [GM]B/s - [0-9.]* [GM]B/s' ||
	wrong "kept: $(cat cache/memsearch/*.txt); report: $("$memsearch" report -v busy.ms | grep -A 3 delivers)"
check calibration__beside_busy_loops

# Two at once: the second waits for the first.
export MEMSEARCH__CALIBRATION_MS=300 MEMSEARCH__CALIBRATION_SPREAD=0.05
"$memsearch" doctor --calibrate > /dev/null 2> first.err &
"$memsearch" doctor --calibrate > /dev/null 2> second.err
wait $!
grep -hv 'too little memory is free' first.err second.err && wrong "$(cat first.err second.err)"
[ "$(ls cache/memsearch)" = "$(basename cache/memsearch/bandwidth-*)" ] || wrong "kept: $(ls cache/memsearch)"
check calibration__one_at_a_time
