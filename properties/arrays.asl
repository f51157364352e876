// SPDX-License-Identifier: Apache-2.0
// What the loops do with the program's data structures, from every access of a recorded execution. What that costs depends on the
// caches, which recorded accesses alone do not tell: the severities go from nothing to all of the time of the construct that falls
// to the structure by its share of the accesses, but no more than 1 us an access, which is longer than any memory takes: that bounds
// what is left of regions whose time is that of constructs inside. So it is for natural loops, in which no clock runs.

PROPERTY ParallelTime(Region r, Phase p) {
	TITLE "parallel regions take part of the time";
	KINDS USER_REGION;
	LET
		// Tasks that are executed at the barrier which closes a region are beside its time.
		share = max(sum(r.PARALLEL_REGION.time), sum(r.TASK_REGION.task_time)) / p.thread_time;
	IN
	CONDITION: share > 5 %;
	CONFIDENCE: 1;
	SEVERITY: 0;
	EXPLANATION "{share%} of {phase} is spent in parallel regions.";
	ADVICE "This is no finding: it leads to the regions whose accesses are worth recording.";
}

PROPERTY SerialWork(Region r, Phase p) {
	TITLE "serial code takes part of the time";
	KINDS USER_REGION;
	LET
		share = sum(r.SERIAL_REGION.time) / p.thread_time;
	IN
	CONDITION: share > 5 %;
	CONFIDENCE: 1;
	SEVERITY: 0;
	EXPLANATION "{share%} of {phase} is spent by one thread between parallel regions.";
	ADVICE "This is no finding: it leads to the serial stretches whose accesses are worth recording.";
}

PROPERTY RecordedAccesses(Region r, Phase p) {
	TITLE "memory accesses are recorded";
	KINDS SERIAL_REGION, PARALLEL_REGION, DO_REGION, SECTIONS_REGION, TASK_REGION;
	REFINES ParallelTime, SerialWork;
	LET
		share = max(r.busy_time, sum(r.TASK_REGION.task_time)) / p.thread_time;
		values = sum(r.reads) + sum(r.writes);
		bytes_moved = sum(r.read_bytes) + sum(r.written_bytes);
	IN
	CONDITION: share > 5 % AND values >= 0;
	CONFIDENCE: 1;
	SEVERITY: 0;
	EXPLANATION "{values} reads and writes ({bytes_moved}) are made here in {execution}.";
	ADVICE "This is no finding: it leads to the data structures that are used here.";
}

// A function is one region of each construct that calls it, on whatever path: its own instructions, those of what is inlined into it, and
// its loops, but not of the functions that it calls. What is found of an array there takes 2 % of the time.
PROPERTY RecordedFunction(Region r, Phase p) {
	TITLE "a called function makes a part of the recorded accesses";
	KINDS SUB_REGION;
	REFINES RecordedAccesses;
	LET
		values = sum(r.reads) + sum(r.writes);
		bytes_moved = sum(r.read_bytes) + sum(r.written_bytes);
		share = construct.busy_time / p.thread_time * values / max(1, sum(construct.reads) + sum(construct.writes));
	IN
	CONDITION: share > 2 %;
	CONFIDENCE: 1;
	SEVERITY: 0;
	EXPLANATION "{values} reads and writes ({bytes_moved}) are made in {region} in {execution}.";
	ADVICE "This is no finding: it leads to the loops of the function and the data structures that it uses.";
}

PROPERTY RecordedLoop(Region r, Phase p) {
	TITLE "a loop makes a large part of the recorded accesses";
	KINDS LOOP_REGION;
	REFINES RecordedAccesses, RecordedFunction;
	LET
		values = sum(r.reads) + sum(r.writes);
		bytes_moved = sum(r.read_bytes) + sum(r.written_bytes);
		share = construct.busy_time / p.thread_time * values / max(1, sum(construct.reads) + sum(construct.writes));
	IN
	CONDITION: share > 5 %;
	CONFIDENCE: 1;
	SEVERITY: 0;
	EXPLANATION "{values} reads and writes ({bytes_moved}) are made here in {execution}.";
	ADVICE "This is no finding: it leads to the data structures that are used here.";
}

// A construct that touches more different lines than all caches of its CPUs hold gets the others from memory, whatever was in the
// caches when it began: those it writes, too, as caches read a line before they write to it (or, where a processor sees that it will be
// written whole, as some of Intel's do, write one more back), and what is written past them goes to memory.
// The severity is what moving fewer bytes brings: some 40 % of the time that the bytes take where they become half as many (two loops fused, float for double;
// what is computed meanwhile stays), all of it where blocks stay in the caches. Lines written go back to memory, too, which is a third more where
// one of three arrays is written.
// As if each execution of the construct began with all it needs in full caches: so this is the least, and 5 % of its time are enough. Only pages that nobody ever wrote
// to are an exception: all are the kernel's one page of zeros.
PROPERTY WorkingSetBeyondCaches(Region r, Phase p) {
	TITLE "the working set exceeds the caches";
	ALIASES StreamsFromMemory;
	KINDS PARALLEL_REGION, DO_REGION, SECTIONS_REGION;
	REFINES RecordedAccesses;
	LET
		touched = sum(r.touched_lines) * 64 bytes / executions(r);
		caches = cache_bytes;
		fetched = r.beyond_caches;
		attainable = r.possible_bandwidth;
		least = r.beyond_caches_time;
		of_time = r.beyond_caches_time / max(r.time);
		share = r.beyond_caches_time * threads(r) / p.thread_time;
	IN
	CONDITION: of_time > 5 % AND share > 2 %;
	CONFIDENCE: 0.9;
	SEVERITY: 40 % * share TO min(max(r.time), r.beyond_caches_time * 4 / 3) * threads(r) / p.thread_time;
	EXPLANATION "Each time {touched} are touched here, and all caches of these CPUs hold {caches}. So at least {fetched} come from memory in"
		" {execution}, which takes {least} at the {attainable} that as many threads can get from this machine's memory: {of_time%} of the"
		" time this takes, at least.";
	ADVICE "Touch less, or again while it is in a cache: fuse loops that pass over the same arrays, block them, use float for double where it"
		" will do, leave out fields the loop does not use. More threads help only as long as memory delivers more to them.";
}

// Where the lines are not counted, as marking or tracing all of them would cost too much (touched_most is there only then): what the sizes of
// the arrays and the accesses to them allow. A loop over a part of an array, again and again, touches less.
PROPERTY ReachBeyondCaches(Region r, Phase p) {
	TITLE "the working set may exceed the caches";
	KINDS PARALLEL_REGION, DO_REGION, SECTIONS_REGION;
	REFINES RecordedAccesses;
	LET
		touched = sum(r.touched_most) * 64 bytes / executions(r);
		caches = cache_bytes;
		reach = max(0 bytes, sum(r.touched_most) * 64 bytes - executions(r) * cache_bytes);
		// What is simulated comes from memory, too: where that is less, lines are used again in the caches.
		fetched = min(reach, either((sum(r.simulated_dram_local) + sum(r.simulated_dram_remote) + sum(r.simulated_dram_prefetches)) * 64 bytes,
			reach));
		attainable = r.possible_bandwidth;
		most = min(max(r.time), fetched / r.possible_bandwidth);
		of_time = most / max(r.time);
		share = most * threads(r) / p.thread_time;
	IN
	CONDITION: of_time > 5 % AND share > 2 %;
	CONFIDENCE: 0.9;
	SEVERITY: 0 TO min(max(r.time), most * 4 / 3) * threads(r) / p.thread_time;
	EXPLANATION "Each time up to {touched} are touched here, by the sizes of the arrays and the accesses to them, and all caches of these CPUs"
		" hold {caches}. So up to {fetched} come from memory in {execution}, which takes {most} at the {attainable} that as many threads can get"
		" from this machine's memory: {of_time%} of the time this takes. How many lines are touched was not counted.";
	ADVICE "Touch less, or again while it is in a cache: fuse loops that pass over the same arrays, block them, use float for double where it"
		" will do, leave out fields the loop does not use. More threads help only as long as memory delivers more to them.";
}

// No access is simulated for this, so that it is known long before misses are. Machine files say nothing of bandwidth: the time is what this machine's
// own memory would take.
PROPERTY BeyondModelledCaches(Region r, Phase p) {
	TITLE "the working set exceeds the caches of the modelled machine";
	KINDS PARALLEL_REGION, DO_REGION, SECTIONS_REGION;
	REFINES RecordedAccesses;
	LET
		touched = sum(r.touched_lines) * 64 bytes / executions(r);
		caches = modelled_cache_bytes;
		fetched = r.beyond_modelled_caches;
		attainable = r.possible_bandwidth;
		least = r.beyond_modelled_caches_time;
		of_time = r.beyond_modelled_caches_time / max(r.time);
		share = r.beyond_modelled_caches_time * threads(r) / p.thread_time;
	IN
	CONDITION: of_time > 5 % AND share > 2 %;
	CONFIDENCE: 0.9;
	SEVERITY: 40 % * share TO min(max(r.time), r.beyond_modelled_caches_time * 4 / 3) * threads(r) / p.thread_time;
	EXPLANATION "Each time {touched} are touched here, and the caches that the modelled machine has for these threads hold {caches}. So at least"
		" {fetched} come from memory there in {execution}; from this machine's memory, of which as many threads can get {attainable}, that"
		" would take {least}: {of_time%} of the time this takes, at least.";
	ADVICE "Touch less, or again while it is in a cache: fuse loops that pass over the same arrays, block them, use float for double where it"
		" will do, leave out fields the loop does not use.";
}

PROPERTY StridedAccess(Region r, Phase p) {
	TITLE "strided access: most of each cache line of an array is not used";
	KINDS DATA_STRUCTURE;
	REFINES RecordedAccesses, RecordedFunction, RecordedLoop;
	LET
		values = sum(r.reads) + sum(r.writes);
		part = sum(r.strided) / max(1, sum(r.reads) + sum(r.writes));
		of_construct = (sum(r.reads) + sum(r.writes)) / max(1, sum(construct.reads) + sum(construct.writes));
		high = min(part * of_construct * construct.busy_time, sum(r.strided) * 1 us) / p.thread_time;
	IN
	CONDITION: part > 50 % AND high > 2 %;
	CONFIDENCE: 1;
	SEVERITY: 0 TO high;
	EXPLANATION "{part%} of the {values} accesses to {array} in {region} in {execution} are 64 bytes or more from the one before, by a"
		" constant stride, so each needs another cache line than the one before. These are {of_construct%} of the accesses in"
		" {construct}.";
	ADVICE "Let the innermost loop run over the index that is contiguous in memory: the first one in Fortran, the last one in C. So swap the"
		" {loops}, or store {array} transposed[ (it is declared at {array_line})]. If the other index must be innermost, block the loops;"
		" of a struct's fields used alone make arrays of their own.";
}

PROPERTY SharedWrittenLines(Region r, Phase p) {
	TITLE "false sharing: threads write different parts of the same cache lines of an array";
	KINDS DATA_STRUCTURE;
	REFINES RecordedAccesses, RecordedFunction, RecordedLoop;
	LET
		values = sum(r.reads) + sum(r.writes);
		part = sum(r.falsely_shared) / max(1, sum(r.reads) + sum(r.writes));
		of_construct = (sum(r.reads) + sum(r.writes)) / max(1, sum(construct.reads) + sum(construct.writes));
		high = min(part * of_construct * construct.busy_time, sum(r.falsely_shared) * 1 us) / p.thread_time;
	IN
	CONDITION: threads(construct) > 1 AND high > 2 %;
	CONFIDENCE: 1;
	SEVERITY: 0 TO high;
	BY THREAD: r.falsely_shared > 1 % * (r.reads + r.writes);
	EXPLANATION "{part%} of the {values} accesses to {array} in {region} in {execution} are to cache lines of 64 bytes that one thread writes and"
		" another touches, each in words of its own[: threads {threads}]. So these lines move from core to core although nothing in them is"
		" shared. {array} takes {of_construct%} of the accesses in {construct}.";
	ADVICE "Keep the threads apart by whole lines of {array}[ (it is declared at {array_line})]. What each thread counts or sums up belongs in a"
		" variable of its own (private, or reduction), or in an element padded and aligned to 64 bytes. Where the loop at {line} deals out"
		" iterations, let a chunk be 64 bytes or more, that is, 8 values of 8 bytes: schedule(static) without a chunk size does.";
}

// Words, as recorded code used them, that the CPU itself counts accesses to while the program's own code runs: one is written by one thread, the
// other used by another, and nobody uses both. Else it is not confirmed: the threads may have changed roles since.
PROPERTY WatchedFalseSharing(Region r, Phase p) {
	TITLE "false sharing of an array, confirmed by watchpoints";
	KINDS DATA_STRUCTURE;
	REFINES SharedWrittenLines;
	LET
		part = sum(r.falsely_shared) / max(1, sum(r.reads) + sum(r.writes));
		of_construct = (sum(r.reads) + sum(r.writes)) / max(1, sum(construct.reads) + sum(construct.writes));
		high = min(part * of_construct * construct.busy_time, sum(r.falsely_shared) * 1 us) / p.thread_time;
		hits = sum(r.watched_first) + sum(r.watched_second);
		both = sum(min(r.watched_first, r.watched_second));
	IN
	CONDITION: sum(r.watched_first) > 0 AND sum(r.watched_second) > 0 AND both < 1;
	CONFIDENCE: 1;
	SEVERITY: 0 TO high;
	BY THREAD: r.watched_first + r.watched_second > 0;
	EXPLANATION "Confirmed by watchpoints:[ threads {threads}] used different words of one cache line of {array} in {region} {hits} times in {execution},"
		" as far as they were counted, one of them to write, and none of them the other's word. {part%} of the accesses to {array} there are"
		" to such lines.";
	ADVICE "Keep the threads apart by whole lines of {array}[ (it is declared at {array_line})]. What each thread counts or sums up belongs in a"
		" variable of its own (private, or reduction), or in an element padded and aligned to 64 bytes. Where the loop at {line} deals out"
		" iterations, let a chunk be 64 bytes or more, that is, 8 values of 8 bytes: schedule(static) without a chunk size does.";
}

PROPERTY ArrayAccessImbalance(Region r, Phase p) {
	TITLE "some threads access an array much more than others";
	KINDS DATA_STRUCTURE;
	REFINES RecordedAccesses, RecordedFunction, RecordedLoop;
	LET
		values = sum(r.reads) + sum(r.writes);
		uneven = max(r.reads + r.writes) * threads(construct) / max(1, sum(r.reads) + sum(r.writes)) - 1;
		of_construct = (sum(r.reads) + sum(r.writes)) / max(1, sum(construct.reads) + sum(construct.writes));
		all_uneven = max(construct.reads + construct.writes) * threads(construct) / max(1, sum(construct.reads) + sum(construct.writes)) - 1;
		high = min(of_construct * construct.busy_time, values * 1 us) / p.thread_time * (1 - 1 / (1 + uneven));
		dealt = either(construct.dealt_chunks, 0) / (threads(construct) * executions(construct));
		tasks = either(sum(construct.tasks), 0);
	IN
	// Any thread executes a task: what is uneven then is TaskImbalance.
	// Where a loop deals out many chunks, who did more in the one execution that was recorded may do less in the next.
	// Where each thread has arrays of its own, or the others access something else meanwhile, none has more to do than the others.
	CONDITION: threads(construct) > 1 AND uneven > 25 % AND of_construct > 10 % AND all_uneven > 50 % * of_construct * uneven AND high > 2 %
		AND dealt < 4 AND tasks == 0;
	CONFIDENCE: 1;
	SEVERITY: 0 TO high;
	BY THREAD: r.reads + r.writes > 1.25 * mean(r.reads + r.writes);
	EXPLANATION "The thread that accesses {array} most in {region} does so {uneven%} more often than the mean of all threads there.[ Most: thread"
		" {threads}.] These are {of_construct%} of the accesses in {construct}.";
	ADVICE "Give every thread the same number of iterations over {array}: collapse nested loops, or divide the loop at {construct_line} by weights, or with"
		" schedule(dynamic) or guided where iterations differ.";
}

PROPERTY SerialFirstTouch(Region r, Phase p) {
	TITLE "one thread touched an array first that other threads use (matters with several NUMA nodes)";
	KINDS DATA_STRUCTURE;
	REFINES RecordedAccesses, RecordedFunction, RecordedLoop;
	EXCLUDES SharedReadOnlyHot;
	LET
		bytes_known = sum(r.first_touched);
		most = max(r.first_touched) / max(1 bytes, sum(r.first_touched));
		values = max(1, sum(r.reads) + sum(r.writes));
		of_construct = (sum(r.reads) + sum(r.writes)) / max(1, sum(construct.reads) + sum(construct.writes));
		// Where all have equal parts of the array and of the accesses, each finds 1/n of what it uses in its own pages.
		others = 1 - sum((r.reads + r.writes) * r.first_touched) / (values * max(1 bytes, bytes_known));
		remote = 1 - sum((sum(r.reads) + sum(r.writes)) * sum(r.first_touched) BY NODE) / (values * max(1 bytes, bytes_known));
		share = min(of_construct * construct.busy_time, values * 1 us) / p.thread_time;
		// On a simulated machine with several nodes: what lines take longer there, those that prefetchers bring for the most, 16 at once for the least.
		longer = (remote_memory_time - memory_time) * min(1, modelled_nodes - 1);
		low = optional(min(sum(r.simulated_dram_remote) * longer / 16, construct.busy_time) / p.thread_time, 0);
		high = optional(min(sum(r.simulated_dram_remote) * longer * (1 + sum(r.simulated_dram_prefetches)
			/ max(1, sum(r.simulated_dram_local) + sum(r.simulated_dram_remote))), construct.busy_time) / p.thread_time);
	IN
	// An array of less than a page a thread cannot be divided by pages. The others have more than half of what equal parts would be.
	CONDITION: threads(construct) > 1 AND share > 2 % AND bytes_known >= threads(construct) * page_size AND most > 90 %
		AND others > 50 % * (1 - 1 / threads(construct)) AND share * others > 2 % AND either(high, 1) > 2 %;
	CONFIDENCE: 1;
	SEVERITY: low TO either(high, min(1, nodes - 1) * share * either(remote, others));
	BY THREAD: r.first_touched > 50 % * sum(r.first_touched);
	EXPLANATION "{most%} of the memory of {array} was touched first by one thread[: thread {threads}][, most of it at {first_touch_line}]."
		" So it lies on that thread's NUMA node. In {region} other threads make {others%} of the accesses to {array}[, and {remote%} come"
		" from other nodes]; these are {of_construct%} of the accesses in {construct}.";
	ADVICE "Initialise {array} in a parallel loop with the schedule of the loop at {construct_line} (schedule(static) for both)[, not at"
		" {first_touch_line}], and bind the threads (OMP_PROC_BIND=close): then each thread's part lies on its own node. Without a change to"
		" the code, numactl --interleave=all spreads the pages over all nodes.";
}

// The nodes of pages are the kernel's where the simulated machine is the one that the program ran on and the record has them, else a model's.
PROPERTY AllPagesOnOneNode(Region r, Phase p) {
	TITLE "all pages of an array are on one NUMA node, and threads on other nodes use them";
	KINDS DATA_STRUCTURE;
	REFINES RecordedAccesses, RecordedFunction, RecordedLoop;
	EXCLUDES SerialFirstTouch, SharedReadOnlyHot, HugePageFalseSharing;
	LET
		remote = sum(r.simulated_dram_remote);
		lines = sum(r.simulated_dram_local) + remote;
		rate = remote / max(1, lines);
		there = either(modelled_nodes, nodes);
		used = count(sum(r.simulated_dram_local) + sum(r.simulated_dram_remote) > 0 BY NODE);
		// The threads of one node get their lines from there, those of all others from elsewhere.
		owners = count(sum(r.simulated_dram_local) > 90 % * (sum(r.simulated_dram_local) + sum(r.simulated_dram_remote)) BY NODE);
		guests = count(sum(r.simulated_dram_remote) > 90 % * (sum(r.simulated_dram_local) + sum(r.simulated_dram_remote)) BY NODE);
		longer = remote_memory_time - memory_time;
		low = min(remote * longer / 16, construct.busy_time) / p.thread_time;
		high = min(remote * longer * (1 + sum(r.simulated_dram_prefetches) / max(1, lines)), construct.busy_time) / p.thread_time;
	IN
	CONDITION: there > 1 AND rate > 20 % AND high > 2 % AND owners > 0 AND owners < 2 AND guests > 0 AND owners + guests >= used;
	CONFIDENCE: 0.8;
	SEVERITY: low TO high;
	BY NODE: sum(r.simulated_dram_remote) > 90 % * (sum(r.simulated_dram_local) + sum(r.simulated_dram_remote));
	EXPLANATION "All pages of {array} lie on one NUMA node. Of the {lines} lines that come from memory in {execution}, {rate%} are for threads of other nodes[: {nodes}].";
	ADVICE "A page lies on the node of the thread that writes it first, unless a policy says otherwise (numactl --membind, a cpuset). Initialise {array} with the"
		" schedule of the loop at {construct_line} (schedule(static) for both) and bind the threads (OMP_PROC_BIND=close), or interleave it"
		" (numactl --interleave=all) where all threads use all of it.";
}

PROPERTY MisplacedBlocks(Region r, Phase p) {
	TITLE "parts of an array are on other NUMA nodes than the threads that use them";
	KINDS DATA_STRUCTURE;
	REFINES RecordedAccesses, RecordedFunction, RecordedLoop;
	EXCLUDES SerialFirstTouch, AllPagesOnOneNode, SharedReadOnlyHot, HugePageFalseSharing;
	LET
		remote = sum(r.simulated_dram_remote);
		lines = sum(r.simulated_dram_local) + remote;
		rate = remote / max(1, lines);
		there = either(modelled_nodes, nodes);
		longer = remote_memory_time - memory_time;
		low = min(remote * longer / 16, construct.busy_time) / p.thread_time;
		high = min(remote * longer * (1 + sum(r.simulated_dram_prefetches) / max(1, lines)), construct.busy_time) / p.thread_time;
	IN
	// More than where pages lie anywhere: of n nodes, (n - 1) / n of the lines are remote then.
	CONDITION: there > 1 AND rate > 110 % - 1 / there AND high > 2 %;
	CONFIDENCE: 0.8;
	SEVERITY: low TO high;
	BY THREAD: r.simulated_dram_remote > 50 % * (r.simulated_dram_local + r.simulated_dram_remote);
	EXPLANATION "{rate%} of the {lines} lines of {array} that come from memory in {execution} are of other NUMA nodes, more than if its pages lay anywhere:"
		" threads initialise other parts of it than they use[, most of it at {first_touch_line}].";
	ADVICE "Give each thread the same part in the initialisation[ at {first_touch_line}] as in the loop at {construct_line}: the same loop bounds, number of threads"
		" and schedule(static), and bind the threads (OMP_PROC_BIND=close), so that they stay where their pages are.";
}
