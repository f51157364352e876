// SPDX-License-Identifier: Apache-2.0
// Waiting at explicit barriers, and at implicit ones of loops and single constructs that the runtime does not report
// (all of gcc's static loops, which are compiled inline).
//
// The cost of the barrier itself (at most 50 us per thread and execution) belongs to WorkTooFine. Waiting at the end of a
// single construct belongs to that construct; waiting for a master construct before a barrier, and for
// threads that another program has preempted, is subtracted here.

PROPERTY BarrierWaiting(Region r, Phase p) {
	TITLE "threads wait at barriers";
	KINDS USER_REGION;
	VIEW threads, sync;
	EXCLUDES Oversubscription;
	HINT "where subregions";
	LET
		waiting = sum(r.BARRIER_REGION.barrier_wait) - sum(r.BARRIER_REGION.barrier_cost);
		alone = sum(r.MASTER_REGION.time) * (phase_threads - 1);
		taken = r.taken * (phase_threads - 1);
		share = max(0, waiting - alone - taken - r.task_idle) / p.thread_time;
		barriers = executions(r.BARRIER_REGION);
	IN
	CONDITION: phase_threads > 1 AND share > 5 %;
	CONFIDENCE: 1;
	SEVERITY: share;
	EXPLANATION "In {execution} the threads pass {barriers} barriers and wait there {share%} of their time for threads that"
		" arrive later.";
	ADVICE "Divide the work before the barriers evenly (schedule(dynamic) or guided if the cost of iterations differs), or remove"
		" unnecessary barriers (nowait).";
}

PROPERTY LateAtBarrier(Region r, Phase p) {
	TITLE "some threads arrive late at a barrier";
	KINDS BARRIER_REGION;
	VIEW threads, sync;
	REFINES BarrierWaiting;
	HINT "where threads";
	LET
		waiting = sum(r.barrier_wait) - r.barrier_cost;
		share = min(1, waiting / p.thread_time);
		each = mean(r.barrier_wait) / executions(r);
		longest = max(r.barrier_wait) / executions(r);
		shortest = min(r.barrier_wait) / executions(r);
		average = mean(r.barrier_wait);
		lasting = r.late_loss / max(1 ns, sum(r.barrier_wait));
		around = sum(parent.samples);
	IN
	CONDITION: share > 2 %;
	// Threads also wait for those whose CPU another program has.
	CONFIDENCE: waiting / (waiting + r.disturbance);
	SEVERITY: share;
	BY THREAD: r.barrier_wait < average / 2;
	EXPLANATION "Threads wait {each} each time at this barrier ({share%} of the thread-time); the minimum of all threads is"
		" {shortest}, the maximum {longest}. {lasting%} of it is waiting for the same threads every time[:"
		" those with number {threads}].[ Most"
		" of the time around it is spent in {parent_hot_function} ({parent_hot_line}).]";
	ADVICE "The work between the previous barrier and this one is divided unevenly. If all threads wait equally long, the late thread changes each"
		" time. If it is a loop (gcc's barriers at the end of static"
		" loops look like this), try schedule(dynamic, CHUNK), schedule(guided) or collapse(2). If the next loop works on the same"
		" iterations with the same static schedule, this barrier is not needed: nowait.";
}

PROPERTY SingleSerialisation(Region r, Phase p) {
	TITLE "one thread executes single or master constructs while the others wait";
	KINDS USER_REGION;
	VIEW threads, sync;
	HINT "where subregions";
	LET
		alone = sum(r.SINGLE_REGION.time) + sum(r.MASTER_REGION.time);
		at_single = min(sum(r.SINGLE_REGION.time) * (phase_threads - 1), sum(r.SINGLE_REGION.barrier_wait));
		at_barriers = min(sum(r.MASTER_REGION.time) * (phase_threads - 1), sum(r.BARRIER_REGION.barrier_wait));
		share = max(0, at_single + at_barriers - r.task_idle - sum(r.TASK_REGION.tasks) * 300 ns) / p.thread_time;
	IN
	// While one thread creates tasks, the others execute them; the runtime's cost of each task belongs to TasksTooSmall.
	CONDITION: phase_threads > 1 AND share > 5 %;
	CONFIDENCE: 0.9;
	SEVERITY: share;
	EXPLANATION "Inside parallel regions one thread works alone for {alone} in {execution}; the others wait at the next"
		" barrier: {share%} of the thread-time.";
	ADVICE "Let the other threads continue meanwhile (nowait, tasks), or divide the work of these constructs among threads.";
}

PROPERTY SingleConstruct(Region r, Phase p) {
	TITLE "threads wait for the thread that executes a single construct";
	KINDS SINGLE_REGION;
	VIEW threads, sync;
	REFINES SingleSerialisation;
	LET
		alone = sum(r.time);
		team = count(r.barrier_wait);
		// nowait: no thread waits, and no time is lost
		waiting = sum(r.barrier_wait);
		share = min(alone * (phase_threads - 1), waiting) / p.thread_time;
		samples = sum(r.samples);
	IN
	CONDITION: share > 2 %;
	CONFIDENCE: 1;
	SEVERITY: share;
	EXPLANATION "One thread works in this construct for {alone} in {execution}, the {team} threads wait at its end for"
		" {waiting} together.[ Most of it is spent in {hot_function} ({hot_line}).]";
	ADVICE "If it only initialises or sums up, let all threads do it: a work-shared loop or a reduction. If it is input or output, overlap"
		" it with the computation: single nowait, or a task. If the others do not need its result at once, add nowait and put the"
		" barrier before its first use.";
}

PROPERTY MasterConstruct(Region r, Phase p) {
	TITLE "one thread executes a master or masked construct while the others wait";
	KINDS MASTER_REGION;
	VIEW threads, sync;
	REFINES SingleSerialisation;
	LET
		alone = sum(r.time);
		share = alone * (phase_threads - 1) / p.thread_time;
		samples = sum(r.samples);
	IN
	// The construct has no barrier of its own: SingleSerialisation has proven that the others wait at a later one.
	CONDITION: share > 2 %;
	CONFIDENCE: 0.8;
	SEVERITY: share;
	EXPLANATION "The master thread works in this construct for {alone} in {execution}; the others wait for it at a later"
		" barrier.[ Most of it is spent in {hot_function} ({hot_line}).]";
	ADVICE "If the work can be done by any thread, use single nowait or a task, so that the master thread is not the last at the next"
		" barrier. If it can be divided, make it a work-shared loop or a reduction.";
}
