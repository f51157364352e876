#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Ranges of arrays counted and simulated apart: an array whose halves are accessed differently, and what is no range.
# Runs beside others.
. "$(dirname "$0")/lib.sh"

"$memsearch" list sensors | grep -q '^accesses  *yes' || { echo "reason: no accesses can be recorded here"; echo "skip ranges"; exit 0; }
machine=$root/tests/live/programs/small.machine
$CC -O1 -g -fopenmp -o "$scratch/program" "$root/tests/live/programs/halves.c" 2> "$scratch/errors" || wrong "does not build: $(cat "$scratch/errors")"
timeout -k 1 100 "$memsearch" run --quick --quiet --overhead 1000% -o "$scratch/it.ms" -- "$scratch/program" > "$scratch/out" 2> "$scratch/errors" || wrong "exit $?: $(cat "$scratch/errors")"

# OPTIONS…: "ARRAY/value<TAB>number" of what arrays are used for and miss, into $scratch/values; "/value" is the sum of all.
arrays() {
	"$memsearch" arrays --machine "$machine" --json "$@" "$scratch/it.ms" > "$scratch/page" 2> "$scratch/errors" || wrong "$*: status $?: $(cat "$scratch/errors")"
	awk -f tests/workloads/flatten.awk "$scratch/page" | awk -F '\t' '
		$1 ~ /\/arrays\/[0-9]+\/name$/ { name = $2 }
		$1 ~ /\/arrays\/[0-9]+\/(simulated\/[a-z0-9_]+|range_of|use\/strides\/0\/stride)$/ { sub(/.*\//, "", $1); print name "/" $1 "\t" $2; sum["/" $1] += $2 }
		END { for (one in sum) printf "%s\t%.10g\n", one, sum[one] }' > "$scratch/values"
}
value() {      # ARRAY EXPRESSION
	awk -F '\t' -v array="$1" '{ at = match($1, /\/[^\/]*$/); if (substr($1, 1, at - 1) == array) { v[substr($1, at + 1)] = $2; nr++ } } END { if (nr) printf "%.10g", ('"$2"') }' "$scratch/values"
}
within() {     # ARRAY WHAT EXPRESSION LEAST MOST
	awk -v x="$(value "$1" "$3")" -v least="$4" -v most="$5" 'BEGIN { exit !(x != "" && x >= least && x <= most) }' ||
		wrong "$1: $2 is '$(value "$1" "$3")', not $4 to $5"
}
totals() {
	for what in accesses l1_misses l2_misses l3_misses capacity conflict cycles page_walks used_bytes; do
		printf '%s ' "$(value "" "v[\"$what\"]")"
	done
}

# By rows 8 values lie in a line, by columns one; memcpy reads each half once.
arrays
within halves "accesses" 'v["accesses"]' 500000 560000
whole=$(totals)
arrays --range 'halves[0:255]'
[ "$(totals)" = "$whole" ] || wrong "all arrays have $(totals)instead of $whole"
within 'halves[0:255]' "accesses" 'v["accesses"]' 256000 270000
within 'halves[0:255]' "misses" 'v["l1_misses"] / v["accesses"]' 0.12 0.13
within 'halves[0:255]' "conflicts" 'v["conflict"]' 0 0
within 'halves[0:255]' "bytes used of those fetched" 'v["used_bytes"] / v["fetched_bytes"]' 0.99 1
within 'halves[0:255]' "stride" 'v["stride"]' 8 8
within halves "misses" 'v["l1_misses"] / v["accesses"]' 0.5 0.65
within halves "conflicts" 'v["conflict"]' 100000 140000
within halves "stride" 'v["stride"]' 4096 4096
arrays --range 'halves[256:511]' --range 'halves[0:0]' --range 'copied[0]'
[ "$(totals)" = "$whole" ] || wrong "with three ranges all arrays have $(totals)instead of $whole"
within 'halves[256:511]' "conflicts" 'v["conflict"]' 100000 140000
within 'halves[0:0]' "accesses" 'v["accesses"]' 1024 1100
within 'copied[0]' "writes" 'v["writes"]' 512 520
within halves "conflicts" 'v["conflict"]' 0 0
grep -q "^halves\[0:0\]/range_of	halves$" "$scratch/values" || wrong "it is not said whose range halves[0:0] is"
check ranges__halves_miss_differently

"$memsearch" arrays --machine "$machine" --jobs 3 --json --range 'halves[256:511],halves[0:0],copied[0]' "$scratch/it.ms" | cmp -s - "$scratch/page" || wrong "as a list, with three jobs: not the same"
check ranges__as_a_list

"$memsearch" report --machine "$machine" --range 'halves[256:511]' "$scratch/it.ms" > "$scratch/text" 2>&1
grep -q '^  *[0-9]  *halves\[256:511\]  *halves.c:34 ' "$scratch/text" || wrong "no finding about the range: $(cat "$scratch/text")"
grep -q '^  *[0-9]  *halves  *halves.c:34 ' "$scratch/text" && wrong "a finding about the rest: $(cat "$scratch/text")"
"$memsearch" arrays --machine "$machine" --range 'halves[256:511]' "$scratch/it.ms" | tr -s ' \n' ' ' > "$scratch/text"
grep -q 'range of halves used ' "$scratch/text" && grep -q 'used without halves\[256:511\]' "$scratch/text" || wrong "it is not said what counts where: $(cat "$scratch/text")"
check ranges__told

# RANGE MESSAGE: refused with status 2.
refused() {
	"$memsearch" arrays --machine "$machine" --range "$1" "$scratch/it.ms" > "$scratch/page" 2> "$scratch/errors"
	status=$?
	[ $status = 2 ] && [ ! -s "$scratch/page" ] && grep -q -e "^memsearch: $2" "$scratch/errors" || wrong "$1: status $status: $(cat "$scratch/errors")"
}
refused 'halvse[0:1]' "unknown array 'halvse'; did you mean 'halves'"
refused 'halves[0:512]' "--range 'halves\[0:512\]' is not in the array, whose indices are 0 to 511"
refused 'halves(0:1)' "--range 'halves(0:1)' is not a range of halves, which is double \[512\]\[512\]: write halves\[a:b\]"
refused 'halves[0:10][5]' "--range 'halves\[0:10\]\[5\]': no array is called 'halves\[0:10\]'"
refused 'halves[0:10],halves[10:11]' "--range 'halves\[10:11\]' overlaps halves\[0:10\]"
refused 'blocks[block][0:3]' "--range 'blocks\[block\]\[0:3\]' is of an array whose elements are of unknown size"
refused 'halves' "--range: 'halves' is not as ARRAY"
"$memsearch" import -o "$scratch/it.db" "$scratch/it.ms" > /dev/null
"$memsearch" arrays --range 'halves[0:1]' "$scratch/it.db" > "$scratch/page" 2> "$scratch/errors"
[ $? = 3 ] && grep -q 'is a store: only records keep accesses' "$scratch/errors" || wrong "from a store: $(cat "$scratch/errors")"
check ranges__refused

# A strategy of a plug-in that asks for halves: unknown in the program, measured in the search after it.
mkdir -p "$scratch/installed/bin" "$scratch/installed/share" "$scratch/installed/lib/memsearch/strategies"
cp "$memsearch" "$scratch/installed/bin/" && cp "$tool" "$producer" "$scratch/installed/lib/" && cp "$BUILD/lib/memsearch/memsearch-core.so" "$scratch/installed/lib/memsearch/" &&
	ln -s "$BUILD/share/memsearch" "$scratch/installed/share/memsearch" || wrong "no installation of its own"
$CC -shared -fPIC -O1 -fvisibility=hidden -I"$root" -I"$root/include" -o "$scratch/installed/lib/memsearch/strategies/halves_asked.so" \
	"$root/tests/live/programs/halves_asked.c" "$root/analysis/search/bricks.c" 2> "$scratch/errors" || wrong "the strategy does not build: $(cat "$scratch/errors")"
# On a busy machine no execution of the phase may be recorded in time, and there are no data structures to ask about.
for _ in 1 2 3; do
	rm -f "$scratch/asked.ms"
	MEMSEARCH_DEBUG=1 timeout -k 1 100 "$scratch/installed/bin/memsearch" run --quick --strategy halves_asked --overhead 1000% -o "$scratch/asked.ms" -- "$scratch/program" > "$scratch/out" 2> "$scratch/log" ||
		wrong "exit $?: $(cat "$scratch/log")"
	grep -q 'halves in region' "$scratch/log" && break
done
grep 'halves in region' "$scratch/log" > "$scratch/halves"
grep -q 'reads: it is not known of a range of addresses' "$scratch/halves" && ! grep -q 'misses of' "$scratch/halves" || wrong "in the program: $(cat "$scratch/log")"
check ranges__of_a_strategy_in_the_program
MEMSEARCH_DEBUG=1 "$scratch/installed/bin/memsearch" report --machine "$machine" "$scratch/asked.ms" > "$scratch/text" 2> "$scratch/log" || wrong "exit $?: $(cat "$scratch/log")"
sed -n 's/.*halves in region/halves in region/p' "$scratch/log" > "$scratch/halves"
# Of 131072 values by rows each eighth misses, by columns each; memcpy reads both halves, and writes the copy's.
awk '{ low = $6; low_of = $9; high = $12; high_of = $15; reads = $18; all = $21 }
	/misses of/ && low_of + high_of != all { wrong = 1 } /misses of/ && reads < 0.999 * low_of { wrong = 1 }
	low_of > 130000 && !high_of && low / low_of > 0.12 && low / low_of < 0.13 && !high { rows = 1 }
	!low_of && !low && high_of > 130000 && high == high_of { columns = 1 }
	low_of > 130000 && high_of > 130000 { both = 1 }
	END { exit !(rows && columns && both && !wrong) }' "$scratch/halves" || wrong "after the run: $(cat "$scratch/halves")"
check ranges__of_a_strategy_after_the_run
