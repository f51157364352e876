#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Lines of OpenMP constructs: builds programs with all compilers and options, lets a small OMPT
# tool write their code addresses down, and compares what sources_region() makes of them with the
# markers in the sources (tests/live/source/). Programs of gcc and gfortran run on libomp and on
# libgomp. Prints "ok|FAIL|skip name: reason".
# Runs beside others.
set -u
here=tests/live/source
cc=${CC:-clang-19}
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
failed=0

say() { # result name [reason]
	printf '%-4s source_lines/%s%s\n' "$1" "$2" "${3:+: $3}"
	[ "$1" != FAIL ] || failed=1
}

libomp=
for candidate in /usr/lib/llvm-19/lib/libomp.so.5 /usr/lib/x86_64-linux-gnu/libomp.so.5; do
	[ -r "$candidate" ] && libomp=$candidate && break
done
[ -n "$libomp" ] || { say skip all "no libomp.so.5"; exit 0; }

# On libomp programs of gcc ask for libgomp.so.1 and get it.
mkdir "$work/gomp" && ln -s "$libomp" "$work/gomp/libgomp.so.1"
resource=$("$cc" -print-resource-dir 2>/dev/null)/include
[ -r "$resource/omp-tools.h" ] || resource=/usr/lib/llvm-19/lib/clang/19/include
flags="-std=gnu11 -g -I. -Iinclude -idirafter $resource"
if ! "$cc" $flags -fPIC -shared -o "$work/dump.so" "$here/dump.c" analysis/debuginfo/modules.c analysis/base/*.c -lm ||
   ! "$cc" $flags -O1 -o "$work/check" "$here/check.c" analysis/debuginfo/*.c analysis/elf/*.c analysis/base/*.c -ldw -lelf -lm; then
	say FAIL build "the tool or the checker does not compile"
	exit 1
fi
# On libgomp the tool is what lies beside the library that has its events.
mkdir "$work/own"
if ! cp "${BUILD:-build}/lib/libmemsearch-gomp.so" "$work/own" ||
   ! "$cc" $flags -DON_LIBGOMP -fPIC -shared -o "$work/own/libmemsearch.so" "$here/dump.c" analysis/debuginfo/modules.c analysis/base/*.c -lm; then
	say FAIL build "the tool for libgomp does not compile"
	exit 1
fi

have() { command -v "$1" > /dev/null 2>&1; }

# On libomp; programs that need libgomp on that, too.
run() { # mode name sources...: runs $work/program, checks its dump
	mode=$1 name=$2
	shift 2
	once "$mode" "$name" "LD_LIBRARY_PATH=$work/gomp OMP_TOOL_LIBRARIES=$work/dump.so" "$@"
	! readelf -d "$work/program" | grep -q 'NEEDED.*libgomp' ||
		once "$mode" "$name on libgomp" "LD_PRELOAD=$work/own/libmemsearch-gomp.so" "$@"
}

once() { # mode name environment sources...
	mode=$1 name=$2 environment=$3
	shift 3
	rm -f "$work/dump"
	env DUMP="$work/dump" OMP_NUM_THREADS=2 $environment timeout 30 "$work/program" > /dev/null 2> "$work/errors"
	status=$?
	if [ $status -ne 0 ]; then
		say FAIL "$name" "the program ended with status $status"
	elif timeout 30 "$work/check" "$mode" "$work/dump" "$@" > "$work/report" 2>&1; then
		say ok "$name"
	else
		say FAIL "$name" "$(head -n 3 "$work/report" | tr -s ' ' | tr '\n' ';')"
	fi
}

compile() { # name command...
	name=$1
	shift
	"$@" > "$work/errors" 2>&1 && return 0
	say FAIL "$name" "does not compile: $(head -n 1 "$work/errors")"
	return 1
}

c() { # mode compiler options...
	mode=$1 compiler=$2
	shift 2
	name="$compiler $*"
	have "$compiler" || { say skip "$name" "not installed"; return; }
	compile "$name" "$compiler" "$@" -w -fopenmp -fPIC -shared -o "$work/liblibrary.so" "$here/library.c" &&
	compile "$name" "$compiler" "$@" -w -fopenmp -o "$work/program" "$here/constructs.c" \
		-L"$work" -llibrary -Wl,-rpath,"$work" &&
	run "$mode" "$name" "$here/constructs.c" "$here/library.c"
}

tails() { # compiler options...: calls that became jumps, to libraries, too
	compiler=$1
	shift
	name="tails $compiler $*"
	have "$compiler" || { say skip "$name" "not installed"; return; }
	compile "$name" "$compiler" "$@" -w -fopenmp -fPIC -shared -o "$work/libtails.so" "$here/tails_library.c" &&
	compile "$name" "$compiler" "$@" -w -fopenmp -o "$work/program" "$here/tails.c" \
		-L"$work" -ltails -Wl,-rpath,"$work" &&
	run exact "$name" "$here/tails.c" "$here/tails_library.c"
}

other() { # mode source compiler options...: one file, another language
	mode=$1 source=$2 compiler=$3
	shift 3
	name="$compiler $*"
	have "$compiler" || { say skip "$name" "not installed"; return; }
	(cd "$work" && compile "$name" "$compiler" "$@" -w -fopenmp -o "$work/program" "$OLDPWD/$here/$source") &&
	run "$mode" "$name" "$here/$source"
}

careful() { # compiler options...: the sources are gone
	name="$* without sources"
	have "$1" || { say skip "$name" "not installed"; return; }
	mkdir -p "$work/gone" && cp "$here/constructs.c" "$here/library.c" "$work/gone"
	compile "$name" "$@" -w -fopenmp -o "$work/program" "$work/gone/constructs.c" "$work/gone/library.c" || return
	rm -r "$work/gone"
	run careful "$name" "$here/constructs.c" "$here/library.c"
}

separate() { # compiler options...: debug information in a file beside the stripped program
	name="$* separate debug file"
	have "$1" || { say skip "$name" "not installed"; return; }
	compile "$name" "$@" -w -fopenmp -o "$work/program" "$here/constructs.c" "$here/library.c" &&
	(cd "$work" && objcopy --only-keep-debug program program.debug && objcopy --strip-all program &&
	 objcopy --add-gnu-debuglink=program.debug program) &&
	run exact "$name" "$here/constructs.c" "$here/library.c"
	rm -f "$work/program.debug"
}

for level in -O0 -O1 -O2 '-O3 -march=native'; do
	c exact clang-19 -g $level
	c exact gcc-12 -g $level
	other exact constructs.f90 gfortran -g $level
	other approximate constructs.f90 flang-new-19 -g $level
done
for level in -O0 '-O3 -march=native'; do
	other exact scopes.cc clang++-19 -g $level
	other exact scopes.cc g++-12 -g $level
done
for options in -O0 -O2 '-O3 -march=native' '-O2 -fno-plt' '-O2 -no-pie -fno-pie' '-O2 -fcf-protection -Wl,-z,now'; do
	tails clang-19 -g $options
	tails gcc-12 -g $options
done
for level in -O2 '-O3 -march=native'; do
	other exact tails.f90 gfortran -g $level
	other approximate tails.f90 flang-new-19 -g $level
	other exact tails.cc g++-12 -g $level
	other exact tails.cc clang++-19 -g $level
done
for options in '-no-pie -fno-pie' -gdwarf-4 -fno-plt; do
	c exact clang-19 -g -O2 $options
	c exact gcc-12 -g -O2 $options
done
other exact constructs.f90 gfortran -g -O2 -no-pie
careful gcc-12 -g -O2
careful clang-19 -g -O2
separate clang-19 -g -O2
separate gcc-12 -g -O2
c exact gcc-12 -g -O2 -flto
c exact clang-19 -g -O2 -gsplit-dwarf -gz
for compiler in clang-19 gcc-12; do
	c approximate $compiler -O2
	c nothing $compiler -O2 -s
done
other approximate constructs.f90 gfortran -O2
exit $failed
