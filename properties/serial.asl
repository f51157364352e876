// SPDX-License-Identifier: Apache-2.0
// Serial code: one thread works, the others are idle; their idle time is the loss. Waits of that thread for
// a file, a pipe or a timer belong to IOWaiting, as more threads would not shorten them.

PROPERTY SerialFraction(Region r, Phase p) {
	TITLE "serial code between parallel regions";
	ALIASES SerialTime;
	KINDS USER_REGION;
	VIEW functions;
	HINT "where subregions";
	LET
		serial = max(0, sum(r.SERIAL_REGION.wall_time) - sum(r.SERIAL_REGION.serial_blocked));
		part = serial / sum(r.wall_time);
		share = serial * (phase_threads - 1) / p.thread_time;
		team = phase_threads;
	IN
	CONDITION: share > 5 %;
	CONFIDENCE: 1;
	SEVERITY: share;
	EXPLANATION "For {part%} of the wall time one thread works alone, the others of {team} wait. By Amdahl's law this"
		" bounds the speed-up of more threads.";
	ADVICE "Divide serial code between parallel regions among threads, or let it overlap with other work (tasks, nowait).";
}

PROPERTY SerialStretch(Region r, Phase p) {
	TITLE "serial code";
	KINDS SERIAL_REGION;
	VIEW functions;
	REFINES SerialFraction;
	LET
		serial = max(0, sum(r.wall_time) - r.serial_blocked - either(r.serial_system_time, 0 ns));
		share = serial * (phase_threads - 1) / p.thread_time;
		times = executions(r);
		samples = sum(r.samples);
	IN
	CONDITION: share > 2 %;
	CONFIDENCE: 1;
	SEVERITY: share;
	EXPLANATION "This serial code takes {serial} in {execution} on one thread.[ {hot_share} of it is spent in {hot_function}"
		" ({hot_line}).]";
	ADVICE "Parallelise[ the loop around {hot_line}, or around the call of its function, in] this code: parallel for, with reduction(+:x) for sums,"
		" unless an iteration needs what an earlier one computed. If it copies boundaries or swaps arrays, do that"
		" inside the neighbouring parallel region, or swap pointers instead of copying. If it calls a library, use its threaded"
		" version.";
}
