#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# What clones record against what valgrind's lackey lists for the originals, instruction by instruction (tests/differential/witness.c):
# made up functions by two compilers with many options, one instruction of each kind, the programs of bench/, all of libm, libquadmath, BLAS, LAPACK
# and libgfortran, and callers of these two with known answers (solved). What valgrind lists otherwise than the CPU accesses it stands in tests/differential/unlike.h.
#
#   BUILD=build FILES=2 EACH=44 RUNS=2 nice bench/witness.sh     that many files with each set of options, each function with so many arguments
#
# Exit status 1: something differs, or fewer than 5,000 functions were witnessed.
set -u
cd "$(dirname "$0")/.."
export LD_LIBRARY_PATH="$(sh tests/reference_blas.sh)${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}"
build=${BUILD:-build} files=${FILES:-2} each=${EACH:-44} runs=${RUNS:-2}
programs=$build/tests/differential
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
trap 'exit 130' INT TERM
command -v valgrind > /dev/null || { echo "valgrind is not installed"; exit 1; }
make -s BUILD="$build" "$build/config.mk" >&2 && make -s BUILD="$build" differential >&2 || exit 1

# Rows say the label instead of the library. Witnessed by processes of their own, so that none grows large.
witness() {    # LABEL ARGUMENTS
	label=$1; shift
	timeout 3600 "$programs/witness" -r "$runs" "$@" > "$work/part" 2>> "$work/errors"
	[ $? -le 1 ] || { echo "not done: $label $*"; echo "$label" >> "$work/undone"; }
	awk -F'\t' -v OFS='\t' -v label="$label" '{ $3 = label; print }' "$work/part" >> "$work/rows"
}

sets() { sed -n 's/^both //p; s/^witness //p' bench/compared.options; }

compile() {    # OUT COMPILER OPTIONS… FILE
	out=$1; shift
	"$@" -w -fPIC -shared -I. -o "$work/$out.so" -lm > "$work/log" 2>&1
}

start=$(date +%s)
seed=20000
for compiler in gcc-12 clang-19; do
	sets > "$work/sets"
	while read -r options; do
		for file in $(seq "$files"); do
			seed=$((seed + 1))
			"$programs/generate" $seed "$each" > "$work/$seed.c"
			compile $seed $compiler $options "$work/$seed.c" && witness "generated $compiler $options: $seed" "$work/$seed.so"
			rm -f "$work/$seed".*
		done
	done < "$work/sets"
done

compile kinds gcc-12 tests/differential/kinds.c && witness kinds "$work/kinds.so"
for options in -O0 '-O2 -march=x86-64-v2' '-O3 -march=x86-64-v3'; do
	for compiler in gcc-12 clang-19; do
		for file in bench/swim/swim.c bench/clones/kernels.c bench/heap.c bench/timed.c; do
			# Small ones, so that they come to their ends.
			sed 's/LARGEST 1335/LARGEST 63/; s/n = 512, steps = 100/n = 12, steps = 2/' "$file" > "$work/program.c"
			compile program $compiler $options -I"$(dirname "$file")" "$work/program.c" && witness "programs $compiler $options: $file" "$work/program.so"
		done
	done
	sed 's/NMAX = 1335/NMAX = 63/' bench/swim/swim.f > "$work/program.f"
	compile program gfortran $options "$work/program.f" && witness "programs gfortran $options: bench/swim/swim.f" "$work/program.so"
done
for options in '-O2' '-O3 -march=x86-64-v3'; do
	gcc-12 $options -w -fPIC -shared -I. -o "$work/solve.so" tests/differential/solve.c -llapack -lblas -lm > "$work/log" 2>&1 &&
		witness "solved gcc-12 $options" -f '*_of_known' "$work/solve.so"
done
for library in libm.so.6 libquadmath.so.0 libgfortran.so.5 libblas.so.3; do witness "$library" "$library"; done
for part in 0 1 2 3; do witness liblapack.so.3 -e 4 -o $part liblapack.so.3; done

awk -F'\t' '
	{ source = $3; sub(/ .*/, "", source); nr[source]++; verdicts[source, $1]++; accesses[source] += $5 }
	$1 == "witnessed" { nr_witnessed++ }
	$1 == "left" || $1 == "refused" { why[$1 ": " $7]++ }
	$1 == "differs" { print; differs++ }
	END {
		format = "%-18s %10s %10s %6s %8s %8s %12s\n"
		printf format, "source", "functions", "witnessed", "left", "refused", "differs", "accesses"
		for (source in nr) {
			printf format, source, nr[source], verdicts[source, "witnessed"] + 0, verdicts[source, "left"] + 0, verdicts[source, "refused"] + 0,
			       verdicts[source, "differs"] + 0, accesses[source]
		}
		for (reason in why) printf "  %6d  %s\n", why[reason], reason
		exit differs || nr_witnessed < 5000
	}' "$work/rows"
status=$?
echo "$(($(date +%s) - start)) s"
head -n 5 "$work/errors"
[ ! -s "$work/undone" ] && exit $status
exit 1
