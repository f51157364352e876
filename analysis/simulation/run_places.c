/* SPDX-License-Identifier: Apache-2.0 */
/* Applies OMP_PLACES and OMP_PROC_BIND to a modelled machine. */
#include "analysis/simulation/run_places.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "analysis/machine/model.h"

/*
 * Places and their cores, in their order. A core belongs to the first place that names it: one
 * thread per core.
 */
struct places {
	const struct machine_model *model;
	uint32_t nr;
	uint32_t of[MODEL_CORES];              /* by core: number + 1 of its place; 0: none */
	uint32_t order[MODEL_CORES], nr_cores; /* cores in that order */
	bool wrong;
};

static void add_core(struct places *places, int64_t core)
{
	if (core < 0 || core >= places->model->cores) {
		places->wrong = true;
		return;
	}
	if (places->of[core])
		return;
	places->of[core] = places->nr + 1;
	places->order[places->nr_cores++] = (uint32_t)core;
}

/* ------------------------------------------------------------------ OMP_PLACES */

static void skip_spaces(const char **at)
{
	*at += strspn(*at, " \t");
}

static bool read_character(const char **at, char wanted)
{
	skip_spaces(at);
	*at += **at == wanted;
	return (*at)[-1] == wanted;
}

static bool read_number(const char **at, int64_t *out)
{
	char *end;

	skip_spaces(at);
	*out = strtoll(*at, &end, 10);
	if (end == *at || *out > MODEL_CORES || *out < -MODEL_CORES)
		return false;
	*at = end;
	return true;
}

static bool read_colon(const char **at)
{
	skip_spaces(at);
	if (**at != ':')
		return false;
	++*at;
	return true;
}

/* Optional ":LENGTH" and ":STRIDE". */
static bool read_interval(const char **at, int64_t *length, int64_t *stride)
{
	*length = *stride = 1;
	if (!read_colon(at))
		return true;
	if (!read_number(at, length) || *length < 1)
		return false;
	return !read_colon(at) || read_number(at, stride);
}

#define NAMED_MOST 64 /* intervals of one place */
struct interval {
	int64_t first, length, stride;
};

/* "{0:4:2,9}"; returns the number of intervals, 0: invalid. */
static uint32_t read_place(const char **at, struct interval *intervals)
{
	uint32_t nr = 0;

	skip_spaces(at);
	if (**at != '{')
		return 0;
	do {
		struct interval *to = &intervals[nr++];

		++*at;
		if (nr == NAMED_MOST || !read_number(at, &to->first) ||
		    !read_interval(at, &to->length, &to->stride))
			return 0;
		skip_spaces(at);
	} while (**at == ',');
	return read_character(at, '}') ? nr : 0;
}

static void add_place(struct places *places, const struct interval *intervals, uint32_t nr,
		      int64_t by)
{
	for (uint32_t i = 0; i < nr; i++)
		for (int64_t k = 0; k < intervals[i].length && !places->wrong; k++)
			add_core(places, intervals[i].first + by + k * intervals[i].stride);
	places->nr++;
}

/* "{0:4},{4:4}" or "{0:4}:2:4" */
static bool read_list(struct places *places, const char *text)
{
	struct interval intervals[NAMED_MOST];
	const char *at = text;
	int64_t length, stride;

	do {
		uint32_t nr;

		at += at != text;
		nr = read_place(&at, intervals);
		if (!nr || !read_interval(&at, &length, &stride))
			return false;
		for (int64_t i = 0; i < length && !places->wrong; i++)
			add_place(places, intervals, nr, i * stride);
		skip_spaces(&at);
	} while (*at == ',');
	return !*at && !places->wrong;
}

static uint32_t cores_of_last_cache(const struct machine_model *model)
{
	for (unsigned int level = MODEL_LEVELS; level--;)
		if (model->cache[level].bytes)
			return model->cache[level].cores;
	return 1;
}

/* Cores of an abstract place; 0: no such name. */
static uint32_t cores_of_name(const struct machine_model *model, const char *name, size_t nr)
{
	const struct {
		const char *name;
		uint32_t cores;
	} names[] = {
		{ "threads", 1 },
		{ "cores", 1 },
		{ "ll_caches", cores_of_last_cache(model) },
		{ "numa_domains", model->cores / model->nodes },
		{ "sockets", model->cores / model->nodes },
	};

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (strlen(names[i].name) == nr && !strncasecmp(name, names[i].name, nr))
			return names[i].cores;
	return 0;
}

/* "cores" or "sockets(2)" */
static bool read_name(struct places *places, const char *text)
{
	size_t nr = strcspn(text, "( \t");
	uint32_t cores = cores_of_name(places->model, text, nr);
	const char *at = text + nr;
	int64_t most = MODEL_CORES;

	skip_spaces(&at);
	if (*at == '(' && (++at, !read_number(&at, &most) || most < 1 || !read_character(&at, ')')))
		return false;
	skip_spaces(&at);
	if (!cores || *at)
		return false;
	for (uint32_t first = 0; first < places->model->cores && places->nr < most; first += cores)
		add_place(places, &(struct interval){ first, cores, 1 }, 1, 0);
	return true;
}

/* ------------------------------------------------------------------ OMP_PROC_BIND */

enum bind { BIND_NONE, BIND_CLOSE, BIND_SPREAD, BIND_PRIMARY };

/* Of the outermost teams. */
static enum bind read_bind(const char *bind, bool has_places)
{
	static const struct {
		const char *name;
		enum bind bind;
	} names[] = {
		{ "true", BIND_CLOSE },      { "close", BIND_CLOSE },    { "spread", BIND_SPREAD },
		{ "primary", BIND_PRIMARY }, { "master", BIND_PRIMARY },
	};
	size_t nr;

	if (!bind)
		return has_places ? BIND_CLOSE : BIND_NONE;
	bind += strspn(bind, " \t");
	nr = strcspn(bind, ", \t");
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (strlen(names[i].name) == nr && !strncasecmp(bind, names[i].name, nr))
			return names[i].bind;
	return BIND_NONE;
}

/*
 * OpenMP 5.2, 10.1.3, for an initial thread in the first place. With more threads than places
 * neighbours share one.
 */
static uint32_t place_of(enum bind bind, uint32_t thread, uint32_t threads, uint32_t places)
{
	if (bind == BIND_PRIMARY)
		return 0;
	if (bind == BIND_CLOSE && threads <= places)
		return thread;
	return (uint32_t)((uint64_t)thread * places / threads);
}

/* UINT32_MAX: all are used. */
static uint32_t take_core(struct places *places, uint32_t place)
{
	for (uint32_t i = 0; i < places->nr_cores; i++) {
		uint32_t core = places->order[i];

		if (places->of[core] != place + 1)
			continue;
		places->of[core] = UINT32_MAX;
		return core;
	}
	return UINT32_MAX;
}

bool run_places(const char *text, const char *bind_text, const struct machine_model *model,
		uint32_t threads, uint32_t *cores_out)
{
	struct places places = { .model = model };
	enum bind bind = read_bind(bind_text, text && *text);

	text = text && *text ? text + strspn(text, " \t") : "cores";
	if (bind == BIND_NONE || model->cores > MODEL_CORES ||
	    !(*text == '{' ? read_list(&places, text) : read_name(&places, text)))
		return false;
	for (uint32_t i = 0; i < threads; i++) {
		cores_out[i] = take_core(&places, place_of(bind, i, threads, places.nr));
		if (cores_out[i] == UINT32_MAX)
			return false;
	}
	return true;
}
