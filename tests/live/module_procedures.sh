#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# What procedures of Fortran modules access is recorded, whether unwinders know their frames (gfortran) or only debuggers do (flang).
# Runs beside others.
. "$(dirname "$0")/lib.sh"

"$memsearch" list sensors | grep -q '^accesses  *yes' || { echo "reason: no accesses can be recorded here"; echo "skip module_procedures"; exit 0; }
cd "$scratch" || exit 1
cat > main.f90 << 'END'
program procedures
    use grid
    implicit none
    integer :: step
    call fill()
    do step = 1, 600
        call columns()
    end do
    print *, sum(to)
end program
END
records() {    # COMPILER OPTIONS…
	"$@" -g -fopenmp -o program "$root/tests/live/programs/module_procedures.f90" main.f90 > log 2>&1 || wrong "$(cat log)"
	./program > plain
	OMP_NUM_THREADS=2 timeout -k 1 170 "$memsearch" run --quick --quiet --overhead 1000% -o it.ms -- ./program > out 2> errors || wrong "exit $?: $(cat errors)"
	cmp -s plain out || wrong "prints $(cat out)"
	"$memsearch" report it.ms > text 2> errors
	tr -s ' \n' ' ' < text | grep -q 'strided access of grid::\(to, grid::from\|from, grid::to\|to\|from\) in ' || wrong "$*: not found: $(cat text)"
	! grep -q 'could not be copied' text || wrong "$*: $(cat text)"
}
for compiler in gfortran flang-new-19; do
	have $compiler || { echo "reason: no $compiler"; echo "skip module_procedures__$compiler"; continue; }
	again records $compiler -O2
	check "module_procedures__$compiler"
done
