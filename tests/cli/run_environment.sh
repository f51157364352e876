# SPDX-License-Identifier: Apache-2.0
# What the program gets to see: options as variables, the tool first, the rest untouched.
mkdir tmp
export TMPDIR=$PWD/tmp
MEMSEARCH_STRATEGY=of_the_user memsearch run -o x.ms --sampling-rate 500 --event perf::A --event B,C --quiet -- env 2> /dev/null |
	grep "^MEMSEARCH_\|^OMP_TOOL" | sed "s|$PWD|PWD|; s|tmp/memsearch-[A-Za-z0-9]*|tmp/memsearch-X|; s|=/.*/lib/|=PREFIX/lib/|" | sort
