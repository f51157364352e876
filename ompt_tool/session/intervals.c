/* SPDX-License-Identifier: Apache-2.0 */
/* Opens and closes intervals of the run. */
#include "ompt_tool/session/intervals.h"

#include <stdio.h>
#include <string.h>

#include "analysis/base/arena.h"
#include "analysis/base/log.h"
#include "analysis/elf/binary.h"
#include "analysis/elf/function_names.h"
#include "analysis/options/triggers.h"
#include "analysis/search/database_intervals.h"
#include "analysis/search/engine_config.h"
#include "ompt_tool/process/run_modules.h"
#include "ompt_tool/regions/region.h"

struct interval {
	struct trigger trigger;
	int number; /* of marks */
	bool open;
	uint64_t opened_ns;
	/* for how long it was open in the execution that began then */
	uint64_t inside_ns, begin_ns;
};

static struct {
	struct arena *arena;
	struct database *const *dbs; /* of all searches */
	size_t nr_dbs;
	struct interval items[MS_INTERVALS_MOST]; /* by id */
	uint32_t nr;                              /* with MS_INTERVAL_WHOLE; 0: none */
	uint64_t in, open;                        /* bits */
	bool full, awaits_calls;
} intervals;

/* Code of the functions that triggers name; addresses in the file. */
#define CODE_MOST 256
struct code {
	uint32_t module, interval;
	uint64_t low, high;
};
static struct {
	struct code code[CODE_MOST];
	size_t nr;
	uint32_t modules; /* number of the run's modules that have been read */
} called;

/* ------------------------------------------------------------------ declaring */

/* NULL: there are too many, or no memory. */
static struct interval *declare(const struct trigger *trigger)
{
	struct database_interval interval = { .id = intervals.nr ? intervals.nr : 1,
					      .kind = trigger->kind };

	if (interval.id == MS_INTERVALS_MOST) {
		if (!intervals.full)
			log_warning("more than %u intervals: the further ones are not followed",
				    MS_INTERVALS_MOST - 1);
		intervals.full = true;
		return NULL;
	}
	snprintf(interval.name, sizeof(interval.name), "%s%.40s",
		 trigger->kind == MS_INTERVAL_FROM_CALL ? "from " : "", trigger->name);
	for (size_t i = 0; i < intervals.nr_dbs; i++)
		if (database_interval(intervals.dbs[i], &interval) != MS_OK)
			return NULL;
	intervals.nr = interval.id + 1;
	intervals.items[interval.id].trigger = *trigger;
	return &intervals.items[interval.id];
}

void intervals_start(struct arena *arena, struct database *const *dbs, size_t nr_dbs,
		     const char *list)
{
	struct trigger triggers[TRIGGERS_MOST];
	char error[TRIGGER_ERROR_BYTES];
	bool bad;
	size_t nr = triggers_parse(list, triggers, TRIGGERS_MOST, &bad, error);

	intervals.arena = arena;
	intervals.dbs = dbs;
	intervals.nr_dbs = nr_dbs;
	if (bad)
		log_warning("--interval: %s; it is ignored", error);
	for (size_t i = 0; i < nr; i++) {
		declare(&triggers[i]);
		intervals.awaits_calls |= triggers[i].kind == MS_INTERVAL_FROM_CALL;
	}
}

void intervals_configure(const char *list, struct engine_config *config)
{
	struct trigger triggers[TRIGGERS_MOST];
	char error[TRIGGER_ERROR_BYTES];
	bool bad;
	size_t nr = triggers_parse(list, triggers, TRIGGERS_MOST, &bad, error);

	for (size_t i = 0; i < nr; i++)
		if (triggers[i].kind == MS_INTERVAL_WHILE_ABOVE && config->nr_extra < MS_METRICS)
			config->extra[config->nr_extra++] = triggers[i].metric;
}

/* ------------------------------------------------------------------ open and closed */

/* From its begin, or that of the execution, to now. */
static void add_inside(struct interval *interval, uint64_t begin_ns, uint64_t now_ns)
{
	uint64_t from_ns = interval->opened_ns > begin_ns ? interval->opened_ns : begin_ns;

	if (interval->begin_ns != begin_ns) {
		interval->inside_ns = 0;
		interval->begin_ns = begin_ns;
	}
	if (interval->open && now_ns > from_ns)
		interval->inside_ns += now_ns - from_ns;
	interval->opened_ns = now_ns;
}

/* `make`: if there is none yet. NULL: there is none. */
static struct interval *marked(int number, bool make)
{
	struct trigger trigger = { .kind = MS_INTERVAL_MARKED };
	struct interval *interval;

	for (uint32_t id = 1; id < intervals.nr; id++)
		if (intervals.items[id].trigger.kind == MS_INTERVAL_MARKED &&
		    intervals.items[id].number == number)
			return &intervals.items[id];
	snprintf(trigger.name, sizeof(trigger.name), "interval %d", number);
	interval = make ? declare(&trigger) : NULL;
	if (interval)
		interval->number = number;
	return interval;
}

void intervals_mark(bool begin, int number, uint64_t begin_ns, uint64_t now_ns)
{
	struct interval *interval = marked(number, begin);

	if (!interval || interval->open == begin)
		return;
	add_inside(interval, begin_ns, now_ns);
	interval->open = begin;
}

static void set_bit(uint64_t *bits, uint32_t id, bool on)
{
	*bits = on ? *bits | 1ull << id : *bits & ~(1ull << id);
}

void intervals_end(uint64_t begin_ns, uint64_t now_ns)
{
	uint64_t wall_ns = now_ns > begin_ns ? now_ns - begin_ns : 0;

	for (uint32_t id = 1; id < intervals.nr; id++) {
		struct interval *interval = &intervals.items[id];

		add_inside(interval, begin_ns, now_ns);
		set_bit(&intervals.in, id, wall_ns && 2 * interval->inside_ns >= wall_ns);
		set_bit(&intervals.open, id, interval->open);
	}
}

/* ------------------------------------------------------------------ triggers */

static bool waits_for(const struct interval *interval, const char *function)
{
	return interval->trigger.kind == MS_INTERVAL_FROM_CALL && !interval->open && function &&
	       !strcmp(interval->trigger.name, function);
}

/* The functions of a module that a trigger names, with what the compiler took out of them. */
static void read_functions(const struct run *run, uint32_t module)
{
	struct binary binary;

	if (binary_is_system_library(run->modules[module].path) ||
	    binary_open(&binary, intervals.arena, run->modules[module].path, "") != MS_OK)
		return;
	for (size_t i = 0; i < binary.nr_symbols; i++) {
		const struct symbol *symbol = &binary.symbols[i];
		const char *name = name_user(intervals.arena, symbol->name, binary.fortran);

		for (uint32_t id = 1; id < intervals.nr; id++)
			if (waits_for(&intervals.items[id], name) && called.nr < CODE_MOST)
				called.code[called.nr++] = (struct code){ module, id, symbol->low,
									  symbol->high };
	}
	binary_close(&binary);
}

void intervals_region(const struct run *run, const struct region *region)
{
	struct code_address at;

	if (!intervals.awaits_calls || !region->construct || region->kind == MS_DATA_STRUCTURE)
		return;
	while (called.modules < run->nr_modules)
		read_functions(run, called.modules++);
	at = run_modules_address(run, region->construct);
	for (size_t i = 0; i < called.nr; i++) {
		const struct code *code = &called.code[i];

		if (at.module != code->module || at.offset < code->low || at.offset >= code->high)
			continue;
		intervals.items[code->interval].open = true;
		set_bit(&intervals.in, code->interval, true);
		set_bit(&intervals.open, code->interval, true);
	}
}

void intervals_apply(struct database *db, uint64_t executions,
		     double (*sum)(void *ctx, uint32_t metric), void *ctx)
{
	for (uint32_t id = 1; id < intervals.nr; id++) {
		const struct trigger *trigger = &intervals.items[id].trigger;
		bool above = trigger->kind == MS_INTERVAL_WHILE_ABOVE &&
			     sum(ctx, trigger->metric) > trigger->threshold * (double)executions;

		if (trigger->kind != MS_INTERVAL_WHILE_ABOVE)
			continue;
		set_bit(&intervals.in, id, above);
		set_bit(&intervals.open, id, above);
	}
	database_intervals_set(db, intervals.in, intervals.open);
}
