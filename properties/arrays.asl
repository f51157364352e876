// SPDX-License-Identifier: Apache-2.0
// Access patterns of loops on data structures, from all accesses of a recorded execution. Their cost depends on the caches and is not
// known from the accesses alone. So the lower bound of a severity is 0. The upper bound is the time of the construct, in proportion to
// the structure's share of the accesses, but at most 1 us per access (more than any memory latency). The latter bounds regions whose time
// is mostly that of inner constructs. Natural loops have no clock readings and are treated alike.

PROPERTY ParallelTime(Region r, Phase p) {
	TITLE "parallel regions take part of the time";
	KINDS USER_REGION;
	VIEW arrays;
	LET
		// The time of a region excludes tasks that are executed at its closing barrier.
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
	VIEW arrays;
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
	VIEW arrays;
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

// A function is one region in each construct that calls it, on any call path: its instructions, inlined code and loops included, callees
// excluded. The threshold is 2 %, as for findings of arrays.
PROPERTY RecordedFunction(Region r, Phase p) {
	TITLE "a called function makes a part of the recorded accesses";
	KINDS SUB_REGION;
	VIEW arrays;
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
	VIEW arrays;
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

// Times of natural loops are measured only where a strategy tests them as levels (loop_aware): in executions of their own, by a copy of
// the code that reads the clock at entries and exits. What that takes is subtracted. It is a time of all threads, as p.thread_time is.
PROPERTY TimeInLoop(Region r, Phase p) {
	TITLE "a loop or a called function takes a large part of the time";
	KINDS LOOP_REGION, SUB_REGION;
	REFINES RecordedAccesses;
	LET
		spent = sum(r.loop_time);
		share = sum(r.loop_time) / p.thread_time;
		own = sum(r.loop_own_time) / p.thread_time;
		entries = sum(r.loop_entries);
	IN
	CONDITION: share > 5 %;
	CONFIDENCE: 1;
	SEVERITY: 0;
	EXPLANATION "{share%} of {phase} ({spent} of all threads) is spent in {region}, {own%} in its own code. It is entered {entries} times in {execution}.";
	ADVICE "This is no finding: it leads to the loops and functions inside that take the time.";
}

// A construct that touches more distinct lines than all caches of its CPUs hold must get the remaining lines from memory, whatever the
// caches held at its start. This includes written lines, because of write-allocate. (Processors that avoid write-allocate for full
// lines, as some of Intel's, write the lines back instead; non-temporal stores go to memory, too.)
// The severity is the gain of moving fewer bytes. Lower bound: 40 % of the transfer time, if the bytes are halved (fused loops, float
// instead of double; the computation remains). Upper bound: all of it, if blocks stay in the caches, and a third more for write-backs, as
// if one of three arrays is written.
// The bytes are a lower bound: each execution is assumed to start with caches full of data that it uses. So a threshold of 5 % suffices. The only
// exception are pages that were never written: they all map to the kernel's zero page.
PROPERTY WorkingSetBeyondCaches(Region r, Phase p) {
	TITLE "the working set exceeds the caches";
	ALIASES StreamsFromMemory;
	KINDS PARALLEL_REGION, DO_REGION, SECTIONS_REGION;
	VIEW arrays;
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
	EXPLANATION "Each execution touches {touched}, and all caches of these CPUs together hold {caches}. So at least {fetched} come from memory in"
		" {execution}. At the bandwidth attainable with this number of threads ({attainable}) that takes {least}: at least {of_time%} of the"
		" time of this construct.";
	ADVICE "Reduce the working set, or reuse data while it is in a cache: fuse loops over the same arrays, block them, use float instead of double if"
		" its precision suffices, move fields that the loop does not use to another array. More threads help only until the memory bandwidth is saturated.";
}

// An upper bound of the touched lines, from the sizes of the arrays and the accesses to them, if counting the lines would cost too much
// (touched_most is known only then). A loop that passes over a part of an array repeatedly touches less.
PROPERTY ReachBeyondCaches(Region r, Phase p) {
	TITLE "the working set may exceed the caches";
	KINDS PARALLEL_REGION, DO_REGION, SECTIONS_REGION;
	VIEW arrays;
	REFINES RecordedAccesses;
	LET
		touched = sum(r.touched_most) * 64 bytes / executions(r);
		caches = cache_bytes;
		reach = max(0 bytes, sum(r.touched_most) * 64 bytes - executions(r) * cache_bytes);
		// Simulated lines from memory are a tighter bound if caches serve repeated accesses.
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
	EXPLANATION "Each execution touches up to {touched}, by the sizes of the arrays and the accesses to them, and all caches of these CPUs together"
		" hold {caches}. So up to {fetched} come from memory in {execution}. At the bandwidth attainable with this number of threads"
		" ({attainable}) that takes {most}: up to {of_time%} of the time of this construct. The touched lines were not counted.";
	ADVICE "Reduce the working set, or reuse data while it is in a cache: fuse loops over the same arrays, block them, use float instead of double if"
		" its precision suffices, move fields that the loop does not use to another array. More threads help only until the memory bandwidth is saturated.";
}

// This needs no simulation, so it is known long before the misses. Machine files have no bandwidth: the time is computed with the calibration of
// this machine.
PROPERTY BeyondModelledCaches(Region r, Phase p) {
	TITLE "the working set exceeds the caches of the modelled machine";
	KINDS PARALLEL_REGION, DO_REGION, SECTIONS_REGION;
	VIEW arrays;
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
	EXPLANATION "Each execution touches {touched}, and the caches of the modelled machine hold {caches} for these threads. So at least"
		" {fetched} come from memory in {execution}. At the bandwidth of this machine attainable with this number of threads ({attainable}) that"
		" takes {least}: at least {of_time%} of the time of this construct.";
	ADVICE "Reduce the working set, or reuse data while it is in a cache: fuse loops over the same arrays, block them, use float instead of double if"
		" its precision suffices, move fields that the loop does not use to another array.";
}

PROPERTY StridedAccess(Region r, Phase p) {
	TITLE "strided access: most of each cache line of an array is not used";
	KINDS DATA_STRUCTURE;
	VIEW arrays;
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
	EXPLANATION "{part%} of the {values} accesses to {array} in {region} in {execution} have a constant stride of 64 bytes"
		" or more, so each needs another cache line than the previous one. These are {of_construct%} of the accesses in"
		" {construct}.";
	ADVICE "Let the innermost loop run over the index that is contiguous in memory: the first one in Fortran, the last one in C. Swap the"
		" {loops}, or store {array} transposed[ (it is declared at {array_line})]. If the other index must be innermost, block the loops."
		" Store struct fields that are used alone in arrays of their own (structure of arrays).";
}

PROPERTY SharedWrittenLines(Region r, Phase p) {
	TITLE "false sharing: threads write different parts of the same cache lines of an array";
	KINDS DATA_STRUCTURE;
	VIEW arrays;
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
		" another accesses, in different words[: threads {threads}]. So these lines move between cores although no data is"
		" shared. {array} takes {of_construct%} of the accesses in {construct}.";
	ADVICE "Separate the threads' data in {array}[ (it is declared at {array_line})] by whole cache lines. Keep each thread's counters and sums in"
		" private variables (private, or reduction), or in elements padded and aligned to 64 bytes. If the loop at {line} distributes"
		" iterations, use chunks of 64 bytes or more, that is, 8 values of 8 bytes; schedule(static) without a chunk size does this.";
}

// Hardware watchpoints count accesses of the original code to two words found in the recording: one thread writes the first, another accesses
// the second, and no thread accesses both. Otherwise the finding is not confirmed: the threads may have changed roles since the recording.
PROPERTY WatchedFalseSharing(Region r, Phase p) {
	TITLE "false sharing of an array, confirmed by watchpoints";
	KINDS DATA_STRUCTURE;
	VIEW arrays;
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
	EXPLANATION "Confirmed by watchpoints:[ threads {threads}] used different words of one cache line of {array} in {region} {hits} times in {execution}"
		" (counted accesses only). One of them wrote, and none accessed the other's word. {part%} of the accesses to {array} there are"
		" to such lines.";
	ADVICE "Separate the threads' data in {array}[ (it is declared at {array_line})] by whole cache lines. Keep each thread's counters and sums in"
		" private variables (private, or reduction), or in elements padded and aligned to 64 bytes. If the loop at {line} distributes"
		" iterations, use chunks of 64 bytes or more, that is, 8 values of 8 bytes; schedule(static) without a chunk size does this.";
}

// What an atomic update of a line in the core's own cache takes is measured at the program's start. A plain update of data in the first-level
// cache takes up to 40 % of that. Upper bound: the update also waits for earlier stores and for its line, and keeps later accesses waiting.
PROPERTY AtomicUpdates(Region r, Phase p) {
	TITLE "atomic updates of a data structure";
	KINDS DATA_STRUCTURE;
	VIEW arrays;
	REFINES RecordedAccesses, RecordedFunction, RecordedLoop;
	LET
		updates = sum(r.atomics);
		each = atomic_cost;
		most = min(3 * updates * atomic_cost, construct.busy_time);
		least = min(60 % * updates * atomic_cost, construct.busy_time);
		of_time = min(1, updates * atomic_cost / construct.busy_time);
	IN
	CONDITION: least / p.thread_time > 2 %;
	CONFIDENCE: 0.9;
	SEVERITY: least / p.thread_time TO most / p.thread_time;
	EXPLANATION "{updates} atomic updates of {array} are made in {region} in {execution}. Each takes {each} or more, even if no other thread uses its cache"
		" line: together {of_time%} of the time of {construct}.";
	ADVICE "Sum into private variables, or into a copy of {array} for each thread, and add these after the loop (reduction(+:x), for arrays"
		" reduction(+:x[:n])). If {array} is too large for copies, sort or colour the iterations so that each element is updated by one thread at a"
		" time: then no update has to be atomic.";
}

PROPERTY ArrayAccessImbalance(Region r, Phase p) {
	TITLE "some threads access an array much more than others";
	KINDS DATA_STRUCTURE;
	VIEW arrays;
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
	// Tasks run on any thread: uneven tasks are TaskImbalance.
	// With many dynamic chunks, the busiest thread of the recorded execution may differ from that of the next one.
	// If each thread has its own arrays, or the other threads access other arrays meanwhile, the total work is balanced.
	CONDITION: threads(construct) > 1 AND uneven > 25 % AND of_construct > 10 % AND all_uneven > 50 % * of_construct * uneven AND high > 2 %
		AND dealt < 4 AND tasks == 0;
	CONFIDENCE: 1;
	SEVERITY: 0 TO high;
	BY THREAD: r.reads + r.writes > 1.25 * mean(r.reads + r.writes);
	EXPLANATION "The thread that accesses {array} most in {region} does so {uneven%} more often than the mean of all threads there.[ Most: thread"
		" {threads}.] These are {of_construct%} of the accesses in {construct}.";
	ADVICE "Give every thread the same number of iterations over {array}: collapse nested loops, or divide the loop at {construct_line} by weights, or use"
		" schedule(dynamic) or schedule(guided) if the cost of iterations differs.";
}

PROPERTY SerialFirstTouch(Region r, Phase p) {
	TITLE "one thread touched an array first that other threads use (matters with several NUMA nodes)";
	KINDS DATA_STRUCTURE;
	VIEW arrays;
	REFINES RecordedAccesses, RecordedFunction, RecordedLoop;
	EXCLUDES SharedReadOnlyHot;
	LET
		bytes_known = sum(r.first_touched);
		most = max(r.first_touched) / max(1 bytes, sum(r.first_touched));
		values = max(1, sum(r.reads) + sum(r.writes));
		of_construct = (sum(r.reads) + sum(r.writes)) / max(1, sum(construct.reads) + sum(construct.writes));
		// If all threads have equal parts of the array and of the accesses, 1/n of each thread's accesses are to pages that it touched first.
		others = 1 - sum((r.reads + r.writes) * r.first_touched) / (values * max(1 bytes, bytes_known));
		remote = 1 - sum((sum(r.reads) + sum(r.writes)) * sum(r.first_touched) BY NODE) / (values * max(1 bytes, bytes_known));
		share = min(of_construct * construct.busy_time, values * 1 us) / p.thread_time;
		// On a simulated machine with several nodes: the additional latency of remote lines. Upper bound: with prefetched lines; lower bound: 16 lines in flight.
		longer = (remote_memory_time - memory_time) * min(1, modelled_nodes - 1);
		low = optional(min(sum(r.simulated_dram_remote) * longer / 16, construct.busy_time) / p.thread_time, 0);
		high = optional(min(sum(r.simulated_dram_remote) * longer * (1 + sum(r.simulated_dram_prefetches)
			/ max(1, sum(r.simulated_dram_local) + sum(r.simulated_dram_remote))), construct.busy_time) / p.thread_time);
	IN
	// An array of less than one page per thread cannot be distributed by pages. The other threads' share exceeds half of that of equal parts.
	CONDITION: threads(construct) > 1 AND share > 2 % AND bytes_known >= threads(construct) * page_size AND most > 90 %
		AND others > 50 % * (1 - 1 / threads(construct)) AND share * others > 2 % AND either(high, 1) > 2 %;
	CONFIDENCE: 1;
	SEVERITY: low TO either(high, min(1, nodes - 1) * share * either(remote, others));
	BY THREAD: r.first_touched > 50 % * sum(r.first_touched);
	EXPLANATION "{most%} of the memory of {array} was touched first by one thread[: thread {threads}][, most of it at {first_touch_line}]."
		" So it is on that thread's NUMA node. In {region} other threads make {others%} of the accesses to {array}[, and {remote%} come"
		" from other nodes]; these are {of_construct%} of the accesses in {construct}.";
	ADVICE "Initialise {array} in a parallel loop with the schedule of the loop at {construct_line} (schedule(static) for both)[, not at"
		" {first_touch_line}], and bind the threads (OMP_PROC_BIND=close): then each thread's part is on its own node. Without a change to"
		" the code, numactl --interleave=all distributes the pages over all nodes.";
}

// Page placement is that of the kernel if the simulated machine is the one that the program ran on and the record has it, else modelled.
PROPERTY AllPagesOnOneNode(Region r, Phase p) {
	TITLE "all pages of an array are on one NUMA node, and threads on other nodes use them";
	KINDS DATA_STRUCTURE;
	VIEW arrays;
	REFINES RecordedAccesses, RecordedFunction, RecordedLoop;
	EXCLUDES SerialFirstTouch, SharedReadOnlyHot, HugePageFalseSharing;
	LET
		remote = sum(r.simulated_dram_remote);
		lines = sum(r.simulated_dram_local) + remote;
		rate = remote / max(1, lines);
		there = either(modelled_nodes, nodes);
		used = count(sum(r.simulated_dram_local) + sum(r.simulated_dram_remote) > 0 BY NODE);
		// The threads of one node have local lines, those of all other nodes remote lines.
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
	EXPLANATION "All pages of {array} are on one NUMA node. Of the {lines} lines that come from memory in {execution}, {rate%} are for threads of other nodes[: {nodes}].";
	ADVICE "A page is placed on the node of the thread that writes it first, unless a policy overrides this (numactl --membind, a cpuset). Initialise {array} with the"
		" schedule of the loop at {construct_line} (schedule(static) for both) and bind the threads (OMP_PROC_BIND=close), or interleave it"
		" (numactl --interleave=all) if all threads use all of it.";
}

PROPERTY MisplacedBlocks(Region r, Phase p) {
	TITLE "parts of an array are on other NUMA nodes than the threads that use them";
	KINDS DATA_STRUCTURE;
	VIEW arrays;
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
	// More than with random placement: on n nodes, (n - 1) / n of the lines are remote then.
	CONDITION: there > 1 AND rate > 110 % - 1 / there AND high > 2 %;
	CONFIDENCE: 0.8;
	SEVERITY: low TO high;
	BY THREAD: r.simulated_dram_remote > 50 % * (r.simulated_dram_local + r.simulated_dram_remote);
	EXPLANATION "{rate%} of the {lines} lines of {array} that come from memory in {execution} come from other NUMA nodes, more than with random placement:"
		" threads use other parts of it than they initialise[, most of it at {first_touch_line}].";
	ADVICE "Use the same distribution over threads in the initialisation[ at {first_touch_line}] as in the loop at {construct_line}: the same loop bounds, number of threads"
		" and schedule(static), and bind the threads (OMP_PROC_BIND=close), so that they stay near their pages.";
}
