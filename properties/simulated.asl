// SPDX-License-Identifier: Apache-2.0
// The cost of recorded accesses on a modelled machine (--machine): cache misses by data structure and loop, and their classes.
//
// The model counts misses exactly, but does not model how many overlap. Two estimates bound their cost on the machine that the program ran on:
//
// `waiting`  Computing takes at most 4 cycles per access, of the modelled machine's nominal clock 3: the latency of a dependent floating-point addition (3 to 4 cycles on current
//            cores; Fog, instruction tables), and a core makes several independent accesses in a cycle. The rest of a construct's time is waiting, which is
//            divided among its arrays in proportion to the latencies of their accesses. For code that computes more between two accesses
//            (divisions, calls of libm) the estimate is too high, but never above the sum of the latencies.
// `stays`    Lines that come from memory and go back take the time of their bytes at the calibrated bandwidth, whatever the order of accesses is: of
//            an array with strided accesses only the used bytes, as a better layout or loop order leaves the others out.
//
// So the lower bound is the array's wait by both estimates, or a sixteenth of the sum of the latencies (16 lines in flight, as in metrics/counters.metrics),
// at most its part of the construct's time, less `stays`: the same lines in a better order still come from memory;
// the upper bound is the sum of the latencies, at most the time of the construct less 0.06 ns for each access. In the upper bound each miss of the second-level cache may go to memory: the third level is shared with
// other programs and virtual machines. Lines that prefetchers bring in time wait for the second-level cache only, which
// out-of-order cores hide: they are not in the lower bound.
//
// The latencies of a machine file are typical values; in a virtual machine they are longer. `longer`: if a construct waits for longer than the sum of
// its latencies, the upper bound assumes up to twice the latencies.
//
// The simulated interleaving has fewer transfers of shared lines than a real machine: at most one in 32 accesses, as a time slice has 32 accesses
// where threads share lines. A CPU loses such a line after 1 (atomic operations) to some 25 accesses. `transfers` is the upper bound of their cost.

PROPERTY ModelledWaits(Region r, Phase p) {
	TITLE "accesses wait for the caches and memory of the modelled machine";
	KINDS USER_REGION;
	VIEW arrays;
	LET
		waited = sum(r.longest_wait);
		share = waited / p.thread_time;
	IN
	CONDITION: share > 5 %;
	CONFIDENCE: 1;
	SEVERITY: 0;
	EXPLANATION "If no two accesses overlapped, they would wait up to {waited} in {execution}.";
	ADVICE "This is no finding: it leads to the regions and data structures that miss the caches.";
}

PROPERTY ModelledWaitsHere(Region r, Phase p) {
	TITLE "accesses of a construct wait for the caches and memory of the modelled machine";
	KINDS SERIAL_REGION, PARALLEL_REGION, DO_REGION, SECTIONS_REGION, TASK_REGION;
	VIEW arrays;
	REFINES ModelledWaits;
	LET
		waited = sum(r.longest_wait);
		share = waited / p.thread_time;
	IN
	CONDITION: share > 2 %;
	CONFIDENCE: 1;
	SEVERITY: 0;
	EXPLANATION "If no two accesses overlapped, they would wait up to {waited} here in {execution}.";
	ADVICE "This is no finding: it leads to the data structures that miss the caches here.";
}

// The working set of one execution may fit into the caches (see WorkingSetBeyondCaches) and be evicted between two executions. Most of these lines
// are prefetched in time, so that no array waits for them, but the transfers are bounded by the memory bandwidth.
PROPERTY ModelledTraffic(Region r, Phase p) {
	TITLE "data comes from memory in each execution";
	KINDS PARALLEL_REGION, DO_REGION, SECTIONS_REGION;
	VIEW arrays;
	REFINES ModelledWaitsHere;
	LET
		fetched = (sum(r.simulated_dram_local) + sum(r.simulated_dram_remote) + sum(r.simulated_dram_prefetches)) * 64 bytes;
		attainable = r.possible_bandwidth;
		needed = fetched / r.possible_bandwidth;
		least = min(max(r.time), needed);
		of_time = least / max(r.time);
		share = least * threads(r) / p.thread_time;
		// Below 30 % the computation hides the transfers. Real programs seldom exceed 90 % of a calibration: bandwidth is the limit there.
		// Above 100 % the outer caches keep lines that come from memory in the model.
		exposed = (40 % + min(60 %, max(0, of_time - 30 %))) * max(r.time) / max(max(r.time), needed);
	IN
	CONDITION: of_time > 30 % AND share > 2 %;
	CONFIDENCE: 0.9;
	SEVERITY: exposed * share TO min(max(r.time), least * 4 / 3) * threads(r) / p.thread_time;
	EXPLANATION "In the simulation {fetched} come from memory in {execution}. At the bandwidth attainable with this number of threads ({attainable})"
		" that takes {least}: {of_time%} of the time of this construct.";
	ADVICE "Reduce the memory traffic, or reuse data while it is in a cache: use smaller types (float, 16-bit numbers), fuse or block loops over the same data, process several"
		" right-hand sides or vectors in one pass. More threads help only until the memory bandwidth is saturated.";
}

PROPERTY ModelledWaitsInFunction(Region r, Phase p) {
	TITLE "accesses of a called function wait for the caches and memory of the modelled machine";
	KINDS SUB_REGION;
	VIEW arrays;
	REFINES ModelledWaitsHere;
	LET
		waited = sum(r.longest_wait);
		share = waited / p.thread_time;
	IN
	CONDITION: share > 2 %;
	CONFIDENCE: 1;
	SEVERITY: 0;
	EXPLANATION "If no two accesses overlapped, they would wait up to {waited} in {region} in {execution}.";
	ADVICE "This is no finding: it leads to the data structures that miss the caches in the function.";
}

PROPERTY DataMisses(Region r, Phase p) {
	TITLE "a data structure misses the caches";
	ALIASES LC2DMissRateOfData;
	KINDS DATA_STRUCTURE;
	VIEW arrays;
	REFINES ModelledWaitsHere, ModelledWaitsInFunction;
	LET
		accesses_here = sum(r.simulated_loads) + sum(r.simulated_stores);
		first = sum(r.simulated_l1d_misses);
		// Does not read third-level misses: on a machine without a third level the property would then be unknown.
		second = sum(r.simulated_l2d_misses);
		memory = sum(r.simulated_dram_local) + sum(r.simulated_dram_remote);
		// Accesses that bypass the first level are assumed to have the miss rate of all accesses to the second.
		bypassing = sum(r.simulated_bypassed);
		rate = either((first + second * bypassing / max(1, first + bypassing)) / max(1, accesses_here), first / max(1, accesses_here));
		// 0 / 0, which is unknown, where no access bypasses L1 (all machines but the Itanium): the text leaves it out.
		bypassed = sum(r.simulated_bypassed) * sum(r.simulated_bypassed) / sum(r.simulated_bypassed);
		strided = either(sum(r.strided) / max(1, sum(r.reads) + sum(r.writes)), 0);
		used = either(sum(r.simulated_used_bytes) / max(1 bytes, sum(r.simulated_fetched_bytes)), 1);
		stays = either((sum(construct.simulated_dram_local) + sum(construct.simulated_dram_remote) + sum(construct.simulated_dram_prefetches)
			+ sum(construct.simulated_write_backs) - (memory + sum(r.simulated_dram_prefetches)) * min(strided, 1 - used)) * 64 bytes / min(threads(construct) * single_bandwidth, attainable_bandwidth)
			* threads(construct), 0 ns);
		// As for l1_cost_low: the computation hides second-level latencies of up to half of the time.
		near = sum(r.near_wait) * min(1, 8 * construct.busy_time / max(1 ns, sum(construct.near_wait)));
		contiguous = either(sum(r.contiguous) / max(1, sum(r.reads) + sum(r.writes)), 0);
		// Out-of-order cores hide most of the third level's latency where the next addresses are known.
		exposed = sum(r.classified_wait) - 75 % * contiguous * max(0 ns, sum(r.classified_wait) - either(memory * memory_time, sum(r.classified_wait)));
		low = max(0 ns, max(min(exposed + either(sum(r.simulated_tlb_walks) * walk_time, 0 ns),
			sum(r.miss_wait) / max(1 ns, sum(construct.miss_wait)) * (construct.waiting - stays)),
			min(sum(r.miss_wait) / max(1 ns, sum(construct.miss_wait)) * construct.most_waiting, (sum(r.missed_wait) - sum(r.classified_wait) - near + exposed) / 16) - stays)) / p.thread_time;
		// The addresses of contiguous accesses are known early. If at least 19 of 20 first-level misses hit the second level, and the lines are used well, the
		// lower bound has all of their stalls; unless they are first-level conflict misses whose transfers take longer than the computation.
		near_lines = max(0, 1 - either(second, first) / max(1, 5 % * first)) * max(0, contiguous - 0.5) * max(0, used - 0.5)
			* max(0, 30 % - construct.unhidden_fills * either(sum(r.simulated_l1_conflict_misses), 0) / max(1, first));
		high = either(low * near_lines / near_lines, min(max(max(sum(r.missed_wait), sum(r.missed_wait) / max(1 ns, sum(construct.miss_wait))
			* construct.longer_wait), either(second * memory_time, 0 ns)), construct.most_waiting) / p.thread_time);
	IN
	CONDITION: high > 2 %;
	CONFIDENCE: 1;
	SEVERITY: min(low, high) TO high;
	EXPLANATION "{array} in {region}: of {accesses_here} accesses in {execution}[ {bypassed} bypass the first-level cache,] {first} miss the first-level"
		" cache[, {second} the second]: a miss rate of {rate%}; {memory} lines come from memory.";
	ADVICE "Let the innermost loop run contiguously over {array}, block the loops so that a block fits into a cache, and use all of a cache line"
		" before it is evicted. The findings below this one have the classes of the misses.";
}

PROPERTY ConflictMisses(Region r, Phase p) {
	TITLE "conflict misses of a data structure";
	KINDS DATA_STRUCTURE;
	VIEW arrays;
	REFINES DataMisses;
	LET
		misses = sum(r.classified_misses);
		part = sum(r.simulated_conflict_misses) / max(1, sum(r.classified_misses));
		of_waits = sum(r.miss_wait) / max(1 ns, sum(construct.miss_wait));
		longer = sum(r.classified_wait) / max(1 ns, sum(construct.miss_wait)) * construct.longer_wait;
		high = part * min(max(sum(r.classified_wait), longer), construct.most_waiting) / p.thread_time;
		memory = either((sum(r.simulated_dram_local) + sum(r.simulated_dram_remote)) * memory_time, sum(r.classified_wait));
		contiguous = either(sum(r.contiguous) / max(1, sum(r.reads) + sum(r.writes)), 0);
		// As for DataMisses. Caches whose replacement is not LRU keep some of these lines.
		exposed = sum(r.classified_wait) - 75 % * contiguous * max(0 ns, sum(r.classified_wait) - memory);
		low = part * max(exposed / 16, min(exposed, construct.waiting * of_waits)) / p.thread_time;
	IN
	CONDITION: part > 30 % AND high > 2 %;
	CONFIDENCE: 1;
	SEVERITY: min(low, high) TO high;
	EXPLANATION "{part%} of the {misses} misses of {array} in {region} in {execution} are conflict misses: a fully associative cache would"
		" not have them; these lines map to the same few sets.";
	ADVICE "Make the rows of {array}[ (declared at {array_line})] longer by a cache line, so that their length is no large power of two; likewise"
		" arrays that are used in the same loop, if they begin at the same offset of a page.";
}

// Most of these lines hit the second level, so that its miss classes do not cover them. Hits there overlap, but a transfer takes 2 to 4 cycles
// (Fog, microarchitecture), an eighth to a fourth of the latency. At least half of the construct's stalls are assumed to have other causes.
// Addresses of contiguous accesses, and of the next row, are known early: these transfers overlap with the computation, and only their excess
// costs time. In tiled matrix products padding gains nothing with 16-byte vectors, and 30 to 45 % if one access uses a whole line.
PROPERTY L1ConflictMisses(Region r, Phase p) {
	TITLE "conflict misses of a data structure in the first-level cache";
	KINDS DATA_STRUCTURE;
	VIEW arrays;
	REFINES DataMisses;
	LET
		misses = sum(r.simulated_l1d_misses);
		part = sum(r.simulated_l1_conflict_misses) / max(1, misses);
		near = sum(r.near_wait);
		of_waits = near / max(1 ns, sum(construct.miss_wait));
		early = min(1, 4 / 3 * either(sum(r.contiguous) / max(1, sum(r.reads) + sum(r.writes)), 0));
		computing = near / max(1 ns, sum(construct.near_wait)) * construct.least_computing;
		most_exposed = (1 - early) * max(near, of_waits * construct.longer_wait) + early * max(0 ns, near / 4 - computing);
		exposed = (1 - early) * near / 4 + early * max(0 ns, near / 8 - computing);
		high = part * min(most_exposed, construct.most_waiting) / p.thread_time;
		low = part * min(exposed, construct.waiting * of_waits / 2) / p.thread_time;
	IN
	CONDITION: part > 30 % AND high > 2 % AND sum(r.simulated_l2d_misses) < 10 % * misses;
	CONFIDENCE: 1;
	SEVERITY: min(low, high) TO high;
	EXPLANATION "{part%} of the {misses} misses of {array} in the first-level cache in {region} in {execution} are conflict misses: a fully associative"
		" cache would not have them; these lines map to the same few sets.";
	ADVICE "Make the rows of {array}[ (declared at {array_line})] longer by a cache line, so that their length is no large power of two; likewise"
		" arrays that are used in the same loop, if they begin at the same offset of a page.";
}

PROPERTY CapacityMisses(Region r, Phase p) {
	TITLE "capacity misses of a data structure";
	KINDS DATA_STRUCTURE;
	VIEW arrays;
	REFINES DataMisses;
	LET
		misses = sum(r.classified_misses);
		part = sum(r.simulated_capacity_misses) / max(1, sum(r.classified_misses));
		of_waits = sum(r.miss_wait) / max(1 ns, sum(construct.miss_wait));
		longer = sum(r.classified_wait) / max(1 ns, sum(construct.miss_wait)) * construct.longer_wait;
		high = part * min(max(sum(r.classified_wait), longer), construct.most_waiting) / p.thread_time;
		stays = either((sum(construct.simulated_dram_local) + sum(construct.simulated_dram_remote) + sum(construct.simulated_dram_prefetches)
			+ sum(construct.simulated_write_backs)) * 64 bytes / min(threads(construct) * single_bandwidth, attainable_bandwidth)
			* threads(construct), 0 ns);
		// Lines that the construct accesses again do not come again if they stay in a cache.
		once = min(stays, either(either(sum(construct.touched_lines), sum(construct.touched_most)) * 64 bytes
			/ min(threads(construct) * single_bandwidth, attainable_bandwidth) * threads(construct), stays));
		// Out-of-order cores hide most of the third level's latency where the next addresses are known.
		known = either(sum(r.contiguous) / max(1, sum(r.reads) + sum(r.writes)), 0);
		memory = either((sum(r.simulated_dram_local) + sum(r.simulated_dram_remote)) * memory_time, sum(r.classified_wait));
		exposed = sum(r.classified_wait) - 75 % * known * max(0 ns, sum(r.classified_wait) - memory);
		// Of independent accesses, such as indirect ones, more than 16 overlap beyond the second level.
		low = part * max(0 ns, max(min(of_waits * construct.most_waiting, sum(r.classified_wait) / 32) - once,
			min(exposed, of_waits * (construct.waiting - stays)))) / p.thread_time;
	IN
	CONDITION: part > 50 % AND high > 2 %;
	CONFIDENCE: 1;
	SEVERITY: min(low, high) TO high;
	EXPLANATION "{part%} of the {misses} misses of {array} in {region} in {execution} are capacity misses: the lines were evicted before their reuse,"
		" as the data used meanwhile exceeds the cache.";
	ADVICE "Shorten the reuse distance of {array}: block the loops so that a block fits into the cache, fuse loops over the"
		" same arrays, or use smaller elements (float, 32-bit indices).";
}

// `most`: accesses to remotely written lines are an upper bound of sharing misses, and are known with set sampling, too. If they are few, the verdict is false
// without a simulation of all lines.
PROPERTY FalseSharing(Region r, Phase p) {
	TITLE "false sharing: threads write different words of the same cache lines";
	KINDS DATA_STRUCTURE;
	VIEW arrays;
	REFINES DataMisses;
	LET
		most = min(1, sum(r.simulated_contested) / max(1, sum(r.classified_misses)));
		highest = most * min(32 * sum(r.classified_wait), construct.busy_time) / p.thread_time;
		misses = sum(r.simulated_false_sharing_misses);
		part = misses / max(1, sum(r.classified_misses));
		transfers = min(sum(r.simulated_loads) + sum(r.simulated_stores), 32 * sum(r.classified_misses))
			* sum(r.classified_wait) / max(1, sum(r.classified_misses));
		of_waits = sum(r.miss_wait) / max(1 ns, sum(construct.miss_wait));
		longer = of_waits * min(construct.waiting, 2 * transfers);
		low = part * max(sum(r.classified_wait) / 16, min(transfers, construct.waiting * of_waits)) / p.thread_time;
		high = part * min(max(transfers, longer), construct.most_waiting) / p.thread_time;
	IN
	CONDITION: threads(construct) > 1 AND most > 20 % AND highest > 2 % AND part > 20 % AND high > 2 %;
	CONFIDENCE: 1;
	SEVERITY: min(low, high) TO high;
	BY THREAD: r.simulated_false_sharing_misses > 0;
	EXPLANATION "{part%} of the misses of {array} in {region} in {execution} ({misses}) are false sharing: another thread wrote words of the lines that"
		" this one does not use[: threads {threads}].";
	ADVICE "Separate the threads' data in {array}[ (it is declared at {array_line})] by whole cache lines: use private variables or reductions for sums, pad and"
		" align per-thread data to cache lines, and use loop chunks of whole cache lines.";
}

PROPERTY TrueSharing(Region r, Phase p) {
	TITLE "true sharing: threads write data that other threads use";
	KINDS DATA_STRUCTURE;
	VIEW arrays;
	REFINES DataMisses;
	LET
		most = min(1, sum(r.simulated_contested) / max(1, sum(r.classified_misses)));
		highest = most * min(32 * sum(r.classified_wait), construct.busy_time) / p.thread_time;
		misses = sum(r.simulated_true_sharing_misses);
		part = misses / max(1, sum(r.classified_misses));
		// A line that is only read here is transferred once: the interleaving hides nothing.
		hidden = 1 + 31 * min(1, sum(r.simulated_stores));
		transfers = min(sum(r.simulated_loads) + sum(r.simulated_stores), hidden * sum(r.classified_misses))
			* sum(r.classified_wait) / max(1, sum(r.classified_misses));
		of_waits = sum(r.miss_wait) / max(1 ns, sum(construct.miss_wait));
		longer = of_waits * min(construct.waiting, 2 * transfers);
		low = part * max(sum(r.classified_wait) / 16, min(transfers, construct.waiting * of_waits)) / p.thread_time;
		high = part * min(max(transfers, longer), construct.most_waiting) / p.thread_time;
	IN
	CONDITION: threads(construct) > 1 AND most > 20 % AND highest > 2 % AND part > 20 % AND high > 2 %;
	CONFIDENCE: 1;
	SEVERITY: min(low, high) TO high;
	BY THREAD: r.simulated_true_sharing_misses > 0;
	EXPLANATION "{part%} of the misses of {array} in {region} in {execution} ({misses}) are true sharing: another thread wrote words that this one reads"
		" or writes, too[: threads {threads}].";
	ADVICE "Let the same thread work on the same part of {array} in every loop (one static schedule for all, threads bound), and exchange only the"
		" borders. Let each thread sum up in private variables, and combine them at the end (reduction).";
}

PROPERTY PoorLineUtilisation(Region r, Phase p) {
	TITLE "few bytes used of each cache line of a data structure";
	KINDS DATA_STRUCTURE;
	VIEW arrays;
	REFINES DataMisses;
	LET
		fetched = sum(r.simulated_fetched_bytes);
		used = sum(r.simulated_used_bytes) / max(1 bytes, sum(r.simulated_fetched_bytes));
		// x / x with x = max(0, …) is unknown where the share is half or less: the text leaves that part out.
		strided = sum(r.strided) / max(1, sum(r.reads) + sum(r.writes));
		by_stride = strided * max(0, strided - 0.5) / max(0, strided - 0.5);
		by_index = (1 - strided) * max(0, 0.5 - strided) / max(0, 0.5 - strided);
		// Unused bytes that are fetched from memory take their time at the calibrated bandwidth, however well they are prefetched.
		// The lower bound is 80 % of that, as transfers overlap with the computation (bench/gain.sh: hot_field and derived_type gain 87 %). For
		// indirect accesses it is 0: after sorting they may need as many lines.
		lines = sum(r.simulated_dram_local) + sum(r.simulated_dram_remote) + sum(r.simulated_dram_prefetches);
		fetching = either(lines * 64 bytes / min(threads(construct) * single_bandwidth, attainable_bandwidth) * threads(construct), 0 ns);
		high = (1 - used) * min(max(sum(r.classified_wait), fetching), construct.busy_time) / p.thread_time;
		// As for DataMisses.
		contiguous = either(sum(r.contiguous) / max(1, sum(r.reads) + sum(r.writes)), 0);
		memory = either((sum(r.simulated_dram_local) + sum(r.simulated_dram_remote)) * memory_time, sum(r.classified_wait));
		exposed = sum(r.classified_wait) - 75 % * contiguous * max(0 ns, sum(r.classified_wait) - memory);
		of_waits = sum(r.miss_wait) / max(1 ns, sum(construct.miss_wait));
		left = fetching * (1 - min(either(strided, 0), 1 - used));
		low = (1 - used) * max(min(of_waits * construct.most_waiting, exposed / 32) - left,
			80 % * either(strided, 0) * min(fetching, construct.busy_time)) / p.thread_time;
	IN
	CONDITION: fetched > 0 bytes AND used < 50 % AND high > 2 %;
	CONFIDENCE: 1;
	SEVERITY: min(low, high) TO high;
	EXPLANATION "{fetched} of {array} are fetched in {region} in {execution}, of which {used%} are used before the lines are evicted.";
	ADVICE "Store data contiguously that is used together.[ {by_stride%} of the accesses have a constant stride: swap the {loops} so that the innermost runs contiguously over"
		" {array}, or store struct fields that are used alone in arrays of their own.][ {by_index%} of the accesses have no constant stride of a line or more. If {array} is accessed through"
		" indices, sort them, or store it in the order of use. If few fields of a struct are used, store these in arrays of their own.]";
}

// The construct does not read the array and writes all bytes of its lines, so the fetched bytes are overwritten.
PROPERTY WriteAllocateTraffic(Region r, Phase p) {
	TITLE "write-allocate traffic: lines are fetched only to be overwritten";
	KINDS DATA_STRUCTURE;
	VIEW arrays;
	REFINES DataMisses;
	LET
		written = sum(r.simulated_stores);
		read = sum(r.simulated_loads) / max(1, sum(r.simulated_stores));
		fetched = sum(r.simulated_fetched_bytes);
		used = sum(r.simulated_used_bytes) / max(1 bytes, sum(r.simulated_fetched_bytes));
		memory = sum(r.simulated_dram_local) + sum(r.simulated_dram_remote);
		high = min(sum(r.classified_wait), construct.busy_time) / p.thread_time;
	IN
	CONDITION: written > 0 AND read < 1 % AND used > 90 % AND memory > 0 AND high > 2 %;
	CONFIDENCE: 1;
	SEVERITY: high / 16 TO high;
	EXPLANATION "{array} is written and not read in {region}, but its lines are fetched first (write-allocate): {fetched} in {execution}, of which {used%}"
		" are then overwritten; {memory} of these accesses go to memory.";
	ADVICE "If {array}[ (declared at {array_line})] is larger than the caches and not used soon after, bypass them in the {loops} with"
		" non-temporal stores (__builtin_nontemporal_store, _mm_stream_pd, or a compiler's option for streaming stores). Else write it in blocks that fit"
		" into a cache just before they are used, or fuse this loop with the one that uses it. If this loop only initialises {array}, move that to its first use.";
}

PROPERTY ArrayTLBMisses(Region r, Phase p) {
	TITLE "TLB misses of a data structure";
	KINDS DATA_STRUCTURE;
	VIEW arrays;
	REFINES DataMisses;
	LET
		walks = sum(r.simulated_tlb_walks);
		first = sum(r.simulated_tlb_misses);
		rate = walks / max(1, sum(r.simulated_loads) + sum(r.simulated_stores));
		// x / x with x = max(0, …) is unknown where the share is half or less: the text leaves that part out.
		strided = sum(r.strided) / max(1, sum(r.reads) + sum(r.writes));
		by_stride = strided * max(0, strided - 0.5) / max(0, strided - 0.5);
		by_index = (1 - strided) * max(0, 0.5 - strided) / max(0, 0.5 - strided);
		walking = sum(r.simulated_tlb_walks) * walk_time;
		low = min(walking / 2, construct.waiting * walking / max(1 ns, sum(construct.miss_wait))) / p.thread_time;
		high = min(walking, construct.most_waiting) / p.thread_time;
	IN
	CONDITION: rate > 1 % AND high > 2 %;
	CONFIDENCE: 1;
	SEVERITY: min(low, high) TO high;
	EXPLANATION "{walks} page-table walks for {array} in {region} in {execution}: for {rate%} of the accesses. Misses of the first-level TLB:"
		" {first}.";
	ADVICE "[{by_stride%} of the accesses have a constant stride: let the innermost loop stay within a page, swap the {loops}, or block them. ]"
		"[{by_index%} of the accesses have no constant stride of a line or more: if {array} is accessed through indices, sort them or renumber its elements"
		" for locality. ]Larger pages help, too: transparent huge pages (/sys/kernel/mm/transparent_hugepage/enabled: madvise or always), or -lhugetlbfs.";
}
