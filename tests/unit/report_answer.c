/* SPDX-License-Identifier: Apache-2.0 */
/* The default report: what it says first where there is no cause. */
#include "analysis/report/report.h"

#include <string.h>

#include "analysis/base/arena.h"
#include "analysis/report/text.h"
#include "memsearch/host.h"
#include "tests/unit/test.h"

enum { PHASE, TEAM, CRITICAL, REGIONS };

static struct run_region regions[REGIONS];
static struct run_measurement simulated = {
	.row = { .region = 0, .metric = MS_METRIC_SIM_LOADS, .stat = { .count = 1, .sum = 1 } },
	.phases = 1,
	.observed_ns = 100
};
static struct run_node nodes[2];
static struct run_access access = { .array = UINT32_MAX,
				    .region = TEAM,
				    .loop = UINT32_MAX,
				    .bytes = 8,
				    .reads = 1,
				    .executions = 1,
				    .threads = 1 };
static struct run run;

/* A run with one parallel region, in which two questions were asked. */
static const char *printed(struct arena *arena, enum ms_node_state locks, bool has_critical)
{
	const struct report_options options = { .width = 100, .brief = true };
	const struct run *runs[] = { &run };
	struct text text;

	for (uint32_t i = 0; i < REGIONS; i++)
		regions[i] = (struct run_region){ .id = i,
						  .kind = i == PHASE ? MS_USER_REGION
								     : MS_PARALLEL_REGION,
						  .parent = i == PHASE ? MS_REGION_NONE : PHASE,
						  .executions = 1 };
	if (has_critical)
		regions[CRITICAL].kind = MS_CRITICAL_REGION;
	nodes[0] = (struct run_node){ .property = "LoadImbalance",
				      .state = MS_NODE_FALSE,
				      .parent = MS_NODE_NONE,
				      .thread = MS_REQUEST_ALL_THREADS };
	nodes[1] = nodes[0];
	nodes[1].id = 1;
	nodes[1].property = "LockWaiting";
	nodes[1].state = locks;
	run = (struct run){ .program = "k",
			    .threads = 2,
			    .complete = true,
			    .regions = regions,
			    .nr_regions = REGIONS,
			    .nodes = nodes,
			    .nr_nodes = 2,
			    .accesses = &access,
			    .measurements = &simulated,
			    .nr_measurements = 1,
			    .nr_accesses = 1 };
	text_init(&text, arena);
	report_answer(&text, runs, 1, &options);
	return text.bytes ? text.bytes : "";
}

/* The same run; the team has nine tenths of the time, and its begin alone was recorded. */
static const char *begun(struct arena *arena)
{
	const struct report_options options = { .width = 400, .brief = true };
	const struct run *runs[] = { &run };
	struct run_missing lines = { TEAM, MS_METRIC_TOUCHED_LINES, MS_MISSING_NOT_WHOLE };
	struct run_measurement rows[] = {
		{ .row = { .region = TEAM,
			   .metric = MS_METRIC_TIME,
			   .stat = { .count = 1, .sum = 90 } },
		  .phases = 1,
		  .observed_ns = 100 },
		{ .row = { .region = TEAM,
			   .metric = MS_METRIC_READS,
			   .stat = { .count = 1, .sum = 1000 } },
		  .phases = 1,
		  .observed_ns = 100 },
		simulated,
	};
	struct text text;

	printed(arena, MS_NODE_FALSE, false);
	run.measurements = rows;
	run.nr_measurements = 3;
	run.missing = &lines;
	run.nr_missing = 1;
	text_init(&text, arena);
	report_answer(&text, runs, 1, &options);
	return text.bytes ? text.bytes : "";
}

/* The same run with a cause: one thread waits. */
static const char *found(struct arena *arena, enum ms_node_state locks)
{
	const struct report_options options = { .width = 400, .brief = true };
	const struct run *runs[] = { &run };
	struct text text;

	printed(arena, locks, true);
	nodes[0].state = MS_NODE_TRUE;
	nodes[0].region = TEAM;
	nodes[0].confidence = 1;
	nodes[0].severity = nodes[0].severity_low = nodes[0].severity_high = 0.3;
	nodes[0].rung = MS_RUNG_TIMED;
	nodes[0].experiments = 1;
	nodes[0].interval_known = true;
	nodes[0].title = "threads wait";
	nodes[0].explanation = "They wait.";
	nodes[0].advice = "Divide the work.";
	text_init(&text, arena);
	report_answer(&text, runs, 1, &options);
	return text.bytes ? text.bytes : "";
}

static const char *warning(struct arena *arena, const char *ran_on, bool of_reader)
{
	const struct report_options options = { .width = 400, .brief = true };
	const struct run *runs[] = { &run };
	struct text text;

	printed(arena, MS_NODE_FALSE, false);
	run.machine.cpu_model = ran_on;
	run.machine.host_name = "n001";
	run.modelled.name = "host";
	run.modelled.title = "CPU here";
	run.modelled.of_reader = of_reader;
	text_init(&text, arena);
	report_answer(&text, runs, 1, &options);
	return text.bytes ? text.bytes : "";
}

/* Its own caches are not those of the machine that reads the record. */
TEST(report_answer__another_machine_is_simulated)
{
	struct arena *arena = arena_new();

	CHECK_HAS(warning(arena, "CPU there", true),
		  "Warning: the caches of this machine (CPU here) were simulated, but the program "
		  "ran on n001 (CPU there): write its model there (`memsearch machine --as-file > "
		  "FILE.machine`) and name it by --machine.");
	CHECK_HAS_NOT(warning(arena, "CPU here", true), "Warning");
	CHECK_HAS_NOT(warning(arena, "CPU there", false), "Warning");
	CHECK_HAS_NOT(warning(arena, "", true), "Warning");
	arena_free(arena);
}

/* `others`: CPU time of threads that are not OpenMP's. */
static const char *delayed(struct arena *arena, double ns, unsigned int cpus, double others)
{
	const struct report_options options = { .width = 400, .brief = true };
	const struct run *runs[] = { &run };
	struct text text;

	printed(arena, MS_NODE_FALSE, false);
	run.threads = 2;
	run.machine.cpus = cpus;
	run.cost.program_wall_ns = 5e9;
	run.cost.run_delay_ns = ns;
	run.cost.others_cpu_ns = others;
	text_init(&text, arena);
	report_answer(&text, runs, 1, &options);
	return text.bytes ? text.bytes : "";
}

/* Also of threads that wait for others, which no property sees. */
TEST(report_answer__threads_without_a_cpu)
{
	struct arena *arena = arena_new();

	CHECK_HAS(delayed(arena, 4e9, 2, 0),
		  "Warning: threads were ready and had no CPU for 40 % of their time (other "
		  "programs): measured times are uncertain.");
	CHECK_HAS_NOT(delayed(arena, 0.5e9, 2, 0), "Warning");
	CHECK_HAS_NOT(delayed(arena, 4e9, 1, 0), "Warning"); /* they are more than CPUs */
	arena_free(arena);
}

/* Its own threads are no other programs. */
TEST(report_answer__threads_that_are_not_openmps)
{
	struct arena *arena = arena_new();

	CHECK_HAS(
		delayed(arena, 4e9, 2, 3.5e9),
		"Warning: threads of the program that are not OpenMP's used 0.7 CPUs, and are not "
		"measured; OpenMP's had none for 40 % of their time, because of these or of other "
		"programs.");
	CHECK_HAS(delayed(arena, 0, 2, 3.5e9), "OpenMP's used 0.7 CPUs, and are not measured.");
	CHECK_HAS_NOT(delayed(arena, 0, 2, 0.1e9), "Warning");
	arena_free(arena);
}

/* Nothing says which part of the waits other programs caused: these are not checked. */
TEST(report_answer__threads_wait_for_others_without_a_cpu)
{
	struct arena *arena = arena_new();
	struct run_measurement wait = { .row = { .region = TEAM,
						 .metric = MS_METRIC_BARRIER_WAIT,
						 .stat = { .count = 1, .sum = 3e9 } },
					.phases = 1,
					.observed_ns = 5e9 };
	const struct report_options options = { .width = 400, .brief = true };
	const struct run *runs[] = { &run };

	for (int busy = 0; busy < 2; busy++) {
		struct text text;

		delayed(arena, busy ? 4e9 : 0.5e9, 2, 0);
		run.measurements = &wait;
		run.nr_measurements = 1;
		text_init(&text, arena);
		report_answer(&text, runs, 1, &options);
		CHECK_HAS(text.bytes,
			  "30 %  waits for other threads at the ends of parallel regions");
		CHECK_HAS(text.bytes, "Checked, not a problem   locks\n");
		CHECK_HAS(
			text.bytes,
			busy ? "load imbalance (threads waited 30 % of the time for others, while "
			       "other programs had the CPUs)"
			     : "load imbalance (threads waited 30 % of the time for others, for "
			       "a reason that was not found)");
	}
	arena_free(arena);
}

/* Waits of threads without a CPU, at the ends of short steps, may be what small regions cost. */
TEST(report_answer__small_regions_without_cpus)
{
	struct arena *arena = arena_new();
	struct run_measurement wait = { .row = { .region = TEAM,
						 .metric = MS_METRIC_BARRIER_WAIT,
						 .stat = { .count = 1, .sum = 3e9 } },
					.phases = 1,
					.observed_ns = 5e9 };
	const struct report_options options = { .width = 400, .brief = true };
	const struct run *runs[] = { &run };

	for (int small = 0; small < 2; small++) {
		struct text text;

		delayed(arena, 4e9, 2, 0);
		for (size_t i = 0; i < run.nr_nodes; i++)
			if (!strcmp(run.nodes[i].property, "LockWaiting"))
				run.nodes[i].property = "WorkTooFine";
		run.phase.executions = small ? 10000 : 1000;
		run.phase.wall_ns = 5e9;
		run.measurements = &wait;
		run.nr_measurements = 1;
		text_init(&text, arena);
		report_answer(&text, runs, 1, &options);
		CHECK_HAS(text.bytes, small ? "load imbalance, small regions (threads waited"
					    : "Checked, not a problem   small regions\n");
	}
	arena_free(arena);
}

/* Threads that seldom run at the same time seldom contend: that says nothing of a quiet machine. */
TEST(report_answer__frequent_locks_without_cpus)
{
	struct arena *arena = arena_new();
	const struct report_options options = { .width = 400, .brief = true };
	const struct run *runs[] = { &run };

	for (int often = 0; often < 2; often++) {
		struct run_measurement rows[] = {
			{ .row = { .region = TEAM, .metric = MS_METRIC_BARRIER_WAIT },
			  .observed_ns = 5e9 },
			{ .row = { .region = CRITICAL, .metric = MS_METRIC_LOCK_HELD },
			  .observed_ns = 5e9 },
			{ .row = { .region = CRITICAL, .metric = MS_METRIC_LOCK_ACQUISITIONS },
			  .observed_ns = 5e9 },
		};
		double values[] = { 3e9, 1e8, often ? 1e8 : 1e7 };
		struct text text;

		delayed(arena, 4e9, 2, 0);
		for (int i = 0; i < 3; i++) {
			rows[i].phases = 1;
			ms_stat_estimate(&rows[i].row.stat, values[i], 0);
		}
		regions[CRITICAL].kind = MS_MUTEX;
		run.phase.executions = 1;
		run.phase.wall_ns = 5e9;
		run.measurements = rows;
		run.nr_measurements = 3;
		text_init(&text, arena);
		report_answer(&text, runs, 1, &options);
		if (often)
			CHECK_HAS(text.bytes, "load imbalance, locks (threads waited 30 % of the");
		else
			CHECK_HAS(text.bytes, "Checked, not a problem   locks\n");
		CHECK_INT(!often, !strstr(text.bytes, " is taken 100 M times a step)"));
	}
	arena_free(arena);
}

TEST(report_answer__open_questions_come_first)
{
	struct arena *arena = arena_new();

	CHECK_HAS(printed(arena, MS_NODE_DISCONTINUED, true), "\nOpen: locks, see below.");
	CHECK_HAS(printed(arena, MS_NODE_DISCONTINUED, true), "locks (too few executions");
	CHECK_HAS(printed(arena, MS_NODE_FALSE, true),
		  "No cause found: all 2 questions were answered with no.");
	arena_free(arena);
}

/* In all of the phase threads seldom wait; of one region they are slow. */
TEST(report_answer__what_is_found_of_a_region_is_a_problem)
{
	struct arena *arena = arena_new();
	const struct report_options options = { .width = 400, .brief = true };
	const struct run *runs[] = { &run };
	struct text text;

	CHECK_HAS(printed(arena, MS_NODE_FALSE, true), "not a problem   load imbalance, locks\n");
	found(arena, MS_NODE_FALSE);
	nodes[1].property = "LoadImbalance";
	nodes[0].property = "SlowThreads";
	text_init(&text, arena);
	report_answer(&text, runs, 1, &options);
	CHECK_HAS_NOT(text.bytes, "Checked, not a problem");
	nodes[0].property = "SerialStretch";
	text_init(&text, arena);
	report_answer(&text, runs, 1, &options);
	CHECK_HAS(text.bytes, "Checked, not a problem   load imbalance\n");
	arena_free(arena);
}

/* All questions were answered with no, of the first of several loops. */
TEST(report_answer__begins_alone_answer_nothing)
{
	struct arena *arena = arena_new();
	const char *text = begun(arena);

	CHECK_HAS(text, "\nOpen: only the first accesses of regions with 90 % of the time were");
	CHECK_HAS(text, "Where the time goes (accesses are estimated from the first ones):");
	CHECK_HAS_NOT(text, "No cause found");
	arena_free(arena);
}

/* There was no time to simulate what was recorded. */
TEST(report_answer__what_is_not_simulated_is_open)
{
	struct arena *arena = arena_new();
	const struct report_options options = { .width = 400, .brief = true };
	const struct run *runs[] = { &run };
	struct text text;

	printed(arena, MS_NODE_FALSE, true);
	run.nr_measurements = 0;
	text_init(&text, arena);
	report_answer(&text, runs, 1, &options);
	CHECK_HAS(
		text.bytes,
		"\nOpen: what the recorded accesses miss in the caches was not simulated (memsearch arrays simulates it, or reports why not). Nothing else was found");
	CHECK_HAS_NOT(text.bytes, "No cause found");
	arena_free(arena);
}

/* Of a step 18 % were traced: what was simulated with no is not known of its later loops. */
TEST(report_answer__a_step_that_was_traced_in_part)
{
	struct arena *arena = arena_new();
	const struct report_options options = { .width = 400, .brief = true };
	const struct run *runs[] = { &run };
	struct text text;

	printed(arena, MS_NODE_FALSE, false);
	run.phase.method = PHASE_SEQUENCE;
	run.phase.executions = 10;
	run.modelled.begins = 0.18;
	nodes[1].property = "ModelledWaits";
	text_init(&text, arena);
	report_answer(&text, runs, 1, &options);
	CHECK_HAS(text.bytes, "Checked, not a problem   load imbalance\n");
	CHECK_HAS(text.bytes, "Open: only the first 18 % of what a step accesses could be");
	CHECK_HAS(text.bytes, "cache misses after the first 18 % of a step's accesses (");
	CHECK_HAS_NOT(text.bytes, "No cause found");
	run.modelled.begins = 0.8;
	text_init(&text, arena);
	report_answer(&text, runs, 1, &options);
	CHECK_HAS(text.bytes, "load imbalance, simulated cache misses\n");
	CHECK_HAS_NOT(text.bytes, "a step accesses");
	run.modelled.begins = 0.18; /* of bursts */
	run.phase.method = PHASE_WHOLE_PROGRAM;
	text_init(&text, arena);
	report_answer(&text, runs, 1, &options);
	CHECK_HAS_NOT(text.bytes, "step");
	run.modelled.begins = 0;
	arena_free(arena);
}

/* A cause that was found is not said to be the only one while other questions are open. */
TEST(report_answer__a_cause_beside_open_questions)
{
	static const enum ms_node_state locks[] = { MS_NODE_FALSE, MS_NODE_DISCONTINUED };

	for (size_t i = 0; i < 2; i++) {
		struct arena *arena = arena_new();
		const char *text = found(arena, locks[i]);

		CHECK_HAS(text, "Threads and system: ");
		if (locks[i] == MS_NODE_FALSE)
			CHECK_HAS(text, "No other cause found.");
		else
			CHECK_HAS(text, "Other questions are open, see below.");
		CHECK_INT(strstr(text, "No other cause found.") != NULL, i == 0);
		arena_free(arena);
	}
}

/* Where the program has no locks, it does not matter that this was not measured. */
TEST(report_answer__what_the_program_does_not_have_is_not_open)
{
	struct arena *arena = arena_new();
	const char *text = printed(arena, MS_NODE_DISCONTINUED, false);

	CHECK_HAS(text, "No cause found: 1 question was answered with no, 1 could not");
	CHECK_HAS_NOT(text, "locks");
	arena_free(arena);
}

/* A program without steps is measured from begin to end, whatever that costs. */
TEST(report_answer__the_limit_is_passed_without_steps)
{
	const struct report_options options = { .width = 200 };
	const struct run *runs[] = { &run };
	static const char passed[] =
		"measuring cost 20 % (limit 5.0 %, exceeded: there are no steps to leave out)";
	struct arena *arena = arena_new();

	for (int has_steps = 0; has_steps < 2; has_steps++) {
		struct text text;

		printed(arena, MS_NODE_FALSE, false);
		run.phase.method = has_steps ? PHASE_SEQUENCE : PHASE_WHOLE_PROGRAM;
		run.phase.executions = has_steps ? 40 : 1;
		run.cost.slowdown = 1.2;
		run.cost.limit = 0.05;
		text_init(&text, arena);
		report_answer(&text, runs, 1, &options);
		if (has_steps)
			CHECK_HAS_NOT(text.bytes, "limit");
		else
			CHECK_HAS(text.bytes, passed);
	}
	arena_free(arena);
}

/* The same run with a cause of each of these properties, with a long remedy. */
static const char *with_causes(struct arena *arena, size_t nr, const char *remedy)
{
	static const char *const properties[] = { "LoadImbalance", "LockWaiting",
						  "SerialFraction" };
	static struct run_node several[3];
	const struct report_options options = { .width = 100, .brief = true };
	const struct run *runs[] = { &run };
	struct text text;

	found(arena, MS_NODE_FALSE);
	for (size_t i = 0; i < nr; i++) {
		several[i] = nodes[0];
		several[i].id = (uint32_t)i;
		several[i].property = properties[i];
		several[i].advice = remedy;
	}
	run.nodes = several;
	run.nr_nodes = nr;
	text_init(&text, arena);
	report_answer(&text, runs, 1, &options);
	return text.bytes ? text.bytes : "";
}

static size_t lines_of(const char *text)
{
	size_t nr = 0;

	for (; *text; text++)
		nr += *text == '\n';
	return nr;
}

static const char *remedy_of(struct arena *arena, size_t length)
{
	char *remedy = arena_alloc(arena, length + 1);

	for (size_t i = 0; remedy && i < length; i++)
		remedy[i] = i % 8 ? 'x' : ' ';
	return remedy;
}

/* A report has 25 lines at most: causes beyond these are left out, and counted. */
TEST(report_answer__as_much_as_fits)
{
	struct arena *arena = arena_new();
	const char *remedy = remedy_of(arena, 400), *report;

	CHECK_HAS(with_causes(arena, 3, "Change it."), "\n  3  ");
	report = with_causes(arena, 3, remedy);
	CHECK_THAT(lines_of(report), <=, 25);
	CHECK_HAS_NOT(report, "\n  3  ");
	CHECK_HAS(report, " more cause");
	CHECK_HAS(with_causes(arena, 1, remedy), "\n  1  ");
	report = with_causes(arena, 1, remedy_of(arena, 1300));
	CHECK_THAT(lines_of(report), <=, 25); /* without empty lines */
	CHECK_HAS_NOT(report, "\n\n");
	arena_free(arena);
}
