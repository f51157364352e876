#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Programs with known answers (tests/workloads, format in workload.h): each is built by every
# compiler of its language at -O2 and -O3 -march=native, run as it is and under `memsearch run`, and
# must print the same, end the same, and yield the findings it was written for and no others.
#
#     tests/live/workloads.sh [PATTERN]     only "NAME.COMPILER.LEVEL" matching the shell pattern
#
# Other programs on the CPUs plant problems of their own and hide the program's. So a run whose findings
# are wrong is repeated; if they stay wrong, the case failed, unless every run of it was disturbed: then it is
# skipped as undecided. Wrong output, status or a broken report fail at once, whatever else runs.
#     BUSY=100 tests/live/workloads.sh      nothing is an excuse
set -u
BUILD=$(cd "${BUILD:-build}" && pwd) || exit 1
sources=$(pwd)/tests/workloads
work=$BUILD/tests/workloads
memsearch=$BUILD/bin/memsearch
pattern=${1:-*}
SECONDS_EACH=60                  # some 1 s on an idle machine
ATTEMPTS=8
BUSY=${BUSY:-10}                 # percent of the machine that others may use without being an excuse
patience=300                     # seconds for repeating what others disturb, of all cases
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

# Untouched, once a source: sums are the same for all compilers.
reference() {                    # NAME SOURCE PROGRAM
	[ -f "$work/$1.want" ] && [ "$work/$1.want" -nt "$2" ] && return 0
	(cd "$work/run" && env $(settings_of "$2") timeout -k 5 $((5 * SECONDS_EACH)) "$3") > "$work/$1.new" 2> "$work/log"
	echo "status $?" >> "$work/$1.new"
	mv "$work/$1.new" "$work/$1.want"
}

# One run under the tool; prints what differs.
attempt() {                      # NAME SOURCE PROGRAM
	rm -f "$work/run/it.ms" "$work/flat"
	(cd "$work/run" && env $(settings_of "$2") MEMSEARCH_OUTPUT=it.ms timeout -k 5 $SECONDS_EACH \
		"$memsearch" run --quiet -- "$3") > "$work/have" 2> "$work/log"
	status=$?
	[ $status -eq 124 ] && { echo "late: not done in $SECONDS_EACH s"; return; }
	echo "status $status" >> "$work/have"
	diff "$work/$1.want" "$work/have" > "$work/diff" || { sed 's/^/output: /' "$work/diff" "$work/log" | head -n 12; return; }
	"$memsearch" report --json "$work/run/it.ms" > "$work/report.json" 2> "$work/log" ||
		{ sed 's/^/report: /' "$work/log"; echo "report: failed"; return; }
	awk -f "$sources/flatten.awk" "$work/report.json" > "$work/flat" || { echo "report: malformed"; return; }
	awk -f "$sources/check.awk" "$2" "$work/flat"
}

disturbed() {                    # the last run, as measured from outside or as it says itself
	[ "$others" -gt "$BUSY" ] || { [ "$BUSY" -lt 100 ] && grep -qs '/property	CpusTaken$' "$work/flat"; }
}

# Before the next try: a while, longer each time. 1: all were disturbed, and enough time went that way.
rest() {                         # TRY
	[ "$excuse" ] || return 0
	[ $(($(date +%s) - failed_at)) -lt $patience ] || return 1
	sleep $(($1 < 4 ? 1 << $1 : 16))
}

repeated() {                     # the time since the first failure is gone
	[ -z "$failed_at" ] || patience=$((patience - $(date +%s) + failed_at))
}

check() {                        # CASE NAME SOURCE COMPILER FLAGS
	build "$1" "$3" "$4" "$5" || return
	reference "$2" "$3" "$work/$1"
	wanted=$(say_of STATUS "$3")
	[ "$(tail -n 1 "$work/$2.want")" = "status ${wanted:-0}" ] || { cat "$work/$2.want"; echo "FAIL workload__$1: untouched"; rm -f "$work/$2.want"; return; }
	excuse=yes failed_at=
	for try in $(seq $ATTEMPTS); do
		others_begin
		attempt "$2" "$3" "$work/$1" > "$work/differences"
		others_end
		[ -s "$work/differences" ] || { repeated; echo "ok workload__$1"; return; }
		disturbed || excuse=
		grep -q '^output:\|^report:' "$work/differences" && { excuse=; break; }
		failed_at=${failed_at:-$(date +%s)}
		rest $try || break
	done
	repeated
	sed 's/^/    /' "$work/differences"
	[ "$excuse" ] && echo "skip workload__$1: undecided, others used $others % of the CPUs" || echo "FAIL workload__$1"
}

for source in "$sources"/*.c "$sources"/*.cpp "$sources"/*.f90; do
	name=$(basename "$source" | sed 's/\.[^.]*$//')
	[ "$name" = workload_module ] && continue
	for compiler in $(compilers_of "$source"); do
		for level in O2 O3; do
			flags=-O2
			[ $level = O3 ] && flags="-O3 -march=native"
			case $name.$compiler.$level in
			$pattern) check "$name.$compiler.$level" "$name" "$source" "$compiler" "$flags" ;;
			esac
		done
	done
done
