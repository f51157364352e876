#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Programs of gcc started by another program, which has them among its arguments: they are measured as if started alone.
# Runs beside others.
. "$(dirname "$0")/lib.sh"

command -v gcc-12 > /dev/null || { echo "reason: no gcc-12"; echo "skip launchers"; exit 0; }
gcc-12 -O1 -g -fopenmp -o "$scratch/program" tests/live/programs/regions.c -lm || exit 1
ldd "$scratch/program" | grep -q libgomp || wrong "it does not need libgomp"
"$scratch/program" > "$scratch/plain"; plain=$?

# NAME COMMAND…
launched() {
	name=$1; shift
	command -v "$1" > /dev/null || { echo "reason: no $1"; echo "skip launchers__$name"; return; }
	rm -f "$scratch/it.ms"
	timeout -k 1 60 "$memsearch" run --quiet --overhead 400% -o "$scratch/it.ms" -- "$@" > "$scratch/out" 2> "$scratch/errors"; status=$?
	[ $status = $plain ] || wrong "status $status, not $plain: $(cat "$scratch/errors")"
	[ ! -s "$scratch/errors" ] || wrong "said: $(cat "$scratch/errors")"
	cmp -s "$scratch/plain" "$scratch/out" || wrong "output changed"
	"$memsearch" report --tree "$scratch/it.ms" > "$scratch/report" || wrong "report failed"
	"$memsearch" list regions "$scratch/it.ms" > "$scratch/regions" || wrong "list failed"
	awk '$4 > 0 && $7 == "PARALLEL_REGION" && / in fill \(regions\.c:[1-9]/ { seen = 1 } END { exit !seen }' "$scratch/regions" || wrong "fill was not measured: $(head -n 5 "$scratch/regions")"
	check "launchers__$name"
}

launched none "$scratch/program"
launched env env SOME=thing "$scratch/program"
launched nice nice -n 1 "$scratch/program"
launched timeout timeout 60 nice "$scratch/program"
launched taskset taskset -c 0-63 "$scratch/program"
(cd "$scratch" && PATH=$scratch:$PATH && launched path env program) || exit 1

# What is started decides whether the library may be preloaded: a sanitizer refuses to be second.
cat > "$scratch/start.c" << 'EOF'
#include <unistd.h>

int main(int argc, char **argv)
{
	(void)argc;
	return execv(argv[1], argv + 1);
}
EOF
if gcc-12 -fsanitize=address -o "$scratch/start" "$scratch/start.c" 2> /dev/null && "$scratch/start" /bin/true; then
	launched sanitizer "$scratch/start" "$scratch/program"
else
	echo "reason: gcc-12 has no libasan"; echo "skip launchers__sanitizer"
fi

# A static one loads nothing, and hands on what the program is to load.
if gcc-12 -static -o "$scratch/static" "$scratch/start.c" 2> /dev/null && "$scratch/static" /bin/true; then
	launched static "$scratch/static" "$scratch/program"
	cat > "$scratch/environment.c" << 'EOF'
#include <stdio.h>
#include <stdlib.h>

int main(void)
{
	#pragma omp parallel
	#pragma omp master
	puts(getenv("LD_PRELOAD") ? getenv("LD_PRELOAD") : "nothing");
	return 0;
}
EOF
	gcc-12 -fopenmp -o "$scratch/environment" "$scratch/environment.c" || wrong "no program"
	timeout -k 1 60 "$memsearch" run --quiet -- "$scratch/static" "$scratch/environment" > "$scratch/out" 2> "$scratch/errors"
	grep -q 'libmemsearch' "$scratch/out" || wrong "preloads $(cat "$scratch/out" "$scratch/errors")"
	check launchers__static_preload
else
	echo "reason: gcc-12 has no static libc"; echo "skip launchers__static"
fi

# Arguments may be data: a loader that only they name is not started.
printf '#include <fcntl.h>\nint main(void) { return creat("%s/started", 0600) < 0; }\n' "$scratch" > "$scratch/loader.c"
gcc-12 -static -o "$scratch/loader" "$scratch/loader.c" || wrong "no loader"
gcc-12 -fopenmp -o "$scratch/data" -Wl,--dynamic-linker="$scratch/loader" tests/live/programs/regions.c -lm || wrong "no data"
"$scratch/loader"
[ -f "$scratch/started" ] || wrong "the loader does not start"
rm -f "$scratch/started"
"$memsearch" run --quiet -- cat "$scratch/data" > "$scratch/out" 2> "$scratch/errors" || wrong "status: $(cat "$scratch/errors")"
cmp -s "$scratch/data" "$scratch/out" || wrong "output changed"
[ ! -f "$scratch/started" ] || wrong "the loader of an argument was started"
check launchers__data
