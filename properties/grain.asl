// SPDX-License-Identifier: Apache-2.0
// Work divided too finely: regions, loops, barriers and chunks so short that starting and ending them costs more than
// a small part of the time. At most 50 us per thread and execution count as the cost of a construct (see
// metrics/time.metrics), so that long regions with late threads do not count. Threads also wait while other programs use
// their CPUs: the confidence decreases with that time (metric disturbance).

PROPERTY WorkTooFine(Region r, Phase p) {
	TITLE "parallel regions, loops or barriers are too short";
	ALIASES RegionsTooSmall;
	KINDS USER_REGION;
	VIEW threads;
	EXCLUDES Oversubscription;
	HINT "where subregions";
	LET
		regions_cost = sum(r.PARALLEL_REGION.fork_join_cost);
		loops_cost = sum(r.DO_REGION.fork_join_cost) + sum(r.SECTIONS_REGION.fork_join_cost);
		barriers_cost = sum(r.BARRIER_REGION.barrier_cost);
		cost = regions_cost + loops_cost + barriers_cost;
		share = cost / p.thread_time;
		regions = executions(r.PARALLEL_REGION);
		loops = executions(r.DO_REGION);
		barriers = executions(r.BARRIER_REGION);
	IN
	CONDITION: phase_threads > 1 AND share > 5 %;
	CONFIDENCE: cost / (cost + r.disturbance);
	// As for RegionTooSmall.
	SEVERITY: share TO min(1, (cost + min(either(sum(r.PARALLEL_REGION.time), 0 ns), 5 us * regions * phase_threads))
		/ max(p.thread_time / 2, p.thread_time - optional(sum(p.tool_time), 0 ns)));
	EXPLANATION "There are {regions} parallel regions, {loops} loops and {barriers} barriers in {execution}; starting and"
		" ending them takes {share%} of the thread-time.";
	ADVICE "Fuse consecutive regions and loops, or run small ones on one thread (if clause).";
}

PROPERTY RegionTooSmall(Region r, Phase p) {
	TITLE "a parallel region is too small";
	KINDS PARALLEL_REGION;
	VIEW threads;
	REFINES WorkTooFine;
	LET
		cost = r.fork_join_cost;
		share = cost / p.thread_time;
		work = mean(r.time) / executions(r);
		overhead = cost / executions(r) / count(r.time);
		times = executions(r);
	IN
	// A region whose start and end cost less than a tenth of its work is not what makes the phase slow.
	CONDITION: share > 2 % AND cost > 10 % * sum(r.time);
	CONFIDENCE: cost / (cost + r.disturbance);
	// The work includes loop scheduling and line transfers from other cores' caches: at most 5 us, the cost of a barrier.
	// The program alone does not spend the time of the tool, which is much of a step of few microseconds.
	SEVERITY: share TO min(1, (cost + min(sum(r.time), 5 us * executions(r) * count(r.time)))
		/ max(p.thread_time / 2, p.thread_time - optional(sum(p.tool_time), 0 ns)));
	EXPLANATION "Each thread works {work} in this region, and starting and ending it costs {overhead};"
		" executions in {execution}: {times}.";
	ADVICE "Fuse it with the regions before and after it: one parallel region around several loops, or around the whole time step, with"
		" work-shared loops inside and nowait where no barrier is needed. If its size varies, add an if clause so that small ones run on"
		" one thread: parallel for if(n > 10000). If it is inside a loop, parallelise the outer loop instead.";
}

PROPERTY LoopTooSmall(Region r, Phase p) {
	TITLE "a work-shared loop is too small";
	KINDS DO_REGION, SECTIONS_REGION;
	VIEW threads;
	REFINES WorkTooFine;
	LET
		cost = r.fork_join_cost;
		share = cost / p.thread_time;
		work = mean(r.time) / executions(r);
		overhead = cost / executions(r) / count(r.time);
		times = executions(r);
	IN
	CONDITION: share > 2 % AND cost > 10 % * sum(r.time);
	CONFIDENCE: cost / (cost + r.disturbance);
	SEVERITY: share;
	EXPLANATION "Each thread works {work} in this loop and then spends {overhead} at the barrier that closes it, {times}"
		" times in {execution}.";
	ADVICE "Distribute an outer loop, merge this one with the next over the same range, or let one thread execute it where it is this small"
		" (if clause); add nowait only if the following code does not need its results.";
}

PROPERTY BarrierTooFrequent(Region r, Phase p) {
	TITLE "a barrier is executed too often";
	KINDS BARRIER_REGION;
	VIEW threads;
	REFINES WorkTooFine;
	LET
		cost = r.barrier_cost;
		share = cost / p.thread_time;
		overhead = cost / executions(r) / count(r.barrier_wait);
		times = executions(r);
	IN
	CONDITION: share > 2 %;
	CONFIDENCE: cost / (cost + r.disturbance);
	SEVERITY: share;
	EXPLANATION "This barrier is executed {times} times in {execution} and costs each thread {overhead}, even when all"
		" arrive together.";
	ADVICE "Remove it if the code before and after it accesses different data, or the same data by the same threads (nowait between loops of the same"
		" static schedule). Otherwise increase the work between barriers: interchange loops so that the barrier is in the outer loop.";
}

PROPERTY ThreadsWakeLate(Region r, Phase p) {
	TITLE "sleeping threads are woken up for a parallel region";
	KINDS PARALLEL_REGION;
	VIEW threads;
	REFINES WorkTooFine;
	LET
		delay = mean(r.start_delay) / executions(r);
		cost = min(sum(r.start_delay), r.fork_join_cost);
		share = cost / p.thread_time;
		times = executions(r);
	IN
	// A thread that spins starts within 1 to 5 us; one that sleeps needs a system call and a scheduler.
	CONDITION: share > 2 % AND delay > 20 us;
	CONFIDENCE: 0.9 * cost / (cost + r.disturbance);
	SEVERITY: share;
	EXPLANATION "A thread starts on average {delay} after the region has begun, {times} times in {execution}: the threads"
		" were asleep.";
	ADVICE "Let waiting threads spin longer: OMP_WAIT_POLICY=active, or KMP_BLOCKTIME larger than the serial time before this region, if"
		" no other program needs the CPUs. Or fuse this region with the one before it.";
}

// With several threads the line of the loop's counter goes from CPU to CPU: libgomp takes 18 ns and more for a chunk instead of 5, libomp
// 400 instead of 50.
PROPERTY ChunksTooSmall(Region r, Phase p) {
	TITLE "the chunks of dynamic loops are very small";
	KINDS USER_REGION;
	VIEW threads;
	HINT "where DO_REGION";
	LET
		chunks = sum(r.DO_REGION.dealt_chunks);
		cost = chunk_cost * (1 + min(1, phase_threads - 1) / 2);
		share = chunks * cost / p.thread_time;
	IN
	CONDITION: share > 2 %;
	CONFIDENCE: 0.8;
	SEVERITY: share;
	EXPLANATION "{chunks} chunks are assigned in {execution}; at {cost} each that is {share%} of the thread-time.";
	ADVICE "Give the dynamic loops a chunk size: schedule(dynamic, CHUNK) with chunks of some 10 us.";
}

PROPERTY ChunksTooSmallInLoop(Region r, Phase p) {
	TITLE "the chunks of a dynamic loop are very small";
	KINDS DO_REGION;
	VIEW threads;
	REFINES ChunksTooSmall;
	LET
		chunks = r.dealt_chunks;
		chunk_time = sum(r.time) / sum(r.chunks);
		cost = chunk_cost * (1 + min(1, phase_threads - 1) / 2);
		share = r.dealt_chunks * cost / p.thread_time;
	IN
	CONDITION: share > 2 % AND chunk_time < 5 us;
	CONFIDENCE: 0.8;
	SEVERITY: share TO max(share, sum(r.time) / p.thread_time);
	EXPLANATION "A chunk of this loop takes {chunk_time}, scheduling included; {chunks} are assigned in {execution}, each by a"
		" counter that all threads share. Each takes {cost} or more; all together take at most the loop's time.";
	ADVICE "Use schedule(dynamic, CHUNK) with chunks of 10 to 50 us of work, or schedule(guided). If all iterations cost the same,"
		" schedule(static) needs no counter at all.";
}
