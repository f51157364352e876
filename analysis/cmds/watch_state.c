/* SPDX-License-Identifier: Apache-2.0 */
/* What a search has reached so far. */
#include "analysis/cmds/watch_state.h"

#include <inttypes.h>

#include "analysis/base/base_name.h"
#include "analysis/record/run.h"
#include "analysis/report/history_graph.h"
#include "analysis/report/rank.h"
#include "analysis/report/text.h"
#include "memsearch/host.h"

#define NS 1e9

static void print_program(struct text *out, const struct run *run, bool running)
{
	text_printf(out,
		    "%s, process %" PRIu32 ", %s %.1f s: %" PRIu64 " executions of the phase\n",
		    base_name(run->program), run->pid, running ? "running for" : "ended after",
		    run->cost.program_wall_ns / NS, run->phase.executions);
	text_printf(out, "measuring cost %.1f %% of at most %.1f %%, %" PRIu64 " experiments\n",
		    run->cost.slowdown > 1 ? 100 * (run->cost.slowdown - 1) : 0.0,
		    100 * run->cost.limit, run->cost.experiments);
}

/* Without proven nodes that only led to others. */
static size_t print_nodes(struct text *out, const struct run *run, uint32_t state, int width)
{
	size_t nr = 0;

	for (size_t i = 0; i < run->nr_nodes; i++)
		if (run->nodes[i].state == state &&
		    (state != MS_NODE_TRUE ||
		     report_standing(run, &run->nodes[i]) != REPORT_STEP)) {
			history_graph_line(out, run, &run->nodes[i], 2, width);
			nr++;
		}
	return nr;
}

void watch_state_print(struct text *out, const struct run *run, bool running, int width)
{
	struct history_graph graph;

	if (!run->program) {
		text_printf(out, "%s: no values have been written yet\n",
			    running ? "the program has begun" : "the program has ended");
		return;
	}
	print_program(out, run, running);
	if (running) {
		text_add(out, "\nCurrent experiment\n");
		if (!print_nodes(out, run, MS_NODE_ACTIVE, width))
			text_add(out, "  none\n");
	}
	text_add(out, "\nFindings so far\n");
	if (!print_nodes(out, run, MS_NODE_TRUE, width))
		text_add(out, "  none\n");
	text_add(out, "\nSearch history graph\n");
	if (history_graph_make(out->arena, run, true, &graph) && graph.nr)
		history_graph_text(out, &graph, width);
	else
		text_add(out, "  no verdict yet\n");
}

void watch_state_changes(struct text *out, const struct run *run, uint8_t *seen, size_t nr,
			 int width)
{
	for (size_t i = 0; i < run->nr_nodes; i++) {
		const struct run_node *node = &run->nodes[i];
		bool verdict = node->state == MS_NODE_TRUE || node->state == MS_NODE_FALSE ||
			       node->state == MS_NODE_DISCONTINUED || node->state == MS_NODE_MISSED;

		if (verdict && (i >= nr || seen[i] != node->state)) {
			text_printf(out, "%.1f s  ",
				    (node->reached_ns > 0 ? node->reached_ns
							  : run->cost.program_wall_ns) /
					    NS);
			history_graph_line(out, run, node, 0, width);
		}
		seen[i] = (uint8_t)node->state;
	}
}
