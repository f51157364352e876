#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Calls from recorded code into another library are named, and recorded where the user names the library.
# Runs beside others.
. "$(dirname "$0")/lib.sh"

"$memsearch" list sensors | grep -q '^accesses  *yes' || { echo "reason: no accesses can be recorded here"; echo "skip followed"; exit 0; }
"$CC" -O2 -g -fno-builtin -fopenmp -o "$scratch/program" "$root/tests/live/programs/called.c" -lm || exit 1
"$scratch/program" > "$scratch/plain"

# Into $scratch/text.
recorded() {   # OPTION…
	timeout -k 1 90 "$memsearch" run --quiet --overhead 1000% -o "$scratch/it.ms" "$@" -- "$scratch/program" > "$scratch/out" 2> "$scratch/errors" ||
		wrong "status $?: $(cat "$scratch/errors")"
	cmp -s "$scratch/plain" "$scratch/out" || wrong "output changed: $(head -n 5 "$scratch/out")"
	"$memsearch" arrays --all "$scratch/it.ms" | tr -s ' \n' ' ' > "$scratch/text"
	grep -q '^array .* to static [0-9.]* KiB 0 20' "$scratch/text" || wrong "nothing was recorded: $(cut -c 1-400 "$scratch/text")"
}

named() {
	recorded
	grep -q '1 call in recorded code to pow (libm\.so\.6): in another library; --follow libm records' "$scratch/text" ||
		wrong "pow is not named: $(cat "$scratch/text")"
}

# Its clone reads libm's tables, which are arrays of the program as any other.
followed() {
	recorded --follow libm
	grep -q 'recorded code to pow' "$scratch/text" && wrong "pow was not followed: $(cat "$scratch/text")"
	"$memsearch" arrays --by line --all --most 0 --format csv "$scratch/it.ms" | grep -q '^1,[^,]*pow' ||
		wrong "no access in pow: $("$memsearch" arrays --by line --all --format csv "$scratch/it.ms" | head -n 20)"
}

refused() {
	timeout 20 "$memsearch" run --follow libblas,libc -- "$scratch/program" > "$scratch/out" 2> "$scratch/errors"
	[ $? = 2 ] || wrong "--follow libc was taken"
	grep -q "'libc' cannot be followed" "$scratch/errors" || wrong "said: $(cat "$scratch/errors")"
	[ -s "$scratch/out" ] && wrong "the program was run"
	MEMSEARCH_FOLLOW=libomp.so.5 MEMSEARCH_MEASURE=none MEMSEARCH_QUIET=1 MEMSEARCH_OUTPUT="$scratch/it.ms" OMP_TOOL_LIBRARIES=$tool timeout 60 \
		"$scratch/program" > "$scratch/out" 2> "$scratch/errors" || wrong "status $?"
	grep -q "MEMSEARCH_FOLLOW is ignored: 'libomp.so.5' cannot be followed" "$scratch/errors" || wrong "said: $(cat "$scratch/errors")"
	cmp -s "$scratch/plain" "$scratch/out" || wrong "output changed"
}

again named
check followed__calls_are_named
again followed
check followed__a_library_that_was_named
refused
check followed__never_what_records_itself
