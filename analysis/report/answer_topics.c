/* SPDX-License-Identifier: Apache-2.0 */
/* Questions that were answered with no, and those that were not answered, in the default report. */
#include "analysis/report/answer_private.h"

#include <math.h>
#include <string.h>

#include "analysis/base/arena.h"
#include "analysis/report/disturbance.h"
#include "analysis/report/finding.h"
#include "analysis/report/hot_regions.h"
#include "analysis/report/lock_facts.h"
#include "analysis/report/recorded.h"
#include "analysis/report/report.h"
#include "analysis/report/text.h"
#include "analysis/report/units.h"
#include "memsearch/host.h"

#define LOCK_NS 20.0     /* to take a lock and release it, without contention */
#define LOCKS_LEAST 0.05 /* of the threads' time: locks that are taken often */
/* a step with regions is shorter than what a scheduler lets other programs run at once */
#define SHORT_STEP_NS 1e6

/* ------------------------------------------------------------------ topics */

#define KIND(kind) (1u << MS_##kind)

/*
 * Questions about the whole phase, in words for a list. `kinds`: of regions that they are about;
 * where the run has none of them the question is not open, whatever was measured. 0: any. `hidden_by`:
 * the finding for which the property's file excludes it. `others`: properties of single regions
 * whose findings are of the topic, too.
 */
static const struct {
	const char *property, *word;
	uint32_t kinds;
	const char *hidden_by, *others[4];
} topics[] = {
	{ "LoadImbalance",
	  "load imbalance",
	  0,
	  "Oversubscription",
	  { "ImbalanceInRegion", "ImbalanceInLoop", "SlowThreads", "ShiftingImbalanceInRegion" } },
	{ "BarrierWaiting",
	  "barriers",
	  0,
	  "Oversubscription",
	  { "LateAtBarrier", "BarrierTooFrequent" } },
	{ "LockWaiting",
	  "locks",
	  KIND(CRITICAL_REGION) | KIND(ORDERED_REGION) | KIND(LOCK_REGION),
	  "Oversubscription",
	  { "CriticalContention", "LockContention", "OrderedWaiting" } },
	{ "SerialFraction",
	  "serial code",
	  0,
	  NULL,
	  { "SerialStretch", "SystemTimeInSerialStretch" } },
	{ "WorkTooFine",
	  "small regions",
	  0,
	  "Oversubscription",
	  { "RegionTooSmall", "LoopTooSmall" } },
	{ "TaskImbalance",
	  "tasks",
	  KIND(TASK_REGION),
	  NULL,
	  { "TooFewTasks", "TasksTooSmall", "TaskwaitWaiting" } },
	{ "IOWaiting", "I/O", 0, NULL, { "IOInSerialStretch", "IOInRegion" } },
	{ "PageFaults", "page faults", 0, NULL, { "AllocationChurn" } },
	{ "Allocations", "allocations", 0, NULL, { "AllocationsInRegion", "AllocationChurn" } },
	{ "Oversubscription", "oversubscription", 0, NULL, { NULL } },
	{ "UnboundThreads", "CPU binding", 0, NULL, { NULL } },
	{ "MigratingThreads", "migrations", 0, NULL, { NULL } },
	{ "SystemTime", "system time", 0, "PageFaults", { NULL } },
	{ "MemoryBound", "stalls on memory", 0, NULL, { NULL } },
	{ "ModelledWaits", "simulated cache misses", 0, NULL, { NULL } },
};
#define OTHERS (sizeof(topics[0].others) / sizeof(topics[0].others[0]))

static enum ms_node_state state_of(const struct run *run, const char *property)
{
	enum ms_node_state state = MS_NODE_STATES;

	for (size_t i = 0; i < run->nr_nodes; i++)
		if (!run->nodes[i].interval && run->nodes[i].property &&
		    !strcmp(run->nodes[i].property, property) &&
		    (state == MS_NODE_STATES || run->nodes[i].state == MS_NODE_TRUE))
			state = run->nodes[i].state;
	return state;
}

/* Begun, but there were not enough measured executions for a verdict. */
static bool is_open(enum ms_node_state state)
{
	return state == MS_NODE_DISCONTINUED || state == MS_NODE_PENDING || state == MS_NODE_ACTIVE;
}

static bool has_regions(const struct run *run, uint32_t kinds)
{
	for (uint32_t i = 0; kinds && i < run->nr_regions; i++)
		if (kinds & (1u << run->regions[i].kind))
			return true;
	return !kinds;
}

static void add_topic(struct text *text, size_t topic)
{
	text_printf(text, "%s%s", text->length ? ", " : "", topics[topic].word);
}

/* "locks, tasks"; NULL: none of them is open. */
const char *answer_open_topics(const struct answer *answer)
{
	struct text line;

	text_init(&line, answer->arena);
	for (size_t i = 0; i < sizeof(topics) / sizeof(topics[0]); i++)
		if (is_open(state_of(answer->run, topics[i].property)) &&
		    has_regions(answer->run, topics[i].kinds))
			add_topic(&line, i);
	return line.length ? line.bytes : NULL;
}

const char *answer_count(struct arena *arena, double count)
{
	struct text text;

	text_init(&text, arena);
	units_count(&text, count);
	return text.length ? text.bytes : "-";
}

/* Part of a step's accesses that was traced, and simulated; the others were counted. */
double answer_traced(const struct run *run)
{
	return run->phase.executions && run->phase.method != PHASE_WHOLE_PROGRAM &&
			       run->modelled.begins > 0
		       ? run->modelled.begins
		       : 1;
}

/* Too little to answer for all of them. */
bool answer_is_traced_in_part(const struct run *run)
{
	return answer_traced(run) < ANSWER_TRACED_LEAST;
}

const char *answer_more(const struct run *run)
{
	return run->cost.limit < 1 ? "a longer run, or --overhead 100%," : "a longer run";
}

/* ------------------------------------------------------------------ checked, not measured */

static bool counts_stalls(const struct run *run)
{
	for (size_t i = 0; i < run->nr_counters; i++)
		if (run->counters[i].metric == MS_METRIC_STALL_CYCLES &&
		    run->counters[i].why == MS_PRESENT)
			return true;
	return false;
}

/* Answered by simulated accesses, of which there are too few for an answer. */
static bool rests_on_few(const struct answer *answer, const char *property)
{
	const struct run *run = answer->run;
	bool by_accesses = !strcmp(property, "ModelledWaits") ||
			   (!strcmp(property, "MemoryBound") && !counts_stalls(run));

	return by_accesses && (recorded_why_none(answer->arena, run) ||
			       recorded_of(answer->arena, run).share < ANSWER_RECORDED_LEAST ||
			       recorded_of(answer->arena, run).bursts >= ANSWER_RECORDED_LEAST ||
			       answer_is_traced_in_part(run));
}

/* What is serial before the first construct, and after the last, is in none of the shares. */
static bool rests_on_part(const struct answer *answer, const char *property)
{
	return !strcmp(property, "SerialFraction") && outside_is_much(answer->run);
}

/* The topic's question was answered with no, but it is a problem of some region. */
static bool is_found_elsewhere(const struct answer *answer, size_t topic)
{
	for (size_t i = 0; i < OTHERS && topics[topic].others[i]; i++)
		if (state_of(answer->run, topics[topic].others[i]) == MS_NODE_TRUE)
			return true;
	return false;
}

/* Answered with no, as another finding excludes it. */
static bool is_hidden(const struct run *run, size_t topic)
{
	return topics[topic].hidden_by && state_of(run, topics[topic].property) == MS_NODE_FALSE &&
	       state_of(run, topics[topic].hidden_by) == MS_NODE_TRUE;
}

static double step_ns_of(const struct run *run)
{
	return run->phase.executions ? run->phase.wall_ns / (double)run->phase.executions : 0;
}

/*
 * A lock that is taken so often that it costs much where threads run at the same time; NULL: none
 * is.
 */
static const struct lock_facts *frequent_lock(const struct answer *answer)
{
	double step_ns = step_ns_of(answer->run);

	for (size_t i = 0; i < answer->nr_locks; i++)
		if (answer->locks[i].acquisitions * LOCK_NS >
		    LOCKS_LEAST * step_ns * answer->run->threads)
			return &answer->locks[i];
	return NULL;
}

/*
 * Answered with no, although threads wait for each other for much of the time; of locks, although
 * threads seldom ran at the same time; of small regions, although waits for threads without a CPU may be
 * what they cost.
 */
static bool is_disturbed(const struct answer *answer, size_t topic)
{
	const struct run *run = answer->run;
	const char *property = topics[topic].property;

	if (state_of(run, property) != MS_NODE_FALSE || is_hidden(run, topic))
		return false;
	if (!strcmp(property, "LockWaiting"))
		return disturbance_waits(run) > 0 && frequent_lock(answer);
	if (!strcmp(property, "WorkTooFine"))
		return step_ns_of(run) < SHORT_STEP_NS && disturbance_waits_unexplained(run);
	return (!strcmp(property, "LoadImbalance") || !strcmp(property, "BarrierWaiting")) &&
	       disturbance_waits_unexplained(run);
}

/* More threads than CPUs, with those that are not OpenMP's. */
static bool has_too_many_threads(const struct run *run, const char *property)
{
	return !strcmp(property, "Oversubscription") &&
	       run_other_cpus(run) >= RUN_OTHER_CPUS_LEAST &&
	       run->threads + run_other_cpus(run) > run->machine.cpus;
}

void answer_checked(struct answer *answer)
{
	struct text line;

	text_init(&line, answer->arena);
	for (size_t i = 0; i < sizeof(topics) / sizeof(topics[0]); i++)
		if (state_of(answer->run, topics[i].property) == MS_NODE_FALSE &&
		    !is_hidden(answer->run, i) && !is_disturbed(answer, i) &&
		    !is_found_elsewhere(answer, i) && !rests_on_few(answer, topics[i].property) &&
		    !rests_on_part(answer, topics[i].property) &&
		    !has_too_many_threads(answer->run, topics[i].property))
			add_topic(&line, i);
	if (!line.length)
		return;
	text_printf(answer->out, "%-25s",
		    outside_is_much(answer->run) ? arena_printf(answer->arena, "No problem%s",
								outside_scope(answer->run))
						 : "Checked, not a problem");
	text_wrap(answer->out, line.bytes, 25, answer->options->width);
	text_add(answer->out, "\n");
}

/* NULL: it is none. */
static const char *topic_word(const char *property)
{
	for (size_t i = 0; property && i < sizeof(topics) / sizeof(topics[0]); i++)
		if (!strcmp(topics[i].property, property))
			return topics[i].word;
	return NULL;
}

/* Items between semicolons: the first ones, and the number of the others. */
struct items {
	struct text line;
	size_t nr, most;
};

static void add_item(struct items *items, const char *item)
{
	if (item && items->nr++ < items->most)
		text_printf(&items->line, "%s%s", items->line.length ? "; " : "", item);
}

static void add_sensors(struct answer *answer, struct items *items)
{
	const struct run *run = answer->run;

	for (size_t i = 0; i < run->nr_sensors; i++)
		if (!run->sensors[i].works)
			add_item(items,
				 arena_printf(answer->arena, "sensor '%s' (%s)",
					      run->sensors[i].name,
					      run->sensors[i].why ? run->sensors[i].why
								  : "no reason was recorded"));
}

/* Events that the user named: first, as they were asked for. */
static void add_events(struct answer *answer, struct items *items)
{
	const struct run *run = answer->run;

	for (size_t i = 0; i < run->nr_counters; i++) {
		const struct run_counter *counter = &run->counters[i];

		if (counter->event && counter->why != MS_PRESENT)
			add_item(items, arena_printf(answer->arena, "event %s (%s)", counter->event,
						     counter->text && *counter->text
							     ? counter->text
							     : ms_missing_text(counter->why)));
	}
}

static void add_unrecorded(struct answer *answer, struct items *items)
{
	const struct run *run = answer->run;
	const char *unrecorded = recorded_why_none(answer->arena, run);
	struct recorded recorded = recorded_of(answer->arena, run);

	if (unrecorded) {
		add_item(items, arena_printf(answer->arena, "memory accesses (%s)", unrecorded));
		return;
	}
	if (isfinite(recorded.share) && recorded.share < 0.9)
		add_item(items,
			 arena_printf(answer->arena, "memory accesses in %s of the time%s%s%s",
				      units_share_text(answer->arena, 1 - recorded.share),
				      recorded.nr ? " (" : "",
				      recorded.nr ? recorded.regions[0].why : "",
				      recorded.nr ? ")" : ""));
	if (recorded.bursts >= RECORDED_BURSTS_LEAST)
		add_item(
			items,
			arena_printf(
				answer->arena,
				"memory accesses after the first ones of a region, in %s of the time (%s has them)",
				units_share_text(answer->arena, recorded.bursts),
				answer_more(run)));
	else if (!(recorded.share < ANSWER_RECORDED_LEAST) && answer_is_traced_in_part(run))
		add_item(
			items,
			arena_printf(
				answer->arena,
				"cache misses after the first %s of a step's accesses (no time or room to trace the others: %s has them)",
				units_share_text(answer->arena, answer_traced(run)),
				answer_more(run)));
}

static bool is_unknown_topic(const struct run_node *node, enum ms_missing why)
{
	return node->state == MS_NODE_UNKNOWN && node->missing == why && topic_word(node->property);
}

/* "load imbalance, serial code (the values scatter too much to tell)"; NULL: none for that reason. */
static const char *unknown_topics(struct arena *arena, const struct run *run, enum ms_missing why)
{
	const char *last = NULL;
	struct text text;

	text_init(&text, arena);
	for (size_t i = 0; i < run->nr_nodes; i++) {
		const struct run_node *node = &run->nodes[i];

		if (!is_unknown_topic(node, why) ||
		    (last && node->missing_metric && !strcmp(last, node->missing_metric)))
			continue;
		text_printf(&text, "%s%s", text.length ? ", " : "", topic_word(node->property));
		last = node->missing_metric;
	}
	return text.length ? arena_printf(arena, "%s (%s)", text.bytes, ms_missing_text(why))
			   : NULL;
}

/* "load imbalance, barriers (hidden by oversubscription)"; NULL: that finding hides none. */
static const char *hidden_topics(struct arena *arena, const struct run *run, const char *finding)
{
	struct text text;

	text_init(&text, arena);
	for (size_t i = 0; i < sizeof(topics) / sizeof(topics[0]); i++)
		if (is_hidden(run, i) && !strcmp(topics[i].hidden_by, finding))
			add_topic(&text, i);
	return text.length
		       ? arena_printf(arena, "%s (hidden by %s)", text.bytes, topic_word(finding))
		       : NULL;
}

/* "load imbalance, barriers (…)"; NULL: none. */
static const char *disturbed_topics(const struct answer *answer)
{
	const struct run *run = answer->run;
	struct arena *arena = answer->arena;
	const struct lock_facts *lock = NULL;
	struct text text;

	text_init(&text, arena);
	for (size_t i = 0; i < sizeof(topics) / sizeof(topics[0]); i++) {
		if (!is_disturbed(answer, i))
			continue;
		add_topic(&text, i);
		if (!strcmp(topics[i].property, "LockWaiting"))
			lock = frequent_lock(answer);
	}
	if (!text.length)
		return NULL;
	return arena_printf(arena, "%s (threads waited %s of the time for others, %s%s)",
			    text.bytes, units_share_text(arena, finding_closing_waits(run)),
			    disturbance_loses_cpus(run) ? "while other programs had the CPUs"
							: "for a reason that was not found",
			    lock ? arena_printf(arena, "; %s is taken %s times a step",
						lock_facts_name(arena, run, lock),
						answer_count(arena, lock->acquisitions))
				 : "");
}

/* One entry for each metric that is missing, or reason for which some are. */
void answer_not_measured(struct answer *answer)
{
	const struct run *run = answer->run;
	const char *open = answer_open_topics(answer);
	struct items items = { .most = answer->extent.missing };

	text_init(&items.line, answer->arena);
	add_events(answer, &items);
	add_unrecorded(answer, &items);
	for (uint32_t why = 0; why < MS_MISSING_REASONS; why++)
		add_item(&items, unknown_topics(answer->arena, run, why));
	if (open)
		add_item(&items,
			 arena_printf(answer->arena,
				      "%s (too few executions were measured: %s answers it)", open,
				      answer_more(run)));
	add_item(&items, disturbed_topics(answer));
	for (size_t i = 0; i < sizeof(topics) / sizeof(topics[0]); i++)
		add_item(&items, hidden_topics(answer->arena, run, topics[i].property));
	add_sensors(answer, &items);
	if (!items.nr)
		return;
	if (items.nr > items.most)
		text_printf(&items.line, "; and %zu more: memsearch report -v",
			    items.nr - items.most);
	text_add(answer->out, "Not measured             ");
	text_wrap(answer->out, items.line.bytes ? items.line.bytes : "", 25,
		  answer->options->width);
	text_add(answer->out, "\n");
}
