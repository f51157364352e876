#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Limits of the program: it runs as it would alone, memsearch takes less or stays away, and says so in one line.
# Runs beside others.
. "$(dirname "$0")/lib.sh"

$CC -O2 -g -fopenmp "$root/tests/live/programs/limits.c" -o "$scratch/limits" || exit 1
cd "$scratch" || exit 1

# Alone and under memsearch with these options, both after the shell commands LIMIT: the same output and status. Messages are in err.
# Alone once for all options.
known=
same() {       # LIMIT OPTIONS PROGRAM…
	limit=$1 options=$2
	shift 2
	rm -f r.ms
	if [ "$limit $*" != "$known" ]; then
		(eval "$limit"; exec "$@" > alone 2> /dev/null)
		alone=$? known="$limit $*"
	fi
	(eval "$limit"; exec "$memsearch" run $options -o r.ms -- "$@" > with 2> err)
	with=$?
	[ $alone = $with ] || wrong "$limit, $options: status $with, alone $alone: $(head -n 3 err)"
	cmp -s alone with || wrong "$limit, $options: another output"
}
says() {       # WORDS
	[ "$(grep -c "$1" err)" = 1 ] || wrong "not said once: $1: $(head -n 3 err)"
	! grep -q "program died\|program crashed" err || wrong "the program is blamed: $(head -n 3 err)"
}

for blocks in 8 24 4000 40000; do               # of 512 bytes; libomp itself needs two
	for options in "--measure none" "" "--overhead 100%"; do
		same "ulimit -f $blocks" "$options" ./limits 1500
	done
done
same "ulimit -f 8" "" ./limits 1500
says "cannot write to the record"
check limits__of_file_size

for kib in 30000 60000 100000 250000 600000 2000000; do
	for options in "" "--overhead 100%"; do
		same "ulimit -v $kib" "$options" ./limits 1500
	done
	[ $kib -gt 250000 ] || says 'nothing is measured: the address space allowed (`ulimit -v`) leaves .* MB, too little'
	[ $kib -lt 600000 ] || grep -q "^memsearch: ./limits   " err || wrong "ulimit -v $kib: $(head -n 3 err)"
done
same "ulimit -d 60000" "" ./limits 1500
says 'nothing is measured: the data memory allowed'
check limits__of_addresses

cat > blocks.c <<'END'
#include <stdio.h>
#include <stdlib.h>
int main(void)
{
	double *block = malloc(65536 * sizeof(double)), sum = 0;
	for (int step = 0; step < 60; step++) {
#pragma omp parallel for
		for (int i = 0; i < 65536; i++)
			block[i] = step + i;
#pragma omp parallel for reduction(+ : sum)
		for (int i = 0; i < 65536; i++)
			sum += block[i];
	}
	printf("%.12e\n", sum);
	return 0;
}
END
$CC -O2 -g -fopenmp blocks.c -o blocks || wrong "no program"
for kib in 4000000 8000000 64000000; do
	OMP_NUM_THREADS=4 same "ulimit -v $kib" "--quick --no-calibrate --overhead 1000%" ./blocks
	grep -q "^memsearch: ./blocks   4 threads" err || wrong "ulimit -v $kib: $(head -n 3 err)"
done
OMP_NUM_THREADS=16 same "ulimit -v 2000000" "--quick --no-calibrate --overhead 1000%" ./blocks
tr -s '\n ' '  ' < err | grep -q "Warning: [0-9]* threads of the program were not measured: limits of memory leave too little for them" || wrong "16 threads: $(head -n 3 err)"
check limits__of_addresses_and_threads

hard=$(ulimit -H -n)
for descriptors in 16 20 200; do
	same "ulimit -n $descriptors" "--measure none" ./limits 1500 count
done
if [ "$hard" = unlimited ] || [ "$hard" -gt 1100 ]; then
	for options in "" "--overhead 100%"; do same "ulimit -S -n 1024" "$options" ./limits 1500 count; done
fi
check limits__of_descriptors

MEMORY=$scratch/memory
export MEMORY
for threads in 2 16; do
	OMP_NUM_THREADS=$threads ./limits 900 lock > /dev/null
	[ $? != 77 ] || { locked=no; break; }
	alone=$(cat memory)
	for options in "" "--overhead 100%"; do
		OMP_NUM_THREADS=$threads "$memsearch" run -q $options -o r.ms -- ./limits 900 lock > /dev/null 2>&1
		[ "$(cat memory)" -le $((alone + 60)) ] || wrong "$threads threads, $options: $(cat memory) MB, alone $alone"
	done
	OMP_NUM_THREADS=$threads OMP_TOOL_LIBRARIES=$tool MEMSEARCH_OUTPUT=r.ms ./limits 900 lock > /dev/null 2>&1
	[ "$(cat memory)" -le $((alone + 60)) ] || wrong "$threads threads, bare: $(cat memory) MB, alone $alone"
done
if [ "${locked:-}" ]; then echo "reason: memory cannot be locked here"; echo "skip limits__locked_memory"; else check limits__locked_memory; fi

"$memsearch" run -q -o r.ms -- ./limits 900 > /dev/null 2>&1
"$memsearch" report --json r.ms > json
bytes=$(sed -n 's/.*"tool_memory_bytes": *\([0-9]*\).*/\1/p' json | head -n 1)
[ "${bytes:-0}" -gt 1000000 ] && [ "$bytes" -lt 64000000 ] || wrong "tool_memory_bytes: ${bytes:-none}"
"$memsearch" report -v r.ms | tr -s '\n ' '  ' | grep -q "memory: [0-9.]* [kM]i\?B resident" || wrong "$("$memsearch" report r.ms | tail -n 5)"
check limits__added_memory_is_stated

# An environment that leaves no room for another variable: as large as a command a little longer than memsearch's allows.
full='nr=0
for bytes in 100000 1000 30; do
	piece=$(head -c $bytes /dev/zero | tr "\\0" x)
	while nr=$((nr + 1)); export "FULL$nr=$piece"; /bin/sh -c : "$memsearch" "$memsearch" run -o r.ms -- ./limits 1500 0123456789 2> /dev/null; do :; done
	unset "FULL$nr"
done'
same "$full" "" ./limits 1500
says "nothing was measured: the program.s arguments and environment leave no room"
check limits__of_the_environment

# A control group of memory below the own one, of either version.
group_new() {
	for base in /sys/fs/cgroup/memory$(sed -n 's/^[0-9]*:memory://p' /proc/self/cgroup) /sys/fs/cgroup$(sed -n 's/^0:://p' /proc/self/cgroup); do
		group=$base/memsearch-test-$$
		mkdir "$group" 2> /dev/null || continue
		[ ! -e "$group/memory.limit_in_bytes" ] || { limit_file=memory.limit_in_bytes; return 0; }
		[ ! -e "$group/memory.max" ] || { limit_file=memory.max; return 0; }
		rmdir "$group"
	done
	return 1
}
limited() {    # MB: the rest of `same` runs in the group
	echo $(($1 << 20)) > "$group/$limit_file"
	within="sh -c 'echo \$PPID' > $group/cgroup.procs"
}
if group_new; then
	trap 'rmdir "$group"; rm -rf "$scratch"' EXIT
	limited 64
	for options in "--measure none" "" "--overhead 100%"; do same "$within" "$options" ./limits 3000 touch 16; done
	same "$within" "" ./limits 3000 touch 16
	grep -q "^memsearch: ./limits   " err || wrong "64 MB: $(head -n 3 err)"
	for megabytes in 16 24 32 48; do
		limited $megabytes
		for options in "" "--overhead 100%"; do same "$within" "$options" ./limits 2000 touch $((megabytes / 2)); done
	done
	limited 24
	same "$within" "" ./limits 2000 touch 12
	says 'nothing is measured: the memory of the control group leaves .* MB, too little'
	check limits__of_a_control_group
else
	echo "reason: no control group of memory can be made here"
	echo "skip limits__of_a_control_group"
fi
