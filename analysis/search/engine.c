/* SPDX-License-Identifier: Apache-2.0 */
/* The multistep search: candidates, verdicts, refinement, one experiment after the other. */
#include "analysis/search/engine.h"

#include <math.h>

#include "analysis/base/arena.h"
#include "analysis/base/log.h"
#include "analysis/search/database_intervals.h"
#include "analysis/search/database_reading.h"
#include "analysis/search/engine_private.h"
#include "analysis/search/engine_results.h"
#include "analysis/search/experiment_plan.h"
#include "analysis/search/experiment_slots.h"

/*
 * Executions to wait before what is decided is tested again: at least so many, and so many parts of
 * those so far. So what changes is seen soon, as the run's length goes, and yet a re-test becomes
 * rare.
 */
#define RETEST_AFTER 8
#define RETEST_PARTS 32
/* The same for candidates that wait for the account, without counters of the user. */
#define WAIT_AFTER 4
/* a false node is re-tested after this fraction of its observations again */
#define RETEST_FALSE_PARTS 8
/* times as long as the last experiment took, so that re-tests see half of the run at most */
#define RETEST_REST 1
/* of the limit on overhead: what re-tests may cost */
#define RETEST_COST 0.3
/*
 * The recent window is a fourth of the executions so far when the next begins, and counts from a
 * tenth on.
 */
#define WINDOW_PARTS 4
#define WINDOW_PARTS_MIN 10
#define WINDOW_EXPERIMENTS 4 /* re-tests in it: twice the sufficient observation */

void engine_config_init(struct engine_config *config)
{
	*config = (struct engine_config){
		.size = sizeof(*config),
		.overhead_limit = 0.05,
		/* Paradyn, PCconstants.C: ±5 % around a threshold */
		.hysteresis = 0.05,
		.minimum_executions = 2, /* fewer say nothing of the spread */
		/*
		 * Hollingsworth & Miller: 0.1 … 0.5 s of samples; events are exact, so half of the
		 * least
		 */
		.minimum_ns = 50e6,
		.interval_covered = 0.5,
		.sufficient_executions = DATABASE_BATCHES, /* a value in every batch */
		.sufficient_ns = 100e6,                    /* twice the minimum, as theirs */
		.active_max = 0,
		/* Roth & Miller: the best of 0.2, 0.4, 0.6, 0.8 */
		.deep_threshold = 0.2,
		/* ten properties at each of 32,768 regions, and three of their arrays */
		.candidates_max = 1u << 20,
		.windows = true,
	};
}

const struct property *engine_property(const struct engine *engine, uint32_t property)
{
	return property < engine->properties->nr ? engine->properties->properties[property] : NULL;
}

/* ------------------------------------------------------------------ verdicts */

static enum ms_truth truth_of(enum ms_node_state state)
{
	return state == MS_NODE_TRUE ? MS_TRUE : state == MS_NODE_FALSE ? MS_FALSE : MS_UNKNOWN;
}

static void announce(struct engine *engine, const struct history_node *node)
{
	if (ARENA_GROW(engine->arena, engine->queue.proven.items, engine->queue.proven.nr,
		       engine->queue.proven.room))
		engine->queue.proven.items[engine->queue.proven.nr++] = node->node.id;
}

static struct judge_question question_of(const struct history_node *node, const struct seen *seen,
					 enum ms_truth before, bool false_too)
{
	return (struct judge_question){
		.candidate = &node->node.candidate,
		.recent = seen->recent,
		.before = before,
		.executions = seen->executions,
		.false_too = false_too,
	};
}

static struct engine_time time_of(const struct engine *engine)
{
	return engine->config.now ? engine->config.now(engine->config.now_ctx)
				  : (struct engine_time){ 0 };
}

static void settle(struct engine *engine, struct history_node *node, enum ms_node_state state)
{
	struct judge_question question = { .candidate = &node->node.candidate,
					   .recent = node->recent };
	bool proven = state == MS_NODE_TRUE && node->node.state != MS_NODE_TRUE;

	if (node->node.state != state)
		node->node.reached = time_of(engine);
	node->node.state = state;
	node->node.nr_threads = node->node.nr_nodes = 0;
	if (state == MS_NODE_TRUE) {
		node->node.nr_threads = judge_threads(&engine->judge, &question, node->node.threads,
						      sizeof(node->node.threads) /
							      sizeof(node->node.threads[0]));
		node->node.nr_nodes = judge_nodes(&engine->judge, &question, node->node.nodes,
						  sizeof(node->node.nodes) /
							  sizeof(node->node.nodes[0]));
	}
	if (proven)
		announce(engine, node);
}

static void settle_unknown(struct engine *engine, struct history_node *node, enum ms_missing why)
{
	node->node.verdict.truth = MS_UNKNOWN;
	node->node.verdict.missing = why;
	settle(engine, node, MS_NODE_UNKNOWN);
}

/*
 * Most of the interval had passed when measuring began (Hollingsworth and Miller 1993, 3.4): another
 * run of the program is needed.
 */
static void settle_missed(struct engine *engine, struct history_node *node)
{
	node->node.verdict.truth = MS_UNKNOWN;
	node->node.verdict.missing = MS_MISSING_MISSED;
	settle(engine, node, MS_NODE_MISSED);
}

static bool is_missed(const struct engine *engine, const struct history_node *node,
		      const struct seen *seen)
{
	const struct database *during = database_during(engine->db, node->node.candidate.interval);

	return node->node.candidate.interval != MS_INTERVAL_WHOLE && database_groups(during) &&
	       seen->covered < engine->config.interval_covered;
}

/* A condition of the property rules it out: it is false without being measured. */
static void settle_closed(struct engine *engine, struct history_node *node)
{
	node->node.verdict = (struct ms_verdict){ .truth = MS_FALSE,
						  .confidence = 1,
						  .missing_metric = -1 };
	settle(engine, node, MS_NODE_FALSE);
}

/* Reasons that may disappear with more observations. */
static bool is_passing(enum ms_missing why)
{
	return why == MS_MISSING_NOT_REQUESTED || why == MS_MISSING_NOT_EXECUTED ||
	       why == MS_MISSING_TOO_FEW || why == MS_MISSING_SCATTER || why == MS_MISSING_TAKEN;
}

/* Values that scatter get more time to settle. */
static bool is_enough(enum ms_missing why, const struct seen *seen)
{
	return why == MS_MISSING_SCATTER ? seen->plenty : seen->sufficient;
}

/*
 * The node state that follows from a verdict over the observations so far; MS_NODE_ACTIVE:
 * undecided. False requires the sufficient time and no batch that disagrees, as later values may
 * change it; if batches disagree after twice that time, the node is discontinued.
 */
static enum ms_node_state conclusion(const struct ms_verdict *verdict, const struct seen *seen,
				     double agreement)
{
	if (!seen->minimum)
		return MS_NODE_ACTIVE;
	if (verdict->truth == MS_TRUE)
		return MS_NODE_TRUE;
	if (verdict->truth == MS_UNKNOWN &&
	    (is_enough(verdict->missing, seen) || !is_passing(verdict->missing)))
		return MS_NODE_UNKNOWN;
	if (verdict->truth == MS_FALSE && seen->sufficient && agreement >= 1)
		return MS_NODE_FALSE;
	return seen->plenty ? MS_NODE_DISCONTINUED : MS_NODE_ACTIVE;
}

/*
 * The interval is over: what was observed of it all, long enough, or often enough to have a spread,
 * is final.
 */
static enum ms_node_state last_conclusion(const struct engine *engine,
					  const struct history_node *node, const struct seen *seen)
{
	const struct database *during = database_during(engine->db, node->node.candidate.interval);
	const struct ms_verdict *verdict = &node->node.verdict;
	bool enough = seen->minimum || seen->groups >= engine->config.sufficient_executions ||
		      seen->executions >= database_executions(during);

	if (verdict->truth == MS_UNKNOWN)
		return MS_NODE_UNKNOWN;
	if (!enough)
		return MS_NODE_DISCONTINUED;
	return verdict->truth == MS_TRUE ? MS_NODE_TRUE : MS_NODE_FALSE;
}

/* False by what is cheap to measure, whatever its accesses are. */
static bool is_false_unrecorded(struct engine *engine, struct history_node *node,
				const struct seen *seen)
{
	struct judge_question question = question_of(node, seen, MS_UNKNOWN, true);
	struct ms_verdict verdict;
	double agreement;

	if (!seen->unrecorded ||
	    judge_evaluate(&engine->judge, &question, &verdict, &agreement) != MS_OK ||
	    verdict.truth != MS_FALSE || agreement < 1)
		return false;
	node->node.verdict = verdict;
	return true;
}

/*
 * Evaluates and settles a node that is not decided yet; it stays as it is when that is too early.
 */
static void decide(struct engine *engine, struct history_node *node)
{
	struct seen seen = experiment_seen(engine, &node->node.candidate, node->recent);
	struct judge_question question = question_of(node, &seen, MS_UNKNOWN,
						     engine->progress.finishing || seen.sufficient);
	enum ms_node_state state;
	double agreement;

	if (!engine->progress.finishing && !seen.minimum) {
		if (is_false_unrecorded(engine, node, &seen))
			settle(engine, node, MS_NODE_FALSE);
		return;
	}
	if (engine->progress.finishing && is_missed(engine, node, &seen)) {
		settle_missed(engine, node);
		return;
	}
	if (judge_evaluate(&engine->judge, &question, &node->node.verdict, &agreement) != MS_OK) {
		settle_unknown(engine, node, MS_MISSING_BROKEN);
		return;
	}
	node->node.experiments++;
	node->evaluated = seen.executions;
	state = engine->progress.finishing ? last_conclusion(engine, node, &seen)
					   : conclusion(&node->node.verdict, &seen, agreement);
	if (state == MS_NODE_UNKNOWN && node->over_budget && is_passing(node->node.verdict.missing))
		node->node.verdict.missing = MS_MISSING_BUDGET;
	node->node.since = state == MS_NODE_TRUE && node->recent ? database_since(engine->db) : 0;
	if (state != MS_NODE_ACTIVE)
		settle(engine, node, state);
}

static bool evaluate_again(struct engine *engine, const struct history_node *node,
			   const struct seen *seen, bool false_too, struct ms_verdict *verdict)
{
	struct judge_question question = question_of(node, seen, truth_of(node->node.state),
						     false_too);
	double agreement;

	return judge_evaluate(&engine->judge, &question, verdict, &agreement) == MS_OK;
}

/* The recent window is a part of the run worth speaking of. */
static bool window_is_long(const struct engine *engine)
{
	uint64_t groups = database_groups(engine->db);

	return database_since(engine->db) &&
	       (groups - engine->progress.window_groups) * WINDOW_PARTS_MIN >= groups;
}

/*
 * Whether a node that is not true over everything is true lately: over twice the sufficient time,
 * and the last tenth of the run at least. Where there is too little to tell, it stays what it was.
 */
static bool is_true_lately(struct engine *engine, struct history_node *node)
{
	struct seen seen = experiment_seen(engine, &node->node.candidate, true);
	bool was = node->node.state == MS_NODE_TRUE && node->node.since;
	struct ms_verdict verdict;

	if (!seen.plenty || !window_is_long(engine) ||
	    !evaluate_again(engine, node, &seen, false, &verdict))
		return was;
	if (verdict.truth != MS_TRUE)
		return was && verdict.truth == MS_UNKNOWN;
	node->recent = true;
	node->node.verdict = verdict;
	node->node.since = was ? node->node.since : database_since(engine->db);
	settle(engine, node, MS_NODE_TRUE);
	return true;
}

static bool refines_a_recent_one(const struct engine *engine, const struct history_node *node)
{
	const struct history_node *parent = history_at(&engine->history,
						       node->node.candidate.parent);

	return parent && parent->recent && parent->node.state == MS_NODE_TRUE;
}

/*
 * Re-tests a decided node; one that cannot be evaluated any more keeps its state. A node that is
 * true over everything is not evaluated over the recent window, unless its parent is true only
 * there: severities are comparable only over the same executions. A node that stays false keeps its
 * old confidence until the end: the confidence takes most of the evaluation and does not affect the
 * search.
 */
static void decide_again(struct engine *engine, struct history_node *node, bool last)
{
	bool whole = node->node.candidate.interval == MS_INTERVAL_WHOLE,
	     recent = whole && refines_a_recent_one(engine, node),
	     patient = node->node.state == MS_NODE_FALSE && !node->recent && !last;
	struct seen seen = experiment_seen(engine, &node->node.candidate, false);
	bool has_more = seen.executions >
			node->evaluated + (patient ? node->evaluated / RETEST_FALSE_PARTS : 0);
	struct ms_verdict verdict;

	if (!seen.minimum || !(has_more || (last && node->outdated)) ||
	    !evaluate_again(engine, node, &seen, !patient, &verdict))
		return;
	node->evaluated = seen.executions;
	node->outdated = false;
	if (verdict.truth == MS_UNKNOWN && verdict.missing != MS_MISSING_SCATTER)
		return;
	node->node.experiments += has_more;
	if (whole && (recent || verdict.truth != MS_TRUE) && is_true_lately(engine, node))
		return;
	if (patient && verdict.truth == MS_FALSE) {
		node->outdated = true;
		return;
	}
	node->recent = false;
	node->node.verdict = verdict;
	node->node.since = 0;
	settle(engine, node,
	       verdict.truth == MS_TRUE    ? MS_NODE_TRUE
	       : verdict.truth == MS_FALSE ? MS_NODE_FALSE
					   : MS_NODE_UNKNOWN);
}

static bool is_decided(const struct history_node *node)
{
	return node->node.state == MS_NODE_TRUE || node->node.state == MS_NODE_FALSE ||
	       (node->node.state == MS_NODE_UNKNOWN &&
		node->node.verdict.missing == MS_MISSING_SCATTER);
}

/*
 * W3: a true hypothesis is a working hypothesis, and a false one is false only until what comes
 * says otherwise: whatever has new data is tested again. One whose pre-condition fell, or whose
 * anti-condition came true, falls, too.
 */
static void retest(struct engine *engine, bool last)
{
	for (uint32_t id = 0; id < engine->history.nr; id++) {
		struct history_node *node = history_at(&engine->history, id);
		enum gate gate = is_decided(node) ? gate_of(engine, &node->node.candidate)
						  : GATE_WAIT;

		if (gate == GATE_CLOSED && node->node.state == MS_NODE_TRUE)
			settle_closed(engine, node);
		else if (gate == GATE_OPEN)
			decide_again(engine, node, last);
	}
}

/* ------------------------------------------------------------------ candidates */

static void adopt(struct engine *engine, struct history_node *node,
		  const struct engine_node *carried)
{
	node->node.verdict = carried->verdict;
	node->node.experiments = carried->experiments;
	settle(engine, node, carried->state);
	node->node.reached = (struct engine_time){ 0 };
	/* thread numbers are those of another run */
	node->node.nr_threads = node->node.nr_nodes = 0;
}

/* A new node goes where it belongs: decided, behind its gate, or into the queue. */
static void place(struct engine *engine, struct history_node *node)
{
	enum gate gate = gate_of(engine, &node->node.candidate);

	node->gated = gate == GATE_WAIT;
	if (gate == GATE_CLOSED) {
		settle_closed(engine, node);
		return;
	}
	if (gate == GATE_WAIT) {
		if (!ARENA_GROW(engine->arena, engine->queue.gated.items, engine->queue.gated.nr,
				engine->queue.gated.room))
			return;
		engine->queue.gated.items[engine->queue.gated.nr++] = node;
		return;
	}
	decide(engine, node); /* what the database has is not measured again (P7) */
	if (node->node.state == MS_NODE_PENDING)
		engine_enqueue(engine, node);
}

void engine_set_order(const struct engine *engine, struct history_node *node)
{
	const struct history_node *parent = history_at(&engine->history,
						       node->node.candidate.parent);

	node->earlier = earlier_verdicts_of(engine, &node->node.candidate);
	if (!parent)
		return;
	node->when = parent->node.candidate.interval != node->node.candidate.interval;
	node->recent = parent->recent && node->node.candidate.interval == MS_INTERVAL_WHOLE;
	node->why = !node->when && parent->node.candidate.region == node->node.candidate.region;
	node->parent_severity = parent->node.verdict.severity;
	node->time = experiment_time(engine, node->node.candidate.region);
	node->hinted = hint_points(
		engine, property_hint(engine_property(engine, parent->node.candidate.property)),
		&node->node.candidate);
}

/*
 * The region does not belong to the phase, as the program's initialisation does not: there is
 * nothing to ask about. When it is executed after all, the strategy is asked again.
 */
static bool is_left_out(struct engine *engine, uint32_t region)
{
	uint64_t enough = engine->progress.finishing ? 1 : engine->config.minimum_executions;

	if (region == MS_REGION_USER || !database_region_is_absent(engine->db, region, enough))
		return false;
	engine->scope.left_out = true;
	return true;
}

/* No value, or none requested; substitutes of other metrics do not count. */
static bool is_out_of_question(const struct engine *engine, const struct property *property,
			       uint32_t region, uint32_t metric)
{
	enum ms_missing why = database_missing_why(engine->db, region, metric);
	const uint32_t *others;

	return why == MS_MISSING_IN_LOOP ||
	       (ms_missing_unasked(why) && !property_metric_instead(property, metric, &others));
}

bool engine_can_ask(const struct engine *engine, const struct property *property,
		    const struct ms_region_info *region)
{
	struct database_view view;
	struct property_context context = database_context(&view, engine->db, DATABASE_ALL_BATCHES,
							   region->id);
	const uint32_t *metrics;
	size_t nr = property_metrics(property, &metrics);

	for (size_t i = 0; i < nr; i++)
		if (is_out_of_question(engine, property, region->id, metrics[i]))
			return false;
	return property_applies(property, region->kind) && !property_is_unasked(property, &context);
}

static bool has_room(struct engine *engine, size_t wanted)
{
	if (wanted <= engine->config.candidates_max &&
	    engine->history.nr <= engine->config.candidates_max - wanted)
		return true;
	if (!engine->scope.exceeded)
		log_warning(
			"the strategy '%s' proposes more than %u candidates: it is not asked for more",
			engine->strategy ? engine->strategy->name : "",
			engine->config.candidates_max);
	engine->scope.exceeded = true;
	return false;
}

void engine_candidate(struct engine *engine, const struct ms_candidate *candidate)
{
	const struct property *property = engine_property(engine, candidate->property);
	const struct engine_node *carried;
	struct history_node *node;
	struct ms_region_info region;

	if (!property || !database_region_info(engine->db, candidate->region, &region) ||
	    !database_during(engine->db, candidate->interval) ||
	    !engine_can_ask(engine, property, &region) || is_left_out(engine, candidate->region) ||
	    !has_room(engine, 1))
		return;
	node = history_add(&engine->history, candidate);
	if (!node)
		return; /* asked already */
	engine_set_order(engine, node);
	carried = carried_find(engine, candidate);
	if (carried)
		adopt(engine, node, carried);
	else
		place(engine, node);
}

static bool candidates_reserve(struct engine *engine, size_t room)
{
	struct ms_candidate *candidates;

	if (room <= engine->queue.room_candidates)
		return true;
	candidates = arena_alloc(engine->arena, room * sizeof(*candidates));
	if (!candidates)
		return false;
	engine->queue.candidates = candidates;
	engine->queue.room_candidates = room;
	return true;
}

/*
 * One call of the strategy: refine what was proven, or with nothing proven its initial candidates.
 */
static size_t ask_strategy(struct engine *engine, const struct id_list *proven)
{
	const struct ms_strategy *strategy = engine->strategy;

	if (!proven)
		return strategy->initial(engine->strategy_state, &engine->host,
					 engine->queue.candidates, engine->queue.room_candidates);
	return strategy->refine(engine->strategy_state, &engine->host, proven->items, proven->nr,
				engine->queue.candidates, engine->queue.room_candidates);
}

static void take_candidates(struct engine *engine, const struct id_list *proven)
{
	size_t nr;

	if (!engine->strategy || !candidates_reserve(engine, 64))
		return;
	nr = ask_strategy(engine, proven);
	if (nr > engine->config.candidates_max) {
		has_room(engine, nr); /* says so */
		nr = engine->queue.room_candidates;
	}
	if (nr > engine->queue.room_candidates && candidates_reserve(engine, nr))
		/* nothing was added yet, so the answer is the same */
		nr = ask_strategy(engine, proven);
	for (size_t i = 0; i < nr && i < engine->queue.room_candidates; i++) {
		struct ms_candidate candidate = engine->queue.candidates[i];

		engine_candidate(engine, &candidate);
	}
}

/* Looks again at those behind a gate; true: one of them moved. */
static bool open_gates(struct engine *engine)
{
	struct node_list waiting = engine->queue.gated;
	bool moved = false;

	engine->queue.gated = engine->queue.opening; /* place() fills it again */
	engine->queue.gated.nr = 0;
	engine->queue.opening = waiting;
	for (size_t i = 0; i < waiting.nr; i++) {
		place(engine, waiting.items[i]);
		moved |= !waiting.items[i]->gated;
	}
	return moved;
}

/*
 * Refines until nothing more follows from the data at hand. The strategy is asked with nothing
 * proven, too: what it asks next may wait for answers of any kind.
 */
static void refine(struct engine *engine)
{
	size_t known;

	do {
		do {
			struct id_list proven = engine->queue.proven;

			engine->queue.proven = engine->queue.refining;
			engine->queue.proven.nr = 0;
			engine->queue.refining = proven;
			known = engine->history.nr;
			take_candidates(engine, &engine->queue.refining);
		} while (engine->queue.refining.nr || engine->queue.proven.nr ||
			 engine->history.nr != known);
		engine_refine_when(engine);
	} while (open_gates(engine) || engine->queue.proven.nr || engine->history.nr != known);
}

static bool has_new_regions(const struct engine *engine)
{
	return database_regions(engine->db) != engine->scope.known_regions ||
	       (engine->scope.left_out &&
		database_regions_executed(engine->db) != engine->scope.known_executed);
}

/*
 * New regions: everything true so far is refined again, and the initial candidates are asked for
 * again.
 */
static void look_at_new_regions(struct engine *engine)
{
	if (!has_new_regions(engine))
		return;
	engine->scope.known_regions = database_regions(engine->db);
	engine->scope.known_executed = database_regions_executed(engine->db);
	engine->scope.left_out = false;
	/* at once: what was false may be true with them */
	engine->progress.idle_executions = RETEST_AFTER + database_groups(engine->db);
	take_candidates(engine, NULL);
	engine->queue.proven.nr = 0;
	for (uint32_t id = 0; id < engine->history.nr; id++)
		if (history_at(&engine->history, id)->node.state == MS_NODE_TRUE)
			announce(engine, history_at(&engine->history, id));
}

/* ------------------------------------------------------------------ the cycle */

/* Conditions that depend on each other: unknown. */
static void break_deadlock(struct engine *engine)
{
	if (engine->queue.active.nr || engine->history.nr_queued || engine->queue.asleep.nr)
		return;
	for (size_t i = 0; i < engine->queue.gated.nr; i++)
		settle_unknown(engine, engine->queue.gated.items[i], MS_MISSING_NOT_REQUESTED);
	engine->queue.gated.nr = 0;
}

void engine_step(struct engine *engine)
{
	for (size_t i = 0; i < engine->queue.active.nr; i++)
		if (engine->queue.active.items[i]->node.state == MS_NODE_ACTIVE)
			decide(engine, engine->queue.active.items[i]);
	retest(engine, false);
	look_at_new_regions(engine);
	refine(engine);
	experiment_select(engine);
	break_deadlock(engine);
}

/* So expensive that it is stopped at once. */
static bool is_overspent(const struct engine *engine)
{
	return budget_balance_ns(&engine->budget) < 0 &&
	       engine->now.tool_ns > BUDGET_SLOWDOWN_MAX * engine->now.program_ns;
}

/* One that is too expensive all alone is not measured again. */
static void cut_off(struct engine *engine)
{
	struct history_node *node = engine->queue.active.nr == 1 ? engine->queue.active.items[0]
								 : NULL;

	if (!node || engine->now.retesting)
		return;
	decide(engine, node);
	if (node->node.state != MS_NODE_ACTIVE)
		return;
	node->over_budget = true;
	settle_unknown(engine, node, MS_MISSING_BUDGET);
}

void engine_account(struct engine *engine, const struct engine_cost *cost)
{
	if (!cost)
		return;
	budget_account(&engine->budget, cost, &engine->now.load);
	engine->now.program_ns += cost->program_ns;
	engine->now.tool_ns += cost->tool_ns;
}

void engine_execution_elsewhere(struct engine *engine, const struct engine_cost *cost,
				bool recorded, bool over)
{
	budget_elsewhere(&engine->budget, cost, recorded);
	if (!over)
		return;
	engine->progress.experiments++;
	engine_step(engine);
}

void engine_predict(const struct engine *engine, struct engine_cost *cost)
{
	budget_predict(&engine->budget, &engine->now.load, cost);
}

bool engine_records(const struct engine *engine)
{
	return engine->now.recording;
}

void engine_charge(struct engine *engine, double tool_ns)
{
	budget_charge(&engine->budget, tool_ns);
}

void engine_before(struct engine *engine, double program_ns, double tool_ns, double ends_ns)
{
	budget_before(&engine->budget, program_ns, tool_ns, ends_ns);
}

void engine_recording_takes(struct engine *engine, unsigned int executions)
{
	engine->budget.recorded_executions = executions;
}

/*
 * Where a part of the accesses was counted, lines have no values; where all are counted, they do.
 */
static bool was_estimated(const struct ms_verdict *verdict)
{
	return verdict->missing == MS_MISSING_UNCOVERED && verdict->missing_metric >= 0 &&
	       ms_metric_info((unsigned int)verdict->missing_metric)->sensor == MS_SENSOR_ACCESSES;
}

/*
 * Time is left: nodes that were discontinued, not executed while they were measured, or measured in
 * part, get a second chance. False: there are none.
 */
static bool revive(struct engine *engine)
{
	bool any = false;

	for (uint32_t id = 0; id < engine->history.nr; id++) {
		struct history_node *node = history_at(&engine->history, id);
		bool unknown = node->node.state == MS_NODE_UNKNOWN &&
			       (is_passing(node->node.verdict.missing) ||
				was_estimated(&node->node.verdict));

		if (node->revived || (node->node.state != MS_NODE_DISCONTINUED && !unknown))
			continue;
		if (experiment_seen(engine, &node->node.candidate, node->recent).plenty)
			continue; /* more of the same would not tell */
		node->revived = any = true;
		node->node.state = MS_NODE_PENDING;
		engine_enqueue(engine, node);
	}
	return any;
}

static bool is_due(const struct engine *engine)
{
	uint64_t parts = database_groups(engine->db) / RETEST_PARTS,
		 rest = RETEST_REST * engine->progress.last_executions;

	return engine->progress.idle_executions >= (parts > RETEST_AFTER ? parts : RETEST_AFTER) &&
	       engine->progress.idle_executions >= rest &&
	       RETEST_COST * engine->config.overhead_limit * engine->progress.idle_ns >=
		       engine->progress.retest_ns;
}

/* Long enough and evaluated often enough: the next window begins. */
static void roll_window(struct engine *engine)
{
	uint64_t groups = database_groups(engine->db), since = engine->progress.window_groups;

	if (!engine->config.windows || (groups - since) * WINDOW_PARTS < groups ||
	    (since && engine->progress.window_experiments < WINDOW_EXPERIMENTS))
		return;
	database_mark(engine->db);
	engine->progress.window_groups = groups;
	engine->progress.window_experiments = 0;
}

/*
 * The user's counters go on where the search has nothing to ask; those that had no room get their
 * turn.
 */
static bool extra_go_on(struct engine *engine)
{
	const struct engine_config *config = &engine->config;

	if (!config->nr_extra || engine->now.executions < config->minimum_executions ||
	    engine->now.program_ns < config->minimum_ns)
		return false;
	return experiment_extra(engine);
}

/*
 * Candidates that wait for the account are checked at intervals: it grows slowly, and a check ends
 * the slot of the user's counters. True: one of them is admitted.
 */
static bool go_on_waiting(struct engine *engine, bool due)
{
	uint64_t parts = database_groups(engine->db) / RETEST_PARTS,
		 every = parts > WAIT_AFTER ? parts : WAIT_AFTER;

	due |= !engine->config.nr_extra && engine->progress.idle_executions % every == 0;
	if (!engine->history.nr_queued || !due)
		return false;
	experiment_select(engine);
	return engine->now.requests.nr > 0;
}

/* Nothing under observation: go on when the account allows, or test again what is true. */
static bool idle(struct engine *engine, const struct engine_cost *cost)
{
	bool due;

	engine->progress.idle_ns += cost ? cost->program_ns : 0;

	if (has_new_regions(engine) || engine_has_new_intervals(engine)) {
		engine_step(engine);
		return engine->now.requests.nr || engine->config.nr_extra;
	}
	due = is_due(engine);
	if (!go_on_waiting(engine, due)) {
		engine->progress.idle_executions++;
		if (!due)
			return extra_go_on(engine);
		if (revive(engine))
			experiment_select(engine);
		if (!engine->now.requests.nr) {
			roll_window(engine);
			experiment_retest(engine);
		}
	}
	if (due) {
		engine->progress.idle_executions = 0;
		engine->progress.idle_ns = 0;
	}
	/* the user's counters have had their turn, too */
	return engine->now.requests.nr || engine->config.nr_extra;
}

/*
 * They wait until there is room for what it takes; where there never is, that is why nothing is
 * known.
 */
static void note_over_budget(const struct engine *engine)
{
	for (size_t i = 0; i < engine->queue.active.nr; i++)
		engine->queue.active.items[i]->over_budget = true;
}

bool engine_execution_done(struct engine *engine, const struct engine_cost *cost)
{
	const struct engine_config *config = &engine->config;

	engine_account(engine, cost);
	if (cost && cost->stopped_early)
		note_over_budget(engine);
	engine->now.executions++;
	if (!engine->now.requests.nr)
		return idle(engine, cost);
	if (!engine->now.recording) {
		if (is_overspent(engine))
			cut_off(engine);
		else if (engine->now.executions < config->minimum_executions ||
			 (cost && engine->now.program_ns < config->minimum_ns))
			return false;
	}
	engine->progress.experiments++;
	engine->progress.last_executions = engine->now.executions;
	engine->progress.window_experiments += engine->now.retesting;
	engine->progress.retest_ns = engine->now.retesting ? engine->now.tool_ns : 0;
	engine_step(engine);
	return true;
}

void engine_adopt_all(struct engine *engine)
{
	for (uint32_t id = 0; id < engine->history.nr; id++) {
		struct history_node *node = history_at(&engine->history, id);
		const struct engine_node *carried = carried_find(engine, &node->node.candidate);

		if (carried &&
		    (node->node.state == MS_NODE_PENDING || node->node.state == MS_NODE_ACTIVE))
			adopt(engine, node, carried);
	}
	engine_step(engine);
}

/* ------------------------------------------------------------------ begin and end */

static void begin_search(struct engine *engine)
{
	engine->queue.active.nr = engine->queue.gated.nr = engine->queue.proven.nr = 0;
	engine->queue.asleep.nr = 0;
	engine->scope.known_intervals = 0;
	engine->progress.finishing = false;
	engine->scope.known_regions = engine->scope.known_executed = 0;
	engine->scope.left_out = false;
	history_init(&engine->history, engine->arena);
	if (engine->strategy && engine->strategy->init)
		engine->strategy_state = engine->strategy->init(&engine->host);
	engine_step(engine);
	engine->progress.idle_executions = 0;
	engine->progress.window_groups = engine->progress.window_experiments = 0;
}

/*
 * The regions in which properties read a metric; a counter without readers is measured in all, if
 * at all.
 */
static void find_readers(struct engine *engine)
{
	const struct property_set *set = engine->properties;
	const uint32_t *metrics;

	for (size_t i = 0; i < set->nr; i++) {
		size_t nr = property_phase_metrics(set->properties[i], &metrics);

		ms_metric_set_add_all(&engine->metrics.reads, metrics, nr);
	}
	property_set_metric_kinds(set, engine->metrics.kinds);
	for (uint32_t metric = 0; metric < MS_METRICS; metric++) {
		if (engine->metrics.kinds[metric])
			ms_metric_set_add(&engine->metrics.reads, metric);
		if (slots_limit(metric) && !engine_reads(engine, metric))
			engine->metrics.kinds[metric] = UINT32_MAX;
	}
	for (size_t i = 0; i < engine->config.nr_extra; i++)
		engine->metrics.kinds[engine->config.extra[i]] = UINT32_MAX;
	ms_metric_set_add_all(&engine->metrics.reads, engine->config.extra,
			      engine->config.nr_extra);
}

struct engine *engine_new(struct arena *arena, const struct engine_config *config,
			  const struct property_set *properties, struct database *db,
			  const struct ms_strategy *strategy)
{
	struct engine *engine = arena_alloc(arena, sizeof(*engine));
	struct ms_region_info user = { .id = MS_REGION_USER,
				       .parent = MS_REGION_NONE,
				       .kind = MS_USER_REGION };

	if (!engine || (!database_regions(db) && database_region(db, &user) != MS_OK))
		return NULL;
	engine->selection.needs = arena_alloc(arena, sizeof(*engine->selection.needs));
	if (!engine->selection.needs)
		return NULL;
	engine->arena = arena;
	engine->config = *config;
	engine->properties = properties;
	engine->db = db;
	engine->strategy = strategy;
	engine->judge = (struct judge){
		.properties = properties,
		.db = db,
		.hysteresis = config->hysteresis,
	};
	budget_init(&engine->budget, config->overhead_limit);
	request_set_init(&engine->now.requests, arena);
	request_set_init(&engine->metrics.everything, arena);
	request_set_init(&engine->now.output, arena);
	slots_init(&engine->now.slots, config->fits, config->fits_ctx);
	find_readers(engine);
	host_init(engine);
	begin_search(engine);
	return engine;
}

static void end_search(struct engine *engine)
{
	if (engine->strategy && engine->strategy->fini)
		engine->strategy->fini(engine->strategy_state);
}

void engine_restart(struct engine *engine)
{
	end_search(engine);
	database_clear(engine->db);
	begin_search(engine);
}

void engine_change_properties(struct engine *engine, const struct property_set *properties)
{
	end_search(engine);
	engine->properties = engine->judge.properties = properties;
	find_readers(engine);
	begin_search(engine);
}

static void finish_node(struct engine *engine, struct history_node *node)
{
	switch (node->node.state) {
	case MS_NODE_TRUE:
	case MS_NODE_FALSE:
	case MS_NODE_MISSED: break; /* retest() has seen to them */
	case MS_NODE_UNKNOWN:
		if (node->over_budget || is_passing(node->node.verdict.missing))
			decide(engine, node);
		break;
	default: place(engine, node);
	}
}

/* What was proven before a condition of it fell, or an anti-condition came true, at the end. */
static void close_conditional(struct engine *engine)
{
	for (uint32_t id = 0; id < engine->history.nr; id++) {
		struct history_node *node = history_at(&engine->history, id);

		if (node->node.state == MS_NODE_TRUE &&
		    gate_of(engine, &node->node.candidate) == GATE_CLOSED)
			settle_closed(engine, node);
	}
}

void engine_finish(struct engine *engine)
{
	if (engine->progress.finishing)
		return;
	retest(engine, true);
	engine->progress.finishing = true;
	engine->queue.active.nr = engine->queue.gated.nr = engine->queue.asleep.nr = 0;
	for (uint32_t id = 0; id < engine->history.nr; id++)
		if (history_at(&engine->history, id)->queued)
			history_at(&engine->history, id)->over_budget |=
				engine->selection.kept_waiting;
	while (history_pop(&engine->history))
		;
	for (uint32_t id = 0; id < engine->history.nr; id++)
		finish_node(engine, history_at(&engine->history, id));
	look_at_new_regions(engine);
	refine(engine);
	close_conditional(engine);
	break_deadlock(engine);
	request_set_clear(&engine->now.requests);
	request_set_clear(&engine->now.output);
	if (engine->strategy && engine->strategy->fini)
		engine->strategy->fini(engine->strategy_state);
}

/* ------------------------------------------------------------------ what others see */

size_t engine_requests(const struct engine *engine, const struct ms_request **out)
{
	*out = engine->now.output.items;
	return engine->now.output.nr;
}

static void everything_add(struct engine *engine, const uint32_t *metrics, size_t nr,
			   bool subregions)
{
	for (size_t i = 0; i < nr; i++) {
		struct ms_request request = engine_request(engine, metrics[i], MS_REGION_USER,
							   subregions);

		request_set_add(&engine->metrics.everything, &request);
	}
}

size_t engine_requests_all(struct engine *engine, const struct ms_request **out)
{
	static const uint32_t time = MS_METRIC_TIME;
	const uint32_t *metrics;

	request_set_clear(&engine->metrics.everything);
	everything_add(engine, &time, 1, true);
	for (size_t i = 0; i < engine->properties->nr; i++) {
		size_t nr = property_metrics(engine->properties->properties[i], &metrics);

		everything_add(engine, metrics, nr, true);
		nr = property_phase_metrics(engine->properties->properties[i], &metrics);
		everything_add(engine, metrics, nr, false);
		nr = property_parent_metrics(engine->properties->properties[i], &metrics);
		everything_add(engine, metrics, nr, true);
		nr = property_construct_metrics(engine->properties->properties[i], &metrics);
		everything_add(engine, metrics, nr, true);
	}
	*out = engine->metrics.everything.items;
	return engine->metrics.everything.nr;
}

void engine_measured_before(struct engine *engine, uint32_t metric, uint64_t executions)
{
	engine->extra.before[metric] = executions;
}

bool engine_reads(const struct engine *engine, uint32_t metric)
{
	return ms_metric_set_has(&engine->metrics.reads, metric);
}

static bool is_to_be_had(const struct engine *engine, uint32_t metric)
{
	return database_missing_why(engine->db, MS_REGION_USER, metric) == MS_PRESENT;
}

size_t engine_requests_of(struct engine *engine, const uint32_t *metrics, size_t nr,
			  const struct ms_request **out, bool *left_out)
{
	uint32_t counters[MS_METRICS];
	size_t nr_counters = 0;
	struct slots slots;

	slots_init(&slots, engine->config.fits, engine->config.fits_ctx);
	for (size_t i = 0; i < nr; i++)
		if (slots_limit(metrics[i]) && is_to_be_had(engine, metrics[i]))
			counters[nr_counters++] = metrics[i];
	*left_out = !experiment_take_turns(engine, &slots, counters, nr_counters);
	request_set_clear(&engine->metrics.everything);
	for (size_t i = 0; i < nr; i++)
		if (!slots_limit(metrics[i]) ||
		    (slots_has(&slots, metrics[i]) && is_to_be_had(engine, metrics[i])))
			everything_add(engine, &metrics[i], 1, true);
	*out = engine->metrics.everything.items;
	return engine->metrics.everything.nr;
}

bool engine_done(const struct engine *engine)
{
	return !engine->queue.active.nr && !engine->queue.gated.nr && !engine->history.nr_queued;
}

bool engine_answered(const struct engine *engine)
{
	for (uint32_t id = 0; id < engine->history.nr; id++) {
		enum ms_node_state state = history_at(&engine->history, id)->node.state;

		if (state == MS_NODE_TRUE || state == MS_NODE_FALSE)
			return true;
	}
	return false;
}

uint64_t engine_experiments(const struct engine *engine)
{
	return engine->progress.experiments;
}

double engine_recording_balance_ns(const struct engine *engine)
{
	return budget_recording_balance_ns(&engine->budget);
}

bool engine_tolerates(const struct engine *engine, const struct engine_cost *cost)
{
	return budget_tolerates(&engine->budget, cost);
}

bool engine_budget_bound(const struct engine *engine)
{
	for (uint32_t id = 0; id < engine->history.nr; id++)
		if (history_at(&engine->history, id)->node.verdict.missing == MS_MISSING_BUDGET)
			return true;
	return engine->selection.kept_waiting;
}

bool engine_restarts_would_help(const struct engine *engine)
{
	bool single = database_groups(engine->db) == 1; /* whether it is typical is unknown */

	for (uint32_t id = 0; id < engine->history.nr; id++) {
		const struct engine_node *node = engine_node(engine, id);

		if (node->state == MS_NODE_DISCONTINUED || node->state == MS_NODE_PENDING ||
		    node->state == MS_NODE_ACTIVE || node->state == MS_NODE_MISSED)
			return true;
		if (node->state != MS_NODE_UNKNOWN && single)
			return true;
		if (node->state != MS_NODE_UNKNOWN)
			continue;
		if (is_passing(node->verdict.missing) || node->verdict.missing == MS_MISSING_BUDGET)
			return true;
	}
	return false;
}

size_t engine_nodes(const struct engine *engine)
{
	return engine->history.nr;
}

const struct engine_node *engine_node(const struct engine *engine, uint32_t id)
{
	const struct history_node *node = history_at(&engine->history, id);

	return node ? &node->node : NULL;
}
