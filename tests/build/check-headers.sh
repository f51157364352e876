#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Every header must compile alone, as C, and the installed ones as C++ too.   check-headers.sh CC CFLAGS INSTALLED
set -u
# Compiles each header twice in one file, on all CPUs.
compile() {    # FLAGS < HEADERS
	FLAGS=$1 xargs -P "$(nproc)" -n 8 sh -c 'failed=0
		for header; do
			printf "#include \"%s\"\n#include \"%s\"\n" "$header" "$header" | $COMPILER $FLAGS -Werror -fsyntax-only - ||
				{ echo "not self-contained: $header"; failed=1; }
		done
		exit $failed' headers
}

export COMPILER="$1"
failed=0
find include analysis ompt_tool tests/unit tests/host -name '*.h' | compile "$2 -Wno-unused-function -x c" || failed=1
of_cxx=$(printf '%s\n' $2 | grep -v '^-std=\|^-W.*-prototypes$\|^-Wshadow$')
printf '%s\n' $3 | compile "$(echo $of_cxx) -Wno-unused-function -x c++" || failed=1
exit $failed
