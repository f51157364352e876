#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Programs of Debian's packages, as they come: RUNS (4) runs at the default limit and as many with everything recorded, on 2 and 4 threads: output, messages but for
# memsearch's own, status and files are those of a run alone. What is missing is installed by apt-get where that is allowed, else left out. CASES="NAME…": only these.
live=$(cd "$(dirname "$0")/../tests/live" && pwd)
. "$live/guest_lib.sh"

runs=${RUNS:-4}
cases="gromacs r octave imagemagick graphicsmagick fasttree clustalo sox mpi jemalloc tcmalloc boehm"
data=$scratch/data
mkdir -p "$data" "$scratch/results"

install() {    # PROGRAM-OR-FILE PACKAGE…: false where it is not to be had
	what=$1
	shift
	have "$what" || [ -n "$(ls /usr/lib/*/"$what" 2> /dev/null)" ] || apt-get install -y --no-install-recommends "$@" > "$scratch/apt" 2>&1
	have "$what" || [ -n "$(ls /usr/lib/*/"$what" 2> /dev/null)" ]
}
library() {    # NAME: its path
	ls /usr/lib/*/"$1" 2> /dev/null | head -n 1
}

openblas() {   # sets $blas: the folder of OpenBLAS for OpenMP, whichever BLAS the system selects
	install openblas-openmp/libblas.so.3 libopenblas0-openmp && blas=$(dirname "$(library openblas-openmp/libblas.so.3)")
}

# Each: installs what it needs and sets $before (shell commands) and $command; false: not to be had.
prepare_gromacs() {
	install gmx gromacs gromacs-data || return
	mkdir -p "$data/gmx"
	# A box of water, without times and host names in what is compared: the last coordinates and energies.
	(cd "$data/gmx" && cp /usr/share/gromacs/top/spc216.gro conf.gro &&
		printf '#include "oplsaa.ff/forcefield.itp"\n#include "oplsaa.ff/spc.itp"\n[ system ]\nwater\n[ molecules ]\nSOL 216\n' > topol.top &&
		printf 'integrator = md\nnsteps = 300\ncutoff-scheme = Verlet\nrvdw = 0.8\nrlist = 0.8\nrcoulomb = 0.8\ncoulombtype = PME\nnstenergy = 100\ngen_vel = no\n' > grompp.mdp &&
		gmx -quiet grompp -maxwarn 9 > log 2>&1) || return
	# What mdrun prints has times in it; its last coordinates have none.
	printf '"$@" > log 2>&1; echo "status $?"; sha256sum < confout.gro; rm -f log md.log ener.edr state.cpt traj* confout.gro\n' > "$data/gromacs.sh"
	inner=yes outer="sh $data/gromacs.sh"
	command="gmx -quiet mdrun -s $data/gmx/topol.tpr -ntmpi 1 -reprod -notunepme -dlb no -pin off"
}
prepare_r() {
	install Rscript r-base-core && openblas || return
	cat > "$data/r.R" <<'END'
set.seed(1)
n <- 400
a <- matrix(runif(n * n), n)
for (step in 1:5) a <- crossprod(a) / n
d <- as.matrix(dist(a[1:100, 1:20]))
print(sprintf("%.12e", c(sum(a), sum(d), summary(lm(a[, 1] ~ a[, 2] + a[, 3]))$r.squared)))
r <- tryCatch(stop("an error"), error = function(e) conditionMessage(e))
print(r)
quit(status = 3)
END
	# The program itself, which a script starts otherwise.
	before="export R_HOME=/usr/lib/R LD_LIBRARY_PATH=/usr/lib/R/lib:$blas"
	command="/usr/lib/R/bin/exec/R --vanilla -s -f $data/r.R"
}
prepare_octave() {
	install octave-cli octave && openblas || return
	printf 'rand("seed", 1); a = rand(400); for k = 1:20, a = a * a'"'"'; a = a / norm(a, 1); end, printf("%%.10e\\n", sum(a(:))); x = a \\ ones(400, 1); printf("%%d\\n", size(x, 1)); exit(4)\n' > "$data/octave.m"
	before="export LD_LIBRARY_PATH=$blas"
	command="octave-cli --norc --no-history $data/octave.m"
}
prepare_imagemagick() {
	install convert-im6.q16 imagemagick || return
	command="convert-im6.q16 -size 900x700 gradient:red-blue -swirl 90 -blur 0x4 -rotate 17 -sharpen 0x2 -resize 60% -depth 8 rgb:-"
}
prepare_graphicsmagick() {
	install gm graphicsmagick || return
	command="gm convert -size 900x700 gradient:red-blue -swirl 90 -blur 0x4 -rotate 17 -sharpen 0x2 -resize 60% rgb:-"
}
# Sequences of a family: each differs from the first one at a tenth of its places.
sequences() {  # LETTERS LENGTH: in $data/sequences
	awk -v letters="$1" -v length_of="$2" 'BEGIN {
		srand(1); n = length(letters)
		for (at = 1; at <= length_of; at++) first[at] = substr(letters, 1 + int(rand() * n), 1)
		for (nr = 0; nr < 120; nr++) {
			printf ">s%d\n", nr
			for (at = 1; at <= length_of; at++) printf "%s", rand() < 0.1 ? substr(letters, 1 + int(rand() * n), 1) : first[at]
			printf "\n"
		}
	}' > "$data/sequences.$2"
}
prepare_fasttree() {
	install fasttreeMP fasttree && sequences ACGT 600 || return
	command="fasttreeMP -quiet -nosupport -nt $data/sequences.600"
}
prepare_clustalo() {
	install clustalo clustalo && sequences ACDEFGHIKLMNPQRSTVWY 200 || return
	command="clustalo -i $data/sequences.200 --threads=2 --dealign"
}
prepare_sox() {
	install sox sox && sox -R -n -r 48000 -c 4 "$data/in.wav" synth 20 sine 300-3000 || return
	command="sox -R --multi-threaded $data/in.wav -t wav - reverb"
}
prepare_mpi() {
	install mpirun openmpi-bin && install openmpi/include/mpi.h libopenmpi-dev || return
	cat > "$data/mpi.c" <<'END'
#include <mpi.h>
#include "guest.h"
int main(int count, char **words)
{
	int rank;
	double sum, all;

	MPI_Init(&count, &words);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	for (int step = 0; step < GUEST_STEPS; step++) {
		guest_step();
		sum = guest_from[step] * (rank + 1);
		MPI_Allreduce(&sum, &all, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
		guest_from[step] += all / 1000;
	}
	if (rank == 0)
		guest_end(rank);
	MPI_Finalize();
	return 0;
}
END
	OMPI_CC=gcc mpicc -O2 -g -w -fopenmp -I"$guests" -o "$data/mpi" "$data/mpi.c" || return
	# memsearch is started by mpirun, once for each rank.
	inner=yes command="$data/mpi" outer="mpirun --allow-run-as-root --oversubscribe -n 2"
}
preloaded() {  # LIBRARY PACKAGE
	install "$1" "$2" || return
	"$CC" -O2 -g -w -fopenmp -I"$guests" -x c -o "$data/allocates" - <<'END' || return
#include "guest.h"
int main(void)
{
	long sum = 0;
	for (int step = 0; step < GUEST_STEPS; step++) {
		guest_step();
#pragma omp parallel for reduction(+ : sum)
		for (int i = 1; i < 400; i++) {
			char *block = malloc(i * 37);
			block[i] = i;
			block = realloc(block, i * 90);
			sum += block[i];
			free(block);
		}
	}
	return guest_end(sum);
}
END
	before="export LD_PRELOAD=$(library "$1")" command=$data/allocates
}
prepare_jemalloc() { preloaded libjemalloc.so.2 libjemalloc2; }
prepare_tcmalloc() { preloaded libtcmalloc_minimal.so.4 libtcmalloc-minimal4; }
prepare_boehm() { preloaded libgc.so.1 libgc1; }

under_outer() {  # WAY FOLDER
	case $1 in
	default) begin "$2" "" $outer "$memsearch" run --quiet --no-calibrate -o it.ms -- $command ;;       # mpirun mixes what ranks say
	*) begin "$2" "" $outer "$memsearch" run --quiet --no-calibrate -o it.ms --overhead 1000% --machine xeon-2s -- $command ;;
	esac
}

try_case() {   # NAME
	before= inner= outer= failures=0 done=0 line=
	prepare_"$1" || { echo "reason: $(tail -n 1 "$scratch/apt" 2> /dev/null || echo 'not to be had here')"; echo "skip packages__$1"; return; }
	for threads in 2 4; do
		export OMP_NUM_THREADS=$threads
		for n in $(seq $(((runs + 1) / 2))); do
			for way in default record; do
				begin "$scratch/alone" "$before" ${inner:+$outer} $command
				if [ "$inner" ]; then under_outer $way "$scratch/now"; else under $way "$scratch/now" "$before" $command; fi
				done=$((done + 1)) wrong_there=$(differences "$scratch/alone" "$scratch/now")
				[ -z "$wrong_there" ] || { failures=$((failures + 1)); wrong "$way, $threads threads: $wrong_there"; }
				[ $way = default ] || line=$(did "$scratch/now")
			done
		done
	done
	echo "| $1 | $done | $failures | $line |"
	check "packages__$1"
}

status=0
for case in ${CASES:-$cases}; do
	bad=
	try_case "$case" > "$scratch/results/$case" 2>&1
	cat "$scratch/results/$case"
	! grep -q ^FAIL "$scratch/results/$case" || status=1
done
exit $status
