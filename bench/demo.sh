#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The main job: an unmodified OpenMP program under the tool, its findings, and where the rest is.
set -eu
build=${BUILD:-build}
demo=$build/demo
mkdir -p "$demo"
${DEMO_CC:-clang-19} -O2 -g -fopenmp -o "$demo/swim" bench/swim/swim.c -lm
cd "$demo"
rm -f swim.ms
tool=../lib/libmemsearch.so
echo "\$ cd $demo; OMP_NUM_THREADS=2 OMP_TOOL_LIBRARIES=\$PWD/$tool MEMSEARCH_OUTPUT=swim.ms ./swim 1000 200" >&2
OMP_NUM_THREADS=${OMP_NUM_THREADS:-2} OMP_TOOL_LIBRARIES=$(realpath $tool) MEMSEARCH_OUTPUT=swim.ms ./swim 1000 200
echo "
The whole report:   $build/bin/memsearch report $demo/swim.ms
What was searched:  $build/bin/memsearch report --tree $demo/swim.ms" >&2
