#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Formats the C sources by .clang-format, but those in .clang-format-ignore.
set -u
command -v clang-format-19 > /dev/null || { echo "format: clang-format-19 is not installed (apt-get install clang-format-19)" >&2; exit 1; }
git ls-files -z '*.c' '*.h' | xargs -0 -P "$(nproc)" -n 64 clang-format-19 -i || exit 1
# It takes the last enumerator behind a list of X macros as the continuation of a line.
git grep -lz '^#undef X' -- '*.c' '*.h' | xargs -0 perl -0pi -e 's/(#undef X\n)\t\t(\w+,?\n)/$1\t$2/g'
