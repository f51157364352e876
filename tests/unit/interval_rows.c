/* SPDX-License-Identifier: Apache-2.0 */
/* Intervals in reports: as rows, and beside a finding. */
#include "analysis/report/finding.h"
#include "analysis/report/intervals.h"
#include "analysis/report/rank.h"
#include "memsearch/host.h"
#include "tests/unit/sample_run.h"
#include "tests/unit/test.h"

static struct run_interval intervals[] = {
	{ .kind = MS_INTERVAL_MARKED,
	  .name = "interval 3",
	  .executions = 100,
	  .first = 201,
	  .last = 300,
	  .wall_ns = 1e9,
	  .parents = 1 },
	{ .kind = MS_INTERVAL_WHILE_ABOVE,
	  .name = "minor_faults>1000",
	  .executions = 1,
	  .first = 250,
	  .last = 250,
	  .parents = 2,
	  .open = true },
	{ .kind = MS_INTERVAL_FROM_CALL, .name = "from late", .parents = 1 },
};

/* Node 0, tested again in these intervals. */
static struct run_node *run_with_intervals(struct run *run, struct arena *arena)
{
	static const enum ms_node_state states[] = { MS_NODE_TRUE, MS_NODE_FALSE, MS_NODE_MISSED };
	struct run_node *nodes;

	sample_run(run, arena);
	nodes = arena_alloc(arena, (run->nr_nodes + 3) * sizeof(*nodes));
	memcpy(nodes, run->nodes, run->nr_nodes * sizeof(*nodes));
	for (uint32_t i = 0; i < 3; i++) {
		struct run_node *node = &nodes[run->nr_nodes + i];

		*node = nodes[0];
		node->id = (uint32_t)run->nr_nodes + i;
		node->parent = 0;
		node->interval = i + 1;
		node->state = states[i];
		node->severity = 0.5;
	}
	run->nodes = nodes;
	run->nr_nodes += 3;
	run->intervals = intervals;
	run->nr_intervals = 3;
	return &nodes[run->nr_nodes - 3];
}

TEST(interval_rows__tell_when_a_finding_is_true)
{
	struct arena *arena = arena_new();
	struct run_node *tested;
	struct run run;

	tested = run_with_intervals(&run, arena);
	CHECK_STR(interval_words(arena, &run, &run.nodes[0]),
		  "50 % of the time of 'interval 3' (100 steps of 201 to 300); not in "
		  "'minor_faults>1000' (1 step of 250 to 250); missed 'from late'");
	CHECK_STR(interval_words(arena, &run, &run.nodes[1]), "");
	CHECK_STR(finding_during(arena, &run, tested), ", during 'interval 3'");
	CHECK_STR(finding_during(arena, &run, &run.nodes[0]), "");
	tested->interval = 9; /* of a damaged record */
	CHECK_STR(finding_during(arena, &run, tested), "");
}

/* Its severity is of the interval's time, which does not compare with that of the whole. */
TEST(interval_rows__verdicts_of_intervals_are_no_findings)
{
	struct arena *arena = arena_new();
	struct run without, with;
	const uint32_t *ids;
	size_t nr;

	sample_run(&without, arena);
	run_with_intervals(&with, arena);
	nr = report_rank(arena, &without, REPORT_FINDING, true, &ids);
	CHECK_INT(report_rank(arena, &with, REPORT_FINDING, true, &ids), nr);
}

TEST(interval_rows__stand_below_the_phase)
{
	struct arena *arena = arena_new();
	const struct interval_row *rows;
	struct run run;

	run_with_intervals(&run, arena);
	CHECK_INT(interval_rows(arena, &run, &rows), 5);
	CHECK_STR(rows[0].name, "entire execution");
	CHECK_STR(rows[0].born, "static");
	CHECK(!rows[0].in);
	CHECK_STR(rows[1].name, "phase 1");
	CHECK_STR(rows[1].in, "entire execution");
	CHECK_STR(rows[2].name, "interval 3");
	CHECK_STR(rows[2].in, "phase 1");
	CHECK_STR(rows[2].born, "run");
	CHECK_STR(rows[3].in, "interval 3");
	CHECK_STR(rows[3].born, "start");
	CHECK_NEAR(rows[3].first, 250, 0);
	CHECK(isnan(rows[4].first));
}
