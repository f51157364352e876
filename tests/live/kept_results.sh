#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# A result is kept beside its record: asked again it is printed at once, the same to the last byte, and only where nothing has changed.
# Runs beside others.
. "$(dirname "$0")/lib.sh"

"$memsearch" list sensors | grep -q '^accesses  *yes' || { echo "reason: no accesses can be recorded here"; echo "skip kept_results"; exit 0; }
# Short to simulate, which is done forty times.
$CC -O1 -g -fopenmp -DNR='(1 << 19)' -o "$scratch/program" \
	"$root/tests/live/programs/touched_by_one.c" 2> "$scratch/errors" || wrong "does not build: $(cat "$scratch/errors")"
cp "$root/properties/machines/xeon-2s.machine" "$scratch/mine.machine"

record() {     # OPTIONS…
	timeout -k 1 100 "$memsearch" run --quick --quiet --overhead 1000% "$@" -o "$scratch/it.ms" -- "$scratch/program" > "$scratch/out" 2> "$scratch/errors" || wrong "exit $?: $(cat "$scratch/errors")"
}
# NAME OPTIONS…: prints to that file; whether it was simulated is in $kept.
ask() {
	page=$1
	shift
	MEMSEARCH_DEBUG=1 "$memsearch" "$@" "$scratch/it.ms" > "$scratch/$page" 2> "$scratch/said" || wrong "$*: status $?: $(cat "$scratch/said")"
	kept=$(grep -c "^memsearch: not simulated: the result is in '$scratch/it.ms.kept'" "$scratch/said")
	[ "$(wc -l < "$scratch/said")" = "$kept" ] || wrong "$*: $(cat "$scratch/said")"
}
is() {         # simulated|kept WHEN
	[ "$kept" = "$([ "$1" = kept ] && echo 1 || echo 0)" ] || wrong "$2: is not $1"
}
same() {       # FILE FILE WHEN
	cmp -s "$scratch/$1" "$scratch/$2" || wrong "$3: $(diff "$scratch/$1" "$scratch/$2" | head -n 6)"
}

record
for question in "arrays" "arrays --json" "arrays --by region --format csv" "arrays --by line -a" "report" "report -v -a --tree" "report --json"; do
	for machine in "--machine host" "--machine altix-bx2 --places spread --pages interleave"; do
		rm -f "$scratch/it.ms.kept"
		# shellcheck disable=SC2086
		ask first $question $machine
		is simulated "$question $machine"
		# shellcheck disable=SC2086
		ask again $question $machine
		is kept "$question $machine, again"
		same first again "$question $machine"
	done
done
rm -f "$scratch/it.ms.kept"
ask page arrays
for question in "report" "report --machine host" "arrays --machine host"; do       # without a name there is a deadline for simulating, and for no more
	# shellcheck disable=SC2086
	ask page $question
	is kept "$question, after arrays"
done
check kept_results__the_same_to_the_last_byte

# A store has no accesses, and says the same of them.
"$memsearch" import -o "$scratch/it.db" "$scratch/it.ms" > "$scratch/out" 2> "$scratch/said" || wrong "status $?: $(cat "$scratch/said")"
for question in "report" "report --json" "arrays"; do
	# shellcheck disable=SC2086
	ask of_record $question
	# shellcheck disable=SC2086
	"$memsearch" $question "$scratch/it.db" > "$scratch/of_store" 2> "$scratch/said" || wrong "$question: status $?: $(cat "$scratch/said")"
	same of_record of_store "$question of the store"
done
grep -q ' misses' "$scratch/of_store" || wrong "no misses: $(cat "$scratch/of_store")"
check kept_results__a_store_has_them

# Each has a result of its own, and so has the same machine by another name.
rm -f "$scratch/it.ms.kept"
for options in "" "--machine altix-bx2" "--machine altix-bx2 --places spread" "--machine altix-bx2 --pages 1" "--machine $scratch/mine.machine"; do
	# shellcheck disable=SC2086
	ask page arrays $options
	is simulated "arrays $options"
done
ask page report --machine altix-bx2 --places spread --jobs 2
is kept "a report of the same"
sed 's/^l2.latency.*/l2.latency = 20 cycles/' "$root/properties/machines/xeon-2s.machine" > "$scratch/mine.machine"
ask changed arrays --machine "$scratch/mine.machine"
is simulated "a changed machine"
rm -f "$scratch/it.ms.kept"
ask anew arrays --machine "$scratch/mine.machine"
same changed anew "a changed machine"
check kept_results__each_question_its_own

ask page arrays
cp "$scratch/it.ms.kept" "$scratch/of_first"
record
ask second arrays --json
is simulated "another record of the same name"
cp "$scratch/of_first" "$scratch/it.ms.kept"
ask again arrays --json
is simulated "beside the results of another record"
same second again "another record"
check kept_results__another_record

# Cut, changed and empty: simulated again, and kept again.
for damage in cut changed empty; do
	case $damage in
	cut) head -c 5000 "$scratch/it.ms.kept" > "$scratch/damaged" ;;
	changed) { head -c 3000 "$scratch/it.ms.kept"; printf 'harm'; tail -c +3005 "$scratch/it.ms.kept"; } > "$scratch/damaged" ;;
	empty) : > "$scratch/damaged" ;;
	esac
	cp "$scratch/damaged" "$scratch/it.ms.kept"
	ask again arrays --json
	is simulated "$damage"
	same second again "$damage"
	ask again arrays --json
	is kept "$damage, again"
	same second again "$damage, again"
done
check kept_results__damaged

# No place to keep it, and a kill, are no mistakes.
rm -f "$scratch/it.ms.kept"
mkdir "$scratch/it.ms.kept"
"$memsearch" arrays --json "$scratch/it.ms" > "$scratch/again" 2> "$scratch/said" || wrong "status $?"
[ ! -s "$scratch/said" ] || wrong "nowhere to keep it: $(cat "$scratch/said")"
same second again "nowhere to keep it"
rmdir "$scratch/it.ms.kept"
killed=
for delay in 0.02 0.1 0.2 0.4 0.8; do
	rm -f "$scratch/it.ms.kept"
	timeout -s KILL $delay "$memsearch" arrays --json --jobs 1 "$scratch/it.ms" > "$scratch/page" 2> /dev/null
	[ -s "$scratch/page" ] || killed=1
	ask again arrays --json
	same second again "after a kill"
done
[ -n "$killed" ] || wrong "none was killed"
rm -f "$scratch/it.ms.kept"
[ "$(ls "$scratch" | grep -c '^it\.ms')" = 1 ] || wrong "left behind: $(ls "$scratch")"
check kept_results__nothing_broken

# `memsearch run` keeps what it found, as far as there was time for all.
timeout -k 1 100 "$memsearch" run --overhead 1000% -o "$scratch/it.ms" -- "$scratch/program" > "$scratch/out" 2> "$scratch/errors" || wrong "exit $?: $(cat "$scratch/errors")"
if [ -e "$scratch/it.ms.kept" ]; then
	ask page arrays
	is kept "after a run"
fi
check kept_results__after_a_run
