#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Samples that found no room among the hot lines are said, not lost in silence. No sensor is given up, however slowly the tool starts.
# Runs beside others.
. "$(dirname "$0")/lib.sh"

name=places__samples_without_room_are_reported
"$memsearch" list sensors | grep -q '^faults  *yes' || { echo "reason: page faults cannot be sampled here"; echo "skip $name"; exit 0; }
$CC -O2 -g -fopenmp -o "$scratch/places" tests/live/programs/places.c || exit 1
cd "$scratch" || exit 1
[ "$(MEMSEARCH_OVERHEAD=1000% OMP_TOOL_LIBRARIES=$tool timeout -k 1 60 ./places 2> tool.err)" = 1 ] || wrong "output changed"
"$memsearch" report --json ./*.ms > report.json 2> report.err || wrong "report failed: $(cat report.err)"
tr '{' '\n' < report.json | grep -q 'page faults missing among the hot lines' || wrong "not reported: $(grep -A 8 '"dropped"' report.json)"
check "$name"
