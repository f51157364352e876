#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Serial programs through memsearch, with data where this host has it and all code followed but libc, against cachegrind of the same caches: misses
# of a step must differ by 2 % at most.
#     BUILD=build bench/whole_programs.sh          needs valgrind, gfortran
# A step is what the program repeats, all of it. Of cachegrind it is the difference between two runs with more and fewer steps, so that neither the begin
# nor the end of the program counts, nor what it does not do in every step (libc's start, reading arguments, printing). What stays different:
# cachegrind's LL takes instructions, too; what calls and returns do to the stack, and the OpenMP runtime, are not recorded; an access across two lines may
# count twice in LL. Where the stack lies in its page moves D1 of libm by 2.5 %: cachegrind's program gets an environment so long that its main
# has its frame where memsearch's had it (swim, whose misses hardly depend on it, says nothing of its own).
set -eu
cd "$(dirname "$0")/.."
build=${BUILD:-build}
memsearch=$(realpath "$build/bin/memsearch")
export LC_ALL=C OMP_NUM_THREADS=1
for needed in valgrind gfortran; do
	command -v $needed > /dev/null || { echo "whole_programs.sh: needs $needed" >&2; exit 2; }
done
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT

# Cachegrind's: D1 and LL.
cat > "$tmp/cachegrind.machine" <<'END'
title  = "cachegrind's caches"
source = "bench/whole_programs.sh"
cores  = 1
l1.size = 32 KiB
l1.ways = 8
l1.line = 64 bytes
l1.latency = 4 cycles
l3.size = 1 MiB
l3.ways = 16
l3.line = 64 bytes
l3.latency = 40 cycles
page = 4 KiB
memory = 200 cycles
transfer = 100 cycles
END
geometry="--D1=32768,8,64 --LL=1048576,16,64"

# Environment that puts main's frame where the last simulated run had it; its length is rounded to 16 bytes.
frame_of() { sed -n 's/^frame \([0-9]*\)$/\1/p' "$1"; }
padding() {    # PROGRAM ARGUMENTS
	wanted=$(frame_of "$tmp/err") PAD=
	export PAD
	[ -n "$wanted" ] || return 0
	valgrind --tool=none -q "$@" > "$tmp/out" 2> "$tmp/plain"
	bytes=$((($(frame_of "$tmp/plain") - wanted + 4096) % 4096))
	PAD=$(head -c $bytes /dev/zero | tr '\0' x)
	valgrind --tool=none -q "$@" > "$tmp/out" 2> "$tmp/plain"
	[ "$(frame_of "$tmp/plain")" = "$wanted" ] || PAD=${PAD}xxxxxxxx
}

# "accesses D1-misses LL-misses" of a run.
cachegrind() { # PROGRAM ARGUMENTS
	valgrind --tool=cachegrind --cache-sim=yes --cachegrind-out-file=/dev/null --log-file="$tmp/log" $geometry "$@" > "$tmp/out" 2> "$tmp/plain"
	awk '{ gsub(",", "") } / D +refs:/ { refs = $4 } / D1 +misses:/ { d1 = $4 } / LLd misses:/ { ll = $4 } END { print refs, d1, ll }' "$tmp/log"
}

simulated() {  # STEPS PROGRAM ARGUMENTS
	some=$1
	shift
	for more in 1 2 4; do                    # until measuring may take so much time
		simulate "$@" $((some * more))
		[ -z "$(cat "$tmp/counts")" ] || break
	done
	cat "$tmp/counts"
}

simulate() {   # PROGRAM ARGUMENTS
	rm -f "$tmp"/run.ms*
	"$memsearch" run --quiet --same-addresses --follow libm --overhead 1000% -o "$tmp/run.ms" -- "$@" > "$tmp/out" 2> "$tmp/err"
	"$memsearch" arrays --machine "$tmp/cachegrind.machine" --real-addresses --by thread --format csv "$tmp/run.ms" 2>> "$tmp/err" |
		awk -F, 'NR > 1 && $3 == "" && $7 + $8 { print $7 + $8, $9, $11 }' > "$tmp/counts"
}

failed=0
printf '%-10s  %35s  %35s  %35s\n' "of a step" "accesses: cachegrind, simulated" "misses of D1" "misses of LL"
compare() {    # NAME STEPS BEFORE: words of the command before the number of steps
	name=$1 steps=$2
	shift 2
	ours=$(simulated "$steps" "$@")
	padding "$@" 2
	few=$(cachegrind "$@" 2) more=$(cachegrind "$@" 5)
	echo "$few $more $ours" | awk -v name="$name" '
		function cell(theirs, ours, most) {
			if (ours == "" || ours - theirs > most * theirs || theirs - ours > most * theirs) wrong = 1
			return sprintf("  %11d %11s %+9.3f %%", theirs, ours == "" ? "none" : sprintf("%d", ours), 100 * (ours / theirs - 1))
		}
		{ printf "%-10s%s%s%s\n", name, cell(($4 - $1) / 3, $7, 0.3), cell(($5 - $2) / 3, $8, 0.02), cell(($6 - $3) / 3, $9, 0.02); exit wrong }' || failed=1
}

nr=0
for name in sparse matrices sort lists libm; do
	clang-19 -O2 -gdwarf-4 -no-pie -fopenmp -DPROGRAM=$nr -o "$tmp/$name" bench/whole/programs.c -lm
	compare $name "${STEPS:-400}" "$tmp/$name"
	nr=$((nr + 1))
done
clang-19 -O2 -gdwarf-4 -no-pie -fopenmp -o "$tmp/swim" bench/swim/swim.c -lm
compare swim "${STEPS:-400}" "$tmp/swim" 400
gfortran -O2 -gdwarf-4 -no-pie -fopenmp -o "$tmp/swim_f" bench/swim/swim.f
compare swim.f "${STEPS:-400}" "$tmp/swim_f" 400
exit $failed
