# SPDX-License-Identifier: Apache-2.0
# What tests of programs with known answers share: sourced, not run. Builds each case and runs each source as it is, where that was not done.
set -u
BUILD=$(cd "${BUILD:-build}" && pwd) || exit 1
sources=$(pwd)/tests/workloads
work=$BUILD/tests/workloads
memsearch=$BUILD/bin/memsearch
pattern=${1:-*}
SECONDS_EACH=60                  # some 1 s on an idle machine
BUSY=${BUSY:-10}                 # percent of the machine that others may use without being an excuse
. "$sources/others.sh"
mkdir -p "$work/run" || exit 1
[ -x "$memsearch" ] || { echo "FAIL workloads: no $memsearch"; exit 1; }

say_of() {                       # KEYWORD SOURCE: what the source says after it
	sed -n "s/^[^A-Z]*$1 //p" "$2"
}

compilers_of() {                 # SOURCE
	only=$(say_of ONLY "$1")
	case $1 in
	*.f90) echo "${only:-gfortran flang}" ;;
	*) echo "${only:-clang gcc}" ;;
	esac
}

command_of() {                   # COMPILER SOURCE: the command that builds it
	warnings="-Wall -Wextra"
	common="-g -fopenmp -I$sources -Iinclude"
	module="$sources/workload_module.f90"
	case $1:$2 in
	clang:*.c) echo "clang-19 $warnings $common" ;;
	gcc:*.c) echo "gcc $warnings $common" ;;
	clang:*.cpp) echo "clang++-19 $warnings $common" ;;
	gcc:*.cpp) echo "g++ $warnings $common" ;;
	gfortran:*) echo "gfortran -g -fopenmp -J$work/gfortran $module" ;;
	flang:*) echo "flang-new-19 -g -fopenmp -module-dir $work/flang $module" ;;
	esac
}

build() {                        # CASE SOURCE COMPILER FLAGS; 1: was told why not
	command=$(command_of "$3" "$2")
	program=$work/$1
	[ -x "$program" ] && [ -z "$(find "$2" "$sources"/workload* -newer "$program")" ] && return 0
	command -v "${command%% *}" > /dev/null || { echo "skip workload__$1: no ${command%% *}"; return 1; }
	mkdir -p "$work/$3"
	timeout 120 $command $4 "$2" -o "$program" -lm > "$work/log" 2>&1 && return 0
	cat "$work/log"
	echo "FAIL workload__$1: does not build"
	return 1
}

settings_of() {                  # SOURCE: environment of both runs; bound, so that no thread moves by chance
	echo "OMP_NUM_THREADS=2 OMP_PROC_BIND=true $(say_of RUN "$1")"
}

# What it does untouched: what the source says, or what it did, once a source, as sums are the same for all compilers. With WHOLE it is run in any case.
reference() {                    # NAME SOURCE PROGRAM
	[ -f "$work/$1.want" ] && [ "$work/$1.want" -nt "$2" ] && [ -z "${WHOLE:-}" ] && return 0
	prints=$(say_of PRINTS "$2") status=$(say_of STATUS "$2")
	printf '%s\nstatus %s\n' "$prints" "${status:-0}" > "$work/$1.says"
	if [ -n "$prints" ] && [ -z "${WHOLE:-}" ]; then mv "$work/$1.says" "$work/$1.want"; return 0; fi
	(cd "$work/run" && env $(settings_of "$2") timeout -k 5 $((5 * SECONDS_EACH)) "$3") > "$work/$1.new" 2> "$work/log"
	echo "status $?" >> "$work/$1.new"
	mv "$work/$1.new" "$work/$1.want"
	[ -z "$prints" ] || cmp -s "$work/$1.says" "$work/$1.want" || echo "status: not as PRINTS and STATUS say" >> "$work/$1.want"
}

# Program and reference; 1: was told what failed.
prepare() {                      # CASE NAME SOURCE COMPILER FLAGS
	build "$1" "$3" "$4" "$5" || return 1
	reference "$2" "$3" "$work/$1"
	wanted=$(say_of STATUS "$3")
	[ "$(tail -n 1 "$work/$2.want")" = "status ${wanted:-0}" ] && return 0
	cat "$work/$2.want"
	echo "FAIL workload__$1: untouched"
	rm -f "$work/$2.want"
	return 1
}

# One run under the tool, between others_begin and others_end: its report as lines in $work/flat. 1: prints why there is none, or how the program's
# output or status differs.
measure() {                      # NAME SOURCE PROGRAM [OPTION...]: options of `memsearch run`
	name_=$1 source_=$2 program_=$3
	shift 3
	rm -f "$work/run/it.ms" "$work/flat"
	(cd "$work/run" && env $(settings_of "$source_") MEMSEARCH_OUTPUT=it.ms timeout -k 5 $SECONDS_EACH \
		"$memsearch" run --quiet "$@" -- "$program_") > "$work/have" 2> "$work/log"
	status=$?
	[ $status -eq 124 ] && { echo "late: not done in $SECONDS_EACH s"; return 1; }
	echo "status $status" >> "$work/have"
	diff "$work/$name_.want" "$work/have" > "$work/diff" || { sed 's/^/output: /' "$work/diff" "$work/log" | head -n 12; return 1; }
	"$memsearch" report --json "$work/run/it.ms" > "$work/report.json" 2> "$work/log" ||
		{ sed 's/^/report: /' "$work/log"; echo "report: failed"; return 1; }
	awk -f "$sources/flatten.awk" "$work/report.json" > "$work/flat" || { echo "report: malformed"; return 1; }
}

disturbed() {                    # the last run, as measured from outside or as it says itself
	[ "$others" -gt "$BUSY" ] || { [ "$BUSY" -lt 100 ] && grep -qs '/property	CpusTaken$' "$work/flat"; }
}

is_chosen() {                    # the case of this turn
	[ -n "${WHOLE:-}" ] || [ "$pattern" != "*" ] || { [ $turn = 0 ] && [ $((sampled % 4)) = 0 ]; }
}
# FUNCTION takes CASE NAME SOURCE COMPILER FLAGS. Without WHOLE or a pattern a fourth of the cases: each source by one compiler at one level, and
# each compiler and level equally often; of the sources that say SAMPLED a fourth.
each_workload() {                # FUNCTION
	turn=0 nr_sampled=0
	for source in "$sources"/*.c "$sources"/*.cpp "$sources"/*.f90; do
		name=$(basename "$source" | sed 's/\.[^.]*$//')
		[ "$name" = workload_module ] && continue
		sampled=0
		grep -q '^[^A-Z]*SAMPLED$' "$source" && nr_sampled=$((nr_sampled + 1)) && sampled=$nr_sampled
		for compiler in $(compilers_of "$source"); do
			for level in O2 O3; do
				flags=-O2
				[ $level = O3 ] && flags="-O3 -march=native"
				! is_chosen || case $name.$compiler.$level in
				$pattern) "$1" "$name.$compiler.$level" "$name" "$source" "$compiler" "$flags" ;;
				esac
				turn=$(((turn + 1) % 4))
			done
		done
		turn=$(((turn + 1) % 4))
	done
}
