// SPDX-License-Identifier: Apache-2.0
// Data structures whose accesses wait for caches and memory, by samples of data addresses (--addresses): as simulated.asl, but
// measured on this machine instead of a modelled one. The interval of a finding includes the Poisson error of its number of samples.
//
// A latency is that of one access; the number of accesses in flight is unknown. Lower bound of a severity: the maximal overlap of
// a core (16 lines, as in metrics/counters.metrics). Upper bound: no overlap, at most the time of the construct.

PROPERTY SampledWaits(Region r, Phase p) {
	TITLE "sampled accesses wait for caches and memory";
	KINDS USER_REGION;
	VIEW arrays;
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
	VIEW arrays;
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
	VIEW arrays;
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
	EXPLANATION "By {samples} samples, {accesses_here} accesses to {array} in {region} in {execution}: {first} miss the first-level cache"
		" ({rate%}), {third} the last-level cache.";
	ADVICE "Let the innermost loop run contiguously over {array}, block the loops so that a block fits into a cache, and use all of a cache line"
		" before it is evicted.";
}

PROPERTY SampledRemoteData(Region r, Phase p) {
	TITLE "a data structure is fetched from the memory of another NUMA node, by samples";
	KINDS DATA_STRUCTURE;
	VIEW arrays;
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
	EXPLANATION "By samples, {remote} of {lines} memory accesses to {array} in {region} in {execution} go to another node ({rate%}).";
	ADVICE "A page is placed on the node of the thread that touches it first. Initialise {array}[ (declared at {array_line})] in parallel, with the schedule of"
		" the loops that use it (static), and bind threads (OMP_PROC_BIND=close, OMP_PLACES=cores).";
}
