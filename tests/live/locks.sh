#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# How long locks are held, on both runtimes.
. "$(dirname "$0")/lib.sh"

cd "$scratch" || exit 1
source=$root/tests/live/programs/locks.c pause=

# Builds and runs the program, which prints the same as alone; its record is it.ms.
record() {     # COMPILER [RUN-OPTIONS]
	compiler=$1
	shift
	rm -f it.ms
	"$compiler" -O2 -g -fopenmp $pause "$source" -o locks || { wrong "$compiler does not compile locks.c"; return 1; }
	./locks > alone
	"$memsearch" run --no-calibrate --quick -q --overhead 1000% "$@" -o it.ms -- ./locks > out 2> messages || wrong "$compiler $*: status $?"
	cmp -s alone out && [ ! -s messages ] || wrong "$compiler $*: $(diff alone out | head -n 2) $(head -n 2 messages)"
}

# Of the critical construct, the variable, the element of an array.
for compiler in clang-19 gcc-12; do
	record $compiler || continue
	"$memsearch" list regions --format csv it.ms > regions
	for lock in 'critical `update`' 'the unnamed critical' 'lock `locks\[0\]`' 'lock `locks\[1\]`' 'lock `nest`' 'lock `many\[7\]`'; do
		[ "$(grep -c ",MUTEX,$lock\$" regions)" = 1 ] || wrong "$compiler: not one $lock: $(grep MUTEX regions)"
	done
	for place in "first:critical section .update." "second:critical section .update." "unnamed:critical section" "lock:lock .locks.0.." "nest:lock .nest." "heap:lock .many.7.."; do
		grep -q ",${place#*:} in round_of (locks.c:$(line_of "$source" "${place%%:*}"))\$" regions || wrong "$compiler: no $place: $(grep 'CRIT\|LOCK' regions)"
	done
done
check locks__have_the_names_of_the_source

# Each thread takes each lock 50 times a step at each place, exactly, and within 4 % where that is often. And libomp up to 21 loses code addresses of
# thread 0's loops once mutex_released is registered: then they are a region of their own, without a line.
alike() {              # PART STEPS: by which counts may be off, of the program
for how in clang-19 "gcc-12 --runtime libomp" gcc-12; do
	# shellcheck disable=SC2086
	record $how || continue
	"$memsearch" list regions --format csv it.ms > regions
	grep DO_REGION regions > loops
	[ "$(wc -l < loops)" = 1 ] && grep -q ",loop in round_of (locks.c:$(line_of "$source" loop))\$" loops || wrong "$how: not one loop: $(cat loops)"
	"$memsearch" report --json it.ms > report.json
	awk -f "$root/tests/workloads/flatten.awk" report.json > flat
	# of a run that is too short for a phase they are of all steps
	list_rows flat locks name acquisitions threads places line | awk -F '\t' -v OFS='\t' -v part="$1" -v steps="$2" '{ $2 = $2 > 1000 ? $2 / steps : $2; whole = 100 * int($2 / 100 + 0.5); off = $2 - whole; if (off * off <= (part * whole) ^ 2) $2 = whole; print }' | sort > have
	sort > want <<-EOF
		update	200	2	2	$(line_of "$source" first)
		null	100	2	1	$(line_of "$source" unnamed)
		locks[0]	100	2	1	$(line_of "$source" lock)
		locks[1]	100	2	1	$(line_of "$source" lock)
		nest	100	2	1	$(line_of "$source" nest)
		many[7]	100	2	1	$(line_of "$source" heap)
	EOF
	sed "s/^\(update.*\)	$(line_of "$source" second)\$/\1	$(line_of "$source" first)/" have | diff want - > differences || wrong "$how: $(cat differences)"
done
}
alike 0.04 400
check locks__frequent_ones_are_estimated
pause=-DPAUSE=100000
alike 0 100
pause=
check locks__both_runtimes_count_alike

# A library that comes later: its calls are led to memsearch, too.
late=$root/tests/live/programs/locks_late.c
for compiler in clang-19 gcc-12; do
	$compiler -O2 -g -fopenmp -DLIBRARY -shared -fPIC "$late" -o late.so && $compiler -O2 -g -fopenmp "$late" -o late -ldl || wrong "$compiler does not compile locks_late.c"
	rm -f it.ms
	"$memsearch" run --no-calibrate --quick -q --overhead 1000% -o it.ms -- ./late ./late.so > out 2> messages || wrong "$compiler, late: status $?: $(cat messages)"
	"$memsearch" report --json it.ms > report.json
	awk -f "$root/tests/workloads/flatten.awk" report.json > flat
	list_rows flat locks name acquisitions threads > have
	awk '$1 != "late" || $2 < 100 || $2 > 1000 || $3 != 2 { exit 1 } END { exit NR != 1 }' have || wrong "$compiler, late: $(cat have)"      # a mean over all steps
done
check locks__of_a_library_that_is_loaded_later

# Mutexes of the thread library: as locks, also std::mutex; results are those without memsearch. While a thread waits for a condition it
# does not hold the mutex.
source=$root/tests/live/programs/pthread_mutexes.c
for compiler in clang-19 gcc-12; do
	record $compiler || continue
	grep -q '^cancelled: 1$' alone && grep -q '^child: 0$' alone || wrong "$compiler: $(cat alone)"
	"$memsearch" list regions --format csv it.ms > regions
	for lock in plain nested tried queue; do
		grep -q ",LOCK_REGION,lock .$lock. in [a-z_]* (pthread_mutexes.c:$(line_of "$source" "$lock"))\$" regions || wrong "$compiler: no $lock: $(grep LOCK regions)"
	done
	"$memsearch" report --json it.ms > report.json
	awk -f "$root/tests/workloads/flatten.awk" report.json > flat
	list_rows flat locks name acquisitions threads places line | awk -F '\t' -v OFS='\t' '{ $2 = $2 > 1000 ? $2 / 100 : $2 } $1 ~ /^(plain|nested|tried)$/' | sort > have
	sort > want <<-EOF
		plain	100	2	1	$(line_of "$source" plain)
		nested	100	2	1	$(line_of "$source" nested)
		tried	100	2	1	$(line_of "$source" tried)
	EOF
	diff have want > differences || wrong "$compiler: $(cat differences)"
done
check locks__of_the_thread_library

source=$root/tests/live/programs/std_mutex.cpp
for compiler in clang++-19 g++-12; do
	have $compiler || continue
	record $compiler || continue
	"$memsearch" list regions --format csv it.ms > regions
	grep -q ",LOCK_REGION,lock .guard. in put (std_mutex.cpp:$(line_of "$source" guard))\$" regions || wrong "$compiler: $(grep LOCK regions)"
done
check locks__std_mutex_has_the_line_of_the_program

# In each iteration: it is too dear to measure all of a step's 300,000 acquisitions, but not a part of them.
source=$root/tests/live/programs/critical_each.c
in_each_iteration() {
	"$memsearch" run --no-calibrate -q -o it.ms -- ./locks > out 2> messages || wrong "$compiler: status $?: $(cat messages)"
	cmp -s alone out || wrong "$compiler: other output"
	"$memsearch" report it.ms > report
	grep -q "^  1  critical_each.c:$(line_of "$source" critical) " report || wrong "$compiler: $(head -n 12 report)"
}
for compiler in $(sample gcc-12 "gcc-12 clang-19"); do
	"$compiler" -O2 -g -fopenmp "$source" -o locks -lm && ./locks > alone || wrong "$compiler does not compile critical_each.c"
	again in_each_iteration
done
check locks__in_each_iteration

# Two functions that take several locks of an array: each lock's acquisitions in each of them.
source=$root/tests/live/programs/lock_table.c
pause=
by_place() {
	record "$compiler" || return
	"$memsearch" list sync --format csv it.ms > sync
	awk -F , '$9 != "" && $2 == "lock" { split($9, at, " "); print $4, at[1], int($7 + 0.5) }' sync | sort > have
	printf '%s\n' "locks[0] insert 40" "locks[1] insert 40" "locks[1] lookup 40" "locks[2] lookup 40" | diff have - > differences || wrong "$compiler: $(cat differences sync)"
	awk -F , '$3 == "locks" && $4 == "" && int($7 + 0.5) == 160 { found = 1 } END { exit !found }' sync || wrong "$compiler: not 160 of the class: $(cat sync)"
}
for compiler in $(sample gcc-12 "gcc-12 clang-19"); do
	by_place
done
check locks__by_place
