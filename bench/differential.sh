#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Originals against clones, many functions: made up ones by two compilers with many options, and all of libm, libc (which the product never
# follows), libgfortran, libquadmath, BLAS and LAPACK. Registers, vector state, memory and errno must be the same, and the recorded accesses
# those that single steps through the original find. "fault": original and clone end in the same fault or exit, as many functions of libraries do
# with made up arguments; "left": the original does not do the same twice, or does not end; both compare little and do not count.
#   BUILD=build FILES=8 EACH=44 bench/differential.sh     that many files with each set of options
# Exit status 1: something differs, fewer than 10,000 distinct functions returned, or more than 0.1 % of the libraries' were refused
# (libc's apart: it has a personality routine of its own).
set -u
cd "$(dirname "$0")/.."
build=${BUILD:-build} files=${FILES:-8} each=${EACH:-44} jobs=${JOBS:-2}
make -s BUILD="$build" "$build/config.mk" >&2 && make -s BUILD="$build" differential >&2 || exit 1
programs=$build/tests/differential
work=$build/bench/differential
rm -rf "$work" && mkdir -p "$work" || exit 1
trap 'exit 130' INT TERM

# A line a set: options of gcc-12, or of clang-19. Those that a compiler or this CPU does not have give no file.
cat > "$work/sets" <<'END'
-O0
-O0 -fomit-frame-pointer -march=x86-64-v2
-O1
-O1 -fcf-protection -march=x86-64-v3
-O2
-O2 -fno-omit-frame-pointer -march=x86-64-v2
-O2 -fcf-protection -fno-pic -mcmodel=large
-O2 -ftree-vectorize -march=x86-64-v3
-O3 -march=x86-64
-O3 -march=x86-64-v2 -fno-omit-frame-pointer
-O3 -march=x86-64-v3 -funroll-loops
-O3 -march=x86-64-v4
-O3 -march=x86-64-v4 -mprefer-vector-width=512
-O3 -march=native -ffast-math
-Os
-O2 -mindirect-branch=thunk-inline
-O2 -mretpoline
-O2 -fPIE
END
grep -q avx512vl /proc/cpuinfo || sed -i '/v4/d' "$work/sets"

# One file: made, compiled and compared. A seed of its own for each, so that hardly any function comes twice.
one() {        # SEED COMPILER OPTIONS…
	seed=$1; shift
	"$programs/generate" "$seed" "$each" > "$work/$seed.c"
	"$@" -w -fPIC -shared -o "$work/$seed.so" "$work/$seed.c" -lm > "$work/$seed.log" 2>&1 || { rm -f "$work/$seed".*; return; }
	timeout 900 "$programs/differ" "$work/$seed.so" 2>> "$work/errors" | sed "s|$work/$seed.so|$*: generate $seed $each|" > "$work/$seed.rows"
	rm -f "$work/$seed.so" "$work/$seed.c" "$work/$seed.log"
}

seed=1000
start=$(date +%s)
for file in $(seq "$files"); do
	for compiler in gcc-12 clang-19; do
		while read -r options; do
			seed=$((seed + 1))
			# shellcheck disable=SC2086
			one $seed $compiler $options &
			[ $((seed % jobs)) = 0 ] && wait
		done < "$work/sets"
	done
done
wait
for library in libm.so.6 libc.so.6 libgfortran.so.5 libquadmath.so.0 libblas.so.3 liblapack.so.3; do
	timeout 3600 "$programs/differ" "$library" > "$work/$library.rows" 2>> "$work/errors" &
	count=$((${count:-0} + 1))
	[ $((count % jobs)) = 0 ] && wait
done
wait
cat "$work"/*.rows > "$work/all"
awk -v group='gcc-12|clang-19|lib[a-z]+' -f tests/differential/summary.awk "$work/all" | sort
awk -v group= -f tests/differential/summary.awk "$work/all" | tail -n 1
echo "$(($(date +%s) - start)) s"
awk -F'\t' '$1 == "refused" { why[$7]++ } END { for (w in why) printf "refused: %d %s\n", why[w], w }' "$work/all"
awk -F'\t' '$1 == "differs" { printf "%s\n   repeat: %s -f %s FILE\n", $0, programs, $4 }' programs="$programs/differ" "$work/all" | head -n 40
cat "$work/errors" 2> /dev/null | head -n 5
awk -F'\t' '$1 == "differs" { differs++ } $1 == "same" && !seen[$2]++ { same++ }
	$3 ~ /^lib/ && $3 !~ /^libc\.so/ { real++; refused += $1 == "refused" }
	END { exit differs || same < 10000 || refused > 0.001 * real }' "$work/all"
