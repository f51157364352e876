/* SPDX-License-Identifier: Apache-2.0 */
/*
 * From portable metrics to events of this machine, and to sets of events that are counted together.
 */
#include "ompt_tool/counters/counter_plan.h"

#include <stdio.h>
#include <string.h>

#include "analysis/base/arena.h"
#include "analysis/base/log.h"
#include "analysis/properties/event_tables.h"
#include "memsearch/sensor.h"
#include "ompt_tool/counters/calibration.h"

#define TABLES_MAX 8
/*
 * Upper bound on plausible event rates: 10 GHz, 64 per cycle. The slack is the delay between
 * reading a value and its time. A counter of 48 bits that was misread jumps by 2^48
 * (deater/perf_event_tests #11), and no region lasts long enough for half of that.
 */
#define EVENTS_PER_NS 640
#define SLACK_NS 10000
#define LARGEST_DIFFERENCE (1ull << 47)

struct plan_term {
	struct counter_event *event;
	double factor;
};

struct plan_metric {
	enum ms_missing missing;
	const char *text, *formula;
	struct plan_term terms[COUNTERS_MAX];
	size_t nr;
};

/* A cached look-up; repeating it would open the event again. */
struct found {
	struct found *next;
	const char *table, *name, *why;
	enum ms_status status;
	struct counter_event *event;
};

static struct {
	struct counter_config config;
	struct arena *arena;
	const struct counter_backend *backend;
	struct counter_table tables[TABLES_MAX];
	size_t nr_tables;
	struct plan_metric metrics[PLAN_METRICS];
	struct found *found;
	struct counter_set *sets;
} plan;

static bool quiet; /* the caller reads the reasons itself */

void plan_keep_quiet(void)
{
	quiet = true;
}

static bool is_planned(uint32_t metric)
{
	return metric >= PLAN_FIRST && metric - PLAN_FIRST < PLAN_METRICS;
}

void plan_configure(const struct counter_config *config)
{
	plan.config = *config;
}

const struct counter_backend *plan_backend(void)
{
	return plan.backend;
}

enum ms_missing plan_missing(uint32_t metric, const char **text_out)
{
	const struct plan_metric *planned = is_planned(metric) ? &plan.metrics[metric - PLAN_FIRST]
							       : NULL;

	*text_out = planned && planned->text ? planned->text : "";
	if (!planned || (planned->missing == MS_PRESENT && !plan.backend))
		return MS_MISSING_NOT_SUPPORTED;
	return planned->missing;
}

const char *counters_backend(void)
{
	return plan.backend ? plan.backend->name : NULL;
}

const char *counters_table(void)
{
	const char *names = NULL;

	for (size_t i = 0; i < plan.nr_tables; i++)
		if (plan.tables[i].core || !names)
			names = names ? arena_printf(plan.arena, "%s + %s", names,
						     plan.tables[i].name)
				      : plan.tables[i].name;
	return names;
}

const char *counters_formula(uint32_t metric)
{
	const char *text;

	return plan_missing(metric, &text) == MS_PRESENT ? plan.metrics[metric - PLAN_FIRST].formula
							 : NULL;
}

/* -------------------------------------------------------------------- sets */

static int slot_of(struct counter_set *set, struct counter_event *event)
{
	for (size_t i = 0; i < set->nr_events; i++)
		if (set->events[i] == event)
			return (int)i;
	if (set->nr_events == COUNTERS_MAX)
		return -1;
	set->events[set->nr_events] = event;
	return (int)set->nr_events++;
}

static bool fill_row(struct counter_set *set, struct counter_row *row, uint32_t metric)
{
	const struct plan_metric *planned = &plan.metrics[metric - PLAN_FIRST];
	struct counter_term *terms = arena_alloc(plan.arena, planned->nr * sizeof(*terms));

	for (size_t i = 0; terms && i < planned->nr; i++) {
		int slot = slot_of(set, planned->terms[i].event);

		if (slot < 0)
			return false;
		terms[i] = (struct counter_term){ (uint8_t)slot, planned->terms[i].factor };
	}
	*row = (struct counter_row){ metric, planned->nr, terms };
	return terms != NULL;
}

static struct counter_set *make_set(const struct ms_metric_set *metrics)
{
	struct counter_set *set = arena_alloc(plan.arena, sizeof(*set));
	struct counter_row *rows = arena_alloc(plan.arena,
					       ms_metric_set_count(metrics) * sizeof(*rows));

	if (!set || !rows)
		return NULL;
	*set = (struct counter_set){ .metrics = *metrics, .rows = rows, .fits = -1 };
	MS_METRIC_SET_EACH(metric, metrics)
	if (!fill_row(set, &rows[set->nr_rows++], metric))
		return NULL;
	set->next = plan.sets;
	plan.sets = set;
	return set;
}

/* -------------------------------------------------------------- one metric */

static enum ms_missing missing_for(enum ms_status status)
{
	return status == MS_ERR_PERMISSION || status == MS_ERR_FULL ? MS_MISSING_NOT_PERMITTED
	       : status == MS_ERR_NOT_FOUND                         ? MS_MISSING_UNSUPPORTED
								    : MS_MISSING_NOT_SUPPORTED;
}

static bool same(const char *a, const char *b)
{
	return a == b || (a && b && !strcmp(a, b));
}

static const struct found *look_up(const char *table, const char *name)
{
	char why[160] = "";
	struct found *found = plan.found;

	while (found && !(same(found->table, table) && same(found->name, name)))
		found = found->next;
	if (found)
		return found;
	found = arena_alloc(plan.arena, sizeof(*found));
	if (!found)
		return NULL;
	found->table = arena_strdup(plan.arena, table);
	found->name = arena_strdup(plan.arena, name);
	found->status = plan.backend->resolve(table, name, &found->event, why);
	found->why = arena_strdup(plan.arena, why);
	found->next = plan.found;
	plan.found = found;
	return found;
}

static void fail(struct plan_metric *metric, enum ms_missing missing, const char *text)
{
	*metric = (struct plan_metric){ .missing = missing, .text = text };
}

/* Appends " + 0.5 * skx::NAME" to the formula. */
static const char *lengthen(const char *formula, double factor, const char *table, const char *name)
{
	char number[32] = "";
	double size = factor < 0 ? -factor : factor;

	if (size != 1)
		snprintf(number, sizeof(number), "%g * ", size);
	return arena_printf(plan.arena, "%s%s%s%s%s%s", formula ? formula : "",
			    formula      ? (factor < 0 ? " - " : " + ")
			    : factor < 0 ? "-"
					 : "",
			    number, table ? table : "", table ? "::" : "", name);
}

static bool add_term(struct plan_metric *metric, const char *table, const char *name, double factor)
{
	const struct found *found = look_up(table, name);

	if (!found || found->status != MS_OK) {
		fail(metric, found ? missing_for(found->status) : MS_MISSING_NOT_SUPPORTED,
		     found ? found->why : "no memory");
		return false;
	}
	if (metric->nr == COUNTERS_MAX) {
		fail(metric, MS_MISSING_NOT_SUPPORTED,
		     "its formula has more events than can be counted at once");
		return false;
	}
	metric->terms[metric->nr++] = (struct plan_term){ found->event, factor };
	metric->formula = lengthen(metric->formula, factor, table, name);
	return true;
}

/* Adds all terms that a table has for a metric to those of other tables. */
static bool add_table(struct plan_metric *metric, uint32_t id, const char *name)
{
	const struct event_table *table = plan.config.table(plan.config.ctx, name);
	const struct event_metric *row = table ? event_table_metric(table, id) : NULL;

	if (!row) {
		fail(metric, MS_MISSING_UNSUPPORTED,
		     arena_printf(
			     plan.arena,
			     table ? "the event table of %s has no event for it"
				   : "there is no event table for %s (properties/metrics/*.events)",
			     name));
		return false;
	}
	for (size_t i = 0; i < row->nr_terms; i++)
		if (!add_term(metric, name, row->terms[i].event, row->terms[i].factor))
			return false;
	return true;
}

/* Checks that the events count over the calibration loop, if the loop must increase the metric. */
static void judge(struct plan_metric *metric, uint32_t id, const struct counter_set *set,
		  struct counter_group *group)
{
	struct counter_reading before, after;
	enum ms_missing missing;

	if (!plan.backend->read(group, &before) ||
	    (calibration_run(), !plan.backend->read(group, &after)))
		fail(metric, MS_MISSING_BROKEN, "its events open but cannot be read");
	else if ((missing = plan_check(&before, &after, set->nr_events)) != MS_PRESENT)
		fail(metric, missing,
		     missing == MS_MISSING_TAKEN
			     ? "no counter is free for it: the kernel or another program has them"
			     : "its events open but count backwards or by leaps");
	else if (plan_value(&set->rows[0], before.values, after.values) > 0)
		metric->text = NULL;
	else if (calibration_moves(id))
		fail(metric, MS_MISSING_BROKEN,
		     "its events open but count nothing, not even what was done to be counted");
	else if (id < MS_METRIC_EVENT_1)
		metric->text = "opens, reads 0 in the self-test: a 0 may be true or not";
}

/* Opens a metric's events alone. */
static void calibrate(struct plan_metric *metric, uint32_t id)
{
	_Alignas(16) unsigned char memory[COUNTER_GROUP_BYTES] = { 0 };
	struct counter_group *group = (struct counter_group *)memory;
	struct ms_metric_set alone = { 0 };
	const struct counter_set *set;

	ms_metric_set_add(&alone, id);
	set = make_set(&alone);
	if (set && plan.backend->open(group, set->events, set->nr_events)) {
		judge(metric, id, set, group);
		plan.backend->close(group);
	} else {
		fail(metric, MS_MISSING_NOT_SUPPORTED, "its events cannot be counted at once");
	}
	if (metric->missing != MS_PRESENT)
		/* another table may still provide events for it */
		plan.sets = NULL;
}

/* Tries these tables; the metric is the sum over them. */
static bool try_tables(uint32_t id, const struct counter_table *tables, size_t nr)
{
	struct plan_metric *metric = &plan.metrics[id - PLAN_FIRST];

	*metric = (struct plan_metric){ .missing = MS_PRESENT };
	for (size_t i = 0; i < nr; i++)
		if (!add_table(metric, id, tables[i].name))
			return false;
	calibrate(metric, id);
	return metric->missing == MS_PRESENT;
}

/* Number of kinds of core; their tables come first. */
static size_t count_cores(void)
{
	size_t cores = 0;

	while (cores < plan.nr_tables && plan.tables[cores].core)
		cores++;
	return cores;
}

/* Whether there is a file for one of the cores' tables. */
static bool has_own_table(size_t cores)
{
	for (size_t i = 0; i < cores; i++)
		if (plan.config.table(plan.config.ctx, plan.tables[i].name))
			return true;
	return false;
}

/*
 * By the CPU's own tables, else by one of the others. When all fail, the first one's reason stays.
 */
static void find_metric(uint32_t id)
{
	struct plan_metric *metric = &plan.metrics[id - PLAN_FIRST], first;
	size_t cores = count_cores(), tried = cores ? cores : 1;

	if (!plan.nr_tables)
		fail(metric, MS_MISSING_UNSUPPORTED, "there is no event table for this CPU");
	else if (try_tables(id, plan.tables, tried))
		return;
	first = *metric;
	for (size_t i = tried; i < plan.nr_tables; i++)
		if (!(plan.tables[i].stands_in && has_own_table(cores)) &&
		    try_tables(id, &plan.tables[i], 1))
			return;
	*metric = first;
}

/* ------------------------------------------------------- events of the user */

/* A name without a table is searched in the tables of all kinds of core, and is their sum. */
static bool add_user_event(struct plan_metric *metric, char *name)
{
	char *colons = strstr(name, "::");
	size_t cores = count_cores();

	if (colons) {
		*colons = '\0';
		return add_term(metric, name, colons + 2, 1);
	}
	if (cores < 2)
		return add_term(metric, NULL, name, 1);
	for (size_t i = 0; i < cores; i++)
		if (!add_term(metric, plan.tables[i].name, name, 1))
			return false;
	return true;
}

static void find_user_event(unsigned int index, char *name)
{
	struct plan_metric *metric;

	if (index >= PLAN_USER_EVENTS) {
		log_warning("event '%s' is left out: at most %d can be named", name,
			    PLAN_USER_EVENTS);
		return;
	}
	metric = &plan.metrics[MS_METRIC_EVENT_1 - PLAN_FIRST + index];
	*metric = (struct plan_metric){ .missing = MS_PRESENT };
	if (add_user_event(metric, arena_strdup(plan.arena, name)))
		calibrate(metric, MS_METRIC_EVENT_1 + index);
	if (metric->missing != MS_PRESENT && !quiet)
		log_warning("event '%s' is left out: %s", name, metric->text);
}

static void find_user_events(void)
{
	char *rest = arena_strdup(plan.arena, plan.config.events ? plan.config.events : "");
	unsigned int nr = 0;

	for (uint32_t i = 0; i < PLAN_USER_EVENTS; i++)
		fail(&plan.metrics[MS_METRIC_EVENT_1 - PLAN_FIRST + i], MS_MISSING_NOT_REQUESTED,
		     "no event was named with --event");
	while (rest && *rest) {
		char *comma = strchr(rest, ',');

		if (comma)
			*comma = '\0';
		if (*rest)
			find_user_event(nr++, rest);
		rest = comma ? comma + 1 : NULL;
	}
}

/* ------------------------------------------------------------------- start */

static bool any_metric(void)
{
	for (size_t i = 0; i < PLAN_METRICS; i++)
		if (plan.metrics[i].missing == MS_PRESENT)
			return true;
	return false;
}

/*
 * The first back end that works; otherwise the first one's reason: what the kernel denies to one it
 * denies to all.
 */
static const struct counter_backend *start_backend(struct sensor_status *status)
{
	status->why = MS_MISSING_NOT_REQUESTED;
	for (size_t i = 0; i < plan.config.nr; i++) {
		struct sensor_status own = { 0 };

		plan.config.backends[i]->start(&own);
		if (own.works || !i)
			*status = own;
		if (own.works)
			return plan.config.backends[i];
		if (own.why == MS_MISSING_NOT_PERMITTED)
			break;
	}
	if (!plan.config.nr)
		snprintf(status->text, sizeof(status->text), "%s",
			 plan.config.none ? plan.config.none : "");
	return NULL;
}

static void give_up(struct sensor_status *status)
{
	status->works = false;
	status->why = plan.metrics[0].missing;
	if (!status->text[0])
		snprintf(status->text, sizeof(status->text),
			 "no event that memsearch knows counts here; cycles: %.100s",
			 plan.metrics[0].text ? plan.metrics[0].text : "");
	plan.backend = NULL;
}

/* If the CPU's counters are unavailable altogether, that is the reason for most metrics. */
static void blame_machine(const struct sensor_status *status)
{
	const char *text = arena_strdup(plan.arena, status->text);

	for (uint32_t i = 0; i < MS_METRIC_EVENT_1 - PLAN_FIRST; i++)
		if (plan.metrics[i].missing == MS_MISSING_UNSUPPORTED)
			fail(&plan.metrics[i], MS_MISSING_NOT_SUPPORTED, text);
}

void plan_start(struct sensor_status *status)
{
	plan.arena = plan.arena ? plan.arena : arena_new();
	plan.backend = plan.arena ? start_backend(status) : NULL;
	if (!plan.backend)
		return;
	plan.nr_tables = plan.backend->tables(plan.tables, TABLES_MAX);
	for (uint32_t metric = PLAN_FIRST; metric < MS_METRIC_EVENT_1; metric++)
		find_metric(metric);
	find_user_events();
	if (!count_cores() && status->text[0])
		blame_machine(status);
	if (!any_metric())
		give_up(status);
}

/* ---------------------------------------------------------- requested sets */

static struct ms_metric_set to_be_had(const uint32_t *metrics, size_t nr)
{
	struct ms_metric_set set = { 0 };

	for (size_t i = 0; i < nr; i++)
		if (is_planned(metrics[i]) &&
		    plan.metrics[metrics[i] - PLAN_FIRST].missing == MS_PRESENT)
			ms_metric_set_add(&set, metrics[i]);
	return set;
}

struct counter_set *plan_set(const uint32_t *metrics, size_t nr)
{
	struct ms_metric_set wanted = to_be_had(metrics, nr);
	struct counter_set *set = plan.sets;

	while (set && !ms_metric_set_equal(&set->metrics, &wanted))
		set = set->next;
	return set || !ms_metric_set_count(&wanted) ? set : make_set(&wanted);
}

bool plan_fits(const uint32_t *metrics, size_t nr, void (*release)(void))
{
	const char *text;
	struct counter_set *set;

	for (size_t i = 0; i < nr; i++)
		if (plan_missing(metrics[i], &text) != MS_PRESENT)
			return false;
	set = plan_set(metrics, nr);
	if (set && set->fits < 0) {
		release();
		set->fits = plan.backend->fits(set->events, set->nr_events);
	}
	return set && set->fits;
}

struct counters_use counters_use(void)
{
	struct counters_use use = { 0 };

	for (const struct counter_set *set = plan.sets; set; set = set->next) {
		uint32_t nr = ms_metric_set_count(&set->metrics);

		use.sets += set->selected;
		use.at_once = set->selected && nr > use.at_once ? nr : use.at_once;
	}
	return use;
}

/* ---------------------------------------------------------------- readings */

enum ms_missing plan_check(const struct counter_reading *before,
			   const struct counter_reading *after, size_t nr)
{
	uint64_t enabled_ns = after->enabled_ns - before->enabled_ns, most;

	if (after->enabled_ns < before->enabled_ns)
		return MS_MISSING_BROKEN;
	if (after->running_ns - before->running_ns != enabled_ns)
		return MS_MISSING_TAKEN;
	most = enabled_ns < LARGEST_DIFFERENCE / EVENTS_PER_NS - SLACK_NS
		       ? (enabled_ns + SLACK_NS) * EVENTS_PER_NS
		       : LARGEST_DIFFERENCE;
	for (size_t i = 0; i < nr; i++)
		if (after->values[i] < before->values[i] ||
		    after->values[i] - before->values[i] > most)
			return MS_MISSING_BROKEN;
	return MS_PRESENT;
}

double plan_value(const struct counter_row *row, const uint64_t *before, const uint64_t *after)
{
	double value = 0;

	for (size_t i = 0; i < row->nr; i++)
		value += row->terms[i].factor *
			 (double)(after[row->terms[i].slot] - before[row->terms[i].slot]);
	return value;
}
