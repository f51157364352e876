# SPDX-License-Identifier: Apache-2.0
# What tests of recorded accesses share: sourced, not run.
. "$(dirname "$0")/lib.sh"

"$memsearch" list sensors | grep -q '^accesses  *yes' || { echo "reason: no accesses can be recorded here"; echo "skip $(basename "$0" .sh)"; exit 0; }
programs=$root/tests/live/programs
of_machine=                             # --machine NAME: what is read of the record is of that one
# Counts are checked; to simulate what is kept takes as long as all else, and the same tests of one compiler do. WHOLE: all do.
simulates() { unset MEMSEARCH_TRACE_LIMIT; }
only_counts() { [ -n "${WHOLE:-}" ] || export MEMSEARCH_TRACE_LIMIT=0; }
flatten=$root/tests/workloads/flatten.awk

# Runs $scratch/program as it is; what it prints and how it ends is what it must do under the tool, too. It is the same whatever
# has compiled the source, but for what a Fortran runtime says at the end: so one run is enough.
plain() {      # SOURCE COMPILER KIND
	plain=$scratch/plain.${1##*/}.$3
	case $1 in *.f90) plain=$plain.${2%% *} ;; esac
	[ -f "$plain.status" ] && return
	timeout -k 1 60 "$scratch/program" "$3" > "$plain" 2> "$plain.errors"
	echo $? > "$plain.status"
}

# The same under the tool, into $scratch/arrays and $scratch/report: a line a value of what is printed as JSON.
under_tool() { # [ARGUMENTS]
	rm -f "$scratch/it.ms" "$scratch/arrays" "$scratch/report"
	timeout -k 1 90 "$memsearch" run --quiet -o "$scratch/it.ms" -- "$scratch/program" "$@" > "$scratch/out" 2> "$scratch/errors"
	status=$?
	[ $status = "$(cat "$plain.status")" ] || different="status $status, not $(cat "$plain.status"): $(cat "$scratch/errors")"
	cmp -s "$plain" "$scratch/out" || different="output changed: $(head -n 5 "$scratch/out")"
	cmp -s "$plain.errors" "$scratch/errors" || different="said on stderr: $(head -n 5 "$scratch/errors")"
	"$memsearch" arrays --json $of_machine "$scratch/it.ms" 2> "$scratch/errors" | awk -f "$flatten" > "$scratch/arrays" || wrong "arrays: $(cat "$scratch/errors")"
	"$memsearch" report --json $of_machine "$scratch/it.ms" 2> "$scratch/errors" | awk -f "$flatten" > "$scratch/report" || wrong "report: $(cat "$scratch/errors")"
}

# Reads $scratch/arrays: "ARRAY bytes values" for each array and region; values that are in no array are of "null".
moved() {
	awk -F '\t' '$1 ~ /^runs\/0\/accesses\// { split($1, path, "/"); row[path[4]]; value[path[4], path[5]] = $2 }
		END {
			for (r in row) {
				at = value[r, "region"] " " value[r, "array"]
				bytes[at] += value[r, "bytes"]
				values[at] += value[r, "reads"] + value[r, "writes"]
			}
			for (at in bytes) { split(at, name, " "); printf "%s %.1f %.1f\n", name[2], bytes[at], values[at] }
		}' "$scratch/arrays" | sort > "$scratch/moved"
}

# Of what serial code around does to an array, nothing: of each array the row with most bytes.
largest() {
	sort -k1,1 -k2,2gr "$scratch/moved" | awk '!met[$1]++' > "$scratch/largest" && mv "$scratch/largest" "$scratch/moved"
}

moves() {      # ARRAY BYTES: in every region it is accessed in
	awk -v array="$1" -v bytes="$2" '$1 == array { met++; if ($2 < bytes - 0.5 || $2 > bytes + 0.5) differs = 1 }
		END { exit !met || differs }' "$scratch/moved" || wrong "$1 should move $2 bytes: $(grep "^$1 " "$scratch/moved")"
}

recorded() {   # ARRAY…: something of each was recorded
	for array in "$@"; do
		awk -v array="$array" '$1 == array && $3 > 0 { met = 1 } END { exit !met }' "$scratch/moved" || wrong "$array: no accesses"
	done
}

# "ARRAY LINE" of each candidate by a property over arrays, LINE being its construct's; one in a loop is in $scratch/in_loops with the loop's.
candidates() { # PROPERTY
	candidate_rows "$scratch/report" | awk -F '\t' -v property="$1" -v in_loops="$scratch/in_loops" '
		$1 == property { print $2, $3 == "LOOP_REGION" ? $5 : $4 }
		$1 == property && $3 == "LOOP_REGION" { print $2, $4 > in_loops }' | sort -u | tr '\n' ';'
}

expect() {     # WHAT HAVE WANT
	[ "$2" = "$3" ] || wrong "$1: '$2', not '$3'; $(tr '\n' ';' < "$scratch/moved")"
}

judge() {      # NAME: what differs from the plain run is wrong, whether another attempt did better or not
	[ -z "$different" ] || wrong "$different"
	different=
	check "$1"
}
different=
