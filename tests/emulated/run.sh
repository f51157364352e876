#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Runs the jobs of emulated machines (machines.txt) and prints "ok|FAIL|skip MACHINE__TEST" for each test.
#
#     tests/emulated/run.sh [TEXT]     only machines whose name contains TEXT
#     tests/emulated/run.sh --prepare  gets their packages and builds for them, but boots none
#
# Packages and what a machine left behind stay in build/emulated, the cross builds in build-ARCHITECTURE.
set -u
cd "$(dirname "$0")/../.." || exit 1
here=tests/emulated
work=$(pwd)/build/emulated
memsearch=${BUILD:-$(pwd)/build}/bin/memsearch
prepare_only=
[ "${1:-}" = --prepare ] && prepare_only=1 && shift
filter=${1:-}
ATTEMPTS=3                       # QEMU dies at a boot now and then, and a busy machine plants problems of its own
mkdir -p "$work/machines" || exit 1

rows() { sed 's/#.*//' $here/machines.txt | awk -v filter="$filter" 'NF && index($1, filter)'; }
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
	elif ! timeout -k 5 300 $here/build.sh "$1" "$work/$1" > "$work/$1.log" 2>&1; then
		tail -n 20 "$work/$1.log" > "$work/$1.fail"
	fi
}

# What a guest's program was written to yield must be in its report, and this machine must read its record alike.
check_report() {       # REPORT
	source=$here/programs/$(basename "$1" | cut -d. -f1).c
	awk -f tests/workloads/flatten.awk "$1" > "${1%.json}.flat" && awk -f tests/workloads/check.awk "$source" "${1%.json}.flat"
	! grep -q 'hotspots/0/approximate.true' "${1%.json}.flat" || echo "the hottest line is only approximate"
	"$memsearch" report --json "${1%.json}.ms" | cmp - "$1" 2>&1
}

check_reports() {      # FOLDER
	for report in "$1"/*.json; do
		[ -f "$report" ] || continue
		differences=$(check_report "$report")
		test=report__$(basename "$report" .json | tr . _)
		if [ -z "$differences" ]; then echo "ok $test"; else printf '%s\nFAIL %s\n' "$differences" "$test"; fi
	done
}

attempt() {            # FOLDER ARCHITECTURE NODES CPUS CPU ICOUNT JOBS…
	folder=$1 architecture=$2 nodes=$3 cpus=$4 cpu=$5 icount=$6
	shift 6
	rm -rf "$folder" && mkdir -p "$folder"
	for job in "$@"; do
		echo "NODES=$nodes CPUS=$cpus timeout 200 sh /tests/$job.sh || echo FAIL $job"
	done > "$folder/command"
	if $here/boot.sh "$architecture" "$work/$architecture" "$nodes" "$cpus" "$cpu" "$icount" "$folder"; then
		cat "$folder/output"
		check_reports "$folder"
	else
		cat "$folder/output" "$folder/qemu" 2> /dev/null
		tail -n 15 "$folder/console"
		printf '\nFAIL boot\n'
	fi
}

machine() {            # NAME ARCHITECTURE NODES CPUS CPU ICOUNT JOBS…
	name=$1 architecture=$2
	shift
	if [ -f "$work/$architecture.skip" ]; then
		echo "reason: $(cat "$work/$architecture.skip")"
		shift 5
		for job in "$@"; do echo "skip ${name}__$job"; done
		return
	elif [ -f "$work/$architecture.fail" ]; then
		cat "$work/$architecture.fail"
		echo "FAIL ${name}__cross_build"
		return
	fi
	for try in $(seq $ATTEMPTS); do
		attempt "$work/machines/$name" "$@" > "$work/machines/$name.out" 2>&1
		grep -q '^FAIL' "$work/machines/$name.out" || break
	done
	sed "s/^\(ok\|FAIL\|skip\) /&${name}__/" "$work/machines/$name.out"
}

# A machine keeps one CPU busy: as many at a time as there are CPUs, each lane one after the other.
lane() {               # NUMBER OF
	rows | awk -v lane="$1" -v lanes="$2" 'NR % lanes == lane' | while read -r row; do machine $row < /dev/null; done > "$work/lane.$1"
}

for architecture in $(architectures); do prepare "$architecture" & done
wait
[ -n "$prepare_only" ] && exit 0
lanes=$(nproc)
for number in $(seq 0 $((lanes - 1))); do lane "$number" "$lanes" & done
wait
for number in $(seq 0 $((lanes - 1))); do cat "$work/lane.$number"; done
