// SPDX-License-Identifier: Apache-2.0
// Arrays on the nodes of a simulated machine, and, in MigratingPages, on those that the kernel had their pages on; see also SerialFirstTouch, AllPagesOnOneNode and MisplacedBlocks (arrays.asl). Each property is one cause of
// remote lines with its own remedy; EXCLUDES keeps more general causes from being tested if a special one holds. The cost, except of PingPongPages and MigratingPages, is the
// additional latency of remote lines. Upper bound: with prefetched lines; lower bound: 16 lines in flight.

PROPERTY SharedReadOnlyHot(Region r, Phase p) {
	TITLE "threads on several NUMA nodes read the same pages of a read-only array";
	ALIASES SharedReadOnlyData;
	KINDS DATA_STRUCTURE;
	VIEW arrays;
	REFINES RecordedAccesses, RecordedFunction, RecordedLoop;
	LET
		remote = sum(r.simulated_dram_remote);
		lines = sum(r.simulated_dram_local) + remote;
		rate = remote / max(1, lines);
		// By page, so that a node's own block of an array does not count.
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
		" come from remote memory. No code that was recorded in {phase} writes {array}.";
	ADVICE "Keep a copy of {array}[ (declared at {array_line})] for each node, made by a thread that runs there, and let threads read the copy of their node. If that"
		" takes too much memory, or it is written in other phases, interleave its pages (numactl --interleave=all, numa_alloc_interleaved), so that all memory controllers serve it."
		" Another schedule of the first touch does not help, as all nodes use all of it.";
}

// The simulated machine has one page size (--huge-pages). With small pages each part would be on the node of its first touch, unless one thread touched all of it.
PROPERTY HugePageFalseSharing(Region r, Phase p) {
	TITLE "huge pages of an array are used by several NUMA nodes, each another part";
	ALIASES HugePageSharing;
	KINDS DATA_STRUCTURE;
	VIEW arrays;
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
	EXPLANATION "{rate%} of the {lines} lines of {array} that come from memory in {execution} come from another NUMA node; {part%} of these are in huge pages of which each node"
		" uses a different part. A huge page is on one node as a whole; small pages could be local to the threads that use them.";
	ADVICE "Align each thread's part of {array}[ (declared at {array_line})] to huge pages (2 MiB): align the array, and make the chunks of the loop at {construct_line} multiples of a"
		" huge page, or allocate each thread's part separately. Else use small pages for this array (madvise with MADV_NOHUGEPAGE; for the whole program prctl with PR_SET_THP_DISABLE), unless"
		" TLB misses cost more.";
}

// If no other property has the cause. With interleaved pages, remote lines are the cost of an even load of all memory controllers.
PROPERTY RemoteStallShare(Region r, Phase p) {
	TITLE "accesses to an array wait for the memory of other NUMA nodes";
	KINDS DATA_STRUCTURE;
	VIEW arrays;
	REFINES DataMisses;
	EXCLUDES SerialFirstTouch, SharedReadOnlyHot, AllPagesOnOneNode, MisplacedBlocks, HugePageFalseSharing;
	LET
		remote = sum(r.simulated_dram_remote);
		lines = sum(r.simulated_dram_local) + remote;
		rate = remote / max(1, lines);
		of_accesses = remote / max(1, sum(r.simulated_loads) + sum(r.simulated_stores));
		// If no accesses overlap; at the latency of the farthest node.
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
	EXPLANATION "{rate%} of the {lines} lines of {array} that come from memory in {execution} come from other NUMA nodes. These are {of_accesses%} of its accesses, and up to {part%} of its"
		" memory stalls.";
	ADVICE "The pages of {array}[ (declared at {array_line})] are on all nodes, including pages that only one node uses. If each thread uses its own part, do not interleave: let each thread touch its part first, with the"
		" schedule of the loop at {construct_line}, and bind the threads (OMP_PROC_BIND=close). If accesses are irregular, renumber the elements so that each thread mostly uses its own part. If all"
		" threads use all of it, keep it interleaved.";
}

// The simulated interleaving has at most one transfer in 32 accesses (simulated.asl).
PROPERTY PingPongPages(Region r, Phase p) {
	TITLE "threads of several NUMA nodes write the same pages of an array in turn";
	ALIASES TransfersBetweenNodes;
	KINDS DATA_STRUCTURE;
	VIEW arrays;
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
		" lines written by another core[: threads {threads}]. Such a transfer takes longer than one from memory, and no placement of the page avoids it; automatic NUMA balancing may"
		" migrate the page repeatedly.";
	ADVICE "Let the threads of one node write one part of {array}: use one static schedule for all loops, bind the threads so that neighbours share a node (OMP_PROC_BIND=close, OMP_PLACES=cores), and make parts"
		" whole pages. Keep data that all threads update once for each node or thread, and combine it at the end (reduction).";
}

// By queries of the kernel (placement map), on the machine that the program ran on, whatever machine is simulated; PingPongPages is of simulated lines.
// Queries are rare: moves between two of them are not seen. The kernel moves a page in the system time of the thread that accesses it.
PROPERTY MigratingPages(Region r, Phase p) {
	TITLE "pages of an array move back and forth between NUMA nodes";
	ALIASES BouncingPages;
	KINDS DATA_STRUCTURE;
	VIEW arrays;
	REFINES RecordedAccesses, RecordedFunction, RecordedLoop;
	LET
		moves = max(r.page_moves);
		rate = max(r.page_moves);
		high = min(sum(construct.system_time), construct.busy_time) / p.thread_time;
	IN
	CONDITION: nodes > 1 AND moves > 10 % AND high > 2 %;
	CONFIDENCE: 0.8;
	SEVERITY: 0 TO high;
	EXPLANATION "On the machine that the program ran on, the pages of {array} changed their NUMA node {moves} times per page between queries, not counting a move to the node where a page stayed: they go back"
		" and forth between nodes. Threads spend up to {high%} of their time in the kernel in {construct}, migrations included; accesses until the page is moved are remote.";
	ADVICE "Automatic NUMA balancing moves a page to the node that accesses it, and threads of several nodes access the pages of {array}[ (declared at {array_line})]. Bind the threads (OMP_PROC_BIND=close, OMP_PLACES=cores), and let"
		" the threads of one node use one part: one static schedule for all loops. If all threads use all of it, set its policy, which balancing respects: numactl --interleave=all, or numa_interleave_memory; or turn balancing off"
		" (sysctl kernel.numa_balancing=0). If the program moves pages itself (move_pages, mbind), move them once.";
}

// A node of the threads had hardly any free memory during the run: pages touched first there are placed on other nodes. The affected pages are unknown, so
// this property refines those of remote lines, with their cost as upper bound. File cache counts as used, as the kernel places pages on other
// nodes before it reclaims the cache (vm.zone_reclaim_mode 0).
PROPERTY NodeMemoryPressure(Region r, Phase p) {
	TITLE "an array has remote pages, and a NUMA node has no free memory";
	ALIASES NodeMemoryFull;
	KINDS DATA_STRUCTURE;
	VIEW arrays;
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
	EXPLANATION "{rate%} of the lines of {array} that come from memory in {execution} come from another NUMA node, and a node that the threads run on had only {least%} of its memory free"
		" during the run: pages touched first there are placed on other nodes, whatever the schedule.";
	ADVICE "Free memory on that node before the program starts: numactl --hardware shows free memory by node. File cache uses it, too (sync; echo 1 > /proc/sys/vm/drop_caches as root, or"
		" vm.zone_reclaim_mode = 1), as do other programs and jobs. Spread threads and data over more nodes, or use less memory on each. numactl --localalloc does not help if the node is full.";
}
