# SPDX-License-Identifier: Apache-2.0
# Programs with a planted problem run under the bare variable and under `memsearch run` as they run without.
# The records and reports left in $JOB are held against what the programs must yield by tests/emulated/run.sh.
. /tests/lib.sh
# Starting takes a larger part of these short runs on slow CPUs than is allowed by default.
export MEMSEARCH_OVERHEAD=50%

with_variable() { OMP_TOOL_LIBRARIES=libmemsearch.so MEMSEARCH_OUTPUT=it.ms timeout 90 "$@"; }
with_run() { timeout 90 memsearch run --quiet --no-calibrate -o it.ms -- "$@"; }

compare() {    # HOW PROGRAM STEPS
	rm -f it.ms
	with_"$1" $tests/"$2" "$3" > tool.out 2> tool.err; status=$?
	same
	cp it.ms $JOB/"$2.$1".ms || wrong "no record: $(cat tool.err)"
	MEMSEARCH_QUICK=1 memsearch report --json it.ms > $JOB/"$2.$1".json 2> report.err || wrong "report: $(cat report.err)"
	check findings__"$2__$1"
}

untouched() {  # PROGRAM STEPS
	timeout 60 $tests/"$1" "$2" > plain.out 2> plain.err; plain=$?
	[ $plain = 0 ] || wrong "without the tool: $plain $(cat plain.err)"
}

# Where a nanosecond is an instruction, half of the steps tell as much.
case $(uname -m) in x86_64) steps=1 ;; *) steps=0.5 ;; esac
export OMP_NUM_THREADS=4
untouched imbalance $steps
compare variable imbalance $steps
compare run imbalance $steps
export OMP_NUM_THREADS=2
untouched serial $steps
compare run serial $steps
