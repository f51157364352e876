// SPDX-License-Identifier: Apache-2.0
// Waiting for files, pipes, sockets and timers: wall time without CPU time, outside of the runtime's own waits.
//
// A thread leaves its CPU to wait (voluntary context switches) or is preempted (involuntary ones); only waiting counts here. Time off the
// CPU is divided by the numbers of both switches, as if all were equally long: on a busy machine the error is as large as the preempted
// time, which is subtracted once more. Paradyn's threshold for I/O is 20 %; a report can list smaller losses.

PROPERTY IOWaiting(Region r, Phase p) {
	TITLE "threads wait for files, pipes, sockets or timers";
	KINDS USER_REGION;
	VIEW threads;
	HINT "where subregions";
	LET
		serial_wait = sum(r.SERIAL_REGION.serial_blocked);
		runtime_wait = max(0, sum(r.SUBREGIONS.barrier_wait) - sum(r.PARALLEL_REGION.barrier_wait)) + sum(r.SUBREGIONS.lock_wait);
		parallel_wait = max(0, sum(r.PARALLEL_REGION.blocked) - runtime_wait - sum(r.PARALLEL_REGION.preempted));
		blocks = sum(r.block_reads) + sum(r.block_writes);
		share = (serial_wait * phase_threads + parallel_wait) / p.thread_time;
	IN
	// While the only thread of serial code waits, all threads wait.
	CONDITION: share > 5 %;
	CONFIDENCE: 0.9;
	SEVERITY: share;
	EXPLANATION "In {execution} the program waits {serial_wait} in serial code and its threads {parallel_wait} in parallel"
		" regions without using a CPU and without waiting for each other, for example in a sleep or for a pipe, a socket"
		" or a file. {blocks} blocks of 512 bytes are read and written meanwhile.";
	ADVICE "Read and write in larger pieces, outside of the phase, or in a task that overlaps with the computation.";
}

PROPERTY IOInSerialStretch(Region r, Phase p) {
	TITLE "serial code waits for a file, pipe, socket, timer or another thread";
	KINDS SERIAL_REGION;
	VIEW threads;
	REFINES IOWaiting;
	LET
		wait = r.serial_blocked;
		share = wait * phase_threads / p.thread_time;
		blocks = sum(r.block_reads) + sum(r.block_writes);
		switches = sum(r.voluntary_switches);
		samples = sum(r.samples);
	IN
	CONDITION: share > 2 %;
	CONFIDENCE: 0.9;
	SEVERITY: share;
	EXPLANATION "This serial code waits {wait} in {execution}, {switches} times, in a sleep or for a pipe, a socket or a"
		" file. {blocks} blocks of 512 bytes are read and written meanwhile.";
	ADVICE "If it sleeps or waits for another program, more threads do not help: remove that wait. If it writes, write less often"
		" (every tenth step, at the end), in large pieces and in binary form; let one thread write while the others"
		" continue (a task, or single nowait with a second buffer).";
}

PROPERTY IOInRegion(Region r, Phase p) {
	TITLE "a parallel region waits for files, pipes, sockets or timers";
	KINDS PARALLEL_REGION;
	VIEW threads;
	REFINES IOWaiting;
	LET
		runtime_wait = sum(r.SUBREGIONS.barrier_wait) + sum(r.SUBREGIONS.lock_wait);
		wait = max(0, sum(r.blocked) - runtime_wait - sum(r.preempted));
		share = wait / p.thread_time;
		blocks = sum(r.block_reads) + sum(r.block_writes);
		switches = sum(r.voluntary_switches);
	IN
	CONDITION: share > 2 %;
	CONFIDENCE: 0.9;
	SEVERITY: share;
	BY THREAD: r.blocked > mean(r.blocked);
	EXPLANATION "The threads of this region wait {wait} in {execution} without using a CPU, {switches} times, in"
		" a sleep or for a pipe, a socket or a file. {blocks} blocks of 512 bytes are read and written meanwhile.";
	ADVICE "If they sleep or wait for another program, remove that wait. Read and write outside of the region, or with one thread"
		" for all in large pieces. Several threads that use one file wait for each other in the kernel: give each its"
		" own file, or its own part of the file (pread, pwrite).";
}

PROPERTY SmallIO(Region r, Phase p) {
	TITLE "input and output in small requests";
	KINDS SERIAL_REGION, PARALLEL_REGION;
	VIEW threads;
	REFINES IOInSerialStretch, IOInRegion;
	LET
		bytes = (sum(r.block_reads) + sum(r.block_writes)) * 512 bytes;
		switches = sum(r.voluntary_switches);
		piece = bytes / switches;
		share = min(sum(r.off_cpu), sum(r.time)) / p.thread_time;
	IN
	// 64 KiB take about as long to transfer as a solid state disk needs to answer.
	CONDITION: bytes > 0 bytes AND switches >= 50 AND piece < 64 KiB;
	CONFIDENCE: 0.8;
	SEVERITY: share;
	EXPLANATION "{bytes} are read and written in {execution}, {piece} for each time the program waits.";
	ADVICE "Collect the data and write it in pieces of 1 MiB or more: setvbuf with a large buffer, no flush and no fsync inside the loop, in"
		" Fortran whole arrays in one write of form='unformatted'.";
}
