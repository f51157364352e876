#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# A sweep runs every configuration, stores each run on each machine, goes on where it was interrupted or had no room, and tells which programs fail.
# Runs beside others.
. "$(dirname "$0")/lib.sh"

"$memsearch" list sensors | grep -q '^accesses  *yes' || { echo "reason: no accesses can be recorded here"; echo "skip sweep"; exit 0; }
$CC -O1 -g -fopenmp -DNR=100000 -o "$scratch/steps" "$root/tests/live/programs/touched_by_one.c" 2> "$scratch/errors" || wrong "does not build: $(cat "$scratch/errors")"
cd "$scratch" || exit 1
# Each run leaves a line in the file "ran". On 3 threads it fails.
cat > program << 'END'
#!/bin/sh
echo "$OMP_NUM_THREADS $1" >> ran
[ "$OMP_NUM_THREADS" != 3 ] || { echo "no three threads here"; exit 9; }
exec ./steps "$1"
END
chmod +x program

sweep() {      # OPTIONS…: the table is in "table", the rest in "said"
	timeout -k 1 200 "$memsearch" sweep --no-calibrate --overhead 1000% "$@" > table 2> said
}
runs() {       # STORE: what it has
	"$memsearch" report --json "$1" | grep -c '"pid":'
}
rows() {       # "threads machine runs" of the table in CSV
	awk -F , 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next } { print $at["threads"], $at["machine"], $at["runs"] }' table
}
column() {     # NAME: of the table in CSV
	awk -F , -v name="$1" 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next } { print $at[name] }' table
}
expect() {     # WHAT HAVE WANT
	[ "$2" = "$3" ] || wrong "$1: $2, not $3: $(cat said)"
}

sweep --threads 1,2,4 --repeat 2 --machine xeon-2s,altix-bx2 -o x.db --format csv -- ./program 300 || wrong "status $?: $(cat said)"
expect rows "$(rows | tr '\n' ';')" "1 xeon-2s 2;1 altix-bx2 2;2 xeon-2s 2;2 altix-bx2 2;4 xeon-2s 2;4 altix-bx2 2;"
expect "programs run" "$(sort ran | uniq -c | awk '{ printf "%s x %s;", $2, $1 }')" "1 x 4;2 x 3;4 x 3;"     # one warm-up
[ "$(runs x.db)" = 12 ] || wrong "$(runs x.db) runs in the store"
column accesses | awk '!($1 > 0) { print "accesses " $1 }' > bad_figures
column l2_misses | awk '!($1 > 0) { print "l2_misses " $1 }' >> bad_figures
column unprofiled_ns | awk '!($1 > 0) { print "unprofiled_ns " $1 }' >> bad_figures
column slowdown | awk '!($1 > 0) { print "slowdown " $1 }' >> bad_figures
[ ! -s bad_figures ] || wrong "$(cat bad_figures)"
if have sqlite3; then
	settings=$(sqlite3 x.db "SELECT count(*) || ' of ' || group_concat(DISTINCT value) FROM settings WHERE name = 'threads'")
	expect settings "$settings" "12 of 1,2,4"
	expect positions "$(sqlite3 x.db 'SELECT group_concat(sweep_position) FROM runs')" "1,1,2,2,3,3,4,4,5,5,6,6"
	expect machines "$(sqlite3 x.db "SELECT count(*) FROM runs JOIN settings ON run = id AND name = 'machine' AND value = modelled_machine")" 12
fi
check sweep__every_run_on_every_machine

# The same again has nothing to do; another machine needs its runs alone, and another repetition one of each.
: > ran
sweep --threads 1,2,4 --repeat 2 --machine xeon-2s,altix-bx2 -o x.db -- ./program 300 || wrong "again: status $?: $(cat said)"
expect "programs run again" "$(cat ran)" ""
sweep --threads 1,2 --repeat 3 --machine xeon-2s -o x.db --format csv -- ./program 300 || wrong "more: status $?: $(cat said)"
expect "programs run for more" "$(sort ran | uniq -c | awk '{ printf "%s x %s;", $2, $1 }')" "1 x 2;2 x 1;"
expect "rows of more" "$(rows | tr '\n' ';')" "1 xeon-2s 3;2 xeon-2s 3;"
sweep --threads 1 --machine xeon-2s -o x.db -- ./steps 300
expect "another program: status" $? 2
grep -q "'x.db' has runs of './program': name another store for './steps'" said || wrong "another program: $(cat said)"
check sweep__what_is_stored_is_not_run_again

# The store can take no more: what it has stays.
(
	ulimit -f $(($(wc -c < x.db) / 512 + 20))
	sweep --threads 1,2 --repeat 6 --machine xeon-2s -o x.db -- ./program 300
	echo $? > status
)
expect "status without room" "$(cat status)" 3
grep -q "^memsearch: the sweep ends here; what 'x.db' has stays: the same command runs what is missing$" said || wrong "without room: $(cat said)"
[ "$(echo x.db?*)" = "x.db?*" ] || wrong "left behind: $(echo x.db?*)"
[ "$(runs x.db)" -ge 14 ] || wrong "$(runs x.db) runs left of 14"
sweep --threads 1,2 --repeat 6 --machine xeon-2s -o x.db --format csv -- ./program 300 || wrong "with room: status $?: $(cat said)"
expect "rows with room" "$(rows | tr '\n' ';')" "1 xeon-2s 6;2 xeon-2s 6;"
check sweep__without_room_nothing_is_lost

# Interrupted after its second run was stored.
rm -f ran x.db
env --default-signal=INT "$memsearch" sweep --no-calibrate --overhead 1000% --threads 1,2 --repeat 3 --machine xeon-2s -o x.db -- ./program 2000 > table 2> said &
sweeping=$!
for wait in $(seq 600); do
	grep -q "^memsearch: run 6 of 9" said && break
	sleep 0.1
done
kill -INT $sweeping
wait $sweeping
expect "status after SIGINT" $? 130
grep -q "^memsearch: interrupted; what 'x.db' has stays: the same command runs what is missing$" said || wrong "interrupted: $(cat said)"
[ "$(echo x.db?*)" = "x.db?*" ] || wrong "left behind: $(echo x.db?*)"
pgrep -f "^./steps 2000" > left && wrong "still runs: $(cat left)"
stored=$(runs x.db)
[ "$stored" -ge 3 ] && [ "$stored" -lt 6 ] || wrong "$stored runs stored: $(cat said)"
: > ran
sweep --threads 1,2 --repeat 3 --machine xeon-2s -o x.db --format csv -- ./program 2000 || wrong "resumed: status $?: $(cat said)"
expect "programs run to complete it" "$(wc -l < ran)" "$((7 - stored))"       # one warm-up
expect "rows when resumed" "$(rows | tr '\n' ';')" "1 xeon-2s 3;2 xeon-2s 3;"
check sweep__interrupted_and_resumed

# One configuration fails, the others are stored.
rm -f ran x.db
sweep --threads 2,3 --repeat 2 --machine xeon-2s -o x.db --format csv -- ./program 300
expect "status where one fails" $? 3
grep -q "^memsearch: 3 threads, without memsearch: exit status 9; its other runs are left out$" said || wrong "not told: $(cat said)"
grep -q "^memsearch:     no three threads here$" said || wrong "output not shown: $(cat said)"
expect "rows where one fails" "$(rows | tr '\n' ';')" "2 xeon-2s 2;3 xeon-2s 0;"
expect "runs of what fails" "$(grep -c ^3 ran)" 1
# Without accesses nothing can be simulated: an error, and no row of zeros.
sweep --threads 1 --repeat 1 --trace-limit 0 --machine xeon-2s -o none.db --format csv -- ./program 300
expect "status without accesses" $? 3
grep -q "^memsearch: 1 thread, repetition 1: no accesses were recorded that machine 'xeon-2s' could run" said || wrong "no accesses: $(cat said)"
expect "rows without accesses" "$(rows)" "1 xeon-2s 0"
check sweep__failures_are_told
