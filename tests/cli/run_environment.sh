# SPDX-License-Identifier: Apache-2.0
# What the program gets to see: options as variables, the tool first, the rest untouched.
MEMSEARCH_STRATEGY=data_structure_refine memsearch run -o x.ms --sampling-rate 500 --event perf::PAGE-FAULTS --event CONTEXT-SWITCHES,perf::MINOR-FAULTS --quiet -- env 2> /dev/null |
	grep "^MEMSEARCH_\|^OMP_TOOL" | sed "s|$PWD|PWD|; s|__RUN=.*|__RUN=X|; s|=/.*/lib/|=PREFIX/lib/|" | sort
