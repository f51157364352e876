#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Recorded accesses of programs that say themselves how many bytes of which array they move, how, and on which thread.
# Runs beside others.
. "$(dirname "$0")/lib.sh"

"$memsearch" list sensors | grep -q '^accesses  *yes' || { echo "reason: no accesses can be recorded here"; echo "skip accesses"; exit 0; }
programs=$root/tests/live/programs
flatten=$root/tests/workloads/flatten.awk
export OMP_PROC_BIND=true

# Runs $scratch/program as it is; what it prints and how it ends is what it must do under the tool, too.
plain() {      # [ARGUMENTS]
	timeout -k 1 60 "$scratch/program" "$@" > "$scratch/plain" 2> "$scratch/plain_errors"
	plain_status=$?
}

# The same under the tool, into $scratch/arrays and $scratch/report: a line a value of what is printed as JSON.
under_tool() { # [ARGUMENTS]
	rm -f "$scratch/it.ms" "$scratch/arrays" "$scratch/report"
	timeout -k 1 90 "$memsearch" run --quiet -o "$scratch/it.ms" -- "$scratch/program" "$@" > "$scratch/out" 2> "$scratch/errors"
	status=$?
	[ $status = $plain_status ] || different="status $status, not $plain_status: $(cat "$scratch/errors")"
	cmp -s "$scratch/plain" "$scratch/out" || different="output changed: $(head -n 5 "$scratch/out")"
	cmp -s "$scratch/plain_errors" "$scratch/errors" || different="said on stderr: $(head -n 5 "$scratch/errors")"
	"$memsearch" arrays --json "$scratch/it.ms" 2> "$scratch/errors" | awk -f "$flatten" > "$scratch/arrays" || wrong "arrays: $(cat "$scratch/errors")"
	"$memsearch" report --json "$scratch/it.ms" 2> "$scratch/errors" | awk -f "$flatten" > "$scratch/report" || wrong "report: $(cat "$scratch/errors")"
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
	awk -F '\t' -v property="$1" '$1 ~ /^candidates\/[0-9]+\// {
			split($1, path, "/")
			key = $1
			sub(/^candidates\/[0-9]+\//, "", key)
			is[path[2], key] = $2
			nr = path[2] + 1
		}
		END {
			for (i = 0; i < nr; i++)
				if (is[i, "property"] == property && is[i, "region/kind"] == "LOOP_REGION") {
					print is[i, "data_structure/name"], is[i, "region/construct/line"]
					print is[i, "data_structure/name"], is[i, "region/line"] > in_loops
				} else if (is[i, "property"] == property) {
					print is[i, "data_structure/name"], is[i, "region/line"]
				}
		}' in_loops="$scratch/in_loops" "$scratch/report" | sort -u | tr '\n' ';'
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

# ------------------------------------------------------------------ known numbers

counts() {     # SOURCE
	under_tool counts
	moved
	case $1 in
	*.c)
		for array in sum_left sum_right sum_to picks picked pick; do moves $array $((524288 * 8)); done
		moves counters $((524288 * 8))       # half as long, read and written
		moves chosen $((524288 * 4))
		recorded choice
		;;
	*)
		for array in sum_left sum_right sum_to; do moves fields::$array $((524288 * 8)); done
		moves fields::counters $((524288 * 4 * 8))
		;;
	esac
	expect strided "$(candidates StridedAccess)" ""
	expect uneven "$(candidates ArrayAccessImbalance)" ""
}

# Arrays of a module have its name, and those of flang's regions are "near" a line.
strides() {    # SOURCE
	line=$(line_of "$1" columns_region) file=${1##*/} module=
	[ "$file" = accesses.c ] || module=fields::
	under_tool strides
	moved
	recorded ${module}by_columns ${module}by_rows
	[ "$module" ] || recorded unrolled near bodies
	expect strided "$(candidates StridedAccess)" "${module}by_columns $line;"
	loop=$(line_of "$1" columns)
	grep -q "^${module}by_columns $loop\$" "$scratch/in_loops" || loop=$((loop - 1))
	grep -q "^${module}by_columns $loop\$" "$scratch/in_loops" || wrong "in no loop at its line: $(cat "$scratch/in_loops")"
	expect uneven "$(candidates ArrayAccessImbalance)" ""
	"$memsearch" report "$scratch/it.ms" | tr -s ' \n' ' ' > "$scratch/text"
	grep -q "left out (StridedAccess) where ${module}by_columns in the loop \(at\|near\) $file:$loop in [^ ]*columns, in .* in columns (\(near \)\{0,1\}$file:$line)" "$scratch/text" ||
		wrong "no candidate in the text"
	"$memsearch" arrays --by line "$scratch/it.ms" | tr -s ' \n' ' ' > "$scratch/text"
	grep -q "$file:$(line_of "$1" columns) ${module}by_columns [0-9][^(]* columns (\(near \)\{0,1\}$file:$line)" "$scratch/text" ||
		wrong "no line in the table"
}

threads() {    # SOURCE
	module=
	[ "${1##*/}" = accesses.c ] || module=fields::
	under_tool threads
	moved
	recorded ${module}triangle
	[ "$module" ] || recorded square
	expect uneven "$(candidates ArrayAccessImbalance)" "${module}triangle $(line_of "$1" triangular_region);"
	expect strided "$(candidates StridedAccess)" ""
}

# The default limit is kept, as far as is known, and what was not looked at is said.
limited() {
	under_tool strides
	awk -F '\t' '$1 == "runs/0/cost/limit" { limit = $2 } $1 == "runs/0/cost/slowdown" { slowdown = $2 }
		END { exit !(limit == 0.05 && slowdown > 0 && slowdown <= 1 + limit) }' "$scratch/report" ||
		wrong "not limited: $(grep '^runs/0/cost' "$scratch/report" | tr '\n' ';')"
	grep -q '^coverage/unseen/[0-9]*/what	part of the phase.s executions$' "$scratch/report" || wrong "says nothing of executions left out"
}

known() {      # NAME SOURCE
	for kind in counts strides threads; do
		plain $kind
		export MEMSEARCH_OVERHEAD=1000%
		again $kind "$2"
		unset MEMSEARCH_OVERHEAD
		judge "accesses__$kind $1"
	done
	plain strides
	again limited
	judge "accesses__limited $1"
}

both_levels() { # COMPILER SOURCE
	have $1 || { echo "reason: no $1"; echo "skip accesses__known $1"; return; }
	for options in "-O2" "-O3 -march=native"; do
		# shellcheck disable=SC2086
		(cd "$scratch" && $1 $options -g -fopenmp -o program "$2") || wrong "does not compile"
		known "$1 $options" "$2"
	done
}
both_levels clang-19 "$programs/accesses.c"
both_levels gcc-12 "$programs/accesses.c"
both_levels gfortran "$programs/accesses.f90"
both_levels flang-new-19 "$programs/accesses.f90"

# ------------------------------------------------------------------ serial code

serial_counts() { # SOURCE
	under_tool counts
	moved
	case $1 in
	*.c)
		for array in scale_from scale_to main_from main_to picks picked pick; do moves $array $((2097152 * 8)); done
		moves counters $((2097152 * 8))
		;;
	*)
		for array in scale_from scale_to main_from main_to; do moves serial_fields::$array $((2097152 * 8)); done
		moves serial_fields::counters $((2097152 * 8))
		;;
	esac
	expect strided "$(candidates StridedAccess)" ""
	expect uneven "$(candidates ArrayAccessImbalance)" ""
}

# Its region has the line of the parallel one before; those of the loops stand in the advice.
serial_strides() { # SOURCE
	module=
	[ "${1##*/}" = serial.c ] || module=serial_fields::
	under_tool strides
	moved
	recorded ${module}by_columns ${module}by_rows
	expect strided "$(candidates StridedAccess | sed 's/ [0-9]*;/;/g')" "${module}by_columns;"
	expect uneven "$(candidates ArrayAccessImbalance)" ""
	"$memsearch" report "$scratch/it.ms" | tr -s ' \n' ' ' > "$scratch/text"
	grep -q "So swap the loops at ${1##*/}:[0-9]* and $(($(line_of "$1" columns) - 1)), or" "$scratch/text" || wrong "no lines in the advice: $(grep -o 'So swap.*transposed' "$scratch/text")"
	"$memsearch" arrays --by line "$scratch/it.ms" | tr -s ' \n' ' ' > "$scratch/text"
	grep -q "${1##*/}:$(line_of "$1" columns) ${module}by_columns [0-9][^(]* after begin_team" "$scratch/text" || wrong "no line in the table"
}

serial() {     # NAME SOURCE KIND…
	name=$1 source=$2
	shift 2
	export MEMSEARCH_OVERHEAD=1000%
	for kind in "$@"; do
		plain $kind
		again serial_$kind "$source"
		judge "accesses__serial_$kind $name"
	done
	unset MEMSEARCH_OVERHEAD
}

serial_levels() { # COMPILER SOURCE KIND…
	compiler=$1 source=$2
	shift 2
	have $compiler || { echo "reason: no $compiler"; echo "skip accesses__serial $compiler"; return; }
	for level in $(sample "3" "2 3"); do
		[ $level = 2 ] && options=-O2 || options="-O3 -march=native"
		# shellcheck disable=SC2086
		(cd "$scratch" && $compiler $options -g -fopenmp -o program "$source") || wrong "does not compile"
		serial "$compiler $options" "$source" "$@"
	done
}
serial_levels clang-19 "$programs/serial.c" counts strides
serial_levels gcc-12 "$programs/serial.c" counts strides
serial_levels gfortran "$programs/serial.f90" counts strides
serial_levels flang-new-19 "$programs/serial.f90" counts strides

# ------------------------------------------------------------------ lines that threads share

# The same by the arrays' names alone.
names() {      # PROPERTY…
	for property in "$@"; do candidates "$property"; done | tr ';' '\n' | cut -d' ' -f1 | sort -u | tr '\n' ';'
}

lines() {      # KIND WANT ARRAY…
	under_tool "$1"
	moved
	want=$2
	shift 2
	recorded "$@"
	expect "falsely shared" "$(names SharedWrittenLines WatchedFalseSharing)" "$want"
}

# Of the lines in `memsearch arrays`: ARRAY LINES SAME_LINES.
shares() {
	awk -F '\t' -v array="$1" -v lines="$2" -v same="$3" '$1 ~ /^runs\/0\/sharing\// { split($1, path, "/"); value[path[4], path[5]] = $2; nr = path[4] + 1 }
		END {
			for (i = 0; i < nr; i++)
				if (value[i, "array"] == array) {
					met = 1
					wrong = value[i, "lines"] != lines || value[i, "same_lines"] != same
				}
			exit !met || wrong
		}' "$scratch/arrays" || wrong "$1 should share $2 lines, and words of $3: $(grep "^runs/0/sharing" "$scratch/arrays" | tr '\n' ';')"
}

packed() { lines packed "packed;" packed; shares packed 1 0; }
narrow() { lines narrow "narrow;" narrow; shares narrow 1 0; }
cyclic() { lines cyclic "cyclic;" cyclic; shares cyclic $((1048576 * 8 / 64)) 0; }
padded() { lines padded "" padded; shares padded 0 0; }
blocks() { lines blocks "" blocks; shares blocks 0 0; }
stencil() { lines stencil "" new old table; }
common() { lines common "" common; shares common 0 1; }

fortran_packed() { lines packed "shared_fields::packed;" shared_fields::packed; }
fortran_cyclic() { lines cyclic "shared_fields::cyclic;" shared_fields::cyclic; }
fortran_padded() { lines padded "" shared_fields::padded; }

shared_lines() { # COMPILER KIND…
	compiler=$1
	shift
	for kind in "$@"; do
		plain ${kind#fortran_}
		again $kind
		judge "accesses__lines_${kind#fortran_} $compiler"
	done
}

export MEMSEARCH_OVERHEAD=1000%
for compiler in clang-19 gcc-12; do
	have $compiler || { echo "reason: no $compiler"; echo "skip accesses__lines $compiler"; continue; }
	$compiler -O2 -g -fopenmp -o "$scratch/program" "$programs/shared_lines.c" || wrong "does not compile"
	case $compiler in
	clang-19) shared_lines $compiler packed narrow cyclic padded blocks stencil common ;;
	*) shared_lines $compiler $(sample "cyclic padded" "packed narrow cyclic padded blocks stencil common") ;;
	esac
done
for compiler in gfortran; do
	have $compiler || { echo "reason: no $compiler"; echo "skip accesses__lines $compiler"; continue; }
	(cd "$scratch" && $compiler -O2 -g -fopenmp -o program "$programs/shared_lines.f90") || wrong "does not compile"
	shared_lines $compiler fortran_packed fortran_cyclic fortran_padded
done
unset MEMSEARCH_OVERHEAD

# ------------------------------------------------------------------ what recording must keep out of the way of

# What was asked for is recorded, or said to be missing.
said() {
	grep -q '^runs/0/accesses/0/' "$scratch/arrays" ||
		grep -q "^coverage/unseen/[0-9]*/what	the answer to ..its accesses to memory are recorded" "$scratch/report" ||
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
	expect uneven "$(candidates ArrayAccessImbalance)" ""
}

odd() {        # COMPILER
	for kind in library mathematics heap fork alarm nested tasks exceptions places; do
		plain $kind
		again odd_case $kind
		judge "accesses__$kind $1"
	done
	export OMP_NUM_THREADS=8
	plain crowd
	under_tool crowd
	judge "accesses__crowd $1"
	export OMP_NUM_THREADS=2
	plain once
	under_tool once
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
			grep -q "^coverage/unseen/[0-9]*/what	the answer to ..its accesses to memory are recorded" "$scratch/report" ||
				wrong "no reason: $(grep '^coverage' "$scratch/report")"
		fi
		;;
	sorts) said ;;
	*) moves from $((4000000 * 8)); moves to $((4000000 * 8)) ;;
	esac
	expect strided "$(candidates StridedAccess)" ""
	expect uneven "$(candidates ArrayAccessImbalance)" ""
}

serial_odd() { # COMPILER KINDS
	have $1 || { echo "reason: no $1"; echo "skip accesses__serial_odd $1"; return; }
	$1 -O2 -g -fopenmp -std=c++14 -o "$scratch/program" "$programs/serial_odd.cc" || wrong "does not compile"
	for kind in $2; do
		plain $kind
		again serial_odd_case $kind
		judge "accesses__serial_$kind $1"
	done
}

export MEMSEARCH_OVERHEAD=1000% OMP_MAX_ACTIVE_LEVELS=2
all="exceptions jumps leaves comes_back passes stops forks signals virtuals nested_virtuals sorts tasks"
serial_odd clang++-19 "$all"
serial_odd g++-12 "$(sample "exceptions virtuals" "$all")"
for compilers in "clang-19 clang++-19" "gcc-12 g++-12"; do
	have "${compilers#* }" || { echo "reason: no ${compilers#* }"; echo "skip accesses__odd ${compilers%% *}"; continue; }
	${compilers%% *} -O2 -g -fPIC -shared -o "$scratch/libaxpy.so" "$programs/accesses_library.c" || wrong "no library"
	${compilers#* } -O2 -g -fopenmp -std=c++14 -o "$scratch/program" "$programs/accesses_odd.cc" -L"$scratch" -laxpy -Wl,-rpath,"$scratch" ||
		wrong "does not compile"
	odd "${compilers%% *}"
done
