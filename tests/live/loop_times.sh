#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Times of natural loops and called functions: nests with known shares of the time and numbers of entries; loops that are left without exit,
# and loops too short for a clock, have no time but a reason.
. "$(dirname "$0")/lib.sh"

"$memsearch" list sensors | grep -q '^loop_time  *yes' || { echo "reason: loops cannot be timed here"; echo "skip loop_times"; exit 0; }
have sqlite3 || { echo "reason: no sqlite3"; echo "skip loop_times"; exit 0; }
programs=$root/tests/live/programs
export OMP_PROC_BIND=true

# That take a second: the search has to get to the times, one question after the other.
steps_of() {   # KIND
	case $1 in
	shares) echo 2000 ;;
	shorts) echo 1000 ;;
	*) echo 8000 ;;
	esac
}

# Runs $scratch/program under the tool; its record becomes $scratch/it.db.
under_tool() { # KIND [STRATEGY]
	rm -f "$scratch/it.ms" "$scratch/it.db"
	timeout -k 1 90 "$memsearch" run --quiet --quick --overhead 1000% --strategy "${2:-loop_aware}" -o "$scratch/it.ms" -- \
		"$scratch/program" "$1" "$(steps_of "$1")" > "$scratch/out" 2> "$scratch/errors"
	[ $? = 7 ] || wrong "status: $(cat "$scratch/errors")"
	cmp -s "$scratch/plain.$1" "$scratch/out" || wrong "output changed: $(head -n 5 "$scratch/out")"
	"$memsearch" import -o "$scratch/it.db" "$scratch/it.ms" > "$scratch/text" 2>&1 || wrong "$(cat "$scratch/text")"
}
ask() {        # SQL
	sqlite3 "$scratch/it.db" "$1"
}

# Sum over the threads in a mean execution, of the loop that begins at the line or the one after it.
mean_of() {    # METRIC LINE
	ask "select sum(m.sum / m.phases) from measurements m, regions r where r.id = m.region and m.metric = '$1'
		and r.kind = 'LOOP_REGION' and r.source_line between $2 and $2 + 1"
}
# The least of an execution, where other programs take no part of it.
least_of() {   # LINE
	ask "select min(m.min) from measurements m, regions r where r.id = m.region and m.metric = 'loop_time'
		and r.kind = 'LOOP_REGION' and r.source_line between $1 and $1 + 1"
}
enters() {     # SOURCE LINE ENTRIES
	found=$(mean_of loop_entries "$(line_of "$1" "$2")")
	[ "${found%.0}" = "$3" ] || wrong "$2 is entered ${found:-an unknown number of} times, not $3"
}

shares() {     # SOURCE
	under_tool shares
	enters "$1" two 32
	enters "$1" four 32
	enters "$1" inner 128
	for loop in four/2 inner/4; do
		line=$(line_of "$1" ${loop%/*})
		echo "$(least_of "$line") $(least_of "$(line_of "$1" two)") ${loop#*/}" |
			awk '{ exit !(NF == 3 && $1 / $2 > 0.8 * $3 && $1 / $2 < 1.25 * $3) }' ||
			wrong "${loop%/*} takes $(least_of "$line") ns, two $(least_of "$(line_of "$1" two)")"
	done
	# a loop has at most the time of the one around, and its own is a part of it
	outer=$(ask "select count(*) from measurements m, measurements o where o.region = m.region and o.thread = m.thread
		and m.metric = 'loop_time' and o.metric = 'loop_own_time' and o.sum > m.sum")
	[ "$outer" = 0 ] || wrong "$outer loops have more time of their own than in all"
	inside=$(ask "select count(*) from measurements m, measurements o, regions r where r.id = m.region and o.region = r.parent
		and o.thread = m.thread and o.metric = m.metric and m.metric = 'loop_time' and m.sum > o.sum")
	[ "$inside" = 0 ] || wrong "$inside loops have more time than the loop or function around"
	"$memsearch" report --tree "$scratch/it.ms" 2> "$scratch/errors" | tr -s ' \n' ' ' > "$scratch/text"
	grep -q "takes a large part of the time, loop at loop_times\.[cf90]*:[0-9]* in [^:]*:[0-9]*): [0-9.]* % of the time, [0-9.]* % in its own code" \
		"$scratch/text" || wrong "the tree has no loop with its time"
	case $1 in *.f90) return ;; esac
	calls=$(ask "select sum(m.sum / m.phases) from measurements m, regions r where r.id = m.region and m.metric = 'loop_entries'
		and r.kind = 'SUB_REGION' and r.source_function like '%called%'")
	[ "${calls%.0}" = 32 ] || wrong "called is called '$calls' times, not 32"
}

returns() {    # SOURCE
	under_tool returns
	enters "$1" returned_inner 80
}

# "STATE|REASON" of the search's nodes about times in the function.
states() {     # FUNCTION
	ask "select distinct n.state, n.missing from nodes n, regions r where r.id = n.region and n.property = 'TimeInLoop'
		and r.source_function like '%$1%'"
}
without_time() { # FUNCTION
	nr=$(ask "select count(*) from measurements m, regions r where r.id = m.region and m.metric like 'loop%'
		and r.source_function like '%$1%'")
	[ "$nr" = 0 ] || wrong "$nr values of loops in $1"
}

jumps() {      # SOURCE
	under_tool jumps
	without_time jumped
	case $(states jumped) in
	unknown\|MS_MISSING_NOT_RECORDED) ;;
	*) wrong "loops that longjmp leaves: '$(states jumped)'" ;;
	esac
}

shorts() {     # SOURCE
	under_tool shorts
	case $(states shorts) in
	*MS_MISSING_SHORT_LOOP*) ;;
	*) wrong "loops too short: '$(states shorts)'" ;;
	esac
}

# Other strategies do not ask for times, and reports do not mention them.
unasked() {
	under_tool returns property_refine
	[ "$(ask "select count(*) from measurements where metric like 'loop%'")" = 0 ] || wrong "loops were timed"
	"$memsearch" report -v "$scratch/it.ms" > "$scratch/text" 2>&1
	! grep -q "loop_time[^s]" "$scratch/text" || wrong "$(grep "loop_time[^s]" "$scratch/text")"
}

known() {      # COMPILER SOURCE KIND…
	compiler=$1 source=$2
	shift 2
	have "$compiler" || { echo "reason: no $compiler"; echo "skip loop_times__known $compiler"; return; }
	(cd "$scratch" && "$compiler" -O2 -g -fopenmp -o program "$source") || wrong "does not compile"
	for kind; do
		timeout -k 1 60 "$scratch/program" "$kind" "$(steps_of "$kind")" > "$scratch/plain.$kind" 2> "$scratch/errors"
		again "$kind" "$source"
		check "loop_times__$kind $compiler"
	done
}
known clang-19 "$programs/loop_times.c" shares returns jumps shorts
again unasked
check loop_times__unasked
known gcc-12 "$programs/loop_times.c" shares returns
known gfortran-12 "$programs/loop_times.f90" shares
