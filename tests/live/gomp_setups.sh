#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# How programs get to libgomp: through a script, past the preloaded library (RTLD_DEEPBIND), linked into the program. Results are as alone, and what was not seen is said.
# Runs beside others.
. "$(dirname "$0")/lib.sh"

have gcc-12 || { echo "reason: no gcc-12"; echo "skip gomp_setups"; exit 0; }
sources=$root/tests/live/gomp
cd "$scratch" || exit 1
gcc-12 -O2 -g -fopenmp -o odd "$sources/odd.c" || exit 1

# Same output and status as alone.
as_alone() {   # COMMAND…
	"$@" > alone 2> alone.errors; status=$?
	rm -f ./*.ms
	timeout -k 1 60 "$memsearch" run --no-calibrate ${options:-} -o it.ms -- "$@" > out 2> messages; under=$?
	[ $under = $status ] || wrong "$*: status $under, not $status: $(head -n 3 messages)"
	cmp -s alone out || wrong "$*: output changed: $(diff alone out | head -n 3)"
}
regions_of() { # RECORD FUNCTION FILE
	"$memsearch" list regions "$1" > regions
	grep -q "DO_REGION.*in $2 ($3:[1-9]" regions || wrong "$1: no loop of $2: $(grep REGION regions | head -n 5)"
}

# What a script starts is not known: programs of gcc are seen, each with a record, and others are not disturbed.
cat > script << 'END'
#!/bin/sh
echo begins
./odd cancel
"$@"
status=$?
./odd pause
echo "$status $?"
END
chmod +x script
gcc-12 -O2 -o weak "$sources/weak.c" -ldl || wrong "weak.c does not compile"
options=-q
for how in "" sh; do
	# shellcheck disable=SC2086
	as_alone $how ./script ./weak
	[ "$(echo ./*.ms)" = "./it-2.ms ./it.ms" ] || wrong "script: records: $(ls)"
	cmp -s alone.errors messages || wrong "script: $(head -n 3 messages)"
	regions_of it.ms cancelling odd.c
	regions_of it-2.ms step odd.c
done
$CC -O2 -g -fopenmp -o clangs "$sources/odd.c" || wrong "odd.c does not compile"
as_alone ./script ./clangs pause
[ "$(ls ./*.ms | wc -l)" = 3 ] || wrong "script: records: $(ls)"
check gomp__script

# A script without OpenMP: nothing was measured, and why.
printf '#!/bin/sh\n./weak\nexit 4\n' > other
chmod +x other
options=
as_alone ./other
tr -s '\n ' ' ' < messages | grep -q 'nothing was measured: a script was started, and no OpenMP program in it loaded the tool' || wrong "no reason: $(cat messages)"
check gomp__script_without_openmp

# A library bound to libgomp itself: its regions are not seen, and the report names it.
gcc-12 -O2 -g -fopenmp -shared -fPIC -o late_library.so "$sources/late_library.c" && gcc-12 -O2 -g -fopenmp -o deep "$sources/deep.c" -ldl || wrong "deep.c does not compile"
options=-q
for overhead in 5% 1000%; do
	options="-q --overhead $overhead"
	as_alone ./deep ./late_library.so
	[ ! -s messages ] || wrong "deep, $overhead: $(head -n 3 messages)"
	regions_of it.ms own_step deep.c
	grep -q 'in work ' regions && wrong "deep, $overhead: the library's regions are seen: $(grep 'in work ' regions)"
	"$memsearch" report -v it.ms | tr -s '\n ' ' ' | grep -q "parallel regions of 'late_library.so': it was loaded with RTLD_DEEPBIND" || wrong "deep, $overhead: the report does not name the library"
done
options="-q --runtime libomp"
as_alone ./deep ./late_library.so
check gomp__deep_binding

# libgomp linked into the program.
gomp=$(gcc-12 -print-file-name=libgomp.a)
options=
for link in "-fopenmp -static" "$gomp -ldl -lpthread"; do
	# shellcheck disable=SC2086
	if gcc-12 -O2 -g -fopenmp -c -o static.o "$sources/odd.c" && gcc-12 -o static static.o $link 2> static.log; then
		for mode in pause cancel; do
			as_alone ./static $mode
			tr -s '\n ' ' ' < messages | grep -q "nothing was measured: GNU's OpenMP runtime (libgomp) is linked into the program" || wrong "static: no reason: $(cat messages)"
		done
	else
		wrong "static does not link: $(head -n 2 static.log)"
	fi
done
check gomp__static_libgomp
