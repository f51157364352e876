// SPDX-License-Identifier: Apache-2.0
// Arrays on the nodes of a simulated machine: beside SerialFirstTouch, AllPagesOnOneNode and MisplacedBlocks (arrays.asl). Each names another cause of
// remote lines, and another remedy; where one holds, those that it is an exception from are not asked. All but PingPongPages cost what remote lines take
// longer than those of the own node: with those that prefetchers bring for the most, 16 at once for the least.

PROPERTY SharedReadOnlyHot(Region r, Phase p) {
	TITLE "threads on several NUMA nodes read the same pages of a read-only array";
	ALIASES SharedReadOnlyData;
	KINDS DATA_STRUCTURE;
	REFINES RecordedAccesses, RecordedFunction, RecordedLoop;
	LET
		remote = sum(r.simulated_dram_remote);
		lines = sum(r.simulated_dram_local) + remote;
		rate = remote / max(1, lines);
		// Page by page, so that a node's own block of an array counts for nothing.
		part = sum(r.simulated_shared_lines) / max(1, lines + sum(r.simulated_dram_prefetches));
		used = count(sum(r.simulated_shared_lines) > 0 BY NODE);
		written = sum(r.simulated_phase_stores);
		there = either(modelled_nodes, nodes);
		longer = remote_memory_time - memory_time;
		low = min(part * remote * longer / 16, construct.busy_time) / p.thread_time;
		high = min(part * remote * longer * (1 + sum(r.simulated_dram_prefetches) / max(1, lines)), construct.busy_time) / p.thread_time;
	IN
	CONDITION: there > 1 AND part > 50 % AND used > 1 AND written < 1 AND high > 2 %;
	CONFIDENCE: 0.8;
	SEVERITY: low TO high;
	BY THREAD: r.simulated_dram_remote > 50 % * (r.simulated_dram_local + r.simulated_dram_remote);
	EXPLANATION "Threads of {used} NUMA nodes get lines of the same pages of {array} from memory: {part%} of those that come in {execution} are of such pages, and {rate%}"
		" are from another node's memory. No code that was recorded in {phase} writes {array}.";
	ADVICE "Keep a copy of {array}[ (declared at {array_line})] for each node, made by a thread that runs there, and let threads read their node's: all lines are local then. If that"
		" takes too much memory, or it is written in other phases, interleave its pages (numactl --interleave=all, numa_alloc_interleaved), so that all nodes' memory serves it."
		" Another schedule of its first touch does not help, as all nodes use all of it.";
}

// Of pages that the simulated machine has in one size (--huge-pages). In small ones each part would be where it was touched first: unless that was all by one thread.
PROPERTY HugePageFalseSharing(Region r, Phase p) {
	TITLE "huge pages of an array are used by several NUMA nodes, each another part";
	ALIASES HugePageSharing;
	KINDS DATA_STRUCTURE;
	REFINES RecordedAccesses, RecordedFunction, RecordedLoop;
	EXCLUDES SerialFirstTouch;
	LET
		split = sum(r.simulated_split_remote);
		remote = sum(r.simulated_dram_remote);
		lines = sum(r.simulated_dram_local) + remote;
		part = split / max(1, remote);
		rate = remote / max(1, lines);
		there = either(modelled_nodes, nodes);
		longer = remote_memory_time - memory_time;
		low = min(split * longer / 16, construct.busy_time) / p.thread_time;
		high = min(split * longer * (1 + sum(r.simulated_dram_prefetches) / max(1, lines)), construct.busy_time) / p.thread_time;
	IN
	CONDITION: there > 1 AND part > 50 % AND high > 2 %;
	CONFIDENCE: 0.8;
	SEVERITY: low TO high;
	BY THREAD: r.simulated_split_remote > mean(r.simulated_split_remote);
	EXPLANATION "{rate%} of the {lines} lines of {array} that come from memory in {execution} are of another NUMA node; {part%} of these are in huge pages of which threads of each node"
		" use parts of their own: a huge page lies on one node as a whole, small pages would lie where each part is used.";
	ADVICE "Let each thread's part of {array}[ (declared at {array_line})] begin and end at a multiple of the huge page (2 MiB): align it and make the chunks of the loop at {construct_line} whole"
		" huge pages, or allocate each thread's part by itself. Else use small pages for this array (madvise with MADV_NOHUGEPAGE; for the whole program prctl with PR_SET_THP_DISABLE), where"
		" TLB misses do not cost more.";
}

// Where none of the others says why. With interleaved pages that is the price of an even use of all memory controllers.
PROPERTY RemoteStallShare(Region r, Phase p) {
	TITLE "accesses to an array wait for the memory of other NUMA nodes";
	KINDS DATA_STRUCTURE;
	REFINES DataMisses;
	EXCLUDES SerialFirstTouch, SharedReadOnlyHot, AllPagesOnOneNode, MisplacedBlocks, HugePageFalseSharing;
	LET
		remote = sum(r.simulated_dram_remote);
		lines = sum(r.simulated_dram_local) + remote;
		rate = remote / max(1, lines);
		of_accesses = remote / max(1, sum(r.simulated_loads) + sum(r.simulated_stores));
		// If no two overlap; at the latency of the farthest node.
		part = min(1, remote * remote_memory_time / max(1 ns, sum(r.miss_wait)));
		there = either(modelled_nodes, nodes);
		longer = remote_memory_time - memory_time;
		low = min(remote * longer / 16, construct.busy_time) / p.thread_time;
		high = min(remote * longer * (1 + sum(r.simulated_dram_prefetches) / max(1, lines)), construct.busy_time) / p.thread_time;
	IN
	CONDITION: there > 1 AND part > 20 % AND high > 2 %;
	CONFIDENCE: 0.8;
	SEVERITY: low TO high;
	BY THREAD: r.simulated_dram_remote > 50 % * (r.simulated_dram_local + r.simulated_dram_remote);
	EXPLANATION "{rate%} of the {lines} lines of {array} that come from memory in {execution} are of other NUMA nodes. These are {of_accesses%} of its accesses, and up to {part%} of the"
		" time that its accesses wait.";
	ADVICE "The pages of {array}[ (declared at {array_line})] lie on all nodes, also those that one node alone uses. If each thread has a part of its own, do not interleave: let it touch that part first, with the"
		" schedule of the loop at {construct_line}, and bind the threads (OMP_PROC_BIND=close). If indices lead anywhere, number its elements anew so that each thread mostly uses its own part. If all"
		" threads use all of it, leave it interleaved.";
}

// The interleaving of threads shows few transfers, one in 32 accesses at most (simulated.asl).
PROPERTY PingPongPages(Region r, Phase p) {
	TITLE "threads of several NUMA nodes write the same pages of an array in turn";
	ALIASES TransfersBetweenNodes;
	KINDS DATA_STRUCTURE;
	REFINES TrueSharing, FalseSharing;
	LET
		between = sum(r.simulated_remote_hitm);
		transferred = sum(r.simulated_hitm);
		part = between / max(1, transferred);
		writers = count(sum(r.simulated_stores) > 0 BY NODE);
		there = either(modelled_nodes, nodes);
		low = min(between * remote_transfer_time / 4, construct.busy_time) / p.thread_time;
		high = min(32 * between * remote_transfer_time, construct.busy_time) / p.thread_time;
	IN
	CONDITION: there > 1 AND writers > 1 AND part > 20 % AND high > 2 %;
	CONFIDENCE: 0.8;
	SEVERITY: min(low, high) TO high;
	BY THREAD: r.simulated_remote_hitm > 0;
	EXPLANATION "Threads of {writers} NUMA nodes write {array} in {region}, and get its lines from each other's caches: {between} in {execution} come from a core of another node, {part%} of all"
		" that another core has written[: threads {threads}]. Such a line takes longer than one from memory, and its page is no node's own wherever it lies; automatic NUMA balancing may"
		" move it to and fro.";
	ADVICE "Let the threads of one node write one part of {array}: one static schedule for all loops, threads bound so that neighbours share a node (OMP_PROC_BIND=close, OMP_PLACES=cores), and parts"
		" that are whole pages. What all threads update is better kept once for each node or thread, and combined at the end (reduction).";
}

// While the program ran, a node that its threads run on had hardly any free memory: what they touch first there lands on other nodes. Which pages did is not known, so
// this refines what says that lines are remote, and costs up to the same. Free memory is what no one has: file cache counts as used, as the kernel places pages on other
// nodes before it gives that back (vm.zone_reclaim_mode 0).
PROPERTY NodeMemoryPressure(Region r, Phase p) {
	TITLE "an array has remote pages, and a NUMA node has no free memory";
	ALIASES NodeMemoryFull;
	KINDS DATA_STRUCTURE;
	REFINES AllPagesOnOneNode, MisplacedBlocks, RemoteStallShare;
	LET
		remote = sum(r.simulated_dram_remote);
		lines = sum(r.simulated_dram_local) + remote;
		rate = remote / max(1, lines);
		least = node_free;
		longer = remote_memory_time - memory_time;
		high = min(remote * longer * (1 + sum(r.simulated_dram_prefetches) / max(1, lines)), construct.busy_time) / p.thread_time;
	IN
	CONDITION: nodes > 1 AND least < 3 % AND rate > 20 % AND high > 2 %;
	CONFIDENCE: 0.8;
	SEVERITY: 0 TO high;
	EXPLANATION "{rate%} of the lines of {array} that come from memory in {execution} are of another NUMA node, and a node that the threads run on had only {least%} of its memory free"
		" while the program ran: pages that they touch first there are placed on other nodes, whatever the schedule.";
	ADVICE "Make room on that node before the program starts: numactl --hardware shows free memory by node. File cache takes it, too (sync; echo 1 > /proc/sys/vm/drop_caches as root, or"
		" vm.zone_reclaim_mode = 1), as do other programs and jobs. Spread threads and data over more nodes, or use less memory on each; numactl --localalloc does not help where there is none.";
}
