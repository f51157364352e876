// SPDX-License-Identifier: Apache-2.0
// CPUs: more threads than CPUs, CPUs shared with other programs, threads that migrate, time in the kernel, memsearch's own
// cost. `taken` is time off the CPU in parallel regions, in proportion to the involuntary context switches.

PROPERTY Oversubscription(Region r, Phase p) {
	TITLE "more threads than CPUs";
	KINDS USER_REGION;
	VIEW threads;
	LET
		team = phase_threads;
		cpu_count = cpus;
		waiting = sum(r.SUBREGIONS.barrier_wait) + sum(r.SUBREGIONS.start_delay);
		taken = r.taken;
		share = min((waiting + taken) / p.thread_time, 1 - cpus / phase_threads);
		regions = sum(r.PARALLEL_REGION.wall_time);
		worked = optional(sum(r.PARALLEL_REGION.cpu_time), 0 ns);
		idle = max(0, regions - worked / cpus) * phase_threads / p.thread_time;
	IN
	// Of n threads on c CPUs, (n - c) / n have no CPU at any time: they are preempted, not yet started, or wait for
	// such threads. Threads that delay no other thread are no evidence. While all CPUs work, context switches and shared caches
	// cost a fifth at most.
	CONDITION: phase_threads > cpus AND share > 5 %;
	CONFIDENCE: 1;
	SEVERITY: min(share, idle) TO min(share, idle + 20 %);
	EXPLANATION "{team} threads share {cpu_count} CPUs. In {execution} they were without a CPU for {taken} and waited"
		" {waiting} for others to start or to finish: {share%} of their time. CPUs without work of the parallel regions account for"
		" {idle%} of the time.";
	ADVICE "Set OMP_NUM_THREADS, or the argument of omp_set_num_threads or num_threads, to {cpu_count}."
		" If nested regions or a threaded library start the additional threads, set OMP_MAX_ACTIVE_LEVELS=1 or the"
		" library's own number of threads. In a container or a batch job request as many CPUs as threads.";
}

PROPERTY CpusTaken(Region r, Phase p) {
	TITLE "other programs use the same CPUs";
	KINDS USER_REGION;
	VIEW threads;
	HINT "where threads";
	LET
		switches = max(sum(r.PARALLEL_REGION.involuntary_switches), sum(r.DO_REGION.involuntary_switches));
		taken = r.taken;
		each = r.taken / switches;
		share = taken / p.thread_time;
		usual = mean(r.involuntary_switches);
	IN
	CONDITION: phase_threads <= cpus AND switches > 0 AND share > 5 %;
	CONFIDENCE: 0.9;
	SEVERITY: share;
	BY THREAD: r.involuntary_switches > usual;
	EXPLANATION "There are enough CPUs, but in {execution} the threads were preempted {switches} times[, for {each} on"
		" average,] and had no CPU for {share%} of their time: other programs run there, or a limit on CPU time"
		" (container, batch job) is reached. All other findings of this run may be caused by that.";
	ADVICE "Measure again on a quiet machine. If several jobs share it, bind each to its own CPUs (taskset, numactl --physcpubind, OMP_PLACES)."
		" In a container check cpu.max of its control group.";
}

PROPERTY UnequalCpus(Region r, Phase p) {
	TITLE "the threads' CPUs differ in speed";
	KINDS PARALLEL_REGION, DO_REGION, SECTIONS_REGION;
	VIEW threads;
	LET
		loss = optional(r.speed_loss);
		share = loss / p.thread_time;
		locked = optional(sum(r.SUBREGIONS.lock_wait), 0);
	IN
	// Who waits longer for locks takes longer, too, with as many accesses.
	CONDITION: phase_threads > 1 AND share > 2 % AND locked < loss;
	CONFIDENCE: 0.9;
	SEVERITY: share;
	BY THREAD: optional(r.worked) > optional(mean(r.worked));
	EXPLANATION "In {execution} threads wait {loss} ({share%} of their time) for slower ones[ (number {threads})] that make as many memory accesses:"
		" the work is divided evenly, but the CPUs of these threads are slower.";
	ADVICE "Check for shared CPUs (the other hardware thread of a core: OMP_PLACES=cores; other virtual machines), hybrid cores, and"
		" thermal or power throttling. On several NUMA nodes, check the findings about remote memory, too. The schedule of the loop is not the cause.";
}

PROPERTY UnboundThreads(Region r, Phase p) {
	TITLE "threads are not bound to CPUs";
	KINDS USER_REGION;
	VIEW threads;
	LET
		widest = max(r.allowed_cpus);
		node_count = nodes;
		moves = sum(r.migrations);
		share = moves * 50 us / p.thread_time;
	IN
	// An unbound thread loses the contents of its private caches when it migrates: 1 to 2 MiB, about 50 us; on one node only frequent
	// migrations count. On several nodes it may also leave the node of its memory.
	CONDITION: phase_threads > 1 AND widest > 1 AND ((nodes > 1 AND widest > cpus / nodes) OR share > 1 %);
	CONFIDENCE: 0.8;
	SEVERITY: share;
	EXPLANATION "The operating system may move a thread between {widest} CPUs of a machine with {node_count} memory nodes;"
		" {moves} moves were seen in {execution}.";
	ADVICE "Set OMP_PROC_BIND=close (or spread) and OMP_PLACES=cores. Then threads stay on the node of the memory that they touched first. Initialise"
		" arrays in parallel with the same schedule as the loops that use them.";
}

PROPERTY MigratingThreads(Region r, Phase p) {
	TITLE "threads move between CPUs";
	KINDS USER_REGION;
	VIEW threads;
	REFINES UnboundThreads;
	HINT "where threads";
	LET
		moves = sum(r.migrations);
		usual = mean(r.migrations);
		share = moves * 50 us / p.thread_time;
	IN
	CONDITION: share > 1 %;
	CONFIDENCE: 0.8;
	SEVERITY: share;
	BY THREAD: r.migrations >= usual;
	EXPLANATION "The threads migrated to another CPU {moves} times in {execution}; refilling the private caches takes about"
		" 50 us each time.";
	ADVICE "Set OMP_PROC_BIND=true and OMP_PLACES=cores. If they are set, another program or library changes the binding.";
}

PROPERTY SystemTime(Region r, Phase p) {
	TITLE "much system time";
	KINDS USER_REGION;
	VIEW threads;
	EXCLUDES PageFaults, Oversubscription;
	LET
		// Threads that contend for locks wake each other by system calls: this time belongs to the locks (lock.asl).
		in_system = max(0, sum(r.system_time) - sum(r.tool_time) - optional(r.lock_cost, 0 ns));
		faults = sum(r.minor_faults);
		share = in_system / p.thread_time;
	IN
	// memsearch makes system calls, too: all of its time is subtracted.
	CONDITION: share > 10 %;
	CONFIDENCE: 0.9;
	SEVERITY: share;
	EXPLANATION "{in_system} of {execution} ({share%} of the thread-time) is spent in the kernel, not by page faults.";
	ADVICE "Find the system calls: strace -f -c ./program. Usual causes: output in small pieces, clock or file status calls in inner loops,"
		" locks of other libraries (futex), memory mapped and unmapped in every step.";
}

PROPERTY SystemTimeInSerialStretch(Region r, Phase p) {
	TITLE "serial code spends much time in system calls";
	KINDS SERIAL_REGION;
	VIEW threads;
	REFINES SerialFraction;
	LET
		in_system = max(0, r.serial_system_time - sum(p.tool_time));
		share = in_system * phase_threads / p.thread_time;
		blocks = sum(r.block_reads) + sum(r.block_writes);
		samples = sum(r.samples);
	IN
	// While the only thread of serial code is in the kernel, all threads wait.
	CONDITION: share > 2 %;
	CONFIDENCE: 0.9;
	SEVERITY: share;
	EXPLANATION "This serial code spends {in_system} in the kernel in {execution}, not by page faults, while the other threads wait."
		" {blocks} blocks of 512 bytes are read and written meanwhile.[ {hot_share} of its own time is spent in {hot_function} ({hot_line}).]";
	ADVICE "Make fewer system calls: read and write files in large pieces (setvbuf, whole arrays at once), less often, or in a"
		" task that overlaps with the computation; keep memory instead of mapping it again. strace -c -f ./program counts the calls.";
}

PROPERTY ToolOverhead(Region r, Phase p) {
	TITLE "measurement overhead is high";
	KINDS USER_REGION;
	VIEW threads;
	HINT "where subregions";
	LET
		regions = optional(sum(r.SUBREGIONS.tool_time), 0 ns);
		tool = max(sum(r.tool_time), regions);
		share = tool / p.thread_time;
		without_cpu = optional(r.taken, 0 ns);
	IN
	// The threshold is that of the prototype of the W3 search model, of the time in which the threads had CPUs. Of regions: in the
	// executions in which they are measured.
	CONDITION: tool >= 15 % * max(p.thread_time / 20, p.thread_time - without_cpu);
	CONFIDENCE: 1;
	SEVERITY: share;
	BY THREAD: r.tool_time >= 15 % * sum(p.wall_time);
	EXPLANATION "Measuring takes {tool} of {execution} in which all regions are measured, {share%} of the thread-time: values of"
		" short regions are distorted.";
	ADVICE "Lower the limit: --overhead 1%.";
}

PROPERTY ToolOverheadInRegion(Region r, Phase p) {
	TITLE "measurement overhead is high: a region has too many events";
	KINDS PARALLEL_REGION, DO_REGION, SECTIONS_REGION, SINGLE_REGION, MASTER_REGION, WORKSHARE_REGION, BARRIER_REGION,
		CRITICAL_REGION, ORDERED_REGION, LOCK_REGION, REDUCTION_REGION, TASK_REGION, TASKWAIT_REGION;
	VIEW threads;
	REFINES ToolOverhead;
	LET
		tool = sum(r.tool_time);
		share = tool / p.thread_time;
		times = executions(r);
	IN
	CONDITION: share > 2 %;
	CONFIDENCE: 1;
	SEVERITY: share;
	EXPLANATION "Measuring the events of this region takes {tool} of {execution}, {share%} of the thread-time: it is executed"
		" {times} times.";
	ADVICE "Single executions are too short to be measured. Use the values of the enclosing region, or measure a larger problem.";
}
