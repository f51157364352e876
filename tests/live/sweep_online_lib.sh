# SPDX-License-Identifier: Apache-2.0
# What tests of sweep --online share: its programs, and what a sweep says.
. "$(dirname "$0")/lib.sh"

$CC -O1 -g -fopenmp -o "$scratch/varied_clang" "$root/tests/live/programs/varied.c" 2> "$scratch/errors" || wrong "does not build: $(cat "$scratch/errors")"
$CC -O1 -g -fopenmp -I"$root/include" -DNR=100000 -o "$scratch/marked" "$root/tests/live/programs/marked_steps.c" 2> "$scratch/errors" || wrong "does not build: $(cat "$scratch/errors")"
programs=varied_clang
if have gcc && gcc -O1 -g -fopenmp -o "$scratch/varied_gcc" "$root/tests/live/programs/varied.c" 2> "$scratch/errors"; then programs="$programs varied_gcc"; fi
cd "$scratch" || exit 1

sweep() {      # OPTIONS…: the table is in "table", the rest in "said"
	rm -f x.db
	timeout -k 1 200 "$memsearch" sweep --online --no-calibrate -o x.db --format csv "$@" > table 2> said
	status=$?
}
column() {     # NAME: of the table, in one line
	awk -F , -v name="$1" 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next } { printf "%s%s", (NR > 2 ? " " : ""), $at[name] }' table
}
expect() {     # WHAT HAVE WANT
	[ "$2" = "$3" ] || wrong "$1: $2, not $3: $(cat said)"
}
said() {       # TEXT: is in what was said, in one line
	grep -qF "$1" said || wrong "not said: $1: $(cat said)"
}
