#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# build.sh ARCHITECTURE FOLDER: builds memsearch for that architecture, installs it below
# FOLDER/root as on any system, and puts the programs and jobs of the tests into FOLDER/root/tests.
set -eu
root=$(cd "$2/root" && pwd)
cd "$(dirname "$0")"
. ./architectures/"$1".sh
tests=$root/tests
cross="clang-19 --target=$triple --sysroot=$root --gcc-toolchain=$root/usr -Wno-unused-command-line-argument --ld-path=ld.lld-19"
llvm=/usr/lib/llvm-19/lib

# Installs the build in a folder below the guest's root, and first brings it up to date.
install() {    # BUILD [VARIABLE=VALUE…]
	folder=$1
	shift
	env -u MAKEFLAGS -u MAKELEVEL make -s -C ../.. -j"$(nproc)" BUILD="$folder" SAN= COVERAGE= PREFIX=/usr DESTDIR="$root" "$@" install
}

# Whether this machine's own build does: guests are the same system on the same processor, and have the libraries that it was linked with.
is_own() {     # ARCHITECTURE
	[ "$1/$(uname -m)" = amd64/x86_64 ] && [ "$(basename "${BUILD:-build}")" = build ] || return 1
	grep -qs '^VERSION_CODENAME=bookworm$' /etc/os-release && [ -x ../../build/bin/memsearch ] || return 1
	for library in $(readelf -d ../../build/bin/memsearch ../../build/lib/*.so ../../build/lib/memsearch/*.so | sed -n 's/.*(NEEDED).*\[\(.*\)\]/\1/p' | sort -u); do
		[ -n "$(find "$root" -name "$library")" ] || { echo "the guest has no $library: builds for $1"; return 1; }
	done
}

# What the guest has may have changed since the cross build was probed.
[ -n "$(find ../../build-"$1"/config.mk -newer guest-packages.txt -newer architectures/"$1".sh 2> /dev/null)" ] || rm -f ../../build-"$1"/config.mk

# memsearch itself is neither debugged nor timed there; -O1 compiles faster.
if is_own "$1"; then install build; else install build-"$1" CC="$cross" CFLAGS=-O1; fi

mkdir -p "$tests"
cp jobs/*.sh "$tests"
program() {    # NAME SOURCE [OPTION]
	[ -n "$(find "$tests/$1" -newer "$2" 2> /dev/null)" ] ||
		$cross -O2 -g -fopenmp -I../workloads ${3:-} -o "$tests/$1" "$2" "-L$root$llvm" -Wl,-rpath,$llvm -lm
}
program ends ../live/programs/ends.c
program touched_by_one ../live/programs/touched_by_one.c -DNR=524288
program limit_memory_locked ../live/guest/limit_memory_locked.c
program placed_large programs/placed.c -DNR=1048576
for source in programs/*.c; do program "$(basename "$source" .c)" "$source"; done
