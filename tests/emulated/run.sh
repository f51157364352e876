#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Runs the jobs of emulated machines (machines.txt) and prints "ok|FAIL|skip MACHINE__TEST" for each test.
#
#     tests/emulated/run.sh [TEXT]     only machines whose name contains TEXT, with all of their jobs
#     tests/emulated/run.sh --prepare  gets their packages and builds for them, but boots none; --prepared: that was done
#     tests/emulated/run.sh --again    only jobs that failed before, which it repeats
#     LANES=2                          boots two at a time, not one for each CPU
#     WHOLE=1                          all jobs of all machines, which do all that they can, as in bench/emulated.sh
#
# Packages and what a machine left behind stay in build/emulated, the cross builds in build-ARCHITECTURE.
set -u
cd "$(dirname "$0")/../.." || exit 1
here=tests/emulated
work=$(pwd)/build/emulated
memsearch=${BUILD:-$(pwd)/build}/bin/memsearch
prepare_only= prepared= again=
[ "${1:-}" = --prepare ] && prepare_only=1 && shift
[ "${1:-}" = --prepared ] && prepared=1 && shift
[ "${1:-}" = --again ] && prepared=1 && again=1 && shift
filter=${1:-}
ATTEMPTS=3                       # QEMU dies at a boot now and then, and a busy machine plants problems of its own
mkdir -p "$work/machines" || exit 1

[ "${WHOLE:-}$filter" ] && all=' ' || all='.*'
# A machine without jobs before the bar is none of `make test`.
rows() { sed "s/#.*//; s/|$all//" $here/machines.txt | awk -v filter="$filter" 'NF > 6 && index($1, filter)'; }
architectures() { rows | awk '{ print $2 }' | sort -u; }

missing_commands() {   # ARCHITECTURE
	(. ./$here/architectures/"$1".sh
	for command in "$qemu" clang-19 ld.lld-19 cpio modinfo xz dpkg-deb apt-get; do
		command -v "$command" > /dev/null || printf ' %s' "$command"
	done)
}

# Leaves NAME.skip with the reason where the machines cannot be had, NAME.fail where memsearch does not build.
prepare() {            # ARCHITECTURE
	rm -f "$work/$1.skip" "$work/$1.fail"
	missing=$(missing_commands "$1")
	if [ -n "$missing" ]; then
		echo "no$missing here: install the packages of $here/packages.txt" > "$work/$1.skip"
	elif ! timeout -k 5 300 $here/fetch.sh "$1" "$work/$1" > "$work/$1.log" 2>&1; then
		echo "Debian's packages for $1 could not be had: $(grep -m 1 '^E:' "$work/$1.log")" > "$work/$1.skip"
	elif ! timeout -k 5 1200 $here/build.sh "$1" "$work/$1" > "$work/$1.log" 2>&1; then
		tail -n 20 "$work/$1.log" > "$work/$1.fail"
	fi
}

# What a guest's program was written to yield must be in its report, and this machine must read its record alike.
check_report() {       # REPORT
	source=$here/programs/$(basename "$1" | cut -d. -f1).c
	awk -f tests/workloads/flatten.awk "$1" > "${1%.json}.flat" && awk -f tests/workloads/check.awk "$source" "${1%.json}.flat"
	! grep -q 'hotspots/0/approximate.true' "${1%.json}.flat" || echo "the hottest line is only approximate"
	# folders of sources are looked up where a report is printed
	grep -v '"directory": ' "$1" > "${1%.json}.there"
	MEMSEARCH_QUICK=1 "$memsearch" report --json "${1%.json}.ms" | grep -v '"directory": ' | cmp - "${1%.json}.there" 2>&1
}

check_reports() {      # FOLDER
	for report in "$1"/*.json; do
		[ -f "$report" ] || continue
		differences=$(check_report "$report")
		test=report__$(basename "$report" .json | tr . _)
		if [ -z "$differences" ]; then echo "ok $test"; else printf '%s\nFAIL %s\n' "$differences" "$test"; fi
	done
}

# What a job said and what it left behind came to. One that did not come to its end failed, whatever it had said by then.
result() {             # FOLDER JOB
	cat "$1/$2/output" 2> /dev/null
	if [ ! -e "$1/$2/ended" ]; then
		cat "$1/output" "$1/qemu" 2> /dev/null
		tail -n 15 "$1/console"
		printf '\nFAIL %s\n' "$2"
	fi
	check_reports "$1/$2"
}

# Boots once and leaves JOB.result in FOLDER for each job, whose own files are in FOLDER/JOB.
attempt() {            # FOLDER ARCHITECTURE NODES CPUS CPU ICOUNT JOBS…
	folder=$1 architecture=$2 nodes=$3 cpus=$4 cpu=$5 icount=$6
	shift 6
	for job in "$@"; do
		rm -rf "${folder:?}/$job" && mkdir -p "$folder/$job"
		echo "JOB=/job/$job NODES=$nodes CPUS=$cpus WHOLE=${WHOLE:-} timeout 300 sh /tests/$job.sh > /job/$job/output 2>&1 || echo FAIL $job >> /job/$job/output; : > /job/$job/ended"
	done > "$folder/command"
	$here/boot.sh "$architecture" "$work/$architecture" "$nodes" "$cpus" "$cpu" "$icount" "$folder"
	for job in "$@"; do result "$folder" "$job" > "$folder/$job.result" 2>&1; done
}

# Those of the jobs that failed; their results are kept.
failed() {             # FOLDER TRY JOBS…
	at=$1 try=$2
	shift 2
	for job in "$@"; do grep -q '^FAIL' "$at/$job.result" && cp "$at/$job.result" "$at/$job.failed.$try" && echo "$job"; done
}

machine() {            # NAME ARCHITECTURE NODES CPUS CPU ICOUNT JOBS…
	name=$1 architecture=$2 hardware="$2 $3 $4 $5 $6" folder=$work/machines/$1
	shift 6
	if [ -f "$work/$architecture.skip" ]; then
		echo "reason: $(cat "$work/$architecture.skip")"
		for job in "$@"; do echo "skip ${name}__$job"; done
		return
	elif [ -f "$work/$architecture.fail" ]; then
		cat "$work/$architecture.fail"
		echo "FAIL ${name}__cross_build"
		return
	fi
	if [ "$again" ]; then jobs=$(failed "$folder" again "$@"); else rm -rf "$folder" && mkdir -p "$folder" && jobs=$*; fi
	for try in $(seq $ATTEMPTS); do
		[ -n "$jobs" ] || break
		attempt "$folder" $hardware $jobs
		jobs=$(failed "$folder" $try $jobs)
	done
	for job in "$@"; do sed "s/^\(ok\|FAIL\|skip\) /&${name}__/" "$folder/$job.result"; done
}

# A machine keeps one CPU busy: as many at a time as there are CPUs, each lane takes the next one that no other has.
lane() {
	rows | while read -r row; do
		mkdir "$work/machines/${row%% *}.taken" 2> /dev/null || continue
		machine $row < /dev/null > "$work/machines/${row%% *}.said"
	done
}

[ -n "$prepared" ] || for architecture in $(architectures); do prepare "$architecture" & done
wait
[ -n "$prepare_only" ] && exit 0
rm -rf "$work/machines"/*.taken
for number in $(seq "${LANES:-$(nproc)}"); do lane & done
wait
rows | while read -r row; do cat "$work/machines/${row%% *}.said"; done
