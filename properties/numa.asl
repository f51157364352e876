// SPDX-License-Identifier: Apache-2.0
// Sources of lines that miss the caches: memory of the local node, memory of a remote node, another core's cache.
// Memory stall time is divided in proportion to the lines: a remote line takes longer, so its part is a lower bound.
// Lines are counted, or simulated if the CPU does not count them; nodes are then those of the simulated machine.

PROPERTY RemoteDramAccesses(Region r, Phase p) {
	TITLE "data comes from the memory of remote NUMA nodes";
	// RemoteAccessRate is its rate: the remote part of the lines from memory. For arrays see RemoteStallShare and SampledRemoteData.
	ALIASES RemoteMemoryAccesses, RemoteAccessRate;
	KINDS USER_REGION, SERIAL_REGION, SUB_REGION, PARALLEL_REGION, DO_REGION, LOOP_REGION, SECTIONS_REGION, SINGLE_REGION, MASTER_REGION;
	VIEW arrays;
	REFINES L3DataMissRateInSomeThread, BandwidthBound;
	HINT "where threads";
	LET
		remote = sum(r.remote_lines);
		local = sum(r.local_lines);
		rate = sum(r.remote_lines) / max(1, sum(r.local_lines) + sum(r.remote_lines));
		waits = sum(r.remote_lines * r.remote_latency) / max(1 ns, sum(r.remote_lines * r.remote_latency + r.local_lines * r.local_latency));
		low = sum(r.l3_cost_low * r.remote_part);
		high = sum(min(r.user_time, r.remote_lines * r.remote_latency));
		worst = max(r.l3_cost_low * r.remote_part) / sum(p.wall_time);
		of_node = max(sum(r.remote_lines) BY NODE);
		there = either(nodes + 0 * sum(r.dram_remote), modelled_nodes, nodes);
	IN
	CONDITION: there > 1 AND rate > 20 % AND worst > 2 %;
	CONFIDENCE: 0.8;
	SEVERITY: low / p.thread_time TO high / p.thread_time;
	BY THREAD: r.remote_part > 50 % AND r.remote_lines > mean(r.remote_lines);
	BY NODE: sum(r.remote_lines) > 50 % * (sum(r.local_lines) + sum(r.remote_lines)) AND sum(r.remote_lines) > mean(sum(r.remote_lines) BY NODE);
	EXPLANATION "{remote} lines come from memory of other nodes here in {execution}, {local} from local memory: {rate%} are"
		" remote, with {waits%} of the latency of all lines from memory.[ Most by thread {threads}.][ The threads of {nodes} get most: up to {of_node} per node.] The threads wait between {low} and {high} for them, and share the links between"
		" the sockets.";
	ADVICE "A page is placed on the node of the thread that touches it first. Initialise the arrays in parallel, with the schedule of"
		" the loops that use them (static), and bind threads (OMP_PROC_BIND=close, OMP_PLACES=cores). If all threads use all of an"
		" array, interleave its pages: numactl --interleave=all. Try this first, as it needs no change to the code.";
}

PROPERTY UnbalancedNodeTraffic(Region r, Phase p) {
	TITLE "the threads of some NUMA nodes cause most of the memory traffic";
	ALIASES UnbalancedMemoryTraffic;
	KINDS USER_REGION, PARALLEL_REGION, DO_REGION, SECTIONS_REGION;
	VIEW arrays;
	REFINES BandwidthBound, RemoteDramAccesses;
	HINT "where threads";
	LET
		// (max - mean) / mean over the nodes on which the team runs: 0 for balanced, n - 1 if one node's threads have all.
		rate = imbalance(sum(r.memory_lines) BY NODE);
		most = max(sum(r.memory_lines) BY NODE);
		usual = mean(sum(r.memory_lines) BY NODE);
		used = count(threads(r) BY NODE);
		team = threads(r);
		low = team * (max(mean(r.l3_cost_low) BY NODE) - mean(r.l3_cost_low));
		high = team * (max(mean(r.l3_cost_high) BY NODE) - mean(r.l3_cost_high));
		typical = mean(r.l3_cost_low);
		there = either(nodes + 0 * sum(r.dram_reads), nodes + 0 * sum(r.dram_remote), modelled_nodes, nodes);
	IN
	// 1.5 times the mean: of two nodes, three times the traffic of the other. The threads of that node must also stall
	// longer than the others, which then wait for them: a node with more threads may have more traffic without loss.
	CONDITION: there > 1
		AND count(sum(r.memory_lines) > 1.5 * usual AND team * (mean(r.l3_cost_low) - typical) > 2 % * p.thread_time BY NODE) > 0;
	CONFIDENCE: 0.8;
	SEVERITY: low / p.thread_time TO high / p.thread_time;
	BY NODE: sum(r.memory_lines) > 1.5 * usual;
	EXPLANATION "The threads of one NUMA node get up to {most} lines from memory here in {execution}, the mean of the nodes is"
		" {usual} ({used} nodes are used).[ Most: the threads of {nodes}.] The memory channels of the other nodes are less loaded, and the threads there lose"
		" between {low} and {high} waiting.";
	ADVICE "Each node has memory channels and links of its own; use all of them. Spread the threads over the nodes (OMP_PLACES=cores"
		" OMP_PROC_BIND=spread), give all threads equal parts of the arrays (schedule(static)), and initialise the arrays in parallel"
		" with the same schedule. If the threads of one node have more memory traffic (borders, longer rows), use smaller"
		" chunks (schedule(static, N)).";
}

// By the node of the page; UnbalancedNodeTraffic is by the node of the threads. Queueing at a controller is not simulated. Lower bound: the additional
// remote latency of the lines beyond the mean, or the time by which the busiest node's transfers exceed the region's time. Upper bound: all stalls
// on these lines, or their transfer time at the bandwidth of one node's memory.
PROPERTY ControllerImbalance(Region r, Phase p) {
	TITLE "the memory of one NUMA node serves most of the traffic of several nodes";
	ALIASES MemoryControllerImbalance;
	KINDS USER_REGION, PARALLEL_REGION, DO_REGION, SECTIONS_REGION;
	VIEW arrays;
	REFINES BandwidthBound, L3DataMissRateInSomeThread, ModelledWaitsHere;
	HINT "where threads";
	LET
		part = r.busiest_share;
		used = count(threads(r) BY NODE);
		// (max - mean) / mean over the nodes on which the team runs: others are free for other programs.
		rate = max(0, r.busiest_share * count(threads(r) BY NODE) - 1);
		lines = sum(r.memory_lines);
		remote = sum(r.remote_lines);
		usual = (sum(r.local_lines) + sum(r.remote_lines)) / count(threads(r) BY NODE);
		there = either(nodes + 0 * sum(r.dram_remote), modelled_nodes, nodes);
		beyond = max(0, r.busiest_share - 1 / count(threads(r) BY NODE));
		// At the bandwidth of one node's memory; all nodes are assumed to be equal.
		transfer = lines * line_size / (attainable_bandwidth / nodes);
		longer = either(max(0 ns, transfer * part - max(max(max(r.time), sum(r.wall_time)), transfer / used)), 0 ns);
		away = min(1, beyond * (sum(r.local_lines) + remote) / max(1, remote)) * sum(r.remote_lines * (r.remote_latency - r.local_latency));
		low = min(max(threads(r) * longer, away / 16), p.thread_time);
		high = min(max(low, max(beyond * sum(r.l3_cost_high), either(threads(r) * beyond * transfer, 0 ns))), p.thread_time);
	IN
	// If the lines beyond the mean go to its own threads, these have more work: UnbalancedNodeTraffic.
	CONDITION: there > 1 AND rate > 50 % AND remote > 50 % * beyond * (sum(r.local_lines) + remote) AND high > 2 % * p.thread_time;
	CONFIDENCE: 0.8;
	SEVERITY: low / p.thread_time TO high / p.thread_time;
	BY THREAD: r.remote_part > 50 %;
	// Exact on two nodes. On more nodes: a node whose threads have nearly only local lines, and that may serve as much.
	BY NODE: sum(r.local_lines) + remote - sum(r.remote_lines) > 1.5 * usual
		AND (there < 3 OR sum(r.local_lines) > 90 % * (sum(r.local_lines) + sum(r.remote_lines)));
	EXPLANATION "The memory of one NUMA node[ ({nodes})] serves {part%} of the {lines} lines that come from memory here in {execution}, {rate%} more than the mean"
		" of the {used} nodes that the threads run on. Its memory controller and the links to it are the bottleneck. That costs between {low}"
		" and {high}, depending on the capacity of the controller.";
	ADVICE "Distribute the pages over the nodes like the threads: initialise the arrays in parallel with the schedule of the loops that use them (schedule(static)), so that"
		" each node serves its own threads. Where all threads use all of an array, interleave its pages (numactl --interleave=all, numa_alloc_interleaved):"
		" this does not reduce remote lines, but all controllers serve them. numactl --membind or a cpuset with one memory node has the same effect as serial first touch: remove it.";
}

PROPERTY LocalDramAccesses(Region r, Phase p) {
	TITLE "data comes from the memory of the local NUMA node";
	KINDS USER_REGION, SERIAL_REGION, SUB_REGION, PARALLEL_REGION, DO_REGION, LOOP_REGION, SECTIONS_REGION, SINGLE_REGION, MASTER_REGION;
	VIEW arrays;
	REFINES L3DataMissRateInSomeThread;
	EXCLUDES RemoteDramAccesses, UnbalancedL3DataMissRate, FewPrefetches;
	LET
		local = sum(r.local_lines);
		rate = sum(r.local_lines) / max(1, sum(r.local_lines) + sum(r.remote_lines));
		low = sum(r.l3_cost_low) * rate;
		high = sum(min(r.user_time, r.local_lines * r.local_latency));
	IN
	CONDITION: rate > 80 % AND low / p.thread_time > 2 %;
	CONFIDENCE: 0.8;
	SEVERITY: low / p.thread_time TO high / p.thread_time;
	EXPLANATION "{local} lines come from memory here in {execution}, {rate%} of them from the local node: the placement of pages is"
		" good, but there are too many accesses to memory.";
	ADVICE "Keep the placement. Reduce the memory traffic: fuse loops over the same arrays, block them for the last-level cache, use smaller"
		" types, move fields that the loop does not use to another array.";
}

PROPERTY CacheLineSharing(Region r, Phase p) {
	TITLE "cores access cache lines that another core has just written";
	ALIASES ModifiedLinesShared;
	KINDS USER_REGION, PARALLEL_REGION, DO_REGION, SECTIONS_REGION;
	VIEW arrays;
	REFINES MemoryBound;
	HINT "where threads";
	LET
		lines = sum(r.transferred_lines);
		line_bytes = line_size;
		each = max(r.transferred_lines) / executions(r);
		rate = either(max(r.hitm / max(r.loads, mean(r.loads))), max(r.simulated_hitm / max(r.simulated_accesses, mean(r.simulated_accesses))));
		low = sum(r.sharing_low);
		high = sum(r.sharing_high);
		worst = max(r.sharing_low) / sum(p.wall_time);
	IN
	CONDITION: phase_threads > 1 AND worst > 2 %;
	CONFIDENCE: 0.8;
	SEVERITY: low / p.thread_time TO high / p.thread_time;
	BY THREAD: r.transferred_lines > 1.5 * mean(r.transferred_lines);
	EXPLANATION "{lines} accesses here in {execution} get a line that another core has modified ({each} in the worst thread each time)."
		" The threads write to the same lines alternately: to one variable, or to several that share a line[ of {line_bytes}] (false"
		" sharing). They wait between {low} and {high} for it.";
	ADVICE "Per-thread counters and sums in one array: give each its own cache line (alignas(64), or a padded struct), or use a"
		" private variable and reduction(+:sum). Chunks of one array that share a line: make chunks multiples of a line"
		" (schedule(static, N) with N times the element's size a multiple of 64). Flags and locks that many threads poll: poll less"
		" often, or have one for each thread.";
}
