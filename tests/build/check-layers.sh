#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# No include points against the data flow. Each row: a folder, and what it may include of the project.
# "memsearch/" is include/memsearch, the contracts; every folder may include itself and analysis/base.
set -u
failed=0
allow() {      # FOLDER ALLOWED…
	folder=$1; shift
	for file in $(find "$folder" -maxdepth 1 -name '*.[chly]' 2>/dev/null); do
		for include in $(sed -n 's/^#include "\([^"]*\/[^"]*\)".*/\1/p' "$file"); do
			ok=
			for prefix in memsearch/ analysis/base/ "$folder/" "$@"; do
				case $include in "$prefix"*) ok=1 ;; esac
			done
			[ -n "$ok" ] || { echo "$file includes $include: against the data flow"; failed=1; }
		done
	done
}
in_program="ompt_tool/thread.h ompt_tool/measurements/ ompt_tool/regions/region_table.h"
allow include/memsearch
allow analysis/base
allow ompt_tool/regions
allow ompt_tool/measurements ompt_tool/regions/region_table.h
allow ompt_tool/code analysis/trace/stretches.h
allow ompt_tool/code/x86_64 ompt_tool/code/
allow ompt_tool/clones ompt_tool/code/ analysis/trace/
allow ompt_tool/clones/x86_64 ompt_tool/clones/ ompt_tool/code/ analysis/trace/
allow ompt_tool/arrays ompt_tool/regions/ ompt_tool/code/slots.h analysis/trace/
allow analysis/simulator analysis/machine/
allow analysis/trace analysis/machine/ analysis/simulator/simulator.h analysis/simulator/sampling.h analysis/record/coding.h
allow analysis/counting analysis/trace/ analysis/record/
allow analysis/simulation analysis/counting/ analysis/machine/ analysis/simulator/simulator.h analysis/trace/ analysis/record/ analysis/search/ analysis/properties/property.h
allow ompt_tool/sensors $in_program analysis/simulator/simulator.h analysis/trace/ analysis/counting/ analysis/simulation/values.h ompt_tool/regions/source.h ompt_tool/regions/own_heap.h ompt_tool/arrays/array.h ompt_tool/arrays/touch_runs.h ompt_tool/clones/ ompt_tool/code/code.h analysis/properties/events.h
allow ompt_tool/gomp
allow ompt_tool/phases analysis/record/run.h
allow ompt_tool/events $in_program ompt_tool/sensors/ ompt_tool/clones/clone.h ompt_tool/clones/switching.h ompt_tool/code/bounds.h ompt_tool/first_execution.h ompt_tool/online.h
allow analysis/bandwidth
allow analysis/machine
allow analysis/properties
allow analysis/record ompt_tool/regions/source.h
allow analysis/search analysis/properties/ analysis/record/run.h
allow analysis/search/strategies analysis/search/bricks.h
allow analysis/store analysis/record/
allow analysis/sweep analysis/record/ analysis/differential/profile.h analysis/differential/metrics.h
allow analysis/differential analysis/record/ analysis/report/
allow analysis/report analysis/record/ analysis/properties/property.h
allow analysis/numa analysis/record/ analysis/report/ analysis/simulation/page_use.h analysis/machine/model.h
allow analysis/remedies analysis/record/ analysis/report/ analysis/numa/ranking.h analysis/simulation/ analysis/machine/model.h analysis/counting/ranges.h analysis/trace/kept.h analysis/trace/simulation.h
allow analysis/cmds analysis/ ompt_tool/regions/source.h ompt_tool/sensors/ ompt_tool/options.h ompt_tool/channel.h
allow ompt_tool ompt_tool/ analysis/bandwidth/ analysis/counting/ analysis/machine/ analysis/simulator/ analysis/trace/ analysis/simulation/ analysis/properties/ analysis/search/ analysis/record/ analysis/report/
exit $failed
