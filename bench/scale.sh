#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# 10,000 distinct regions on 256 threads of a fake runtime (one OS thread, so that only times can be measured): nothing
# may be lost. Prints how long the end of the program took; `memsearch report` on the record is timed apart.
#   BUILD=build REGIONS=10000 THREADS=256 bench/scale.sh
set -eu
build=${BUILD:-build}
libs=$(sed -n 's/^CONFIG_CORE_LIBS := //p' "$build/config.mk")
flags=$(sed -n 's/^CONFIG_CFLAGS := //p' "$build/config.mk")
program=$build/lib/memsearch/scale       # beside the core, so that it finds properties and strategies
trap 'rm -f "$program" "$program.ms"' EXIT
rm -f "$program.ms"

clang-19 -O2 -g -std=gnu11 -pthread -I. -Iinclude $flags -o "$program" bench/scale.c tests/host/host.c \
	-Wl,--start-group "$build/lib/libmscore.a" "$build/lib/libmsanalysis.a" -Wl,--end-group $libs -ldl -lm
MEMSEARCH_MEASURE=time MEMSEARCH_OUTPUT=$program.ms MEMSEARCH_OVERHEAD=100% "$program" "${REGIONS:-10000}" "${THREADS:-256}"
