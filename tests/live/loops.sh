#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Recorded accesses by natural loop: nests of which it is known which loop moves how many bytes of which array, at which line.
# Runs beside others.
. "$(dirname "$0")/lib.sh"

"$memsearch" list sensors | grep -q '^accesses  *yes' || { echo "reason: no accesses can be recorded here"; echo "skip loops"; exit 0; }
programs=$root/tests/live/programs
flatten=$root/tests/workloads/flatten.awk
export OMP_PROC_BIND=true MEMSEARCH_OVERHEAD=1000%

# Runs $scratch/program under the tool; into $scratch/loops a line for each array and loop: ARRAY LINE FUNCTION BYTES, line 0: in none.
under_tool() { # KIND
	rm -f "$scratch/it.ms" "$scratch/loops" "$scratch/report"
	timeout -k 1 90 "$memsearch" run --quiet -o "$scratch/it.ms" -- "$scratch/program" "$1" > "$scratch/out" 2> "$scratch/errors"
	[ $? = 7 ] || wrong "status: $(cat "$scratch/errors")"
	cmp -s "$scratch/plain.$1" "$scratch/out" || wrong "output changed: $(head -n 5 "$scratch/out")"
	"$memsearch" arrays --json "$scratch/it.ms" 2> "$scratch/errors" | awk -f "$flatten" | awk -F '\t' '$1 ~ /^runs\/0\/accesses\// {
			split($1, path, "/")
			key = $1
			sub(/^runs\/0\/accesses\/[0-9]+\//, "", key)
			is[path[4], key] = $2
			row[path[4]]
		}
		END {
			for (r in row)
				bytes[is[r, "array"] " " is[r, "loop/line"] + 0 " " is[r, "loop/function"]] += is[r, "bytes"]
			for (at in bytes)
				printf "%s %.0f\n", at, bytes[at]
		}' | sort > "$scratch/loops"
	"$memsearch" report --json "$scratch/it.ms" 2> "$scratch/errors" | awk -f "$flatten" > "$scratch/report"
}

# All bytes of an array are in one loop, or of what a compiler takes out of its end, in the loop around; the line is the one of its `for` or,
# where that has none, of its body.
loop_moves() { # ARRAY BYTES SOURCE LOOP BODY [LOOP AROUND]
	low=$(line_of "$3" "$4") high=$(line_of "$3" "$5") around=${6:+$(line_of "$3" "$6")}
	awk -v array="$1" -v want="$2" -v low="$low" -v high="$high" -v around="${around:-none}" '
		$1 == array { all += $NF }
		$1 == array && $2 >= low && $2 <= high { here += $NF; lines[$2] }
		$1 == array && $2 == around { rest += $NF }
		END {
			for (line in lines) nr++
			exit !(all == want && here + rest == want && here > 0.95 * want && nr == 1)
		}' "$scratch/loops" ||
		wrong "$1 should move $2 bytes in the loop at line $low ($high): $(grep "^$1 " "$scratch/loops" | tr '\n' ';')"
}

counts() {     # SOURCE
	under_tool counts
	nest=$((32 * 32)) inner=1003
	case $1 in *.c) module= ;; *) module=fields:: ;; esac
	loop_moves ${module}values $((nest * inner * 8)) "$1" inner inner_body middle
	loop_moves ${module}of_middle $((nest * 8)) "$1" middle middle_body
	loop_moves ${module}weights $((nest * 8)) "$1" middle middle_body
	loop_moves ${module}numbers $((nest * inner * 4)) "$1" numbers_inner numbers_inner_body numbers_middle
	loop_moves ${module}of_numbers $((nest * 4)) "$1" numbers_middle numbers_middle_body
	grep -q "^${module}of_outer 0 *$((32 * 8))\$" "$scratch/loops" || wrong "of_outer is in the construct's own loop: $(grep of_outer "$scratch/loops")"
	[ "$module" ] && return
	loop_moves lines $((nest * inner * 8)) "$1" callee callee_body
	# the loop is in the function, a region below the construct, by which the search leads to it
	"$memsearch" list regions --format csv "$scratch/it.ms" > "$scratch/text" 2> "$scratch/errors"
	function=$(grep ',SUB_REGION,"function [^ ]*sum_of (loops.c:' "$scratch/text" | cut -d, -f2)
	grep -q "^1,[0-9]*,${function:-none},.*,LOOP_REGION,\"loop [a-z]* loops.c:.* in .*sum_of, in the" "$scratch/text" ||
		wrong "no function around the loop: $(grep sum_of "$scratch/text")"
	"$memsearch" report --tree "$scratch/it.ms" 2> "$scratch/errors" | tr -s ' \n' ' ' > "$scratch/text"
	grep -q "called function makes a part of the recorded accesses, function [^ ]*sum_of (loops.c:[0-9]*), in the [a-z ]* in [^ ]*calls (loops.c:[0-9]*): [0-9.]* [kM ]*accesses" "$scratch/text" ||
		wrong "the search does not lead through the function"
}

# "PROPERTY ARRAY KIND LINE" of each candidate.
candidates() {
	candidate_rows "$scratch/report" | awk -F '\t' '{ print $1, $2, $3, $4 }' | sort -u | tr '\n' ';'
}

# The transposed nest is found, at its innermost loop; the one that walks through its lines is not.
strides() {    # SOURCE
	under_tool strides
	case $1 in *.c) module= ;; *) module=fields:: ;; esac
	file=${1##*/} line=$(line_of "$1" transposed_inner) body=$(line_of "$1" transposed_body) middle=$(line_of "$1" transposed_middle)
	have=$(candidates)
	case $have in
	"StridedAccess ${module}wide LOOP_REGION $line;") ;;
	"StridedAccess ${module}wide LOOP_REGION $body;") line=$body ;;
	*) wrong "candidates: '$have'" ;;
	esac
	"$memsearch" report -v "$scratch/it.ms" | tr -s ' \n' ' ' > "$scratch/text"
	grep -q "where ${module}wide in the loop at $file:$line in [^ ]*transposed, in the [^(]*transposed (\(near \)\{0,1\}$file:" "$scratch/text" ||
		wrong "the text does not say where"
	grep -q "interchange the loops at $file:[0-9, ]*$middle and $line[, ]" "$scratch/text" || wrong "the text does not say which loops to interchange"
}

# Two loops of one construct do the same to the array: it is said of the construct, once.
shared() {
	under_tool shared
	case $(candidates) in
	"StridedAccess both PARALLEL_REGION "[0-9]*";" | "StridedAccess both DO_REGION "[0-9]*";") ;;
	*) wrong "candidates: '$(candidates)'" ;;
	esac
}

known() {      # COMPILER SOURCE
	have $1 || { echo "reason: no $1"; echo "skip loops__known $1"; return; }
	for options in "-O2" "-O3 -march=native"; do
		# shellcheck disable=SC2086
		(cd "$scratch" && $1 $options -g -fopenmp -o program "$2") || wrong "does not compile"
		for kind in counts strides shared; do
			[ $kind = counts ] && [ "$options" != -O2 ] && continue          # loops are unrolled wholly there, and are none
			[ -f "$scratch/plain.$kind" ] || timeout -k 1 60 "$scratch/program" $kind > "$scratch/plain.$kind"
			again $kind "$2"
			check "loops__$kind $1 $options"
		done
	done
}
known clang-19 "$programs/loops.c"
