// SPDX-License-Identifier: Apache-2.0
// Load imbalance. Refinement: phase -> parallel region -> loop -> threads.
//
// Thresholds. 5 % of the phase's thread-time for the phase, 2 % for one region in it. The default of Paradyn's Performance
// Consultant is 20 % for synchronisation; a report can list smaller losses. Two runs of one
// program differ by up to 2 % on an idle machine.
//
// Only systematic differences count as imbalance: times are summed over the executions before threads are compared, so
// delays of changing threads average out (they are ShiftingImbalance). A loop without a closing barrier, or one whose
// threads do not wait, loses no time. Time in which other programs preempted a thread is subtracted first. Threads
// execute explicit tasks while they wait at a barrier: the sensor subtracts that time from the wait, and waiting because
// no task is left is TaskImbalance.

PROPERTY LoadImbalance(Region r, Phase p) {
	TITLE "threads wait for slower ones at the ends of parallel regions and loops";
	ALIASES Imbalance;
	KINDS USER_REGION;
	VIEW threads;
	EXCLUDES Oversubscription;
	HINT "where subregions";
	LET
		loss = max(0, sum(r.PARALLEL_REGION.imbalance_loss) + sum(r.DO_REGION.imbalance_loss)
			+ sum(r.SECTIONS_REGION.imbalance_loss) - r.task_idle);
		unsure = sum(r.PARALLEL_REGION.unsure_loss) + sum(r.DO_REGION.unsure_loss) + sum(r.SECTIONS_REGION.unsure_loss);
		share = loss / p.thread_time;
		team = phase_threads;
	IN
	CONDITION: phase_threads > 1 AND share > 5 %;
	// The confidence decreases with the time taken by other programs.
	CONFIDENCE: loss / (loss + r.taken);
	SEVERITY: max(0, loss - unsure) / p.thread_time TO share;
	EXPLANATION "In {execution} {team} threads together wait {loss} ({share%} of their time) at the ends of parallel"
		" regions and loops, because the same threads always arrive last.";
	ADVICE "Give the slow threads less work: schedule(dynamic) or schedule(guided) if"
		" the cost of iterations differs, collapse(2) if there are too few iterations.";
}

PROPERTY ImbalanceInRegion(Region r, Phase p) {
	TITLE "threads take different times in a parallel region";
	KINDS PARALLEL_REGION;
	VIEW threads;
	REFINES LoadImbalance;
	HINT "where threads";
	LET
		at_end = r.imbalance_loss;
		inside = sum(r.DO_REGION.imbalance_loss) + sum(r.SECTIONS_REGION.imbalance_loss);
		loss = max(0, r.imbalance_loss + sum(r.DO_REGION.imbalance_loss)
			+ sum(r.SECTIONS_REGION.imbalance_loss) - r.task_idle);
		unsure = r.unsure_loss + sum(r.DO_REGION.unsure_loss) + sum(r.SECTIONS_REGION.unsure_loss);
		share = loss / p.thread_time;
		// The time of a region includes the waits inside it.
		slowest = max(r.time - r.DO_REGION.barrier_wait - r.SECTIONS_REGION.barrier_wait) / executions(r);
		average = mean(r.time - r.DO_REGION.barrier_wait - r.SECTIONS_REGION.barrier_wait) / executions(r);
		samples = sum(r.samples);
	IN
	CONDITION: share > 2 %;
	CONFIDENCE: loss / (loss + sum(r.preempted));
	SEVERITY: max(0, loss - unsure) / p.thread_time TO share;
	EXPLANATION "In {execution} threads wait {loss} here for slower ones ({share%} of the thread-time): {at_end} at the end"
		" of the region, {inside} at the ends of loops and sections inside it. Without these waits the slowest thread"
		" works {slowest} each time, the average one {average}. Time in which other programs used the CPUs is not"
		" counted.[ Most of the time is spent in {hot_function} ({hot_line}).]";
	ADVICE "If the cost of iterations differs, add schedule(dynamic, CHUNK) with chunks of some 10 us, or"
		" schedule(guided). If there are fewer than about ten iterations a thread, use collapse(2). If the work of each thread"
		" depends on its number, divide it by cost instead of by count. With static schedules keep the same division in all loops"
		" over the same arrays, so that threads use pages of their own NUMA node.";
}

PROPERTY ImbalanceInLoop(Region r, Phase p) {
	TITLE "threads take different times in a work-shared loop";
	KINDS DO_REGION, SECTIONS_REGION;
	VIEW threads;
	REFINES ImbalanceInRegion;
	HINT "where threads";
	LET
		loss = r.imbalance_loss;
		share = loss / p.thread_time;
		slowest = max(r.time) / executions(r);
		average = mean(r.time) / executions(r);
		samples = sum(r.samples);
	IN
	CONDITION: share > 2 %;
	CONFIDENCE: loss / (loss + sum(r.preempted));
	SEVERITY: max(0, loss - r.unsure_loss) / p.thread_time TO share;
	EXPLANATION "The slowest thread works {slowest} in this loop, the average one {average}; the others wait for it at the"
		" loop's end: {share%} of the thread-time.[ Most of the time is spent in {hot_function} ({hot_line}).]";
	ADVICE "Iterations of different cost: schedule(dynamic, CHUNK) with chunks of some 10 us, or schedule(guided). Few iterations:"
		" collapse(2). Sections of different length: split the longest, or use tasks. If the following code does not need"
		" the loop's results, nowait lets the early threads continue.";
}

PROPERTY TooFewIterations(Region r, Phase p) {
	TITLE "a loop has too few iterations for its threads";
	KINDS DO_REGION;
	VIEW threads;
	REFINES ImbalanceInLoop;
	LET
		iterations = sum(r.iterations) / executions(r);
		team = count(r.time);
		share = r.imbalance_loss / p.thread_time;
	IN
	// With n iterations of equal cost per thread, one additional iteration slows a thread down by 1/n; for n >= 8
	// that is at most 12.5 %. Where the runtime does not report iterations (static loops of libgomp) it is unknown.
	CONDITION: share > 2 % AND team / iterations > 12.5 %;
	CONFIDENCE: 0.9;
	SEVERITY: share;
	EXPLANATION "The loop has {iterations} iterations for {team} threads: they cannot be divided evenly.";
	ADVICE "Distribute an inner loop as well: collapse(2). Or interchange the loops so that the long one is distributed, or split"
		" the iterations into smaller pieces of work.";
}

PROPERTY SlowThreads(Region r, Phase p) {
	TITLE "a few threads take longer than the rest";
	KINDS PARALLEL_REGION, DO_REGION, SECTIONS_REGION;
	VIEW threads;
	REFINES ImbalanceInRegion, ImbalanceInLoop;
	LET
		middle = mean(r.time) + (max(r.time) - mean(r.time)) / 2;
		slow = count(r.time > mean(r.time) + (max(r.time) - mean(r.time)) / 2);
		team = count(r.time);
		// unknown where there is none
		unsure = r.unsure_loss / min(1, r.unsure_loss / 1 ns);
		// unknown where accesses explain less than half of the loss
		explained = max(0, r.uneven_accesses - r.imbalance_loss / 2);
		more = max(r.accessed) / mean(r.accessed) * explained / explained;
		share = r.imbalance_loss / p.thread_time;
	IN
	CONDITION: share > 2 % AND slow <= max(1, team / 4);
	CONFIDENCE: r.imbalance_loss / (r.imbalance_loss + sum(r.preempted));
	SEVERITY: max(0, r.imbalance_loss - r.unsure_loss) / p.thread_time TO share;
	BY THREAD: r.time > middle;
	EXPLANATION "{slow} of {team} threads[ (number {threads})] take more than {middle} in {execution}; the others wait for"
		" them.[ The work is divided unevenly: one thread makes {more} times as many accesses as the mean of all.]"
		"[ Up to {unsure} of that may be caused by slower CPUs. Run it again: if other threads are slow then, their work is not the cause.]";
	ADVICE "[Divide the work evenly, as one thread makes {more} times as many accesses as the mean of all: schedule(dynamic, CHUNK) or"
		" schedule(guided), or small chunks of a static schedule. ]Check the work of these threads: the first or last part of a"
		" static division (triangular loops, boundaries: schedule(dynamic) or guided divides these evenly), a long one of few sections (split it, or make tasks), extra work under a condition on"
		" omp_get_thread_num(), or data on another NUMA node.";
}

PROPERTY ShiftingImbalance(Region r, Phase p) {
	TITLE "load imbalance: the slowest thread changes from execution to execution";
	KINDS USER_REGION;
	VIEW threads;
	EXCLUDES Oversubscription, CpusTaken;
	HINT "where subregions";
	LET
		taken = r.taken;
		loss = max(0, sum(r.PARALLEL_REGION.shifting_loss) + sum(r.DO_REGION.shifting_loss)
			+ sum(r.SECTIONS_REGION.shifting_loss) - r.task_idle
			- (r.taken + sum(r.PARALLEL_REGION.start_delay)) * (phase_threads - 1));
		share = loss / p.thread_time;
	IN
	// While one thread is preempted, or wakes late for its region, the rest of the team may wait as long: the program does
	// not cause that wait, so it is subtracted.
	CONDITION: phase_threads > 1 AND share > 5 %;
	CONFIDENCE: 0.8;
	SEVERITY: share;
	EXPLANATION "In {execution} the threads wait {loss} ({share%} of their time) at the ends of parallel regions and loops,"
		" for other threads each time: in total all threads have the same work.";
	ADVICE "A static schedule does not fit work that changes between executions. Use schedule(dynamic) or"
		" schedule(guided), or nowait and fewer barriers, so that differences average out.";
}

PROPERTY ShiftingImbalanceInRegion(Region r, Phase p) {
	TITLE "the slowest thread of a region changes from execution to execution";
	KINDS PARALLEL_REGION, DO_REGION, SECTIONS_REGION;
	VIEW threads;
	REFINES ShiftingImbalance;
	LET
		taken = sum(r.preempted);
		late = sum(r.start_delay);
		loss = max(0, r.shifting_loss - r.task_idle - (taken + late) * (count(r.time) - 1));
		share = loss / p.thread_time;
		wait = mean(r.barrier_wait) / executions(r);
		work = mean(r.time) / executions(r);
	IN
	CONDITION: share > 2 %;
	CONFIDENCE: 0.8;
	SEVERITY: share;
	EXPLANATION "A thread works {work} here on average and then waits {wait} for others, but the slowest thread changes.";
	ADVICE "schedule(dynamic, CHUNK) or schedule(guided) balances work that changes between executions. If the work is random, make the"
		" region longer (several steps or loops without a barrier between them): sums of many terms vary less.";
}
