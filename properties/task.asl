// SPDX-License-Identifier: Apache-2.0
// Explicit tasks: unevenly distributed, too few, too small, or waited for.

PROPERTY TaskImbalance(Region r, Phase p) {
	TITLE "tasks are distributed unevenly over the threads";
	KINDS USER_REGION;
	VIEW threads;
	EXCLUDES TasksTooSmall;
	HINT "where TASK_REGION";
	LET
		busiest = max(r.TASK_REGION.task_time);
		total = sum(r.TASK_REGION.task_time);
		waiting = sum(r.SUBREGIONS.barrier_wait);
		loss = max(0, min(phase_threads * busiest - total, waiting));
		share = loss / p.thread_time;
		tasks = sum(r.TASK_REGION.tasks);
	IN
	CONDITION: phase_threads > 1 AND share > 5 % AND total > 5 % * p.thread_time;
	CONFIDENCE: 0.8;
	SEVERITY: share;
	EXPLANATION "The busiest thread executes tasks for {busiest} in {execution}, and all {tasks} tasks together take {total}."
		" The other threads wait meanwhile: {share%} of the thread-time.";
	ADVICE "Create more and smaller tasks (about ten per thread, each of 50 us or more), the longest ones first (priority clause). For"
		" a loop over independent items use taskloop with a grainsize.";
}

PROPERTY TooFewTasks(Region r, Phase p) {
	TITLE "too few tasks for the threads";
	KINDS TASK_REGION;
	VIEW threads;
	REFINES TaskImbalance;
	LET
		tasks = sum(r.tasks);
		team = phase_threads;
		each = sum(r.task_time) / sum(r.tasks);
		share = max(0, phase_threads * max(r.task_time) - sum(r.task_time)) / p.thread_time;
	IN
	CONDITION: share > 2 % AND tasks < 8 * phase_threads;
	CONFIDENCE: 0.8;
	SEVERITY: share;
	EXPLANATION "Tasks of this construct in {execution}: {tasks}, of {each} each, for {team} threads: at the end few"
		" threads have a task.";
	ADVICE "Split the tasks: with ten or more per thread the load is balanced.";
}

PROPERTY TasksTooSmall(Region r, Phase p) {
	TITLE "tasks are too small";
	KINDS USER_REGION;
	VIEW threads;
	HINT "where TASK_REGION";
	LET
		tasks = sum(r.TASK_REGION.tasks);
		each = sum(r.TASK_REGION.task_time) / sum(r.TASK_REGION.tasks);
		// of the program's own time: for small tasks, measuring takes as long as the tasks
		share = min(1, tasks * 300 ns / max(1 ns, p.thread_time - sum(p.tool_time)));
	IN
	// 120 to 500 ns to create, queue and start a task with libomp on one thread, more where threads contend for it.
	CONDITION: tasks > 0 AND share > 5 % AND each < 5 us;
	CONFIDENCE: 0.8;
	SEVERITY: share;
	EXPLANATION "{tasks} tasks of {each} are created in {execution}; at 300 ns for creating and starting each, that is {share%}"
		" of the program's own thread-time.";
	ADVICE "Merge tasks: stop creating tasks below a certain size (final or if clause, or a plain call), or use"
		" taskloop with a grainsize.";
}

PROPERTY SmallTasks(Region r, Phase p) {
	TITLE "a construct creates very small tasks";
	KINDS TASK_REGION;
	VIEW threads;
	REFINES TasksTooSmall;
	LET
		tasks = sum(r.tasks);
		each = sum(r.task_time) / sum(r.tasks);
		// of the program's own time: for small tasks, measuring takes as long as the tasks
		share = min(1, tasks * 300 ns / max(1 ns, p.thread_time - sum(p.tool_time)));
	IN
	CONDITION: tasks > 0 AND share > 2 % AND each < 5 us;
	CONFIDENCE: 0.8;
	SEVERITY: share;
	EXPLANATION "This construct creates {tasks} tasks of {each} in {execution}.";
	ADVICE "Give each task at least some 20 us of work: several items at once (taskloop grainsize), or in a recursion a plain call below a"
		" certain depth (if and final clauses).";
}

PROPERTY TaskwaitWaiting(Region r, Phase p) {
	TITLE "threads wait for tasks to end";
	KINDS USER_REGION;
	VIEW threads;
	EXCLUDES TasksTooSmall;
	HINT "where TASKWAIT_REGION";
	LET
		waiting = min(sum(r.TASKWAIT_REGION.barrier_wait), max(0, p.thread_time - sum(r.TASK_REGION.task_time)));
		share = max(0, waiting - r.task_idle) / p.thread_time;
	IN
	// A thread that waits for tasks executes others meanwhile; the sensor subtracts that from the wait. Where tasks are very small,
	// the wait is the runtime's own cost, which is TasksTooSmall.
	CONDITION: phase_threads > 1 AND share > 5 %;
	CONFIDENCE: 0.8;
	SEVERITY: share;
	EXPLANATION "In {execution} threads wait {waiting} for their tasks to end, with nothing else to execute: {share%} of"
		" the thread-time.";
	ADVICE "Create the tasks that are waited for earlier, or divide their work evenly.";
}

PROPERTY TaskwaitHere(Region r, Phase p) {
	TITLE "threads wait long at a taskwait or taskgroup";
	KINDS TASKWAIT_REGION;
	VIEW threads;
	REFINES TaskwaitWaiting;
	EXCLUDES TasksTooSmall;
	LET
		waiting = sum(r.barrier_wait);
		share = waiting / p.thread_time;
		each = max(r.barrier_wait) / executions(r);
	IN
	CONDITION: share > 2 %;
	CONFIDENCE: 0.8;
	SEVERITY: share;
	EXPLANATION "Threads wait here {each} each time until their tasks have ended.";
	ADVICE "Replace taskwait by depend clauses, so that only what needs a result waits for it; create independent tasks before the wait, so"
		" that the waiting thread can execute them.";
}
