#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# A program that denies itself system calls while memsearch measures prints what it prints alone, whichever they are and whatever error they
# return: all but those of its runtime, a tenth (WHOLE: also a twentieth) at a time.
# Runs beside others.
. "$(dirname "$0")/lib.sh"

source=$root/tests/live/programs/denied_calls.c
cd "$scratch" || exit 1

# As alone: with everything recorded, or at the default limit.
denied() {     # STEPS-BEFORE DIVISOR REMAINDER ERRNO
	./program "$@" > alone
	status=$?
	[ $status = 3 ] || { wrong "alone it ends with $status"; return; }
	for options in "" "--overhead 1000% --machine xeon-2s"; do
		timeout -k 1 60 "$memsearch" run --no-calibrate $options -o it.ms -- ./program "$@" > with 2> err
		status=$?
		[ $status = 3 ] || wrong "'$*' with '$options': status $status: $(tail -n 3 err)"
		cmp -s alone with || wrong "'$*' with '$options': $(cat with)"
		rm -f it.ms
		[ "${WHOLE:-}" ] || [ $(($3 % 2)) = 0 ] || break
	done
}

for compiler in $(sample "$CC" "$CC gcc-12"); do
	have "$compiler" || { echo "reason: no $compiler"; echo "skip denied_calls.$compiler"; continue; }
	"$compiler" -O2 -g -fopenmp -I"$root/tests/live/guest" -o program "$source" || exit 1
	./program 60 10 0 1 > alone
	[ $? != 77 ] || { echo "reason: no seccomp"; echo "skip denied_calls.$compiler"; continue; }
	for error in $(sample each "1 12 38"); do              # EPERM, ENOMEM, ENOSYS
		for before in $(sample 60 "30 300"); do
			for divisor in $(sample 10 "10 20"); do
				for remainder in $(seq 0 $((divisor - 1))); do
					case $error in
					each) denied "$before" "$divisor" "$remainder" "$(echo 1 12 38 | cut -d ' ' -f $((1 + remainder % 3)))" ;;
					*) denied "$before" "$divisor" "$remainder" "$error" ;;
					esac
				done
			done
		done
	done
	check "denied_calls.${compiler%-*}"
done
