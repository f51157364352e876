#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# What recording must keep out of the way of: heap, signals, fork, exceptions, tasks, crowds of threads, and programs without a phase.
# Runs beside others.
. "$(dirname "$0")/accesses_lib.sh"

# What was asked for is recorded, or said to be missing.
said() {
	grep -q '^runs/0/accesses/0/' "$scratch/arrays" ||
		grep -q "^coverage/unseen/[0-9]*/what	the answer to ..memory accesses are recorded" "$scratch/report" ||
		wrong "neither accesses nor why there are none: $(grep '^coverage' "$scratch/report")"
}

odd_case() {   # KIND
	under_tool "$1"
	moved
	largest
	case $1 in
	library) moves from $((500000 * 8)); moves to $((500000 * 16)) ;;        # what the library does
	heap) moves from $((500000 * 8)); moves fresh $((500000 * 8)) ;;
	exceptions) moves from $(((500000 - 25) * 8)); moves to $(((500000 - 25) * 8)) ;;     # every 20000th throws before
	fork | places) moves from $((500000 * 8)); moves to $((500000 * 8)) ;;
	alarm) recorded from to ;;
	*) said ;;
	esac
	expect strided "$(candidates StridedAccess)" ""
	[ "$1" = tasks ] || expect uneven "$(candidates ArrayAccessImbalance)" ""      # one thread may have taken most tasks
}

odd() {        # COMPILER KINDS
	for kind in $2; do
		plain accesses_odd.cc "$1" $kind
		again odd_case $kind
		judge "accesses__$kind $1"
	done
	export OMP_NUM_THREADS=8
	plain accesses_odd.cc "$1" crowd
	under_tool crowd
	judge "accesses__crowd $1"
	export OMP_NUM_THREADS=2
	plain accesses_odd.cc "$1" once
	MEMSEARCH_NO_BURSTS=1 under_tool once
	moved
	[ ! -s "$scratch/moved" ] || wrong "accesses without a phase: $(cat "$scratch/moved")"
	grep -q "^coverage/unseen/[0-9]*/why	.*it takes a part of the program that repeats" "$scratch/report" ||
		wrong "does not say that there is no phase: $(grep '^coverage' "$scratch/report")"
	judge "accesses__once $1"
}

# Nothing is too low: a stretch that was left in its midst is exact, or missing with the reason.
serial_odd_case() { # KIND
	under_tool "$1"
	moved
	case $1 in
	leaves | tasks)
		if grep -q '^from ' "$scratch/moved"; then
			[ "$1" = leaves ] || values=40000        # of each task
			moves from $((${values:-4000000} * 8))
			values=
		else
			grep -q "^coverage/unseen/[0-9]*/what	the answer to ..memory accesses are recorded" "$scratch/report" ||
				wrong "no reason: $(grep '^coverage' "$scratch/report")"
		fi
		;;
	sorts) said ;;
	*) moves from $((4000000 * 8)); moves to $((4000000 * 8)) ;;
	esac
	expect strided "$(candidates StridedAccess)" ""
	[ "$1" = tasks ] || expect uneven "$(candidates ArrayAccessImbalance)" ""
}

serial_odd() { # COMPILER KINDS
	have $1 || { echo "reason: no $1"; echo "skip accesses__serial_odd $1"; return; }
	$1 -O2 -g -fopenmp -std=c++14 -o "$scratch/program" "$programs/serial_odd.cc" || wrong "does not compile"
	for kind in $2; do
		plain serial_odd.cc "$1" $kind
		again serial_odd_case $kind
		judge "accesses__serial_$kind $1"
	done
}

export MEMSEARCH_OVERHEAD=1000% OMP_MAX_ACTIVE_LEVELS=2
only_counts
all="exceptions jumps leaves comes_back passes stops forks signals virtuals nested_virtuals sorts tasks"
serial_odd clang++-19 "$all"
serial_odd g++-12 "$(sample "exceptions virtuals" "$all")"
all="library mathematics heap fork alarm nested tasks exceptions places"
for compilers in "clang-19 clang++-19" "gcc-12 g++-12"; do
	have "${compilers#* }" || { echo "reason: no ${compilers#* }"; echo "skip accesses__odd ${compilers%% *}"; continue; }
	${compilers%% *} -O2 -g -fPIC -shared -o "$scratch/libaxpy.so" "$programs/accesses_library.c" || wrong "no library"
	${compilers#* } -O2 -g -fopenmp -std=c++14 -o "$scratch/program" "$programs/accesses_odd.cc" -L"$scratch" -laxpy -Wl,-rpath,"$scratch" ||
		wrong "does not compile"
	case $compilers in
	gcc*) simulates ;;
	esac
	case $compilers in
	clang*) odd "${compilers%% *}" "$all" ;;
	*) odd "${compilers%% *}" "$(sample "library alarm exceptions" "$all")" ;;
	esac
done
