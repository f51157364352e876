// SPDX-License-Identifier: Apache-2.0
// CPUs: more threads than CPUs, CPUs shared with other programs, threads that move.

PROPERTY Oversubscription(Region r, Phase p) {
	TITLE "more threads than CPUs";
	KINDS USER_REGION;
	LET
		threads = phase_threads;
		cpu_count = cpus;
		switches = sum(r.involuntary_switches);
		idle = max(0, p.thread_time - sum(r.cpu_time));
		share = idle * switches / max(1, switches + sum(r.voluntary_switches)) / p.thread_time;
	IN
	// Threads that sleep need no CPU: only time lost to involuntary switches counts.
	CONDITION: phase_threads > cpus AND switches >= 1 AND share > 5 %;
	CONFIDENCE: 1;
	SEVERITY: share;
	EXPLANATION "{threads} threads share {cpu_count} CPUs: they were put off their CPU {switches} times in one execution of the phase"
		" and had none for {share%} of their time. Whoever waits at a barrier then waits for threads that are not running.";
	ADVICE "Set OMP_NUM_THREADS to {cpu_count}. If nested regions or a threaded library start the additional threads, set"
		" OMP_MAX_ACTIVE_LEVELS=1 or the library's own number of threads. In a container or a batch job ask for as many CPUs as threads.";
}
