#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Every header must compile alone, as C, and the public ones as C++ too.   check-headers.sh CC CFLAGS
set -u
failed=0
for header in include/memsearch/*.h $(find ompt_tool analysis tests/unit tests/host -name '*.h' 2>/dev/null); do
	printf '#include "%s"\n#include "%s"\n' "$header" "$header" |
		$1 $2 -Wno-unused-function -Werror -fsyntax-only -x c - || { echo "not self-contained: $header"; failed=1; }
done
exit $failed
