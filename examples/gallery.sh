#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Prints docs/gallery.md: every example's problem, remedy and report.
#     BUILD=build examples/gallery.sh > docs/gallery.md
# An example's first comment describes it; a report must name one of the lines marked "hot" (tests/live/gallery.sh).
# A run on a busy machine is repeated, four times at most.
set -eu
cd "$(dirname "$0")/.."
build=${BUILD:-build}
memsearch=$(realpath "$build/bin/memsearch")
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
export OMP_NUM_THREADS=2 OMP_WAIT_POLICY=passive NO_COLOR=1 MEMSEARCH_NO_CALIBRATE=1

compile() {    # SOURCE PROGRAM
	case $1 in
	*.c) clang-19 -O2 -g -fopenmp -o "$2" "$1" ;;
	*) gfortran -O2 -g -fopenmp -o "$2" "$1" ;;
	esac
}

# The comment behind the licence, without its frame.
about() {      # SOURCE
	sed -n '3,/^ \*\/$\|^[a-z]/p' "$1" | sed -n 's/^\(!\| \*\) //p'
}

# Runs the program there, again if other programs disturb it; the report goes to standard output.
run() {        # NAME
	for pause in 5 10 20 0; do
		(cd "$folder" && "$memsearch" run -o "$1.ms" -- "./$1" 2> "$1.txt" > /dev/null)
		grep -q 'Warning: other programs\|^No cause found' "$folder/$1.txt" || break
		sleep "$pause"
	done
	sed '/^memsearch report -v /,$d' "$folder/$1.txt" | sed '$d'
}

indented() { sed 's/^\(.\)/    \1/'; }

example() {    # TITLE NAME
	source=$(ls examples/"$2".[cf]*)
	compile "$source" "$folder/$2"
	printf '\n## %s\n\n' "$1"
	sed -n '2p' "$source" | sed -n 's/^! //p'
	about "$source"
	printf '([%s](../%s))\n\n' "$2" "$source"
	echo "    \$ memsearch run -- ./$2"
	run "$2" | indented
}

cat << 'END'
# Gallery

Six small programs, each with one problem, and the report of each on two threads, printed by
`make gallery`. clang-19 or gfortran compiled them with `-O2 -g -fopenmp`. A warning in a report says
that other programs used the CPUs; lines, arrays and remedies are the same without them.
END
example "Transposed loop in C" transposed
example "Strided loop in Fortran" strided
example "False sharing" false_sharing
example "Load imbalance" load_imbalance
example "Small tasks" small_tasks
example "Serial first touch" first_touch
cat << 'END'

On a machine with two NUMA nodes half of the lines come from the other node. The same record on a
model of such a machine, with the threads on both nodes:

    $ memsearch numa --machine epyc-2s --places spread
END
(cd "$folder" && "$memsearch" numa --machine epyc-2s --places spread first_touch.ms 2>&1) | indented
