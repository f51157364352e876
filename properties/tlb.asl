// SPDX-License-Identifier: Apache-2.0
// Address translation and prefetching: why memory accesses take longer than their number explains.

PROPERTY PageTableWalks(Region r, Phase p) {
	TITLE "data TLB misses: page tables are walked";
	ALIASES TLBMisses, DataTLBMissRate;
	KINDS USER_REGION, SERIAL_REGION, SUB_REGION, PARALLEL_REGION, DO_REGION, LOOP_REGION, SECTIONS_REGION, SINGLE_REGION, MASTER_REGION;
	VIEW arrays;
	REFINES MemoryBound;
	LET
		walks = either(sum(r.tlb_walks), sum(r.simulated_tlb_walks));
		rate = either(max(r.tlb_walks / max(r.counted_accesses, mean(r.counted_accesses))),
			max(r.simulated_tlb_walks / max(r.simulated_accesses, mean(r.simulated_accesses))));
		low = sum(r.walking_low);
		high = sum(r.walking_high);
		worst = max(r.walking_low) / sum(p.wall_time);
	IN
	CONDITION: worst > 2 %;
	CONFIDENCE: 0.8;
	SEVERITY: low / p.thread_time TO high / p.thread_time;
	EXPLANATION "[{walks} data accesses miss all TLBs here in {execution}. ]Walking the page tables takes between"
		" {low} and {high}: accesses use more pages than the TLBs hold (about 1,500 to 3,000 of 4 KiB).";
	ADVICE "Try huge pages first, which needs no change to the code: GLIBC_TUNABLES=glibc.malloc.hugetlb=1 in the environment (glibc"
		" 2.35 or later), or \"always\" in /sys/kernel/mm/transparent_hugepage/enabled; in the program aligned_alloc of 2 MiB and"
		" madvise(MADV_HUGEPAGE). Then change the order of accesses: innermost loop over contiguous memory, blocks of few pages, no strides of a"
		" page or more.";
}

PROPERTY FewPrefetches(Region r, Phase p) {
	TITLE "the hardware prefetches few of the lines";
	ALIASES LowPrefetchShare;
	KINDS USER_REGION, SERIAL_REGION, SUB_REGION, PARALLEL_REGION, DO_REGION, LOOP_REGION, SECTIONS_REGION, SINGLE_REGION, MASTER_REGION;
	VIEW arrays;
	REFINES L3DataMissRateInSomeThread;
	EXCLUDES UnbalancedL3DataMissRate, RemoteDramAccesses;
	LET
		prefetched = either(sum(r.prefetches), sum(r.simulated_dram_prefetches));
		missed = either(sum(r.counted_memory_accesses), sum(r.simulated_l3d_misses));
		rate = either(sum(r.prefetches) / max(1, sum(r.prefetches) + sum(r.counted_memory_accesses)),
			sum(r.simulated_dram_prefetches) / max(1, sum(r.simulated_dram_prefetches) + sum(r.simulated_l3d_misses)) / max(r.memory_uncounted)
			+ 0 * sum(r.simulated_prefetches));
		low = sum(r.l3_cost_low);
		high = sum(r.l3_cost_high);
	IN
	// Loops over contiguous memory have more than half of their lines prefetched. A modelled machine without prefetchers has no
	// simulated_prefetches, so the verdict is unknown there.
	CONDITION: rate < 20 % AND low / p.thread_time > 2 %;
	CONFIDENCE: 0.8;
	SEVERITY: low / p.thread_time TO high / p.thread_time;
	EXPLANATION "Of the lines that are fetched here the hardware prefetches only {rate%} ({prefetched} in {execution}; {missed}"
		" accesses wait for memory): they follow no pattern that it detects, such as neighbouring lines or a constant stride.";
	ADVICE "Let the innermost loop run over contiguous memory, with a stride below a page. Accesses through an index array: sort or renumber so"
		" that indices increase, or prefetch in software (__builtin_prefetch of what index[i + 16] points to). Lists and trees: keep the nodes"
		" in one array in the order they are visited. If prefetchers were switched off in the firmware, switch them on.";
}
