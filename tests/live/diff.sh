#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Recordings of one program and of versions of it: no difference where there is none, also where lines have moved and functions have other names; and the loop and array where one got worse.
# Runs beside others.
. "$(dirname "$0")/lib.sh"

"$memsearch" list sensors | grep -q '^accesses  *yes' || { echo "reason: no accesses can be recorded here"; echo "skip diff"; exit 0; }
source=$root/tests/live/programs/versions.c
cd "$scratch" || exit 1
export MEMSEARCH_BRIEF=1

build() {      # NAME OPTIONS…: of versions.c in this folder
	name=$1
	shift
	$CC -O1 -g -fopenmp -o "$name" "$@" 2> errors || wrong "$name does not build: $(cat errors)"
}
# Records until a whole step is in it, which under load takes more than one run at times.
record() {     # RECORD PROGRAM
	for attempt in 1 2 3 4 5; do
		timeout -k 1 100 "$memsearch" run --quick --quiet --no-calibrate --same-addresses --overhead 1000% -o "$1" -- "./$2" 2000 > out 2> errors || wrong "$2: exit $?: $(cat errors)"
		"$memsearch" diff --machine xeon-2s "$1" "$1" > itself 2>&1
		grep -q '^L2 misses .*same' itself && return
	done
	wrong "$1: no whole step was recorded: $(cat itself)"
}
compare() {    # STATUS OPTIONS… BASE NEW: what is printed is in "said"
	want=$1
	shift
	"$memsearch" diff --machine xeon-2s "$@" > said 2>&1
	status=$?
	[ "$status" = "$want" ] || wrong "$*: status $status, not $want: $(cat said)"
}
# Nothing is better, worse, new or gone, in any kind of bucket, however small: the rows of recorded and simulated values that are not the same.
nothing() {    # BASE NEW
	for by in region instruction; do         # arrays and lines are sums of instructions
		compare 0 --by $by --all --format csv "$1" "$2"
		different=$(awk -F , '$1 !~ /^(verdict|same|cannot tell)$/' said)
		[ -z "$different" ] || wrong "$1 $2 by $by: $different"
		[ "$(awk -F , '$1 == "same" && /simulated/' said | wc -l)" -ge 20 ] || wrong "$1 $2 by $by: too few are the same: $(cat said)"
		compare 0 --by $by "$1" "$2"
		grep -q '^No difference' said || wrong "$1 $2 by $by: $(cat said)"
		tr -s '\n ' ' ' < said | sed -n 's/.* Findings \(.*\)/\1/p' | grep -o '(\([A-Z][a-z]*\)*[),]' > findings      # what times decide is marked
		grep -v ',$' findings > proven && wrong "$1 $2 by $by: $(cat said)"
	done
	for metric in l1_misses l2_misses stall_cycles bytes accesses; do set -- "$@" --fail-on "$metric:*>+0%"; done
	compare 0 "$@"
}
first() {      # the first line of the list of what got worse
	sed -n '/^Worse/ { n; s/^ *1 *//p; }' said
}

cp "$source" .
build base versions.c
record base.ms base
mkdir -p another/folder && cp base another/folder
VARIABLE=$(printf '%0333d' 0)            # neither a longer environment nor a longer path moves the stack
export VARIABLE
record again.ms another/folder/base
nothing base.ms again.ms
check diff__two_recordings_of_one_binary
env -u MEMSEARCH_BRIEF "$memsearch" diff base.ms again.ms > said 2>&1
sed -n 2p said | grep -q '^In all regions: wall time [0-9.]* [mu]s -> [0-9.]* [mu]s, ratio [0-9.]*; one run on a side' || wrong "no wall time first: $(head -n 5 said)"
check diff__wall_time_first

# Lines move, a function gets another name, one is inlined.
mkdir moved
awk '/^static|^OUTLINE|^int main/ { print "\n/*\n * A comment.\n */\n" } { print }' versions.c | sed 's/\badd_sources\b/apply_sources/g' > moved/versions.c
build moved_program moved/versions.c -DINLINED
record moved.ms moved_program
nothing base.ms moved.ms
nothing moved.ms again.ms
compare 0 --by region --all --format csv base.ms moved.ms       # text names what differs only
grep -q 'apply_sources' said && ! grep -q '^\(new\|gone\),' said || wrong "moved: $(cat said)"
check diff__lines_move_and_functions_get_other_names

# One loop goes through its array by columns; another reads one array more.
build strided versions.c -DSTRIDED
build one_more versions.c -DONE_MORE
record strided.ms strided
record one_more.ms one_more
line=$(line_of versions.c keep)
compare 0 base.ms strided.ms
[ "$(first)" = "history in the loop in keep (versions.c:$line)" ] || wrong "strided: the first is $(first): $(cat said)"
compare 1 --fail-on 'stall_cycles>+5%' base.ms strided.ms
tr -s '\n ' ' ' < said | grep -q "fail stall_cycles>+5%: exceeded: .*; most of it history in the loop in keep (versions.c:$line)" || wrong "strided: $(cat said)"
compare 1 --fail-on 'l1_misses:keep/history>+20%' --fail-on 'l1_misses:diffuse>+0%' base.ms strided.ms
grep -q "fail  l1_misses:keep/history>+20%: exceeded" said && grep -q "fail  l1_misses:diffuse>+0%: kept" said || wrong "strided: $(cat said)"
line=$(line_of versions.c diffuse)
compare 0 base.ms one_more.ms
[ "$(first)" = "weights in the loop in diffuse (versions.c:$line)" ] || wrong "one more: the first is $(first): $(cat said)"
compare 1 --fail-on 'bytes:*>+5%' --format github base.ms one_more.ms
grep -q "^::error file=versions.c,line=$line,title=memsearch::bytes:\*>+5%25: exceeded: loop in diffuse (versions.c:$line), .*; most of it weights in the loop in diffuse" said || wrong "one more: $(cat said)"
compare 0 one_more.ms base.ms
grep -q '^Better' said && ! grep -q '^Worse' said || wrong "one less: $(cat said)"
check diff__the_loop_and_the_array_that_got_worse

# A run that is killed half-way has no end of its record: nothing is gone, and no limit is kept.
"$memsearch" run --quick --quiet --no-calibrate --overhead 1000% -o killed.ms -- ./base 1000000 > out 2>&1 &
running=$!
for wait in $(seq 300); do
	[ -s killed.ms ] && "$memsearch" list regions --format csv killed.ms 2> /dev/null | grep -q diffuse && break
	sleep 0.1
done
kill -KILL $(pgrep -P $running)
wait $running
for pair in "base.ms killed.ms" "killed.ms base.ms"; do
	# shellcheck disable=SC2086
	compare 0 $pair
	grep -q ': gone\|: new' said && wrong "$pair: $(cat said)"
	grep -q '^Note: 1 of 2 runs ended before their record was complete' said || wrong "$pair: $(cat said)"
	# shellcheck disable=SC2086
	compare 3 --fail-on 'bytes:diffuse/heat>+1%' $pair
done
check diff__a_killed_run

# Another compiler: what is different is said.
if have gcc; then
	gcc -O1 -g -fopenmp -o other versions.c 2> errors || wrong "gcc: $(cat errors)"
	"$memsearch" run --quick --quiet --no-calibrate --overhead 1000% -o other.ms -- ./other 2000 > out 2> errors || wrong "gcc: exit $?: $(cat errors)"
	compare 0 base.ms other.ms
	grep -q '^Note: the OpenMP runtimes differ (LLVM OMP version: .*; GNU libgomp)' said || wrong "gcc: $(cat said)"
	compare 0 --by region --format csv base.ms other.ms
	grep -q ',loop in diffuse ' said || wrong "gcc: $(cat said)"
	check diff__another_compiler
else
	echo "reason: no gcc"
	echo "skip diff__another_compiler"
fi
