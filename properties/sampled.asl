// SPDX-License-Identifier: Apache-2.0
// Which data structures wait for caches and memory, by samples of data addresses (--addresses): what simulated.asl asks of a modelled machine,
// measured on the machine itself. The interval of a finding includes the Poisson error of its number of samples.
//
// A latency is that of one access; how many are under way at once is not known. So severities go from all of them overlapping as much
// as a core can (16 lines, as in metrics/counters.metrics) to none, and no further than the time of the construct.

PROPERTY SampledWaits(Region r, Phase p) {
	TITLE "sampled accesses wait for caches and memory";
	KINDS USER_REGION;
	LET
		waited = sum(r.sampled_wait);
		samples = sum(r.address_samples);
		share = waited / p.thread_time;
	IN
	CONDITION: share > 5 %;
	CONFIDENCE: 0.8;
	SEVERITY: 0;
	EXPLANATION "If no two accesses overlapped, they would wait {waited} in {execution}, by {samples} samples.";
	ADVICE "This is no finding: it leads to the regions and data structures that wait.";
}

PROPERTY SampledWaitsHere(Region r, Phase p) {
	TITLE "its accesses that were sampled wait for caches and memory";
	KINDS SERIAL_REGION, PARALLEL_REGION, DO_REGION, SECTIONS_REGION, TASK_REGION;
	REFINES SampledWaits;
	LET
		waited = sum(r.sampled_wait);
		samples = sum(r.address_samples);
		share = waited / p.thread_time;
	IN
	CONDITION: share > 2 %;
	CONFIDENCE: 0.8;
	SEVERITY: 0;
	EXPLANATION "If no two accesses overlapped, they would wait {waited} here in {execution}, by {samples} samples.";
	ADVICE "This is no finding: it leads to the data structures that wait here.";
}

PROPERTY SampledDataMisses(Region r, Phase p) {
	TITLE "a data structure misses the caches, by samples";
	KINDS DATA_STRUCTURE;
	REFINES SampledWaitsHere;
	LET
		accesses_here = sum(r.sampled_accesses);
		samples = sum(r.address_samples);
		first = sum(r.sampled_l1d_misses);
		third = sum(r.sampled_l3d_misses);
		rate = first / max(1, accesses_here);
		high = min(sum(r.sampled_wait), construct.busy_time) / p.thread_time;
		low = min(sum(r.sampled_wait) / 16, construct.busy_time) / p.thread_time;
	IN
	CONDITION: high > 2 %;
	CONFIDENCE: 0.8;
	SEVERITY: low TO high;
	EXPLANATION "By {samples} samples, of {accesses_here} accesses to {array} in {region} in {execution} {first} miss the first-level cache"
		" ({rate%}), {third} the last one.";
	ADVICE "Let the innermost loop run along {array}, work on blocks of it that fit into a cache before going on, and use what a line"
		" brings while it is there.";
}

PROPERTY SampledRemoteData(Region r, Phase p) {
	TITLE "a data structure is fetched from the memory of another NUMA node, by samples";
	KINDS DATA_STRUCTURE;
	REFINES SampledDataMisses;
	LET
		remote = sum(r.sampled_dram_remote);
		lines = sum(r.sampled_dram_local) + sum(r.sampled_dram_remote);
		rate = remote / max(1, lines);
		beyond = lines / max(1, sum(r.sampled_l1d_misses));
		high = rate * beyond * min(sum(r.sampled_wait), construct.busy_time) / p.thread_time;
	IN
	CONDITION: nodes > 1 AND rate > 20 % AND high > 2 %;
	CONFIDENCE: 0.8;
	SEVERITY: high / 16 TO high;
	EXPLANATION "{remote} of {lines} accesses to {array} in {region} in {execution} that go to memory go to another node's ({rate%}), by samples.";
	ADVICE "A page lies on the node of the thread that touches it first. Initialise {array}[ (declared at {array_line})] in parallel, with the schedule of"
		" the loops that use it (static), and bind threads (OMP_PROC_BIND=close, OMP_PLACES=cores).";
}
