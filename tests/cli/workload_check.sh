# SPDX-License-Identifier: Apache-2.0
# The checker of the workloads notices: a missing finding, a wrong line or severity, an unexpected one, a wrong phase.
cat > program.c <<'END'
/*
 * EXPECT Imbalance.* at loop severity 0.2..0.4
 * EXPECT Serial hot spot
 * ALLOW Barrier.*
 * PHASE sequence|anchor
 */
#pragma omp parallel for   /* HERE: loop */
x = exp(y);                /* HERE: spot */
END

report() {    # SEVERITY LINE HOT-LINE SAMPLES PHASE MORE
	cat <<END
{ "schema": "memsearch-report-1", "runs": [ { "phases": { "detected": "$5" },
    "sensors": [ { "name": "clock", "works": true }, { "name": "samples", "works": $4 } ] } ],
  "findings": [
    { "property": "ImbalanceInLoop", "severity": $1, "threads": [1, 2], "evidence": {}, "text": "a \"quoted\" {word}",
      "region": { "kind": "DO_REGION", "function": "f", "line": $2, "hotspots": [] } },
    { "property": "Serial", "severity": 1e-1, "region": { "kind": "SERIAL_REGION", "function": null, "line": 3,
      "hotspots": [ { "line": $3 }, { "line": 8 } ] } }$6 ] }
END
}

check() {
	echo "$1:"
	shift
	report "$@" > report.json
	awk -f "$TESTS/workloads/flatten.awk" report.json > flat && awk -f "$TESTS/workloads/check.awk" program.c flat
}

more=', { "property": "TooSmall", "severity": 0.5, "region": { "kind": "PARALLEL_REGION", "function": "g", "line": 7 } }'
allowed=', { "property": "BarrierWaiting", "severity": 0.5, "region": { "kind": "PARALLEL_REGION", "function": "g", "line": 7 } }'
check "as expected" 0.3 7 8 true sequence
check "an allowed one more" 0.3 7 8 true anchor "$allowed"
check "severity" 0.5 7 8 true sequence
check "line" 0.3 9 8 true sequence
check "hot line" 0.3 7 9 true sequence
check "hot line without samples" 0.3 7 9 false sequence
check "phase" 0.3 7 8 true whole_program
check "unexpected" 0.3 7 8 true sequence "$more"
taken=', { "property": "CpusTaken", "severity": 0.3, "region": { "kind": "USER_REGION", "function": null, "line": null } }'
check "severity while other programs run" 0.5 7 8 true sequence "$taken"
echo "no report:"
echo '{ "findings": [' > report.json
awk -f "$TESTS/workloads/flatten.awk" report.json > flat || echo "malformed"
