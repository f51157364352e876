#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Originals against clones, many functions: made up ones by two compilers with many options, the programs of bench/, and all of libm, libc
# (which the product never follows), libgfortran, libquadmath, BLAS and LAPACK, and callers of these two with known answers (solved). Registers,
# vector state, memory and errno must be the same, and the recorded accesses those that single steps through the original find.
#
#   BUILD=build FILES=4 EACH=44 JOBS=3 nice bench/differential.sh     that many files with each set of options, compared by that many processes
#
# What was compared is kept in $BUILD/bench/differential and not done again as long as the programs are the same: a run that was ended goes on
# where it was. FRESH=1: begins anew.
#
# Exit status 1: something differs, fewer than 10,000 distinct functions returned, or more than 0.1 % of the libraries' were refused.
set -u
cd "$(dirname "$0")/.."
export LD_LIBRARY_PATH="$(sh tests/reference_blas.sh)${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}"
build=${BUILD:-build} files=${FILES:-4} each=${EACH:-44} jobs=${JOBS:-3}
work=$build/bench/differential
programs=$work/programs                  # as they were when it began

# A file of rows is there when it is whole.
keep() { mv "$work/$1.part" "$work/$1.rows"; }

compile() {    # OUT COMPILER OPTIONS… FILE
	out=$1; shift
	"$@" -w -fPIC -shared -o "$work/$out.so" -lm > "$work/$out.log" 2>&1
}

compare() {    # NAME LABEL PATTERN: rows say the label instead of the library
	timeout 1800 "$programs/differ" -f "$3" "$work/$1.so" 2>> "$work/errors" | sed "s|$work/$1.so|$2|" > "$work/$1.part" && keep "$1"
	rm -f "$work/$1.so" "$work/$1.log"
}

# What is to be done, each in a process of its own:
unit() {       # generated SEED COMPILER OPTIONS… | program NAME FILE COMPILER OPTIONS… |
               # solved NAME COMPILER OPTIONS… | library NAME PART PARTS
	kind=$1 name=$2; shift 2
	case $kind in
	generated)
		"$programs/generate" "$name" "$each" > "$work/$name.c"
		if compile "$name" "$@" "$work/$name.c"; then
			compare "$name" "$*: generate $name $each" '*'
		else
			: > "$work/$name.part" && keep "$name"       # options that this compiler does not have
		fi
		rm -f "$work/$name.c" "$work/$name.log" ;;
	program)
		file=$1; shift
		# Small ones, so that single steps come to their ends.
		sed 's/LARGEST 1335/LARGEST 63/; s/n = 512, steps = 100/n = 12, steps = 2/; s/NMAX = 1335/NMAX = 63/' "$file" > "$work/$name.${file##*.}"
		compile "$name" "$@" -I. -I"$(dirname "$file")" "$work/$name.${file##*.}" && compare "$name" "programs: $* ${file##*/}" '*'
		rm -f "$work/$name.${file##*.}" ;;
	solved)
		compile "$name" "$@" -I. tests/differential/solve.c -llapack -lblas && compare "$name" "solved: $*" '*_of_known' ;;
	library)
		timeout 3600 "$programs/differ" -e "$2" -o "$1" "$name" > "$work/$name.$1.part" 2>> "$work/errors"
		[ $? -le 1 ] && keep "$name.$1" ;;
	esac
}
[ "${1:-}" = unit ] && { shift; unit "$@"; exit 0; }

sets() { sed -n 's/^both //p; s/^steps //p' bench/compared.options; }

# Units by name, the longest first; those that are done are left out.
units() {
	for part in 0 1 2 3 4 5 6 7; do echo "library libc.so.6 $part 8"; done
	for part in 0 1 2 3; do echo "library liblapack.so.3 $part 4"; done
	for part in 0 1; do echo "library libgfortran.so.5 $part 2"; echo "library libm.so.6 $part 2"; done
	echo "library libblas.so.3 0 1"
	echo "library libquadmath.so.0 0 1"
	echo "solved solve1 gcc-12 -O2"
	echo "solved solve2 clang-19 -O3 -march=native"
	for options in -O0 -O2 '-O3 -march=native'; do
		for compiler in gcc-12 clang-19; do
			for file in bench/swim/swim.c bench/clones/kernels.c bench/heap.c bench/timed.c; do
				echo "program $(basename $file .c)$compiler$(echo "$options" | tr -d ' ') $file $compiler $options"
			done
		done
		echo "program swimf$(echo "$options" | tr -d ' ') bench/swim/swim.f gfortran $options"
	done
	seed=1000
	for compiler in gcc-12 clang-19; do
		sets | if grep -q avx512vl /proc/cpuinfo; then cat; else grep -v v4; fi | while read -r options; do
			for file in $(seq "$files"); do echo "generated $((seed + file)) $compiler $options"; done
			seed=$((seed + files))
		done
		seed=5000
	done
}
to_do() {
	units | while read -r kind name rest; do
		case $kind in library) rows=$name.${rest% *} ;; *) rows=$name ;; esac
		[ -f "$work/$rows.rows" ] || echo "$kind $name $rest"
	done
}

make -s BUILD="$build" "$build/config.mk" >&2 && make -s BUILD="$build" differential >&2 || exit 1
stamp=$(cat "$build/tests/differential/differ" "$build/tests/differential/generate" | cksum; echo "$files $each")
if [ -n "${FRESH:-}" ] || [ "$stamp" != "$(cat "$work/stamp" 2> /dev/null)" ]; then
	rm -rf "$work" && mkdir -p "$programs" && cp "$build"/tests/differential/* "$programs" && echo "$stamp" > "$work/stamp" || exit 1
fi
export BUILD FILES EACH JOBS
trap 'exit 130' INT TERM
start=$(date +%s)
to_do > "$work/units"
xargs -P "$jobs" -L 1 sh "$0" unit < "$work/units"
to_do > "$work/units"
[ -s "$work/units" ] && { echo "not done:"; head -n 10 "$work/units"; }
cat "$work"/*.rows | awk -F'\t' -f tests/differential/summary.awk
echo "$(($(date +%s) - start)) s"
awk -F'\t' '$1 == "differs" { printf "%s\n   repeat: %s -f %s FILE\n", $0, programs, $4 }' programs="$programs/differ" "$work"/*.rows | head -n 40
head -n 5 "$work/errors" 2> /dev/null
[ ! -s "$work/units" ] && cat "$work"/*.rows | awk -F'\t' '$1 == "differs" { differs++ } $1 == "same" && !seen[$2]++ { same++ }
	$3 ~ /^lib/ { real++; refused += $1 == "refused" }
	END { exit differs || same < 10000 || refused > 0.001 * real }'
