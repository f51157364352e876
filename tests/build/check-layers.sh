#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# No include points against the data flow. Each row: a folder, and the folders that it may include.
# Every folder may include itself, include/memsearch (the contracts) and analysis/base.
set -u
failed=0
rooms=
allow() {      # FOLDER ALLOWED…
	folder=$1; shift
	rooms="$rooms $folder "
	for file in $(find "$folder" -maxdepth 1 -name '*.[chly]' 2>/dev/null); do
		for include in $(sed -n 's/^#include "\([^"]*\/[^"]*\)".*/\1/p' "$file"); do
			ok=
			for target in memsearch analysis/base "$folder" "$@"; do
				[ "${include%/*}" = "$target" ] && ok=1
			done
			[ -n "$ok" ] || { echo "$file includes $include: against the data flow"; failed=1; }
		done
	done
}
allow include/memsearch
allow analysis/base
allow analysis/elf
allow analysis/debuginfo analysis/elf
allow analysis/options
allow analysis/machine
allow analysis/bandwidth
allow analysis/record analysis/debuginfo
allow analysis/simulator analysis/machine
allow analysis/trace analysis/record analysis/simulator
allow analysis/counting analysis/record analysis/trace
allow analysis/properties
allow analysis/search analysis/record analysis/properties
allow analysis/search/strategies analysis/search
allow analysis/simulation analysis/machine analysis/record analysis/simulator analysis/trace analysis/counting analysis/properties analysis/search
allow analysis/report analysis/record analysis/properties
allow analysis/store analysis/record
allow analysis/differential analysis/record analysis/report
allow analysis/sweep analysis/record analysis/differential
allow analysis/numa analysis/machine analysis/record analysis/simulation analysis/report
allow analysis/remedies analysis/machine analysis/record analysis/trace analysis/counting analysis/simulation analysis/report analysis/numa
allow analysis/cmds analysis/debuginfo analysis/options analysis/machine analysis/bandwidth analysis/record analysis/trace analysis/counting analysis/properties analysis/search analysis/simulation analysis/report analysis/store analysis/differential analysis/sweep analysis/numa analysis/remedies ompt_tool/sampling ompt_tool/counters ompt_tool/sensors
allow ompt_tool/regions
allow ompt_tool/measurements ompt_tool/regions
allow ompt_tool/code analysis/trace
allow ompt_tool/code/x86_64 ompt_tool/code
allow ompt_tool/clones analysis/trace ompt_tool/code
allow ompt_tool/clones/x86_64 analysis/trace ompt_tool/code ompt_tool/clones
allow ompt_tool/gomp
allow ompt_tool/process analysis/options analysis/machine analysis/bandwidth analysis/record ompt_tool/measurements ompt_tool/code ompt_tool/clones ompt_tool/gomp
allow ompt_tool/arrays analysis/debuginfo analysis/trace ompt_tool/code
allow ompt_tool/sampling analysis/debuginfo ompt_tool/measurements ompt_tool/clones ompt_tool/process ompt_tool/arrays
allow ompt_tool/counters analysis/properties ompt_tool/measurements ompt_tool/process ompt_tool/sampling
allow ompt_tool/accesses analysis/simulator analysis/trace analysis/counting analysis/simulation ompt_tool/regions ompt_tool/measurements ompt_tool/clones ompt_tool/process ompt_tool/arrays ompt_tool/sampling
allow ompt_tool/sensors ompt_tool/regions ompt_tool/measurements ompt_tool/process ompt_tool/arrays ompt_tool/sampling ompt_tool/counters ompt_tool/accesses
allow ompt_tool/events ompt_tool/regions ompt_tool/measurements ompt_tool/code ompt_tool/clones ompt_tool/process ompt_tool/accesses ompt_tool/recording ompt_tool/session
allow ompt_tool/locks analysis/debuginfo ompt_tool/code ompt_tool/clones ompt_tool/events
allow ompt_tool/recording analysis/elf analysis/debuginfo analysis/options analysis/record analysis/search ompt_tool/regions ompt_tool/code ompt_tool/clones ompt_tool/process ompt_tool/arrays ompt_tool/accesses ompt_tool/events ompt_tool/session
allow ompt_tool/phases analysis/record
allow ompt_tool/loader ompt_tool/gomp ompt_tool/arrays
allow ompt_tool/session analysis/elf analysis/debuginfo analysis/options analysis/machine analysis/record analysis/simulator analysis/properties analysis/search analysis/simulation analysis/report ompt_tool/regions ompt_tool/measurements ompt_tool/clones ompt_tool/process ompt_tool/arrays ompt_tool/sampling ompt_tool/counters ompt_tool/accesses ompt_tool/sensors ompt_tool/events ompt_tool/locks ompt_tool/recording ompt_tool/phases
for folder in $(find analysis ompt_tool -name '*.[ch]' -exec dirname {} + | sort -u); do
	case $rooms in *" $folder "*) ;; *) echo "$folder has no row in $0"; failed=1 ;; esac
done
exit $failed
