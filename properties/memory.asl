// SPDX-License-Identifier: Apache-2.0
// Page faults: memory that is allocated from the kernel again in every execution of the phase, and swapping.

PROPERTY PageFaults(Region r, Phase p) {
	TITLE "page faults in the phase";
	KINDS USER_REGION;
	VIEW threads;
	HINT "where subregions";
	LET
		faults = sum(r.minor_faults);
		least = fault_cost;
		cost = min(faults * least, p.thread_time);
		share = cost / p.thread_time;
	IN
	// System time is no upper bound: the kernel divides CPU time by timer ticks, and a short phase may have none.
	CONDITION: faults >= 100 AND share > 5 %;
	CONFIDENCE: 0.9;
	SEVERITY: share;
	EXPLANATION "{faults} page faults are taken in {execution}; at {least} each, or more, they account for {share%} of the"
		" thread-time. Memory that stays allocated faults only once.";
	ADVICE "Allocate memory once: temporaries that are allocated and freed in every step are the usual cause.";
}

PROPERTY FaultsInRegion(Region r, Phase p) {
	TITLE "page faults in a region";
	KINDS SERIAL_REGION, PARALLEL_REGION;
	VIEW threads;
	REFINES PageFaults;
	LET
		faults = sum(r.minor_faults);
		share = min(1, faults * fault_cost / p.thread_time);
		// Faults of several threads contend in the kernel, and freeing the pages costs as much again.
		most = min(1, max(share, either(sum(r.system_time) / p.thread_time, share)));
		each = faults / executions(r);
	IN
	CONDITION: faults >= 50 AND share > 2 %;
	CONFIDENCE: 0.9;
	SEVERITY: share TO most;
	EXPLANATION "{faults} page faults are taken here in {execution}, {each} each time the region runs.";
	ADVICE "Allocate once and reuse the memory: only the first touch of a page is unavoidable. See the source lines of the faults, if they were sampled.";
}

PROPERTY AllocationChurn(Region r, Phase p) {
	TITLE "memory is allocated, touched and freed again in every execution of the phase";
	KINDS SERIAL_REGION, PARALLEL_REGION, DO_REGION;
	VIEW threads;
	REFINES FaultsInRegion;
	LET
		faults = sum(r.fault_samples);
		touched = faults * 4 KiB;
		share = min(1, faults * fault_cost / p.thread_time);
		// System time is that of the faults. Freeing the pages (outside of the region, while other threads wait) and cold
		// TLBs and caches after a fault cost as much again: measured with two threads on a virtual machine.
		most = min(1, 2 * max(share, either(sum(r.system_time) / p.thread_time, share)));
	IN
	// First touches in the first executions are needed: only faults that continue in later ones count.
	CONDITION: phase_executions >= 3 AND faults >= 50 AND share > 2 %;
	CONFIDENCE: 0.9;
	SEVERITY: share TO most;
	EXPLANATION "Code of this region touches {faults} new pages ({touched} or more) in {execution}[, most of them in"
		" {hot_function} ({hot_line})]: freed memory is returned to the kernel, and each page that is allocated again costs"
		" a fault.";
	ADVICE "Allocate the temporaries once, before the time loop, and reuse them. In Fortran, automatic and allocatable arrays of a"
		" subroutine are such temporaries: give them the save attribute or pass them in. Without a change to the code:"
		" MALLOC_MMAP_MAX_=0 MALLOC_TRIM_THRESHOLD_=2147483648 in the environment lets glibc keep freed memory"
		" (in the program: mallopt with M_MMAP_MAX and M_TRIM_THRESHOLD, or a larger M_MMAP_THRESHOLD).";
}

// A pair of malloc and free takes 15 to 20 ns in glibc's thread cache, and several times as long if blocks come from an arena or another thread frees
// them. Indirect costs (zeroing, touching other cache lines) are not included.
PROPERTY Allocations(Region r, Phase p) {
	TITLE "much time in malloc and free";
	KINDS USER_REGION;
	VIEW threads;
	HINT "where subregions";
	LET
		blocks = sum(r.allocations);
		share = min(1, blocks * 15 ns / p.thread_time);
	IN
	CONDITION: share > 5 %;
	CONFIDENCE: 0.9;
	SEVERITY: share TO min(1, 4 * share);
	EXPLANATION "{blocks} blocks are allocated in {execution}, and as many freed: at 15 ns a pair or more that is {share%} of the thread-time.";
	ADVICE "Allocate once and reuse the memory; see the regions below.";
}

PROPERTY AllocationsInRegion(Region r, Phase p) {
	TITLE "small blocks are allocated and freed in a hot loop";
	KINDS SERIAL_REGION, PARALLEL_REGION, DO_REGION;
	VIEW threads;
	REFINES Allocations;
	LET
		blocks = sum(r.allocations);
		share = min(1, blocks * 15 ns / p.thread_time);
		each = sum(r.cpu_time) / max(1, blocks);
	IN
	CONDITION: share > 3 %;
	CONFIDENCE: 0.9;
	SEVERITY: share TO min(1, 4 * share);
	EXPLANATION "{blocks} blocks are allocated here in {execution}, and as many freed: one in {each} of CPU time[; hottest is {hot_function} ({hot_line})].";
	ADVICE "Allocate once for each thread, outside of the loop, and reuse the memory: clear() and resize() instead of a new vector or string, an array"
		" of fixed size for few elements, a pool for nodes. In Fortran, automatic and allocatable arrays of a subroutine that is called in the loop are"
		" such blocks.";
}

PROPERTY Swapping(Region r, Phase p) {
	TITLE "major page faults: pages are read from storage";
	KINDS USER_REGION;
	VIEW threads;
	LET
		faults = sum(r.major_faults);
		off = max(0, p.thread_time - sum(r.cpu_time));
		share = min(off, faults * 100 us) / p.thread_time;
	IN
	// 100 us is what a solid state disk needs for one page; a rotating disk needs 5 ms.
	CONDITION: faults >= 10 AND share > 2 %;
	CONFIDENCE: 0.8;
	SEVERITY: share;
	EXPLANATION "{faults} page faults in {execution} needed storage: memory was swapped out, or a mapped file is read.";
	ADVICE "Use less memory, or a machine with more. Check the memory limit of the container or batch job. If files are mapped, read them"
		" before the time loop (MAP_POPULATE, madvise(MADV_WILLNEED)).";
}
