#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Finds out what this machine offers by compiling and linking one tiny program a feature
# (tests/build/probes/*.c) and prints make variables. The first line of a probe names its
# package and the libraries to link:   /* NAME package: libs */
set -u
build=$1
# Without a compiler every feature would be missing, and the file would say so from then on.
$CC --version > /dev/null 2>&1 || {
	echo "probe: there is no compiler $CC: run make setup, which installs what is missing, or name another, as in make CC=clang" >&2
	exit 1
}
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT

resource=$($CC -print-resource-dir 2>/dev/null)/include
[ -r "$resource/omp-tools.h" ] || resource=/usr/lib/llvm-19/lib/clang/19/include
cflags="-idirafter $resource"
core_libs= program_libs=

mkdir -p "$build/gen"
: > "$build/gen/features.txt"
: > "$build/gen/features.inc"       # the same for `memsearch --version -v`
for probe in tests/build/probes/*.c; do
	name=$(basename "$probe" .c)
	package=$(sed -n '1s@^/\* *\([^:]*\): *\(.*\) \*/.*@\1@p' "$probe")
	libs=$(sed -n '1s@^/\* *\([^:]*\): *\(.*\) \*/.*@\2@p' "$probe")
	macro=HAVE_$(echo "$name" | tr 'a-z-' 'A-Z_')
	if $CC $cflags -o "$tmp/probe" "$probe" $libs > "$tmp/out" 2>&1; then
		cflags="$cflags -D$macro=1"
		case $name in
		sqlite|ncurses) program_libs="$program_libs $libs" ;;
		*) core_libs="$core_libs $libs" ;;
		esac
		printf '%-10s %-16s yes\n' "$name" "$package" >> "$build/gen/features.txt"
		echo "FEATURE(\"$name\", \"$package\", 1)" >> "$build/gen/features.inc"
		echo "CONFIG_$macro := 1"
	else
		printf '%-10s %-16s no\n' "$name" "$package" >> "$build/gen/features.txt"
		echo "FEATURE(\"$name\", \"$package\", 0)" >> "$build/gen/features.inc"
		echo "CONFIG_$macro :="
	fi
done
# LLVM's OpenMP runtime, on which programs of gcc are run: the compiler's, else the newest.
libomp=
for path in $($CC -print-file-name=libomp.so.5) $($CC -print-file-name=libomp.so) $(ls -d /usr/lib/llvm-*/lib/libomp.so.5 2> /dev/null | sort -Vr); do
	case $path in /*) [ -r "$path" ] && libomp=$(realpath "$path") && break ;; esac
done
# A faster linker for the programs of the tests, of which each has all of memsearch.
tests_ldflags=
for linker in ld.lld-19 ld.lld; do
	echo 'int main(void) { return 0; }' | $CC --ld-path=$linker -o "$tmp/probe" -x c - > "$tmp/out" 2>&1 && tests_ldflags=--ld-path=$linker && break
done
echo "CONFIG_LIBOMP := $libomp"
echo "CONFIG_TESTS_LDFLAGS := $tests_ldflags"
echo "CONFIG_CFLAGS := $cflags"
echo "CONFIG_CORE_LIBS := $core_libs"
echo "CONFIG_PROGRAM_LIBS := $program_libs"
cat "$build/gen/features.txt" >&2
