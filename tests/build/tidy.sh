#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# tidy.sh CFLAGS: clang-tidy over the sources of the program and the tool, by .clang-tidy. Prints findings only.
set -u
command -v clang-tidy-19 > /dev/null || { echo "tidy: clang-tidy-19 is not installed (make setup)" >&2; exit 1; }
export TIDY_FLAGS="$1"
# It says on stderr how many warnings of the system's headers it does not print.
find analysis ompt_tool -name '*.c' -print0 |
	xargs -0 -P "$(nproc)" -n 8 sh -c 'eval "clang-tidy-19 --quiet \"\$@\" -- $TIDY_FLAGS" 2> /dev/null' tidy
