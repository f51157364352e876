#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Programs that a measuring tool could change or harm (tests/live/guest/): output, messages, exit status and files are
# what they are without memsearch. This is a fixed sample of the matrix: each guest by one compiler with one set of flags, in turn by
# its place in the list, by turns with everything recorded, and at the limit that users have or in another way of measuring (WHOLE: both);
# every fourth guest with 8 threads; one guest in three. bench/guest.sh runs the whole matrix. GUESTS="NAME…": only these.
# Runs beside others, first.
. "$(dirname "$0")/guest_lib.sh"

place_of() {   # FILE: its place among all
	ls "$guests" | grep '\.\(c\|cc\|f90\)$' | grep -n -x "$(basename "$1")" | cut -d: -f1
}
nth() {        # N WORDS…
	shift $((1 + $1 % ($# - 1)))
	echo "$1"
}
try_guest() {  # FILE
	place=$(place_of "$1")
	who=$(nth "$place" clang gcc) flags=$(nth $((place / 2)) O2 O3)
	threads=$(header "$1" Threads)
	[ "$threads" ] || threads=$(nth "$place" 2 2 2 8)
	other=$(nth $((place / 2)) default refine default all page_writes host default faults)
	[ "$who" != clang ] || other=$(nth $((place / 2)) default bare default refine bare_record default page_writes host)
	case " $(header "$1" Compilers) " in "  " | *" $who "*) ;; *) who=$(header "$1" Compilers | cut -d' ' -f1) ;; esac
	tried=
	for way in $(sample "$(nth $((place / 4)) record "$other")" "record $other"); do
		run_guest "$1" "$who" "$flags" "$threads" "$way"
		promised "$1" "$who" "$flags" "$threads" "$way"
		[ $outcome = skip ] || tried=yes
	done
	known=$(header "$1" Fails)
	if [ -z "$tried" ] && [ -z "$bad" ]; then echo "reason: not to be had here"; echo "skip guest__$(named "$1")"
	elif [ "$known" ] && [ "$bad" ]; then echo "reason: fails: $known"; echo "skip guest__$(named "$1")"
	else check "guest__$(named "$1")"; fi
}

"$memsearch" list sensors | grep -q '^accesses  *yes' || { echo "reason: no accesses can be recorded here"; echo "skip guest"; exit 0; }
# What a guest must not do is seen: one that does all of it.
run_guest "$root/tests/live/programs/notices.c" clang O2 2 record
for what in "status 3, alone 0" "stdout changed" "stderr changed" "files left behind"; do
	case $bad in *"$what"*) ;; *) unseen="${unseen:-}$what: not seen
" ;; esac
done
bad=${unseen:-}
check guest__changes_are_seen

files=
for file in "$guests"/*.c "$guests"/*.cc "$guests"/*.f90; do
	case " ${GUESTS:-$(named "$file")} " in *" $(named "$file") "*) [ ! -f "$file" ] || files="$files $file" ;; esac
done
# One in three, but for those that are named.
if [ -z "${GUESTS:-}${WHOLE:-}" ]; then files=$(echo $files | tr ' ' '\n' | awk 'NR % 3 == 1'); fi
lanes "$(nproc)" try_guest $files
cat "$scratch"/results/*
