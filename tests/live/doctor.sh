#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# What `memsearch doctor` says of real programs, and of this machine; nothing it looks at is run.
# Runs beside others.
. "$(dirname "$0")/lib.sh"

cat > "$scratch/omp.c" <<'EOF'
#include <stdio.h>
__attribute__((constructor)) static void started(void) { FILE *f = fopen("was-run", "w"); if (f) fclose(f); }
int main(void)
{
	double sum = 0;
#pragma omp parallel for reduction(+ : sum) schedule(dynamic)
	for (int i = 0; i < 1000; i++)
		sum += i;
	return sum < 0;
}
EOF
echo 'int main(void) { return 0; }' > "$scratch/serial.c"
mkdir "$scratch/tmp"
export TMPDIR="$scratch/tmp"
cd "$scratch" || exit 1

clang() { $CC -O2 -g "$@" || exit 1; }
clang -fopenmp -o clang omp.c
clang -fopenmp -g0 -o bare omp.c
gcc -O2 -g -fopenmp -o gnu omp.c || exit 1
clang -o serial serial.c

says() {       # PROGRAM STATUS PATTERN…: doctor says all of it
	"$memsearch" doctor "$1" > out 2> err
	status=$?
	[ $status = "$2" ] || wrong "$1: status $status: $(cat err)"
	program=$1
	shift 2
	for pattern in "$@"; do
		tr -s '\n ' ' ' < out | grep -q -- "$pattern" || wrong "$program: '$pattern' is not in: $(cat out)"
	done
	awk '!/^ *\$/ && length > 100' out | grep . && wrong "$program: longer than 100 columns"
}

says ./clang 0 '^./clang can be measured\. ' 'OMP_TOOL_LIBRARIES=.*/libmemsearch.so ./clang' 'OpenMP runtime .*libomp.* with its interface for tools' \
	'lines debug lines are there'
says ./gnu 0 '^./gnu can be measured\. ' '\$ memsearch run -- ./gnu' 'LD_PRELOAD=.*/libmemsearch-gomp.so ./gnu' 'OpenMP runtime .*libgomp.so.1, events by' 'gcc loops'
grep -q OMP_TOOL_LIBRARIES= out && wrong "gnu: the bare variable does not do"
if gcc -O2 -g -fopenmp -fsanitize=address -o asan omp.c 2> /dev/null; then
	says ./asan 0 'measured, by `memsearch run` only' 'built for .*libgomp.so.1' "puts LLVM's in its place"
fi
says ./serial 0 'cannot be measured' 'does not load an OpenMP runtime' 'compile and link it with -fopenmp'
says ./bare 0 'can be measured' 'there are no debug lines' 'compile with -g'
check doctor__programs_by_compiler

cp clang stripped
strip stripped
says ./stripped 0 'there are no debug lines'
objcopy --only-keep-debug clang stripped.debug && objcopy --add-gnu-debuglink=stripped.debug stripped || exit 1
says ./stripped 0 'debug lines are there'
grep -q 'no debug lines' out && wrong "lines are in the separate file"
check doctor__lines_in_a_separate_file

# Runtimes linked in: libgomp.a, whole; and something that looks like libomp.a, which Debian does not have.
if gcc -O2 -fopenmp -static -o static omp.c 2> /dev/null; then
	says ./static 0 'cannot be measured' '(libgomp) is linked into the program'
	strip static
	says ./static 0 'cannot be measured' '(libgomp) is linked into the program'
fi
clang -static -o static serial.c
says ./static 0 'cannot be measured' 'linked statically'
echo 'const char *marks[] = { "__KMP_REGISTERED_LIB_%d", TOOLS }; int main(void) { return !marks[0][0]; }' > linked.c
clang -DTOOLS='"OMP_TOOL_LIBRARIES"' -o linked linked.c
says ./linked 0 'as far as is known' "LLVM's OpenMP runtime is linked into the program, with its interface"
clang -DTOOLS='""' -o linked linked.c
says ./linked 0 'cannot be measured' 'was built without tool support'
check doctor__runtimes_linked_into_the_program

# Another libomp that an RPATH finds: without the interface for tools; too old for the compiler.
functions=$(nm -D clang | sed -n 's/^ *U \(__kmpc[a-z_0-9]*\)@.*/\1/p')
other() {      # MARK FUNCTIONS
	mkdir -p other
	{ for f in $2; do echo "void $f(void) {}"; done; echo "const char *mark = \"__KMP_REGISTERED_LIB_ $1\";"; } > other.c
	echo 'VERSION { global: *; };' > other.map
	clang -w -shared -fPIC -Wl,-soname,libomp.so.5 -Wl,--version-script=other.map -o other/libomp.so.5 other.c
}
other '' "$functions"
clang -fopenmp -Wl,--disable-new-dtags,-rpath,"$scratch/other" -o rpath omp.c
clang -fopenmp -Wl,--enable-new-dtags,-rpath,"$scratch/other" -o runpath omp.c
says ./rpath 0 'cannot be measured' "DT_RPATH, which goes before" '\$ patchelf --set-rpath /.* ./rpath' "DT_RPATH $scratch/other"
says ./runpath 0 'cannot be measured' 'built without its interface for tools' '\$ LD_LIBRARY_PATH=/.* memsearch run -- ./runpath' \
	"DT_RUNPATH $scratch/other"
# The command that it names mends it.
command=$(sed -n 's/^ *\$ \(LD_LIBRARY_PATH=[^ ]*\) .*/\1/p' out)
env "$command" "$memsearch" doctor ./runpath | grep -q 'can be measured\.' || wrong "$command does not mend it"
rm -f was-run
env "$command" "$memsearch" run -q -- ./runpath 2> err || wrong "with $command it does not run: $(cat err)"
ls ./*.ms > /dev/null 2>&1 || wrong "with $command nothing was measured"
rm -f was-run ./*.ms
other OMP_TOOL_LIBRARIES "$(echo "$functions" | grep -v dispatch_deinit)"
says ./runpath 0 'cannot be measured' 'is too old'
check doctor__another_libomp_is_found_first

other '' "$functions"
clang -fopenmp -c -o omp.o omp.c
clang -w -shared -fPIC -Wl,-soname,libomp.so.99 -o other/libomp.so.99 other.c
clang -o missing omp.o other/libomp.so.99
says ./missing 0 'cannot be measured' 'that the loader does not find'
check doctor__runtime_not_found

# No file to look at may be started, nor what it names as its loader.
printf '#!/bin/sh\ntouch %s/was-run\n' "$scratch" > loader
chmod +x loader
clang -fopenmp -Wl,--dynamic-linker="$scratch/loader" -o loaded omp.c
says ./loaded 0 'as far as is known' "is not this system's own"
ls was-run > /dev/null 2>&1 && wrong "something was run"
[ -z "$(ls tmp)" ] || wrong "left behind: $(ls tmp)"
check doctor__nothing_is_run_or_left_behind

cp clang setuid
if chown 65534:65534 setuid 2> /dev/null && chmod u+s setuid; then
	says ./setuid 0 'cannot be measured' 'setuid' '\$ cp ./setuid ./copy && memsearch run -- ./copy'
	grep -q 'no OpenMP' out && wrong "its runtime was not looked for: $(cat out)"
	cp ./setuid ./copy
	says ./copy 0 'can be measured'
	check doctor__setuid
else
	echo "reason: only root can make such a file"; echo "skip doctor__setuid"
fi
cp clang "it's; a name"
says "./it's; a name" 0 "memsearch run -- './it'\\\\''s; a name'"
check doctor__names_are_quoted

"$memsearch" doctor > out || wrong "status $?"
head -n 1 out | grep -q '^memsearch works here, with [1-9]' || wrong "$(head -n 3 out)"
grep -q '^  clock  *works' out || wrong "the clock does not work: $(cat out)"
! grep -q '^  accesses  *works' out || grep -q '^  simulated  *works' out || wrong "what is recorded is not simulated: $(cat out)"
awk 'length > 100' out | grep . && wrong "longer than 100 columns"
mkdir -p alone/bin && cp "$memsearch" alone/bin/
alone/bin/memsearch doctor > out || wrong "status $? without the core"
tr -s '\n ' ' ' < out | grep -q '^memsearch does not work here: .*memsearch-core.so' || wrong "without the core: $(cat out)"
alone/bin/memsearch list sensors > out 2>&1 && wrong "lists sensors without the core"
grep -q '^memsearch: cannot ask the sensors: .*memsearch-core.so: cannot open' out || wrong "list sensors without the core: $(cat out)"
alone/bin/memsearch doctor --root "$root/tests/machines/xeon" > out || wrong "status $? of a recorded machine without the core"
tr -s '\n ' ' ' < out | grep -q 'memsearch-core.so .*cannot open' || wrong "a recorded machine without the core: $(cat out)"
grep -q 'enough for' out && wrong "limits of a recorded machine without the core: $(cat out)"
check doctor__this_machine

cd "$root" || exit 1
$CC -O2 -o "$scratch/refuse" tests/live/programs/refuse.c || exit 1
cd "$scratch" || exit 1
if [ "$(cat /proc/sys/kernel/perf_event_paranoid)" -gt 2 ]; then
	echo "reason: kernel.perf_event_paranoid is above 2 here"; echo "skip doctor__refused_by_a_filter"
elif ./refuse true; then
	./refuse "$memsearch" doctor > out || wrong "status $?"
	grep -q '^  samples  *does not work' out || wrong "samples: $(cat out)"
	grep -q '^ *\$ docker run --cap-add PERFMON' out || wrong "no command mends it: $(cat out)"
	./refuse "$memsearch" doctor --json > json || wrong "status $?"
	have python3 && { python3 -c 'import json, sys
rows = json.load(open("json"))["rows"]
states = {(r["topic"], r["name"]): r["state"] for r in rows}
sys.exit(states["sensor", "samples"] != "does not work" or states["metric", "samples"] != "does not work" or states["metric", "time"] != "works")' ||
		wrong "JSON: $(cat json)"; }
	check doctor__refused_by_a_filter
else
	echo "reason: seccomp is not to be had here"; echo "skip doctor__refused_by_a_filter"
fi
