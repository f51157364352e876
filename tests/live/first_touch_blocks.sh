#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Serial first touch is a finding on modelled machines with several nodes, with its array, the line of the first touch and the remedy, and all lines come from one node; its twin, initialised in
# parallel, has none of these.
# Runs beside others.
. "$(dirname "$0")/lib.sh"

source=$root/tests/live/programs/first_touch_blocks.c
for sensor in accesses faults; do
	"$memsearch" list sensors | grep -q "^$sensor  *yes" || { echo "reason: no $sensor can be recorded here"; echo "skip first_touch_blocks"; exit 0; }
done
for twin in "" -DTWIN; do
	# shellcheck disable=SC2086
	$CC -O1 -g -fopenmp $twin -o "$scratch/program" "$source" 2> "$scratch/errors" || wrong "does not build: $(cat "$scratch/errors")"
	timeout -k 1 100 "$memsearch" run --quick --quiet --overhead 1000% -o "$scratch/serial$twin.ms" -- "$scratch/program" > "$scratch/out" 2> "$scratch/errors" ||
		wrong "status $?: $(cat "$scratch/errors")"
done

# RECORD OPTIONS…: the report as one line, and the property of each finding with its machine and severity.
report() {
	record=$1
	shift
	"$memsearch" report "$@" "$scratch/$record.ms" 2> "$scratch/errors" | tr -s ' \n' ' ' > "$scratch/text"
	"$memsearch" report --all --format csv "$@" "$scratch/$record.ms" | awk -F, 'NR > 1 { print $4, $6 }' > "$scratch/found"
}
severe() {     # PROPERTY: its highest severity; "": it is not found
	awk -v p="$1" '$1 == p && $2 > most { most = $2 } END { print most }' "$scratch/found"
}
expect() {     # TEXT
	grep -q -F -- "$1" "$scratch/text" || wrong "$record: not '$1': $(grep -o 'On the modelled.*' "$scratch/text" | head -c 1500)"
}
for machine in $(sample altix-bx2 "epyc-2s xeon-2s altix-bx2"); do
	report serial --machine $machine --places spread
	for property in SerialFirstTouch RemoteDramAccesses ControllerImbalance; do
		echo "$(severe $property)" | awk '{ exit !($1 > 0.005) }' || wrong "$machine: severity of $property is '$(severe $property)'"
	done
	"$memsearch" report --all --format csv --machine $machine --places spread "$scratch/serial.ms" | sed -n '/,ControllerImbalance,/s/.*[ ,"]part=\([0-9.]*\);.*/\1/p' |
		awk '{ all++; good += $1 > 0.99 && $1 <= 1 } END { exit !(all && good == all) }' || wrong "$machine: node 0 does not serve all"
	expect "On the modelled machine $machine"
	expect "(spread)"
	expect "memory of another NUMA node"
	expect "temp was first touched by thread 0 alone at first_touch_blocks.c:$(line_of "$source" touched), so all of it is on one NUMA node"
	expect "initialise temp in parallel with the same schedule as the loop at first_touch_blocks.c:$(line_of "$source" used)"
	report serial-DTWIN --machine $machine --places spread
	for property in SerialFirstTouch RemoteDramAccesses ControllerImbalance; do
		[ -z "$(severe $property)" ] || wrong "$machine, twin: severity of $property is '$(severe $property)'"
	done
	report serial --machine $machine
	[ -z "$(severe SerialFirstTouch)$(severe RemoteDramAccesses)$(severe ControllerImbalance)" ] || wrong "$machine, on one node: found"
	expect "of node 0 (close; --places spread uses more nodes)"
	check "first_touch_blocks $machine"
done

# This machine has no node of its own in these, and no finding of another machine is among its own.
report serial
[ -z "$(severe SerialFirstTouch)" ] || [ "$(find /sys/devices/system/node -maxdepth 1 -name 'node[0-9]*' | wc -l)" -gt 1 ] || wrong "SerialFirstTouch on one node"
check first_touch_blocks__this_machine
