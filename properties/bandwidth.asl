// SPDX-License-Identifier: Apache-2.0
// Memory bandwidth: achieved against attainable. Attainable is the bandwidth that the calibration of this machine
// (`memsearch doctor --calibrate`) predicts for the region's threads: the bandwidth of one thread times their number, at
// most the bandwidth of all CPUs. Both count lines read from memory, write-allocate reads included.

PROPERTY BandwidthBound(Region r, Phase p) {
	TITLE "memory bandwidth is saturated";
	ALIASES MemoryBandwidthBound;
	KINDS USER_REGION, SERIAL_REGION, SUB_REGION, PARALLEL_REGION, DO_REGION, LOOP_REGION;
	VIEW arrays;
	REFINES MemoryBound;
	LET
		achieved = r.achieved_bandwidth;
		attainable = r.possible_bandwidth;
		rate = r.achieved_bandwidth / r.possible_bandwidth;
		fetched = sum(r.dram_reads) * line_size;
		team = threads(r);
		share = min(1, rate) * max(r.time) * threads(r) / p.thread_time;
	IN
	// Real programs seldom exceed 80 to 90 % of a calibration; from 70 % on bandwidth is the limit in nearly all cases.
	CONDITION: rate > 70 % AND share > 2 %;
	CONFIDENCE: 0.9;
	SEVERITY: share;
	EXPLANATION "{team} threads fetch {fetched} here in {execution}: {achieved}, {rate%} of the {attainable} that as many threads"
		" can get from this machine's memory. More threads or prefetching do not help.";
	ADVICE "Reduce the memory traffic: fuse loops over the same arrays, block them so that data is reused while it is in a cache, use"
		" float instead of double if its precision suffices, move fields that the loop does not use to another array. Large results that are not read"
		" again soon can bypass the caches (#pragma omp simd nontemporal(array)), which avoids write-allocate. If half the threads"
		" are as fast, use half, spread over the sockets (OMP_PROC_BIND=spread).";
}
