#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The examples of docs/gallery.md: the first cause of each report has a line marked "hot", the array and the remedy.
live=$(dirname "$0")
. "$live/lib.sh"

"$memsearch" list sensors | grep -q '^accesses  *yes' || { echo "reason: no accesses can be recorded here"; echo "skip gallery"; exit 0; }

hot_lines() { grep -n '[*/!] hot' "$1" | cut -d: -f1; }

# A report's first cause, flattened, without its number.
first_cause() { # PROGRAM
	"$memsearch" run --quiet --no-calibrate --output "$scratch/run.ms" -- "$1" > /dev/null 2> "$scratch/err"
	"$memsearch" report --json "$scratch/run.ms" 2> /dev/null | awk -f tests/workloads/flatten.awk |
		sed -n 's/^causes\/0\///p' > "$scratch/cause"
}

is_hot() {     # SOURCE: the cause's line or the region's
	for line in $(sed -n 's/^\(hot\|region\)\/line\t//p' "$scratch/cause"); do
		hot_lines "$1" | grep -qx "$line" && return
	done
	return 1
}

explained() {  # SOURCE ARRAY REMEDY
	first_cause "$scratch/example"
	is_hot "$1" || wrong "$1: the first cause is not in a hot line"
	[ "$2" = - ] || grep -q "^data_structures/[0-9]*	$2\$" "$scratch/cause" || wrong "$1: the first cause is not about $2"
	grep '^\(advice\|also\|kind\)	' "$scratch/cause" | grep -q "$3" || wrong "$1: the remedy does not contain '$3'"
	[ -z "$bad" ] || wrong "$(cat "$scratch/err" "$scratch/cause")"
}

# Others are like programs of other tests.
tried=" $(sample "strided.f90 false_sharing.c load_imbalance.c" "strided.f90 false_sharing.c load_imbalance.c transposed.c small_tasks.c") "
while read -r source array remedy; do
	case $tried in *" $source "*) ;; *) continue ;; esac
	case $source in
	*.c) compiler=$CC ;;
	*) compiler=gfortran ;;
	esac
	if $compiler -O2 -g -fopenmp -o "$scratch/example" "examples/$source"; then
		again explained "examples/$source" "$array" "$remedy" < /dev/null
		# Times on a busy machine may need more tries.
		[ -z "$bad" ] || again explained "examples/$source" "$array" "$remedy" < /dev/null
	else
		wrong "cannot compile examples/$source"
	fi
	check "gallery_${source%.*}"
done << 'END'
transposed.c pressure interchange the loops
strided.f90 rho interchange the loops
false_sharing.c count pad and align
load_imbalance.c - schedule(dynamic)
small_tasks.c - taskloop grainsize
END

# The array that one thread touched first: its lines come from the other node.
first_touch() {
	"$memsearch" run --quiet --no-calibrate --quick --output "$scratch/run.ms" -- "$scratch/example" > /dev/null 2> "$scratch/err"
	"$memsearch" arrays --machine epyc-2s --places spread "$scratch/run.ms" > "$scratch/arrays" 2>> "$scratch/err"
	awk '/^a / { on = 1 } on && /first touch.*thread 0/ { touched = 1 } on && /misses/ { misses = 1 }
		on && misses && match($0, /[0-9.]+ % of lines from other nodes/) { remote = substr($0, RSTART) + 0 }
		/^b / { exit } END { exit !(touched && remote >= 40 && remote <= 60) }' "$scratch/arrays" ||
		wrong "half of the lines of a should come from the other node: $(cat "$scratch/err" "$scratch/arrays")"
}
$CC -O2 -g -fopenmp -o "$scratch/example" examples/first_touch.c || wrong "cannot compile examples/first_touch.c"
[ -n "$bad" ] || again first_touch
check gallery_first_touch
