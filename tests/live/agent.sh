#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# `memsearch agent` searches in programs of other processes; when it dies, or they do, the other side goes on, and nothing is lost.
. "$(dirname "$0")/lib.sh"

cd "$scratch" || exit 1
$CC -O2 -fopenmp -g -o program "$root/tests/workloads/imbalance_triangle.c" -I"$root/tests/workloads" -lm || { echo "FAIL agent"; exit 1; }
line=$(line_of "$root/tests/workloads/imbalance_triangle.c" loop)
place="calc (imbalance_triangle.c:$line)"
./program 1 > alone
./program 4 > alone4

# Starts the program, with more steps where that is said; $pid is its process, $launcher the launcher's, once it listens.
start() {      # NAME WHEN [SCALE]
	OMP_TOOL_LIBRARIES=$tool MEMSEARCH_QUICK=1 MEMSEARCH_AGENT=$2 MEMSEARCH_AGENT_WAIT=30 MEMSEARCH_OUTPUT=$1.ms ./program "${3:-1}" > "$1.out" 2> "$1.errors" &
	pid=$!
	for i in $(seq 100); do
		grep -q "memsearch-agent-$pid\$" /proc/net/unix && break
		sleep 0.05
	done
}
# The program's output and status are as alone …
unharmed() {   # NAME PID [SCALE]
	wait "$2" || wrong "$1: the program's status: $?"
	cmp -s "alone${3:-}" "$1.out" || wrong "$1: the program's output: $(cat "$1.out")"
}
# … and its record has the finding, unless others took the CPUs.
finds() {      # NAME PID
	unharmed "$1" "$2"
	"$memsearch" report "$1.ms" > "$1.report" 2>&1 || wrong "$1: no record: $(cat "$1.report")"
	grep -q "imbalance_triangle.c:$line" "$1.report" || wrong "$1: nothing is found in the record: $(cat "$1.report")"
}
# When an agent has the search: some experiments.
searching() {  # NAME
	for i in $(seq 100); do
		[ "$(cat "$1.ms" 2> /dev/null | wc -c)" -gt 1000 ] && break
		sleep 0.05
	done
}

agent_finds() {        # WHEN
	start it "$1"
	timeout 100 "$memsearch" agent --quiet --attach $pid > found 2> errors || wrong "status $?: $(cat errors)"
	finds it $pid
	[ -s errors ] && wrong "the agent says $(cat errors)"
	grep -q "^process $pid, ./program: strategy property_refine, [0-9]* experiments" found || wrong "no process: $(cat found)"
	sed -n 3p found | grep -qF "$place" || wrong "the first finding is another: $(cat found)"
	grep -q 'searches by itself' it.errors && wrong "the program says $(cat it.errors)"
	# the experiments of the agent are those of the record
	[ "$(sed -n 's/.*, \([0-9]*\) experiments.*/\1/p' found)" -gt 2 ] || wrong "few experiments: $(cat found)"
}
again agent_finds wait
check agent__waited_for
again agent_finds allow
check agent__attaches_to_a_running_program

# The user writes a property while the agent searches: it is found without a restart; a mistake changes nothing.
changed() {
	cp "$root/properties/examples/uneven_faults.asl" my.asl
	start it wait 4
	timeout 100 "$memsearch" agent --attach $pid --properties my.asl > found 2> errors &
	agent=$!
	searching it
	echo 'PROPERTY' > my.asl
	for i in $(seq 60); do
		grep -q 'the search continues' errors && break
		sleep 0.05
	done
	cat > my.asl <<-EOF
		PROPERTY MyParallel(Region r, Phase p) { TITLE "my own hypothesis"; KINDS PARALLEL_REGION;
			LET share = sum(r.time) / p.thread_time; IN CONDITION: share > 1 %; CONFIDENCE: 1; SEVERITY: share; EXPLANATION "e"; ADVICE "a"; }
	EOF
	unharmed it $pid 4
	wait $agent || wrong "status $?: $(cat errors)"
	grep -q 'the search continues with the properties as they were' errors && grep -q 'the properties were read again' errors || wrong "the agent says $(cat errors)"
	grep -q 'with other properties after [1-9]' found && grep -q 'my own hypothesis' found || wrong "not found: $(cat found)"
}
again changed
check agent__properties_change

in_kind() {
	OMP_TOOL_LIBRARIES=$tool MEMSEARCH_QUICK=1 MEMSEARCH_OUTPUT=own.ms ./program 1 > own.out 2> own.errors
	"$memsearch" report --json own.ms | sed -n 's/^ *"property": "\(.*\)",$/\1/p' > own_properties
	start it wait
	timeout 100 "$memsearch" agent --attach $pid --strategy property_refine > found 2> errors || wrong "status $?: $(cat errors)"
	finds it $pid
	"$memsearch" report --json it.ms | sed -n 's/^ *"property": "\(.*\)",$/\1/p' > its_properties
	[ "$(head -n 1 own_properties)" = "$(head -n 1 its_properties)" ] || wrong "first in the program: $(head -n 1 own_properties), by an agent: $(head -n 1 its_properties)"
}
again in_kind
check agent__finds_the_same_as_the_program

# Killed in the middle: one line, and the program's own search continues.
killed() {     # SIGNAL LINE
	start it wait
	"$memsearch" agent --attach $pid > found 2> errors &
	agent=$!
	searching it
	kill -s "$1" $agent
	wait $agent 2> /dev/null
	status=$?
	finds it $pid
	[ "$(grep -c "$2: the program searches by itself again" it.errors)" = 1 ] || wrong "the program says $(cat it.errors)"
}
again killed KILL 'the agent ended'
check agent__killed
again killed INT 'the agent detached'
[ $status = 0 ] || wrong "status $status: $(cat errors)"
grep -q "^process " found || wrong "no report: $(cat found errors)"
check agent__interrupted

# Another one may take over.
start it wait
"$memsearch" agent --attach $pid > found 2> errors &
agent=$!
searching it
timeout 100 "$memsearch" agent --attach $pid > second 2> errors
[ $? -eq 3 ] || wrong "a second agent is attached"
grep -q "process $pid: another agent is attached to it" errors || wrong "the second agent says $(cat errors)"
kill -9 $agent
wait $agent 2> /dev/null
timeout 100 "$memsearch" agent --attach $pid > found 2> errors || wrong "status $?: $(cat errors)"
grep -q "^process $pid, " found || wrong "no report: $(cat found errors)"
unharmed it $pid
check agent__one_at_a_time

# The program dies: the agent reports what it has.
start it wait
(searching it; sleep 0.2; kill -9 $pid) &
timeout 100 "$memsearch" agent --attach $pid > found 2> errors || wrong "status $?: $(cat errors)"
grep -q "process $pid: it ended without a word" errors || wrong "the agent says $(cat errors)"
grep -q "^process $pid, ./program" found || wrong "no report: $(cat found)"
wait $pid 2> /dev/null
check agent__program_killed

two() {
	start one wait
	one=$pid
	start two wait
	timeout 100 "$memsearch" agent --attach $one,$pid > found 2> errors || wrong "status $?: $(cat errors)"
	finds one $one
	finds two $pid
	for process in $one $pid; do
		grep -q "^process $process, ./program: strategy" found || wrong "process $process is missing: $(cat found)"
		# four threads on two CPUs: other causes may come first
		tr -s '\n ' ' ' < found | grep -q " % [^%]* (process $process)" || wrong "no finding in process $process: $(cat found)"
	done
}
again two
check agent__two_processes

# Accesses that the agent requests are in the program's record.
"$memsearch" list sensors | grep -q '^accesses  *yes' && records=yes || records=
requests_accesses() {
	MEMSEARCH_OVERHEAD=300% MEMSEARCH_NO_BURSTS=1 MEMSEARCH_AGENT=wait MEMSEARCH_AGENT_WAIT=30 OMP_TOOL_LIBRARIES=$tool MEMSEARCH_QUICK=1 MEMSEARCH_OUTPUT=it.ms ./beyond 8000000 1 600 > it.out 2> it.errors &
	pid=$!
	for i in $(seq 100); do
		grep -q "memsearch-agent-$pid\$" /proc/net/unix && break
		sleep 0.05
	done
	timeout 100 "$memsearch" agent --attach $pid > found 2> errors || wrong "status $?: $(cat errors)"
	wait $pid || wrong "the program's status: $?"
	cmp -s beyond_alone it.out || wrong "the program's output: $(cat it.out)"
	grep -q 'searches by itself' it.errors && wrong "the program says $(cat it.errors)"
	"$memsearch" list traces it.ms 2>&1 | grep -q whole || wrong "no accesses are recorded: $("$memsearch" list traces it.ms 2>&1)"
}
if [ $records ]; then
	$CC -O1 -fopenmp -g -o beyond "$root/tests/live/programs/beyond_caches.c" || wrong "does not build"
	./beyond 8000000 1 600 > beyond_alone
	again requests_accesses
	check agent__requests_accesses
else
	echo "reason: no accesses can be recorded here"
	echo "skip agent__requests_accesses"
fi

# None comes; and one for which the program does not listen.
MEMSEARCH_AGENT_WAIT=1 MEMSEARCH_AGENT=wait OMP_TOOL_LIBRARIES=$tool MEMSEARCH_QUICK=1 MEMSEARCH_OUTPUT=it.ms ./program 1 > it.out 2> it.errors
[ $? = 0 ] && cmp -s alone it.out || wrong "the program's output: $(cat it.out)"
grep -q 'no agent has started the search: the program searches by itself' it.errors || wrong "the program says $(cat it.errors)"
check agent__none_comes

OMP_TOOL_LIBRARIES=$tool MEMSEARCH_QUICK=1 MEMSEARCH_OUTPUT=it.ms ./program 1 > it.out 2> it.errors &
pid=$!
searching it
"$memsearch" agent --attach $pid > found 2> errors
[ $? -eq 3 ] && grep -q "process $pid: it was started without --agent; start the program with .memsearch run --agent allow" errors || wrong "the agent says $(cat errors)"
unharmed it $pid
check agent__not_listening

# Waiting for an agent, the program can be ended.
start it wait
kill $pid
wait $pid 2> /dev/null
[ $? -gt 128 ] || wrong "the program was not ended: status $?"
check agent__wait_is_interrupted
