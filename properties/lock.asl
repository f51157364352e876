// SPDX-License-Identifier: Apache-2.0
// Waiting at critical and ordered constructs and for locks. The hold time of a lock determines the number of threads that saturates it
// (McKenney, "Differential Profiling", 1999): the report computes it for each lock, as several regions may acquire one.

PROPERTY LockWaiting(Region r, Phase p) {
	TITLE "threads wait for locks";
	KINDS USER_REGION;
	VIEW sync;
	EXCLUDES Oversubscription;
	HINT "where subregions";
	LET
		waiting = sum(r.SUBREGIONS.lock_wait);
		share = waiting / p.thread_time;
		busiest = max(r.MUTEX.lock_use);
		longest_hold = max(r.MUTEX.hold);
		slowest_handover = max(r.MUTEX.handover);
	IN
	CONDITION: phase_threads > 1 AND share > 5 %;
	CONFIDENCE: 1;
	SEVERITY: share;
	EXPLANATION "In {execution} the threads wait {waiting} ({share%} of their time) to enter critical or ordered constructs"
		" or to get locks.[ The busiest lock is held {busiest%} of the time.]";
	ADVICE "Hold locks for less time, or use several: one for each part of the data, atomic updates, or a reduction.";
}

PROPERTY CriticalContention(Region r, Phase p) {
	TITLE "threads wait to enter a critical construct";
	KINDS CRITICAL_REGION;
	VIEW sync;
	REFINES LockWaiting;
	LET
		waiting = sum(r.lock_wait);
		share = waiting / p.thread_time;
		entries = executions(r);
		each = max(r.lock_wait) / executions(r);
		held = r.hold;
		use = r.lock_use;
		high = max(share, min(1, r.lock_cost / p.thread_time));
	IN
	CONDITION: share > 2 %;
	CONFIDENCE: 1;
	SEVERITY: share TO high;
	EXPLANATION "A thread enters this critical construct up to {entries} times in {execution} and waits {each} each time:"
		" {share%} of the thread-time.[ It stays for {held}: some thread is in it {use%} of the time.]";
	ADVICE "For sums use reduction(+:x), or let each thread keep its own copy and combine the copies once at the end. For"
		" a single update of one variable use atomic. Give unrelated critical constructs different names: all unnamed ones are one lock."
		" Compute before entering, and enter only to store.";
}

PROPERTY LockContention(Region r, Phase p) {
	TITLE "threads wait for a lock";
	KINDS LOCK_REGION;
	VIEW sync;
	REFINES LockWaiting;
	LET
		waiting = sum(r.lock_wait);
		share = waiting / p.thread_time;
		entries = executions(r);
		each = max(r.lock_wait) / executions(r);
		held = r.hold;
		use = r.lock_use;
		high = max(share, min(1, r.lock_cost / p.thread_time));
	IN
	CONDITION: share > 2 %;
	CONFIDENCE: 1;
	SEVERITY: share TO high;
	EXPLANATION "A thread acquires this lock up to {entries} times in {execution} and waits {each} each time: {share%} of"
		" the thread-time.[ It is held for {held}: {use%} of the time.]";
	ADVICE "If it guards sums, let each thread keep its own and add them once at the end (reduction(+:x)); for a simple update use atomic. Else"
		" use several locks, one for each part of the data (for a table: one for every few hundred entries), or keep the lock for less time.";
}

PROPERTY OrderedWaiting(Region r, Phase p) {
	TITLE "threads wait in an ordered construct";
	KINDS ORDERED_REGION;
	VIEW sync;
	REFINES LockWaiting;
	LET
		waiting = sum(r.lock_wait);
		share = waiting / p.thread_time;
		entries = executions(r);
	IN
	CONDITION: share > 2 %;
	CONFIDENCE: 1;
	SEVERITY: share;
	EXPLANATION "The threads wait {waiting} in {execution} for the iterations before theirs to pass this ordered construct.";
	ADVICE "Use schedule(static, 1) or a small chunk, so that consecutive iterations are on different threads. Better: store the"
		" results in an array by iteration and write them in order after the loop.";
}
