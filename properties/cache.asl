// SPDX-License-Identifier: Apache-2.0
// Stalls on caches and memory, by hardware counters. Refinement: memory bound -> cache level with the misses -> threads with more
// misses than others, misses of loads or of stores.
//
// Thresholds. MemoryBound: the stall counter of some thread exceeds a fifth of its time. CPUs count different stalls (see
// metrics/*.events): an event that also counts other stalls exceeds it more often, one that counts only full queues
// less often. Without a stall counter the lower bound of the model in metrics/counters.metrics must exceed 4 % of a
// thread's time, which is two thirds of its time if no accesses overlap. If it does not, but the upper bound exceeds a
// fifth, the verdict is unknown. All others: some thread loses more than 2 % of the phase's time by the lower bound.
// So code whose misses are hidden, by prefetching or by other work, is not found here.
//
// "In some thread": the other threads wait for the worst one at the next barrier, so its loss is compared with the wall time of the phase.

PROPERTY MemoryBound(Region r, Phase p) {
	TITLE "the CPUs stall on memory accesses";
	KINDS USER_REGION, SERIAL_REGION, SUB_REGION, PARALLEL_REGION, DO_REGION, LOOP_REGION, SECTIONS_REGION, SINGLE_REGION, MASTER_REGION;
	VIEW arrays;
	HINT "where subregions";
	LET
		waited = sum(r.memory_wait_low);
		share = waited / p.thread_time;
		part = waited / sum(r.user_time);
		worst = max(r.memory_wait_low) / sum(p.wall_time);
		stalls = sum(r.stall_cycles);
		samples = sum(r.samples);
	IN
	// The second line can only be false or, without a counter of stalls, unknown.
	CONDITION: (worst > 2 % AND max(r.memory_excess) > 0)
		OR (max(r.memory_wait_high - 20 % * r.user_time) > 0 AND max(r.memory_wait_high) > 2 % * sum(p.wall_time)
			AND max(r.stalled - 20 % * r.user_time) > 0);
	CONFIDENCE: 0.9;
	SEVERITY: share TO sum(r.memory_wait_high) / p.thread_time;
	BY THREAD: r.memory_wait_low > 1.5 * mean(r.memory_wait_low);
	EXPLANATION "In {execution} the threads stall for {waited} or more here on caches and memory: {part%} of their CPU time in user code"
		" here.[ The CPUs count {stalls} stall cycles; the definition differs between CPUs (`memsearch list events`).][ Most of the time is spent in {hot_function} ({hot_line}).]";
	ADVICE "See the findings below this one for the cache levels and threads. If there is none, this CPU does not count the cause: check"
		" the loops over large arrays here. Let the innermost loop run over contiguous memory"
		" (the last index in C, the first in Fortran).";
}

PROPERTY L1DataMissRateInSomeThread(Region r, Phase p) {
	TITLE "data accesses miss the first-level cache";
	ALIASES LC1DMissRateInSomeThread, L1DataMissRate;
	KINDS USER_REGION, SERIAL_REGION, SUB_REGION, PARALLEL_REGION, DO_REGION, LOOP_REGION, SECTIONS_REGION, SINGLE_REGION, MASTER_REGION;
	VIEW arrays;
	REFINES MemoryBound;
	HINT "where threads";
	LET
		misses = sum(r.l1_misses);
		rate = max(r.l1_miss_rate);
		low = sum(r.l1_cost_low);
		high = sum(r.l1_cost_high);
		worst = max(r.l1_cost_low) / sum(p.wall_time);
	IN
	CONDITION: worst > 2 %;
	CONFIDENCE: 0.8;
	SEVERITY: low / p.thread_time TO high / p.thread_time;
	BY THREAD: r.l1_cost_low > 1.5 * mean(r.l1_cost_low);
	EXPLANATION "{misses} data accesses (loads only, where the CPU counts no others) miss the first-level cache here in"
		" {execution}[, in the worst thread {rate%} of its accesses to that cache]. The threads wait between {low} and {high} for"
		" the second-level cache, depending on how many of the misses overlap.";
	ADVICE "Let the innermost loop run over contiguous memory: interchange loops, or transpose the array. Block the loops with a working set of"
		" about 16 KiB. Rows whose length is a power of two map to"
		" the same cache sets: pad them by one cache line. Store data that is used together contiguously.";
}

PROPERTY UnbalancedL1DataMissRate(Region r, Phase p) {
	TITLE "some threads miss the first-level cache more than others";
	ALIASES UnbalLC1DMissRate;
	KINDS USER_REGION, PARALLEL_REGION, DO_REGION, SECTIONS_REGION;
	VIEW arrays;
	REFINES L1DataMissRateInSomeThread;
	HINT "where threads";
	LET
		// (max - mean) / mean over the team: 0 for balanced, n - 1 if one thread has all.
		rate = either(imbalance(r.l1_miss_rate), imbalance(r.l1_misses));
		most = max(r.l1_misses);
		usual = mean(r.l1_misses);
		// Serial code has misses on the initial thread only; its stalls are bounded by the time of that code.
		alone = (count(r.l1_cost_low) - 1) * either(sum(r.SERIAL_REGION.wall_time), 0 ns);
		low = max(0 ns, count(r.l1_cost_low) * (max(r.l1_cost_low) - mean(r.l1_cost_low)) - alone);
		high = count(r.l1_cost_high) * (max(r.l1_cost_high) - mean(r.l1_cost_high));
	IN
	// At an imbalance of 0.3 the worst thread has 30 % more misses than the mean.
	CONDITION: phase_threads > 1 AND rate > 0.3 AND low / p.thread_time > 2 %;
	CONFIDENCE: 0.8;
	SEVERITY: low / p.thread_time TO high / p.thread_time;
	BY THREAD: r.l1_misses > mean(r.l1_misses) + (max(r.l1_misses) - mean(r.l1_misses)) / 2;
	EXPLANATION "One thread has {most} misses here in {execution}, the average one {usual}: the imbalance of the miss rates is"
		" {rate:number} (0 is balanced).[ The worst: thread {threads}.] The others lose between {low} and {high} of their time"
		" waiting for it.";
	ADVICE "Check the work of these threads: different parts of the array (borders, longer rows, more indirect accesses), or shared pages and"
		" caches. Give every thread the same part of an array in every loop (one static schedule for all), touch it"
		" first in a loop of that schedule, and bind the threads (OMP_PROC_BIND=close or spread). Two threads on one core share its"
		" caches: OMP_PLACES=cores.";
}

PROPERTY L1DataReadMissRate(Region r, Phase p) {
	TITLE "most misses of the first-level cache come from loads";
	ALIASES L1DataReadMissRateInSomeThread;
	KINDS USER_REGION, SERIAL_REGION, SUB_REGION, PARALLEL_REGION, DO_REGION, LOOP_REGION, SECTIONS_REGION, SINGLE_REGION, MASTER_REGION;
	VIEW arrays;
	REFINES L1DataMissRateInSomeThread;
	EXCLUDES UnbalancedL1DataMissRate;
	LET
		misses = either(sum(r.l1d_read_misses), sum(r.simulated_l1d_read_misses));
		part = either(min(1, sum(r.l1d_read_misses) / max(1, sum(r.counted_l1_misses))),
			sum(r.simulated_l1d_read_misses) / max(1, sum(r.simulated_l1d_misses)) / max(r.l1_uncounted));
		rate = max(r.l1d_read_misses / max(r.loads, mean(r.loads)));
		low = sum(r.l1_cost_low) * part;
		high = sum(r.l1_cost_high) * part;
	IN
	CONDITION: part > 50 % AND low / p.thread_time > 2 %;
	CONFIDENCE: 0.8;
	SEVERITY: low / p.thread_time TO high / p.thread_time;
	EXPLANATION "{misses} loads miss the first-level cache here in {execution}: {part%} of the counted misses[; in the"
		" worst thread {rate%} of its loads that access this cache].";
	ADVICE "Cores wait for loads, seldom for stores: reduce the loads. Keep values in registers over the inner loop, block the"
		" loops, interchange them so that the innermost one runs over contiguous memory, and recompute values instead of loading them if that is cheaper.";
}

PROPERTY L1DataWriteMissRate(Region r, Phase p) {
	TITLE "most misses of the first-level cache come from stores";
	ALIASES L1DataWriteMissRateInSomeThread;
	KINDS USER_REGION, SERIAL_REGION, SUB_REGION, PARALLEL_REGION, DO_REGION, LOOP_REGION, SECTIONS_REGION, SINGLE_REGION, MASTER_REGION;
	VIEW arrays;
	REFINES L1DataMissRateInSomeThread;
	EXCLUDES UnbalancedL1DataMissRate;
	LET
		misses = either(sum(r.l1d_write_misses), sum(r.simulated_l1d_write_misses));
		part = either(min(1, sum(r.l1d_write_misses) / max(1, sum(r.counted_l1_misses))),
			sum(r.simulated_l1d_write_misses) / max(1, sum(r.simulated_l1d_misses)) / max(r.l1_uncounted));
		rate = max(r.l1d_write_misses / max(r.stores, mean(r.stores)));
		low = sum(r.l1_cost_low) * part;
		high = sum(r.l1_cost_high) * part;
	IN
	CONDITION: part > 50 % AND low / p.thread_time > 2 %;
	CONFIDENCE: 0.8;
	SEVERITY: low / p.thread_time TO high / p.thread_time;
	EXPLANATION "{misses} stores miss the first-level cache here in {execution}: {part%} of the counted misses[; in the"
		" worst thread {rate%} of its stores that access this cache].";
	ADVICE "A store that misses fetches its line first (write-allocate). Write whole lines in order; do not initialise data that is overwritten soon; fuse"
		" the loop that writes with the one that reads. Large results that are not used again soon can bypass the caches"
		" (non-temporal stores: #pragma omp simd nontemporal(array)).";
}

PROPERTY L2DataMissRateInSomeThread(Region r, Phase p) {
	TITLE "data accesses miss the second-level cache";
	ALIASES LC2DMissRateInSomeThread, L2DataMissRate;
	KINDS USER_REGION, SERIAL_REGION, SUB_REGION, PARALLEL_REGION, DO_REGION, LOOP_REGION, SECTIONS_REGION, SINGLE_REGION, MASTER_REGION;
	VIEW arrays;
	REFINES MemoryBound;
	HINT "where threads";
	LET
		misses = sum(r.l2_misses);
		rate = max(r.l2_miss_rate);
		low = sum(r.l2_cost_low);
		high = sum(r.l2_cost_high);
		worst = max(r.l2_cost_low) / sum(p.wall_time);
	IN
	CONDITION: worst > 2 %;
	CONFIDENCE: 0.8;
	SEVERITY: low / p.thread_time TO high / p.thread_time;
	BY THREAD: r.l2_cost_low > 1.5 * mean(r.l2_cost_low);
	EXPLANATION "{misses} data accesses (loads only, where the CPU counts no others) miss the second-level cache here in"
		" {execution}[, in the worst thread {rate%} of its accesses to that cache]. The threads wait between {low} and {high} for"
		" the last-level cache, depending on how many of the misses overlap.";
	ADVICE "Block the loops so that reused data fits in the second-level cache (256 KiB to 2 MiB per core): do several steps on one"
		" block before the next, and fuse loops over the same arrays. Interchange loops so that the innermost one runs over contiguous"
		" memory. Pad rows whose length is a power of two by one cache line.";
}

PROPERTY UnbalancedL2DataMissRate(Region r, Phase p) {
	TITLE "some threads miss the second-level cache more than others";
	ALIASES UnbalLC2DMissRate;
	KINDS USER_REGION, PARALLEL_REGION, DO_REGION, SECTIONS_REGION;
	VIEW arrays;
	REFINES L2DataMissRateInSomeThread;
	HINT "where threads";
	LET
		// (max - mean) / mean over the team: 0 for balanced, n - 1 if one thread has all.
		rate = either(imbalance(r.l2_miss_rate), imbalance(r.l2_misses));
		most = max(r.l2_misses);
		usual = mean(r.l2_misses);
		// Serial code has misses on the initial thread only; its stalls are bounded by the time of that code.
		alone = (count(r.l2_cost_low) - 1) * either(sum(r.SERIAL_REGION.wall_time), 0 ns);
		low = max(0 ns, count(r.l2_cost_low) * (max(r.l2_cost_low) - mean(r.l2_cost_low)) - alone);
		high = count(r.l2_cost_high) * (max(r.l2_cost_high) - mean(r.l2_cost_high));
	IN
	// At an imbalance of 0.3 the worst thread has 30 % more misses than the mean.
	CONDITION: phase_threads > 1 AND rate > 0.3 AND low / p.thread_time > 2 %;
	CONFIDENCE: 0.8;
	SEVERITY: low / p.thread_time TO high / p.thread_time;
	BY THREAD: r.l2_misses > mean(r.l2_misses) + (max(r.l2_misses) - mean(r.l2_misses)) / 2;
	EXPLANATION "One thread has {most} misses here in {execution}, the average one {usual}: the imbalance of the miss rates is"
		" {rate:number} (0 is balanced).[ The worst: thread {threads}.] The others lose between {low} and {high} of their time"
		" waiting for it.";
	ADVICE "Check the work of these threads: different parts of the array (borders, longer rows, more indirect accesses), or shared pages and"
		" caches. Give every thread the same part of an array in every loop (one static schedule for all), touch it"
		" first in a loop of that schedule, and bind the threads (OMP_PROC_BIND=close or spread). Two threads on one core share its"
		" caches: OMP_PLACES=cores.";
}

PROPERTY L2DataReadMissRate(Region r, Phase p) {
	TITLE "most misses of the second-level cache come from loads";
	ALIASES L2DataReadMissRateInSomeThread;
	KINDS USER_REGION, SERIAL_REGION, SUB_REGION, PARALLEL_REGION, DO_REGION, LOOP_REGION, SECTIONS_REGION, SINGLE_REGION, MASTER_REGION;
	VIEW arrays;
	REFINES L2DataMissRateInSomeThread;
	EXCLUDES UnbalancedL2DataMissRate;
	LET
		misses = either(sum(r.l2d_read_misses), sum(r.simulated_l2d_read_misses));
		part = either(min(1, sum(r.l2d_read_misses) / max(1, sum(r.counted_l2_misses))),
			sum(r.simulated_l2d_read_misses) / max(1, sum(r.simulated_l2d_misses)) / max(r.l2_uncounted));
		rate = max(r.l2d_read_misses / max(r.l1d_read_misses, mean(r.l1d_read_misses)));
		low = sum(r.l2_cost_low) * part;
		high = sum(r.l2_cost_high) * part;
	IN
	CONDITION: part > 50 % AND low / p.thread_time > 2 %;
	CONFIDENCE: 0.8;
	SEVERITY: low / p.thread_time TO high / p.thread_time;
	EXPLANATION "{misses} loads miss the second-level cache here in {execution}: {part%} of the counted misses[; in the"
		" worst thread {rate%} of its loads that access this cache].";
	ADVICE "Cores wait for loads, seldom for stores: reduce the loads. Keep values in registers over the inner loop, block the"
		" loops, interchange them so that the innermost one runs over contiguous memory, and recompute values instead of loading them if that is cheaper.";
}

PROPERTY L2DataWriteMissRate(Region r, Phase p) {
	TITLE "most misses of the second-level cache come from stores";
	ALIASES L2DataWriteMissRateInSomeThread;
	KINDS USER_REGION, SERIAL_REGION, SUB_REGION, PARALLEL_REGION, DO_REGION, LOOP_REGION, SECTIONS_REGION, SINGLE_REGION, MASTER_REGION;
	VIEW arrays;
	REFINES L2DataMissRateInSomeThread;
	EXCLUDES UnbalancedL2DataMissRate;
	LET
		misses = either(sum(r.l2d_write_misses), sum(r.simulated_l2d_write_misses));
		part = either(min(1, sum(r.l2d_write_misses) / max(1, sum(r.counted_l2_misses))),
			sum(r.simulated_l2d_write_misses) / max(1, sum(r.simulated_l2d_misses)) / max(r.l2_uncounted));
		rate = max(r.l2d_write_misses / max(r.l1d_write_misses, mean(r.l1d_write_misses)));
		low = sum(r.l2_cost_low) * part;
		high = sum(r.l2_cost_high) * part;
	IN
	CONDITION: part > 50 % AND low / p.thread_time > 2 %;
	CONFIDENCE: 0.8;
	SEVERITY: low / p.thread_time TO high / p.thread_time;
	EXPLANATION "{misses} stores miss the second-level cache here in {execution}: {part%} of the counted misses[; in the"
		" worst thread {rate%} of its stores that access this cache].";
	ADVICE "A store that misses fetches its line first (write-allocate). Write whole lines in order; do not initialise data that is overwritten soon; fuse"
		" the loop that writes with the one that reads. Large results that are not used again soon can bypass the caches"
		" (non-temporal stores: #pragma omp simd nontemporal(array)).";
}

PROPERTY L3DataMissRateInSomeThread(Region r, Phase p) {
	TITLE "data accesses miss the last-level cache";
	ALIASES LC3DMissRateInSomeThread, L3DataMissRate;
	KINDS USER_REGION, SERIAL_REGION, SUB_REGION, PARALLEL_REGION, DO_REGION, LOOP_REGION, SECTIONS_REGION, SINGLE_REGION, MASTER_REGION;
	VIEW arrays;
	REFINES MemoryBound;
	EXCLUDES BandwidthBound;
	HINT "where threads";
	LET
		misses = sum(r.memory_accesses);
		rate = max(r.l3_miss_rate);
		low = sum(r.l3_cost_low);
		high = sum(r.l3_cost_high);
		worst = max(r.l3_cost_low) / sum(p.wall_time);
	IN
	CONDITION: worst > 2 %;
	CONFIDENCE: 0.8;
	SEVERITY: low / p.thread_time TO high / p.thread_time;
	BY THREAD: r.l3_cost_low > 1.5 * mean(r.l3_cost_low);
	EXPLANATION "{misses} data accesses (loads only, where the CPU counts no others) miss the last-level cache here in"
		" {execution}[, in the worst thread {rate%} of its accesses to that cache]. The threads wait between {low} and {high} for"
		" memory, depending on how many of the misses overlap. (Where this CPU does not count"
		" misses of the last level, lines from memory are counted.)";
	ADVICE "Pass over the arrays less often: fuse loops over the same arrays, block them so that each thread's part stays in its share"
		" of the last-level cache, use smaller types. For irregular accesses (index arrays, lists), sort or renumber the elements for"
		" locality, or prefetch some iterations ahead.";
}

PROPERTY UnbalancedL3DataMissRate(Region r, Phase p) {
	TITLE "some threads miss the last-level cache more than others";
	ALIASES UnbalLC3DMissRate;
	KINDS USER_REGION, PARALLEL_REGION, DO_REGION, SECTIONS_REGION;
	VIEW arrays;
	REFINES L3DataMissRateInSomeThread, BandwidthBound;
	HINT "where threads";
	LET
		// (max - mean) / mean over the team: 0 for balanced, n - 1 if one thread has all.
		rate = either(imbalance(r.l3_miss_rate), imbalance(r.memory_accesses));
		most = max(r.memory_accesses);
		usual = mean(r.memory_accesses);
		// Serial code has misses on the initial thread only; its stalls are bounded by the time of that code.
		alone = (count(r.l3_cost_low) - 1) * either(sum(r.SERIAL_REGION.wall_time), 0 ns);
		low = max(0 ns, count(r.l3_cost_low) * (max(r.l3_cost_low) - mean(r.l3_cost_low)) - alone);
		high = count(r.l3_cost_high) * (max(r.l3_cost_high) - mean(r.l3_cost_high));
	IN
	// At an imbalance of 0.3 the worst thread has 30 % more misses than the mean.
	CONDITION: phase_threads > 1 AND rate > 0.3 AND low / p.thread_time > 2 %;
	CONFIDENCE: 0.8;
	SEVERITY: low / p.thread_time TO high / p.thread_time;
	BY THREAD: r.memory_accesses > mean(r.memory_accesses) + (max(r.memory_accesses) - mean(r.memory_accesses)) / 2;
	EXPLANATION "One thread has {most} misses here in {execution}, the average one {usual}: the imbalance of the miss rates is"
		" {rate:number} (0 is balanced).[ The worst: thread {threads}.] The others lose between {low} and {high} of their time"
		" waiting for it.";
	ADVICE "Check the work of these threads: different parts of the array (borders, longer rows, more indirect accesses), or shared pages and"
		" caches. Give every thread the same part of an array in every loop (one static schedule for all), touch it"
		" first in a loop of that schedule, and bind the threads (OMP_PROC_BIND=close or spread). Two threads on one core share its"
		" caches: OMP_PLACES=cores.";
}

PROPERTY L3DataReadMissRate(Region r, Phase p) {
	TITLE "most misses of the last-level cache come from loads";
	ALIASES L3DataReadMissRateInSomeThread;
	KINDS USER_REGION, SERIAL_REGION, SUB_REGION, PARALLEL_REGION, DO_REGION, LOOP_REGION, SECTIONS_REGION, SINGLE_REGION, MASTER_REGION;
	VIEW arrays;
	REFINES L3DataMissRateInSomeThread;
	EXCLUDES UnbalancedL3DataMissRate, RemoteDramAccesses, LocalDramAccesses, FewPrefetches;
	LET
		misses = either(sum(r.l3d_read_misses), sum(r.simulated_l3d_read_misses));
		part = either(min(1, sum(r.l3d_read_misses) / max(1, sum(r.counted_memory_accesses))),
			sum(r.simulated_l3d_read_misses) / max(1, sum(r.simulated_l3d_misses)) / max(r.memory_uncounted));
		rate = max(r.l3d_read_misses / max(r.l2d_read_misses, mean(r.l2d_read_misses)));
		low = sum(r.l3_cost_low) * part;
		high = sum(r.l3_cost_high) * part;
	IN
	CONDITION: part > 50 % AND low / p.thread_time > 2 %;
	CONFIDENCE: 0.8;
	SEVERITY: low / p.thread_time TO high / p.thread_time;
	EXPLANATION "{misses} loads miss the last-level cache here in {execution}: {part%} of the counted misses[; in the"
		" worst thread {rate%} of its loads that access this cache].";
	ADVICE "Cores wait for loads, seldom for stores: reduce the loads. Keep values in registers over the inner loop, block the"
		" loops, interchange them so that the innermost one runs over contiguous memory, and recompute values instead of loading them if that is cheaper.";
}

PROPERTY L3DataWriteMissRate(Region r, Phase p) {
	TITLE "most misses of the last-level cache come from stores";
	ALIASES L3DataWriteMissRateInSomeThread;
	KINDS USER_REGION, SERIAL_REGION, SUB_REGION, PARALLEL_REGION, DO_REGION, LOOP_REGION, SECTIONS_REGION, SINGLE_REGION, MASTER_REGION;
	VIEW arrays;
	REFINES L3DataMissRateInSomeThread;
	EXCLUDES UnbalancedL3DataMissRate, RemoteDramAccesses, LocalDramAccesses, FewPrefetches;
	LET
		misses = either(sum(r.l3d_write_misses), sum(r.simulated_l3d_write_misses));
		part = either(min(1, sum(r.l3d_write_misses) / max(1, sum(r.counted_memory_accesses))),
			sum(r.simulated_l3d_write_misses) / max(1, sum(r.simulated_l3d_misses)) / max(r.memory_uncounted));
		rate = max(r.l3d_write_misses / max(r.l2d_write_misses, mean(r.l2d_write_misses)));
		low = sum(r.l3_cost_low) * part;
		high = sum(r.l3_cost_high) * part;
	IN
	CONDITION: part > 50 % AND low / p.thread_time > 2 %;
	CONFIDENCE: 0.8;
	SEVERITY: low / p.thread_time TO high / p.thread_time;
	EXPLANATION "{misses} stores miss the last-level cache here in {execution}: {part%} of the counted misses[; in the"
		" worst thread {rate%} of its stores that access this cache].";
	ADVICE "A store that misses fetches its line first (write-allocate). Write whole lines in order; do not initialise data that is overwritten soon; fuse"
		" the loop that writes with the one that reads. Large results that are not used again soon can bypass the caches"
		" (non-temporal stores: #pragma omp simd nontemporal(array)).";
}
