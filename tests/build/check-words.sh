#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Plain English: no idiom of words.txt in documents, manual pages, texts that are printed, and all comments.
#     tests/build/check-words.sh [FILE…]      of these C files the comments, wherever they are
set -u
cd "$(dirname "$0")/../.." || exit 1
here=tests/build
words=$(sed '/^#/d; s/	.*//' $here/words.txt | paste -s -d '|')
found() { grep -iE "^[^:]+:[0-9]+: (.*[^[:alnum:]_])?($words)(\$|[^[:alnum:]_])"; }
texts() { [ $# -lt 2 ] || awk -v want="$1" -f $here/texts.awk $(shift && echo "$@"); }

if [ $# -gt 0 ]; then
	texts comments "$@" | found
	exit 0
fi
code=$(find analysis ompt_tool include properties -name '*.[chly]' -o -name '*.asl')
{
	texts prose $(find . -name '*.md' -not -path './build*') analysis/man/*.1
	texts strings $code
	texts comments $(find analysis examples include ompt_tool -name '*.[ch]')
} | found && { echo "tests/build/words.txt has what to write instead"; exit 1; }
exit 0
