// SPDX-License-Identifier: Apache-2.0
// An example to start from: memsearch properties --check uneven_faults.asl, then memsearch run --properties uneven_faults.asl.

METRIC faults_each [1] = sum(r.minor_faults) / count(r.minor_faults)
	"page faults of an average thread";

PROPERTY UnevenFaults(Region r, Phase p) {
	TITLE "one thread takes most of the page faults";
	KINDS PARALLEL_REGION;
	REFINES FaultsInRegion;
	HINT "where threads";
	LET
		most = max(r.minor_faults);
		usual = r.faults_each;
		share = min((most - usual) * 2 us, sum(p.system_time)) / p.thread_time;
	IN
	CONDITION: imbalance(r.minor_faults) > 1 AND share > 2 %;
	CONFIDENCE: 0.8;
	SEVERITY: share;
	BY THREAD: r.minor_faults > 2 * usual;
	EXPLANATION "One thread takes {most} page faults in this region, an average one {usual}.[ It is number {threads}.]";
	ADVICE "Let each thread touch first what it will use: initialise in parallel with the schedule of the loops that follow.";
}
