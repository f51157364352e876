#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# How long locks are held, on both runtimes.
. "$(dirname "$0")/lib.sh"

cd "$scratch" || exit 1
source=$root/tests/live/programs/locks.c

# Builds and runs the program, which prints the same as alone; its record is it.ms.
record() {     # COMPILER [RUN-OPTIONS]
	compiler=$1
	shift
	rm -f it.ms
	"$compiler" -O2 -g -fopenmp "$source" -o locks || { wrong "$compiler does not compile locks.c"; return 1; }
	./locks > alone
	"$memsearch" run --no-calibrate --quick -q --overhead 1000% "$@" -o it.ms -- ./locks > out 2> messages || wrong "$compiler $*: status $?"
	cmp -s alone out && [ ! -s messages ] || wrong "$compiler $*: $(diff alone out | head -n 2) $(head -n 2 messages)"
}

# Of the critical construct, the variable, the element of an array.
for compiler in clang-19 gcc-12; do
	record $compiler || continue
	"$memsearch" list regions --format csv it.ms > regions
	for lock in 'critical `update`' 'the unnamed critical' 'lock `locks\[0\]`' 'lock `locks\[1\]`' 'lock `nest`'; do
		[ "$(grep -c ",MUTEX,$lock\$" regions)" = 1 ] || wrong "$compiler: not one $lock: $(grep MUTEX regions)"
	done
	for place in "first:critical section .update." "second:critical section .update." "unnamed:critical section" "lock:lock .locks.0.." "nest:lock .nest."; do
		grep -q ",${place#*:} in round_of (locks.c:$(line_of "$source" "${place%%:*}"))\$" regions || wrong "$compiler: no $place: $(grep 'CRIT\|LOCK' regions)"
	done
done
check locks__have_the_names_of_the_source

# libomp up to 21 loses code addresses of thread 0's loops once mutex_released is registered: then they are a region of their own, without a line.
for how in clang-19 "gcc-12 --runtime libomp" gcc-12; do
	# shellcheck disable=SC2086
	record $how || continue
	"$memsearch" list regions --format csv it.ms > regions
	grep DO_REGION regions > loops
	[ "$(wc -l < loops)" = 1 ] && grep -q ",loop in round_of (locks.c:$(line_of "$source" loop))\$" loops || wrong "$how: not one loop: $(cat loops)"
	[ "$(grep -c MUTEX regions)" = 5 ] || wrong "$how: not five locks: $(grep MUTEX regions)"
done
check locks__thread_0_keeps_its_code_addresses
