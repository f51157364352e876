// SPDX-License-Identifier: Apache-2.0
/* one of each */ # comments too
METRIC twice [ns] = 2 * r.time "twice";
METRIC waited [ns] = sum(r.barrier_wait) + sum(p.wall_time) * 0 "sum";
METRIC rate [1] = 1 "one";
PROPERTY Every(Region r, Phase p) {
	TITLE "every" " clause\n\"quoted\"";
	ALIASES One, Two;
	KINDS USER_REGION, PARALLEL_REGION, DO_REGION;
	HINT "where threads";
	VIEW threads, sync;
	LET
		a = sum(r.twice) / max(1 ns, max(r.time), 2 us);
		b = -min(r.time) + abs(mean(r.DO_REGION.time)) - sqrt(4 ns * 9 ns);
		c = imbalance(r.time) * executions(r) / threads(r) + regions(r.SUBREGIONS);
		d = max(r.PARALLEL_REGION.waited);
		e = count(r.time > 1.5e3 ns AND NOT r.cpu_time <= 0 OR r.time != 7 ns);
		g = imbalance(sum(r.time) BY NODE) + max(threads(r) BY NODE);
		f = sum(parent.time) / (sampling_hz * 1 s * 1 ms) * 5 %;
	IN
	CONDITION: a >= 1 OR b < d AND NOT (c = 2);
	CONFIDENCE: min(1, phase_executions / 10);
	SEVERITY: d / sum(p.wall_time) / phase_threads;
	BY NODE: sum(r.DO_REGION.time) > 2 * mean(sum(r.time) BY NODE) AND r.waited > 0;
	BY THREAD: r.time > mean(r.time) + 1 KiB / 1 bytes * 1 ns;
	EXPLANATION "{a} {b:time} {c%} [{hot_line}] {d:number} {e:bytes}";
	ADVICE "{hot_function}[ in {hot_line}] {threads}[ {nodes}]";
}
PROPERTY Child(Region r, Phase p) {
	TITLE "child"; KINDS TASK_REGION; REFINES Every; REQUIRES One; EXCLUDES Other;
	CONDITION: max(r.tasks) > 0; CONFIDENCE: 1; SEVERITY: 0; EXPLANATION "e"; ADVICE "a";
}
PROPERTY Other(Region r, Phase p) {
	TITLE "other"; KINDS TASK_REGION;
	CONDITION: max(r.tasks) > 1; CONFIDENCE: 1; SEVERITY: 0; EXPLANATION "e"; ADVICE "a";
}
