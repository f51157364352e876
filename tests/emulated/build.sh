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

env -u MAKEFLAGS -u MAKELEVEL make -s -C ../.. -j"$(nproc)" BUILD=build-"$1" CC="$cross" SAN= COVERAGE= PREFIX=/usr DESTDIR="$root" install

mkdir -p "$tests"
cp jobs/*.sh "$tests"
program() {    # NAME SOURCE [OPTION]
	[ -n "$(find "$tests/$1" -newer "$2" 2> /dev/null)" ] ||
		$cross -O2 -g -fopenmp -I../workloads ${3:-} -o "$tests/$1" "$2" "-L$root$llvm" -Wl,-rpath,$llvm -lm
}
program ends ../live/programs/ends.c
program touched_by_one ../live/programs/touched_by_one.c -DNR=524288
for source in programs/*.c; do program "$(basename "$source" .c)" "$source"; done
