// SPDX-License-Identifier: Apache-2.0
// Where the lines come from that the caches do not have: the node's own memory, another node's, another core's cache.
// The time that memory costs is divided as the lines are: a remote one takes longer, so its part is a low estimate.

PROPERTY RemoteDramAccesses(Region r, Phase p) {
	TITLE "data comes from the memory of another NUMA node";
	ALIASES RemoteMemoryAccesses;
	KINDS USER_REGION, SERIAL_REGION, SUB_REGION, PARALLEL_REGION, DO_REGION, LOOP_REGION, SECTIONS_REGION, SINGLE_REGION, MASTER_REGION;
	REFINES L3DataMissRateInSomeThread, BandwidthBound;
	HINT "where threads";
	LET
		remote = sum(r.dram_remote);
		local = sum(r.dram_local);
		rate = sum(r.dram_remote) / max(1, sum(r.dram_local) + sum(r.dram_remote));
		low = sum(r.l3_cost_low * r.remote_part);
		high = sum(min(r.user_time, r.dram_remote * r.memory_latency));
		worst = max(r.l3_cost_low * r.remote_part) / sum(p.wall_time);
	IN
	CONDITION: nodes > 1 AND rate > 20 % AND worst > 2 %;
	CONFIDENCE: 0.8;
	SEVERITY: low / p.thread_time TO high / p.thread_time;
	BY THREAD: r.remote_part > 50 % AND r.dram_remote > mean(r.dram_remote);
	EXPLANATION "{remote} lines come from memory of other nodes here in {execution}, {local} from the thread's own: {rate%} are"
		" remote.[ Most by thread {threads}.] The threads wait between {low} and {high} for them, and all share the links between"
		" the sockets.";
	ADVICE "A page lies on the node of the thread that touches it first. Initialise the arrays in parallel, with the schedule of"
		" the loops that use them (static), and bind threads (OMP_PROC_BIND=close, OMP_PLACES=cores). If all threads use all of an"
		" array, spread its pages: numactl --interleave=all. Without a change to the code that is the first thing to try.";
}

PROPERTY LocalDramAccesses(Region r, Phase p) {
	TITLE "data comes from memory, and from the near one";
	KINDS USER_REGION, SERIAL_REGION, SUB_REGION, PARALLEL_REGION, DO_REGION, LOOP_REGION, SECTIONS_REGION, SINGLE_REGION, MASTER_REGION;
	REFINES L3DataMissRateInSomeThread;
	EXCLUDES RemoteDramAccesses, UnbalancedL3DataMissRate, FewPrefetches;
	LET
		local = sum(r.dram_local);
		rate = sum(r.dram_local) / max(1, sum(r.dram_local) + sum(r.dram_remote));
		low = sum(r.l3_cost_low) * rate;
		high = sum(min(r.user_time, r.dram_local * 90 ns));
	IN
	CONDITION: rate > 80 % AND low / p.thread_time > 2 %;
	CONFIDENCE: 0.8;
	SEVERITY: low / p.thread_time TO high / p.thread_time;
	EXPLANATION "{local} lines come from memory here in {execution}, {rate%} of them from the node's own: the pages lie where they"
		" are used, but there are too many accesses to memory.";
	ADVICE "Leave the placement as it is. Fetch less: fuse loops over the same arrays, block them for the last-level cache, use smaller"
		" types, leave fields that the loop does not use in another array.";
}

PROPERTY CacheLineSharing(Region r, Phase p) {
	TITLE "cores take cache lines from each other that the other has just written";
	ALIASES ModifiedLinesShared;
	KINDS USER_REGION, PARALLEL_REGION, DO_REGION, SECTIONS_REGION;
	REFINES MemoryBound;
	HINT "where threads";
	LET
		lines = sum(r.hitm);
		line_bytes = line_size;
		each = max(r.hitm) / executions(r);
		rate = max(r.hitm / max(r.loads, mean(r.loads)));
		low = sum(r.sharing_low);
		high = sum(r.sharing_high);
		worst = max(r.sharing_low) / sum(p.wall_time);
	IN
	CONDITION: phase_threads > 1 AND worst > 2 %;
	CONFIDENCE: 0.8;
	SEVERITY: low / p.thread_time TO high / p.thread_time;
	BY THREAD: r.hitm > 1.5 * mean(r.hitm);
	EXPLANATION "{lines} loads here in {execution} get a line that another core has changed ({each} in the worst thread each time)."
		" The threads write to the same lines in turn: to one variable, or to several that share a line[ of {line_bytes}] (false"
		" sharing). They wait between {low} and {high} for it.";
	ADVICE "Counters and sums for each thread in one array: give each a line of its own (alignas(64), or a padded struct), or use a"
		" private variable and reduction(+:sum). Chunks of one array that meet in a line: make chunks multiples of a line"
		" (schedule(static, N) with N times the element's size a multiple of 64). Flags and locks that many threads poll: poll less"
		" often, or have one for each thread.";
}
