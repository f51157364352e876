/* SPDX-License-Identifier: Apache-2.0 */
/* What all formats of the report say of a finding and of what could not be seen. */
#include "analysis/report/finding.h"

#include <ctype.h>
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "analysis/base/arena.h"
#include "analysis/base/base_name.h"
#include "analysis/report/array_names.h"
#include "analysis/report/places.h"
#include "analysis/report/source_words.h"
#include "analysis/report/text.h"
#include "analysis/report/units.h"
#include "memsearch/host.h"

static bool is_upper(char letter)
{
	return letter >= 'A' && letter <= 'Z';
}

/*
 * "L2DataMissRate" -> "L2 data miss rate": a capital begins a word unless it continues an
 * abbreviation.
 */
const char *finding_title(struct arena *arena, const struct run_node *node)
{
	const char *name = node->property ? node->property : "unknown property";
	struct text title;

	if (node->title && *node->title)
		return node->title;
	text_init(&title, arena);
	for (size_t i = 0; name[i]; i++) {
		bool begins = i > 0 && is_upper(name[i]) &&
			      (!is_upper(name[i - 1]) ||
			       (name[i + 1] && islower((unsigned char)name[i + 1])));
		bool abbreviation = is_upper(name[i]) &&
				    (is_upper(name[i + 1]) || isdigit((unsigned char)name[i + 1]) ||
				     (i > 0 && is_upper(name[i - 1]) && !begins));
		char letter = name[i] == '_' ? ' ' : name[i];

		if (begins && name[i - 1] != '_')
			text_add(&title, " ");
		if (is_upper(letter) && !abbreviation)
			letter = (char)(letter - 'A' + 'a');
		text_add_bytes(&title, &letter, 1);
	}
	return title.bytes ? title.bytes : name;
}

const char *finding_during(struct arena *arena, const struct run *run, const struct run_node *node)
{
	const struct run_interval *interval = run_interval(run, node->interval);

	return interval ? arena_printf(arena, ", during '%s'", interval->name) : "";
}

size_t finding_chain(struct arena *arena, const struct run *run, const struct run_node *node,
		     const uint32_t **out)
{
	size_t nr = 0, at;
	uint32_t *chain;

	*out = NULL;
	/*
	 * A parent always has a smaller number; anything else is a damaged record and ends the
	 * chain.
	 */
	for (const struct run_node *up = node;
	     up->parent < (size_t)(up - run->nodes) && run->nodes[up->parent].state == MS_NODE_TRUE;
	     nr++)
		up = &run->nodes[up->parent];
	chain = nr ? arena_alloc(arena, nr * sizeof(*chain)) : NULL;
	if (!chain)
		return 0;
	at = nr;
	for (const struct run_node *up = node; at > 0; up = &run->nodes[up->parent])
		chain[--at] = up->parent;
	*out = chain;
	return nr;
}

const struct run_region *finding_region(const struct run *run, const struct run_node *node)
{
	const struct run_region *region = node->region < run->nr_regions
						  ? &run->regions[node->region]
						  : NULL;

	if (region && region->kind == MS_DATA_STRUCTURE)
		return region->parent < run->nr_regions ? &run->regions[region->parent] : NULL;
	return region;
}

const struct run_region *finding_construct(const struct run *run, const struct run_region *region)
{
	while (region && ms_region_kind_is_part(region->kind))
		region = region->parent < region->id && region->parent < run->nr_regions
				 ? &run->regions[region->parent]
				 : NULL;
	return region;
}

uint32_t finding_outside_functions(const struct run *run, uint32_t region)
{
	while (region < run->nr_regions && run->regions[region].kind == MS_SUB_REGION)
		region = run->regions[region].parent < region ? run->regions[region].parent
							      : MS_REGION_NONE;
	return region;
}

uint32_t finding_array_of_construct(const struct run *run, uint32_t region)
{
	const struct run_region *of = region < run->nr_regions ? &run->regions[region] : NULL;
	const struct run_region *construct = of && of->kind == MS_DATA_STRUCTURE
						     ? finding_construct(run, of)
						     : NULL;

	return construct && of->parent == construct->id && run_region_array(of) < run->nr_arrays
		       ? run_region_array(of)
		       : UINT32_MAX;
}

const struct run_array *finding_array(const struct run *run, uint32_t region)
{
	uint32_t array = region < run->nr_regions ? run_region_array(&run->regions[region])
						  : UINT32_MAX;

	return array < run->nr_arrays ? &run->arrays[array] : NULL;
}

/* -- where */

/* How a kind of region is called in a sentence. */
static const char *kind_phrase(enum ms_region_kind kind)
{
	static const char *const phrases[MS_REGION_KINDS] = {
		[MS_SUB_REGION] = "function",
		[MS_CALL_REGION] = "call",
		[MS_PARALLEL_REGION] = "parallel region",
		[MS_DO_REGION] = "loop",
		[MS_LOOP_REGION] = "loop",
		[MS_SECTIONS_REGION] = "sections",
		[MS_SINGLE_REGION] = "single",
		[MS_MASTER_REGION] = "master section",
		[MS_WORKSHARE_REGION] = "workshare",
		[MS_TASK_REGION] = "task",
		[MS_TASKWAIT_REGION] = "taskwait",
		[MS_BARRIER_REGION] = "barrier",
		[MS_CRITICAL_REGION] = "critical section",
		[MS_ORDERED_REGION] = "ordered section",
		[MS_LOCK_REGION] = "lock",
		[MS_REDUCTION_REGION] = "reduction",
	};

	return (unsigned int)kind < MS_REGION_KINDS && phrases[kind] ? phrases[kind] : "region";
}

static bool has_source(const struct source *source)
{
	return (source->function && *source->function) || source->line;
}

static const char *end_of_serial(struct arena *arena, struct code_address address,
				 const struct source *source, const char *otherwise)
{
	if (address.module == UINT32_MAX && !address.offset && !has_source(source))
		return otherwise;
	if (source->line && source->file && *source->file)
		return arena_printf(arena, "%s%s:%d", source->approximate ? "near " : "",
				    source->file, source->line);
	return source_place(arena, source);
}

static const char *serial_place(struct arena *arena, const struct run_region *region)
{
	const struct source *before = &region->source, *after = &region->next_source;
	const char *function = has_source(before) ? before->function : after->function;
	bool same = !has_source(before) || !has_source(after) || !before->function ||
		    !after->function || !strcmp(before->function, after->function);
	const char *begin = end_of_serial(arena, region->construct, before, "the program's start");
	const char *end = end_of_serial(arena, region->next, after, "the program's end");
	const char *text;

	if (begin && end && !strcmp(begin, end)) /* a parallel region in a loop */
		text = arena_printf(
			arena, "serial code after the parallel region %s%s, until it starts again",
			strncmp(begin, "near ", 5) == 0 ? "" : "at ", begin);
	else
		text = arena_printf(arena, "serial code between %s and %s", begin, end);
	if (function && *function && same && text)
		return arena_printf(arena, "%s (in %s)", text, source_function(arena, function));
	return text;
}

/*
 * "loop at k.c:42 in calc1, in the parallel region at …": the loop and the construct, not the loops
 * between.
 */
static const char *loop_place(struct arena *arena, const struct run *run,
			      const struct run_region *region)
{
	const struct run_region *construct = finding_construct(run, region);
	const char *loop = source_loop(arena, &region->source);

	if (!construct || construct->kind == MS_USER_REGION)
		return loop;
	return arena_printf(arena, "%s, in the %s", loop, finding_place(arena, run, construct->id));
}

/* "function sum (k.c:12), in the loop at …" */
static const char *called_place(struct arena *arena, const struct run *run,
				const struct run_region *region)
{
	const struct run_region *construct = finding_construct(run, region);
	const char *function = source_place(arena, &region->source);

	if (!construct || construct->kind == MS_USER_REGION)
		return arena_printf(arena, "%s %s", kind_phrase(region->kind), function);
	return arena_printf(arena, "%s %s, in the %s", kind_phrase(region->kind), function,
			    finding_place(arena, run, construct->id));
}

static const char *data_place(struct arena *arena, const struct run *run,
			      const struct run_region *region)
{
	const char *name = arrays_name(arena, run, finding_array(run, region->id));

	if (region->parent >= region->id || run->regions[region->parent].kind == MS_USER_REGION)
		return name;
	return arena_printf(arena, "%s in the %s", name, finding_place(arena, run, region->parent));
}

static const struct run_region *first_place(const struct run *run, uint32_t mutex)
{
	for (size_t i = 0; i < run->nr_regions; i++)
		if (run->regions[i].mutex == mutex)
			return &run->regions[run_region_lock_place(&run->regions[i])];
	return NULL;
}

static const char *lock_words(struct arena *arena, const struct run *run,
			      const struct run_region *lock)
{
	const struct run_region *place = run_region_is_lock(lock) ? first_place(run, lock->id)
								  : &run->regions[lock->parent];
	const char *what = place && place->kind == MS_CRITICAL_REGION ? "critical" : "lock";

	if (lock->name && *lock->name)
		return arena_printf(arena, "%s `%s`", what, lock->name);
	if (lock->name)
		return "the unnamed critical";
	return place ? arena_printf(arena, "lock taken in %s", source_place(arena, &place->source))
		     : "a lock without a name";
}

/* "lock `locks[3]`"; as one place uses it: "lock `locks[3]` in insert (table.c:41)". */
static const char *lock_place(struct arena *arena, const struct run *run,
			      const struct run_region *lock)
{
	const char *words = lock_words(arena, run, lock);

	if (run_region_is_lock(lock) || !lock->name)
		return words;
	return arena_printf(arena, "%s in %s", words,
			    source_place(arena, &run->regions[lock->parent].source));
}

/* " `update`", " `locks[3]`": the lock that a critical or lock region takes; "" it has no name. */
static const char *name_of_lock(struct arena *arena, const struct run *run,
				const struct run_region *place)
{
	const struct run_region *lock = place->mutex && place->mutex < run->nr_regions
						? &run->regions[place->mutex]
						: NULL;

	return lock && lock->name && *lock->name ? arena_printf(arena, " `%s`", lock->name) : "";
}

const char *finding_place(struct arena *arena, const struct run *run, uint32_t id)
{
	const struct run_region *region = id < run->nr_regions ? &run->regions[id] : NULL;
	const char *place;

	if (!region)
		return "an unknown region";
	if (region->kind == MS_DATA_STRUCTURE)
		return data_place(arena, run, region);
	if (region->kind == MS_LOOP_REGION)
		return loop_place(arena, run, region);
	if (region->kind == MS_SUB_REGION)
		return called_place(arena, run, region);
	if (region->kind == MS_MUTEX)
		return lock_place(arena, run, region);
	if (region->kind == MS_USER_REGION)
		return run->phase.method == PHASE_WHOLE_PROGRAM ? "the whole program"
								: "the whole phase";
	place = region->kind == MS_SERIAL_REGION
			? serial_place(arena, region)
			: arena_printf(arena, "%s%s %s %s", kind_phrase(region->kind),
				       name_of_lock(arena, run, region),
				       has_source(&region->source) ? "in" : "at",
				       source_place(arena, &region->source));
	return place ? place : "an unknown region";
}

/* Of serial code, which has two ends, only where both are in one function. */
static const char *own_function(const struct run_region *region)
{
	const char *function = region->source.function, *next = region->next_source.function;

	if (region->kind == MS_SERIAL_REGION && function && next && *function && *next &&
	    strcmp(function, next) != 0)
		return NULL;
	if (region->kind == MS_SERIAL_REGION && (!function || !*function))
		function = next;
	return function && *function ? function : NULL;
}

static size_t add_function(const char **names, size_t nr, const char *name)
{
	if (name && (!nr || strcmp(names[nr - 1], name) != 0))
		names[nr++] = name;
	return nr;
}

size_t finding_functions(struct arena *arena, const struct run *run, uint32_t region,
			 const char *const **out)
{
	uint32_t up = region;
	const char **names;
	size_t nr = 0;

	*out = NULL;
	while (up < run->nr_regions && !(run->regions[up].path && run->regions[up].nr_path))
		up = run->regions[up].parent < up ? run->regions[up].parent : UINT32_MAX;
	names = region < run->nr_regions
			? arena_alloc(arena,
				      ((up < run->nr_regions ? run->regions[up].nr_path : 0) + 2) *
					      sizeof(*names))
			: NULL;
	if (!names)
		return 0;
	for (size_t i = 0; up < run->nr_regions && i < run->regions[up].nr_path; i++) {
		const char *function = run->regions[up].path[i].function;

		names[nr++] = function && *function ? function : "?";
	}
	if (up < run->nr_regions)
		nr = add_function(names, nr, own_function(&run->regions[up]));
	*out = names;
	return add_function(names, nr, own_function(&run->regions[region]));
}

static const char *join_path(struct arena *arena, const char *const *names, size_t nr)
{
	bool any = false;
	struct text path;

	text_init(&path, arena);
	for (size_t i = 0; i < nr; i++) {
		text_printf(&path, "%s%s", i ? " -> " : "", names[i]);
		any |= strcmp(names[i], "?") != 0;
	}
	return any ? path.bytes : NULL;
}

size_t finding_regions(struct arena *arena, const struct run *run, uint32_t region,
		       const uint32_t **out)
{
	uint32_t *way;
	size_t nr = 0;

	*out = NULL;
	if (region >= run->nr_regions)
		return 0;
	for (uint32_t up = region;; up = run->regions[up].parent) {
		nr++;
		if (run->regions[up].parent >= up)
			break;
	}
	way = arena_alloc(arena, nr * sizeof(*way));
	if (!way)
		return 0;
	for (size_t at = nr; at > 0; region = run->regions[region].parent)
		way[--at] = region;
	*out = way;
	return nr;
}

const struct run_node *finding_whole(const struct run *run, const struct run_node *node)
{
	const struct run_node *whole = node->parent < run->nr_nodes ? &run->nodes[node->parent]
								    : NULL;

	return whole && whole->region == MS_REGION_USER && whole->state == MS_NODE_TRUE &&
			       whole->severity > 0
		       ? whole
		       : NULL;
}

static bool is_time_of_phase(const struct run *run, const struct run_measurement *one)
{
	return one->row.metric == MS_METRIC_TIME && one->observed_ns > 0 && run->threads;
}

static double time_share(const struct run *run, const struct run_measurement *one)
{
	return one->row.stat.sum / one->observed_ns / run->threads;
}

const double *finding_time_shares(struct arena *arena, const struct run *run)
{
	double *shares = arena_alloc(arena, (run->nr_regions + 1) * sizeof(*shares));

	for (size_t i = 0; shares && i < run->nr_regions; i++)
		shares[i] = NAN;
	for (size_t i = 0; shares && i < run->nr_measurements; i++) {
		const struct run_measurement *one = &run->measurements[i];
		double *share = &shares[one->row.region];

		if (is_time_of_phase(run, one))
			*share = fmin(1, (isnan(*share) ? 0 : *share) + time_share(run, one));
	}
	return shares;
}

double finding_closing_waits(const struct run *run)
{
	double share = 0;

	for (size_t i = 0; i < run->nr_measurements; i++) {
		const struct run_measurement *one = &run->measurements[i];
		uint32_t region = one->row.region;

		if (one->row.metric == MS_METRIC_BARRIER_WAIT && region < run->nr_regions &&
		    run->regions[region].kind == MS_PARALLEL_REGION &&
		    run_outermost(run, region) == region)
			share += one->observed_ns > 0 && run->threads ? time_share(run, one) : 0;
	}
	return fmin(1, share);
}

/* Of a loop or called function that was timed; executions of the phase are slower meanwhile. */
static double loop_share(const struct run *run, const struct run_measurement *one)
{
	double phase_ns = run->phase.executions ? run->phase.wall_ns / (double)run->phase.executions
						: 0;

	if (one->row.metric != MS_METRIC_LOOP_TIME || !one->phases || phase_ns <= 0 ||
	    !run->threads)
		return NAN;
	return one->row.stat.sum / (double)one->phases / phase_ns / run->threads;
}

double finding_time_share(const struct run *run, uint32_t region)
{
	double share = NAN;

	for (size_t i = 0; i < run->nr_measurements; i++) {
		const struct run_measurement *one = &run->measurements[i];

		double part = is_time_of_phase(run, one) ? time_share(run, one)
							 : loop_share(run, one);

		if (one->row.region == region && !isnan(part))
			share = (isnan(share) ? 0 : share) + part;
	}
	return share > 1 ? 1 : share;
}

/* In one execution of the phase; 0: none. */
static double samples_of(const struct run *run, uint32_t region)
{
	double samples = 0;

	for (size_t i = 0; i < run->nr_measurements; i++) {
		const struct run_measurement *one = &run->measurements[i];

		if (one->row.region == region && one->row.metric == MS_METRIC_SAMPLES &&
		    one->phases)
			samples += one->row.stat.sum / (double)one->phases;
	}
	return samples;
}

double finding_sample_share(const struct run *run, uint32_t region)
{
	const struct run_region *function = region < run->nr_regions ? &run->regions[region] : NULL,
				*construct = function ? finding_construct(run, function) : NULL;
	double all = construct && construct != function ? samples_of(run, construct->id) : 0,
	       own = all > 0 ? samples_of(run, region) : 0;

	return own > 0 ? fmin(1, own / all) : NAN;
}

const char *finding_path(struct arena *arena, const struct run *run, uint32_t region)
{
	const char *const *names;
	size_t nr = finding_functions(arena, run, region, &names);

	return join_path(arena, names, nr);
}

const char *finding_callers(struct arena *arena, const struct run *run, uint32_t region)
{
	const char *const *names;
	size_t nr = finding_functions(arena, run, region, &names);
	const char *own = nr ? own_function(&run->regions[region]) : NULL;

	return join_path(arena, names, nr && own && !strcmp(own, names[nr - 1]) ? nr - 1 : nr);
}

static void add_numbers(struct text *text, const uint32_t *numbers, size_t nr)
{
	for (size_t i = 0; i < nr; i++)
		text_printf(text, "%s%" PRIu32, i ? ", " : "", numbers[i]);
}

static const char *list_numbers(struct arena *arena, const uint32_t *numbers, size_t nr)
{
	struct text list;

	if (!nr)
		return NULL;
	text_init(&list, arena);
	add_numbers(&list, numbers, nr);
	return list.bytes;
}

const char *finding_threads(struct arena *arena, const struct run_node *node)
{
	return list_numbers(arena, node->threads, node->nr_threads);
}

const char *finding_numa_nodes(struct arena *arena, const struct run *run,
			       const struct run_node *node)
{
	return list_numbers(arena, node->numa_nodes,
			    run->machine.nodes > 1 ? node->nr_numa_nodes : 0);
}

/* Ascending, each once; returns how many there are then. */
static size_t insert(uint32_t *numbers, size_t nr, uint32_t number)
{
	size_t at = nr;

	for (size_t i = 0; i < nr; i++)
		if (numbers[i] == number)
			return nr;
	for (; at > 0 && numbers[at - 1] > number; at--)
		numbers[at] = numbers[at - 1];
	numbers[at] = number;
	return nr + 1;
}

/* Those of the threads it names. */
static size_t nodes_of_threads(struct arena *arena, const struct run *run,
			       const struct run_node *node, uint32_t *nodes)
{
	const struct places *places = places_of(arena, run);
	size_t nr = 0;

	for (size_t i = 0; i < node->nr_threads; i++) {
		uint32_t on = places_node(places, node->threads[i]);

		if (on == RUN_PLACE_UNKNOWN)
			return 0;
		nr = insert(nodes, nr, on);
	}
	return nr;
}

size_t finding_nodes(struct arena *arena, const struct run *run, const struct run_node *node,
		     const uint32_t **out)
{
	uint32_t *nodes = arena_alloc(arena, (node->nr_threads + node->nr_numa_nodes + 1) *
						     sizeof(*nodes));
	size_t nr = 0;

	*out = nodes;
	if (!nodes || run->machine.nodes < 2)
		return 0;
	for (size_t i = 0; i < node->nr_numa_nodes; i++)
		nr = insert(nodes, nr, node->numa_nodes[i]);
	return nr ? nr : nodes_of_threads(arena, run, node, nodes);
}

const char *finding_threads_nodes(struct arena *arena, const struct run *run,
				  const struct run_node *node)
{
	uint32_t *nodes = arena_alloc(arena, (node->nr_threads + 1) * sizeof(*nodes));
	size_t nr = nodes && run->machine.nodes > 1 ? nodes_of_threads(arena, run, node, nodes) : 0;
	const char *threads = finding_threads(arena, node);
	struct text text;

	if (!nr)
		return threads;
	text_init(&text, arena);
	text_printf(&text, "%s (on NUMA node%s ", threads, nr > 1 ? "s" : "");
	add_numbers(&text, nodes, nr);
	text_add(&text, ")");
	return text.bytes;
}

/* -- how sure */

bool finding_interval(const struct run_node *node)
{
	return isfinite(node->severity_low) && isfinite(node->severity_high) &&
	       (node->interval_known || node->severity_low < node->severity_high);
}

const char *finding_uncertainty(struct arena *arena, const struct run_node *node)
{
	bool interval = finding_interval(node) && node->severity_low < node->severity_high;

	if (node->severity_of_model)
		return arena_printf(
			arena,
			"span of a model, from what it costs at least to what it may cost at most, over %" PRIu32
			" experiment%s",
			node->experiments, node->experiments == 1 ? "" : "s");
	if (node->experiments < 2)
		return interval ? "error of the one experiment there was"
				: "how far its share is sure is not known from one experiment";
	return arena_printf(arena,
			    interval ? "95 %% interval of the spread over %" PRIu32 " experiments"
				     : "no spread seen over %" PRIu32 " experiments",
			    node->experiments);
}

/* Without totals for a search over a record, which has executions of its own, and for one under way. */
const char *finding_reached(struct arena *arena, const struct run *run, const struct run_node *node)
{
	uint64_t executions = node->reached_executions, all = run->phase.executions;
	double all_ns = run->cost.program_wall_ns;
	bool ended = run->complete && node->reached_ns > 0;
	struct text text;

	if (!executions && !(node->reached_ns > 0))
		return NULL;
	if (ended && node->reached_ns >= all_ns)
		return "after the run";
	text_init(&text, arena);
	if (executions && ended && executions <= all)
		text_printf(&text, "after %" PRIu64 " of %" PRIu64 " executions", executions, all);
	else if (executions)
		text_printf(&text, "after %" PRIu64 " execution%s", executions,
			    executions == 1 ? "" : "s");
	if (node->reached_ns > 0) {
		text_add_plain(&text, executions ? ", " : "");
		units_time(&text, node->reached_ns);
		text_printf(&text, " into %s", ended ? units_time_text(arena, all_ns) : "the run");
	}
	return text.bytes;
}

const struct ms_reading *finding_rate(const struct run_node *node)
{
	for (size_t i = 0; i < node->nr_evidence; i++)
		if (node->evidence[i].name && !strcmp(node->evidence[i].name, "rate") &&
		    node->evidence[i].reading.missing == MS_PRESENT)
			return &node->evidence[i].reading;
	return NULL;
}

bool report_has_begin(const struct run *run)
{
	return run->program != NULL;
}

bool report_passed_limit(const struct run *run)
{
	return run->cost.limit_bound && run->cost.slowdown - 1 > run->cost.limit;
}

const char *report_program(const struct run *run, bool brief)
{
	const char *program = run->program ? run->program : "(unknown program)";

	return brief ? base_name(program) : program;
}
