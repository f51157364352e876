/* SPDX-License-Identifier: Apache-2.0 */
/* Puts findings and candidates together to causes. */
#include "analysis/report/cause.h"
#include "analysis/report/disturbance.h"

#include <math.h>
#include <string.h>

#include "analysis/base/arena.h"
#include "analysis/base/sort.h"
#include "analysis/report/finding.h"
#include "analysis/report/group.h"
#include "analysis/report/rank.h"
#include "analysis/report/recorded_left.h"
#include "memsearch/host.h"

#define STREAMED_LEAST 0.1 /* of a construct's lines from memory */
#define FEW_MISSES 0.02    /* of accesses that the first level has */
#define WAITS_MOST 0.6     /* of the time: scaling by more would be a guess */
#define UNCERTAIN_COUNTS 3 /* a third of the uncertain part counts as gained */

/*
 * Nodes about one array in one construct and the natural loops of it; array UINT32_MAX: about none.
 */
struct group {
	uint32_t construct, array;
	const struct run_node **nodes; /* worst first */
	size_t nr;
	struct cause_array of;
	enum cause_kind kind;
};

/* What findings about one construct as a whole cost, for one cause at a time. */
struct whole {
	double low, high;
	bool found, around; /* a node of the cause is about it; about a construct inside of it */
};

struct builder {
	const double *shares; /* of the phase's time, by region */
	struct arena *arena;
	const struct run *run;
	bool of_model;
	const struct array_facts *facts; /* by region */
	const bool *listed;              /* by node: the report lists it by itself */
	const bool *left;                /* by region: recorded_left.h */
	const struct run_node **nodes;   /* those that count, by construct, array and gain */
	size_t nr_nodes;
	struct group *groups;
	size_t nr_groups;
	struct cause *causes;
	size_t nr_causes;
	struct whole *wholes;             /* by region; all 0 between causes */
	const struct run_region **places; /* for places_of */
};

double cause_gain(double low, double high)
{
	return low + (high - low) / UNCERTAIN_COUNTS;
}

#define PAGE_BYTES 4096
#define BEYOND_CACHES 0.05 /* of the first level's misses: most find their line in another */

/* Contiguous accesses that find their lines in the second level, or in the third. */
static bool is_from_caches(const struct cause_array *array)
{
	const double *misses = array->facts->misses;

	return array->pattern.contiguous + array->pattern.same > 0.5 && misses[0] > 0 &&
	       (misses[1] <= BEYOND_CACHES * misses[0] || misses[2] <= BEYOND_CACHES * misses[0]);
}

/* Serial code: what it costs at most is a faster version of it, which is no more likely. */
static bool is_serial(const struct cause *cause)
{
	return cause->kind == CAUSE_PROPERTY && (!strcmp(cause->worst->property, "SerialStretch") ||
						 !strcmp(cause->worst->property, "SerialFraction"));
}

double cause_worth(const struct cause *cause)
{
	bool overlaps = cause->kind == CAUSE_REUSE && cause->nr_arrays;

	for (size_t i = 0; overlaps && i < cause->nr_arrays; i++)
		overlaps = is_from_caches(&cause->arrays[i]);
	return overlaps || is_serial(cause) ? cause->low : cause_gain(cause->low, cause->high);
}

/* ------------------------------------------------------------------ nodes */

/*
 * What the misses of a level, or lines from the own node's memory, cost a whole loop at least, where they are
 * simulated: its estimate ignores the order of the addresses, and what memory delivers in any order.
 * Findings about the arrays use both.
 */
static bool is_simulated_level(const struct run_node *node)
{
	if (!node->property || node->rung != MS_RUNG_SIMULATED)
		return false;
	return !strcmp(node->property, "LocalDramAccesses") ||
	       (node->property[0] == 'L' && node->property[1] >= '1' && node->property[1] <= '3' &&
		!strncmp(node->property + 2, "Data", 4));
}

static double low_of(const struct run_node *node)
{
	double low = finding_interval(node) ? node->severity_low : node->severity;

	return isfinite(low) && low > 0 ? low : 0;
}

static double high_of(const struct run_node *node)
{
	double high = finding_interval(node) ? node->severity_high : node->severity;

	return isfinite(high) ? fmax(high, low_of(node)) : low_of(node);
}

double cause_node_gain(const struct run_node *node)
{
	return cause_gain(low_of(node), high_of(node));
}

/* It makes measuring, not the program, slow or uncertain: a warning of the report. */
static bool is_doubt(const struct run_node *node)
{
	return node->property &&
	       (!strcmp(node->property, "CpusTaken") || !strcmp(node->property, "UnequalCpus") ||
		!strcmp(node->property, "ToolOverhead") ||
		!strcmp(node->property, "ToolOverheadInRegion"));
}

static bool is_found(const struct run *run, const char *property)
{
	for (size_t i = 0; i < run->nr_nodes; i++)
		if (run->nodes[i].state == MS_NODE_TRUE && run->nodes[i].property &&
		    !strcmp(run->nodes[i].property, property))
			return true;
	return false;
}

/*
 * The kernel's time of the whole phase, where a serial stretch of it is found: its question is not
 * the parent of that one, which follows from serial code.
 */
static bool is_of_serial_code(const struct run *run, const struct run_node *node)
{
	return node->property && !strcmp(node->property, "SystemTime") &&
	       is_found(run, "SystemTimeInSerialStretch");
}

/* A stride within few lines, which stay in the first level. */
static bool is_refuted(const struct builder *builder, const struct run_node *node)
{
	const struct array_facts *facts = &builder->facts[node->region];

	return node->property && !strcmp(node->property, "StridedAccess") &&
	       facts->misses[0] < FEW_MISSES * (facts->loads + facts->stores);
}

static bool counts(const struct builder *builder, const struct run_node *node)
{
	enum report_standing standing;

	if (node->state != MS_NODE_TRUE || node->interval ||
	    node->region >= builder->run->nr_regions || is_doubt(node) ||
	    is_of_serial_code(builder->run, node) || is_refuted(builder, node))
		return false;
	if (builder->left[node->region] &&
	    run_region_array(&builder->run->regions[node->region]) < builder->run->nr_arrays)
		return false;
	standing = report_standing(builder->run, node);
	if (builder->of_model)
		return standing == REPORT_MODELLED;
	return standing == REPORT_FINDING || standing == REPORT_CANDIDATE;
}

static uint32_t array_of(const struct run *run, const struct run_node *node)
{
	uint32_t array = run_region_array(&run->regions[node->region]);

	return array < run->nr_arrays ? array : UINT32_MAX;
}

uint32_t cause_construct(const struct run *run, uint32_t region)
{
	const struct run_region *construct = region < run->nr_regions
						     ? finding_construct(run, &run->regions[region])
						     : NULL;

	return construct ? construct->id : region;
}

static uint32_t construct_of(const struct run *run, const struct run_node *node)
{
	return cause_construct(run, node->region);
}

struct keyed {
	const struct run_node *node;
	uint32_t construct, array;
	double gain;
};

static int by_key(const void *left, const void *right)
{
	const struct keyed *a = left, *b = right;

	if (a->construct != b->construct)
		return a->construct < b->construct ? -1 : 1;
	if (a->array != b->array)
		return a->array < b->array ? -1 : 1;
	if (a->gain < b->gain || a->gain > b->gain)
		return a->gain > b->gain ? -1 : 1;
	return (a->node->id > b->node->id) - (a->node->id < b->node->id);
}

/*
 * Nodes that the report lists by themselves: no parents that their refinements explain, no loops
 * around the one that does it.
 */
static bool mark_listed(struct builder *builder)
{
	static const enum report_standing standings[] = { REPORT_FINDING, REPORT_CANDIDATE,
							  REPORT_MODELLED };
	bool *listed = arena_alloc(builder->arena, (builder->run->nr_nodes + 1) * sizeof(*listed));

	builder->listed = listed;
	for (size_t i = 0; listed && i < builder->run->nr_nodes; i++)
		listed[i] = false;
	for (size_t i = 0; listed && i < sizeof(standings) / sizeof(standings[0]); i++) {
		const uint32_t *ids;
		size_t nr = report_rank(builder->arena, builder->run, standings[i], false, &ids);

		for (size_t k = 0; k < nr; k++)
			listed[ids[k]] = true;
	}
	return listed;
}

static bool collect(struct builder *builder)
{
	const struct run *run = builder->run;
	struct keyed *keyed = arena_alloc(builder->arena, (run->nr_nodes + 1) * sizeof(*keyed));
	size_t nr = 0;

	builder->nodes = arena_alloc(builder->arena, (run->nr_nodes + 1) * sizeof(*builder->nodes));
	if (!keyed || !builder->nodes)
		return false;
	for (size_t i = 0; i < run->nr_nodes; i++) {
		const struct run_node *node = &run->nodes[i];

		if (counts(builder, node) &&
		    (array_of(run, node) != UINT32_MAX || builder->listed[i]))
			keyed[nr++] = (struct keyed){ node, construct_of(run, node),
						      array_of(run, node), cause_node_gain(node) };
	}
	sort(keyed, nr, sizeof(*keyed), by_key);
	for (size_t i = 0; i < nr; i++)
		builder->nodes[i] = keyed[i].node;
	builder->nr_nodes = nr;
	return true;
}

/* ------------------------------------------------------------------ one array in one construct */

/* Where it is found: of the loops and the construct around, the one that the report lists. */
static uint32_t region_found(const struct builder *builder, const struct group *group)
{
	uint32_t data = group->nodes[0]->region;

	for (size_t i = 0; i < group->nr; i++) {
		if (!builder->listed[group->nodes[i]->id])
			continue;
		data = group->nodes[i]->region;
		break;
	}
	return data;
}

static void fill_group(struct builder *builder, struct group *group)
{
	uint32_t data = region_found(builder, group);

	group->of = (struct cause_array){ .array = group->array,
					  .region = builder->run->regions[data].parent,
					  .facts = &builder->facts[data] };
	group->of.pattern = array_pattern_of(builder->run, group->array, group->of.region,
					     group->of.facts);
	for (size_t i = 0; i < group->nr; i++) {
		group->of.low = fmax(group->of.low, low_of(group->nodes[i]));
		group->of.high = fmax(group->of.high, high_of(group->nodes[i]));
	}
}

static bool make_groups(struct builder *builder)
{
	builder->groups = arena_alloc(builder->arena,
				      (builder->nr_nodes + 1) * sizeof(*builder->groups));
	for (size_t i = 0, end; builder->groups && i < builder->nr_nodes; i = end) {
		uint32_t construct = construct_of(builder->run, builder->nodes[i]),
			 array = array_of(builder->run, builder->nodes[i]);
		struct group *group = &builder->groups[builder->nr_groups];

		for (end = i + 1; end < builder->nr_nodes && array != UINT32_MAX; end++)
			if (construct_of(builder->run, builder->nodes[end]) != construct ||
			    array_of(builder->run, builder->nodes[end]) != array)
				break;
		*group = (struct group){ .construct = construct,
					 .array = array,
					 .nodes = &builder->nodes[i],
					 .nr = end - i,
					 .kind = CAUSE_PROPERTY };
		if (array != UINT32_MAX)
			fill_group(builder, group);
		builder->nr_groups++;
	}
	return builder->groups;
}

/* Tables of a page and less stay in the first-level cache in any order. */
static bool is_beside_contiguous(const struct builder *builder, const struct group *group)
{
	for (size_t i = 0; i < builder->run->nr_accesses; i++) {
		const struct run_access *access = &builder->run->accesses[i];
		bool same_loop = group->of.pattern.hot &&
				 access->loop == group->of.pattern.hot->loop &&
				 access->region == group->of.pattern.hot->region;

		if (same_loop && access->array != group->array &&
		    access->array < builder->run->nr_arrays && access->bytes > 0 &&
		    access->stride != 0 && fabs(access->stride) <= access->bytes * 8.0 &&
		    access->with_stride > 0.5 &&
		    !run_array_is_stack(&builder->run->arrays[access->array]) &&
		    builder->run->arrays[access->array].bytes > PAGE_BYTES &&
		    2 * (access->reads + access->writes) >
			    group->of.pattern.hot->reads + group->of.pattern.hot->writes)
			return true;
	}
	return false;
}

static void diagnose(struct builder *builder)
{
	for (size_t i = 0; i < builder->nr_groups; i++) {
		struct group *group = &builder->groups[i];
		struct cause_evidence evidence = {
			.run = builder->run,
			.array = &group->of,
			.nodes = group->nodes,
			.nr_nodes = group->nr,
		};

		if (group->array == UINT32_MAX)
			continue;
		evidence.beside_contiguous = is_beside_contiguous(builder, group);
		group->kind = cause_kind_of(&evidence);
	}
}

/* ------------------------------------------------------------------ causes */

static bool same_function(const struct run *run, uint32_t a, uint32_t b)
{
	const char *of_a = run->regions[a].source.function, *of_b = run->regions[b].source.function;

	return a == b || (of_a && of_b && *of_a && !strcmp(of_a, of_b));
}

static bool is_streaming(enum cause_kind kind)
{
	return kind == CAUSE_BANDWIDTH || kind == CAUSE_REUSE;
}

static bool same_finding(const struct run_node *a, const struct run_node *b)
{
	return a->property && b->property && !strcmp(a->property, b->property) &&
	       a->thread == b->thread;
}

/* Whether the search came to the node by refining one of the cause's. */
static bool refines(const struct run *run, const struct run_node *node, const struct cause *cause)
{
	for (uint32_t up = node->parent; up < node->id; node = &run->nodes[up], up = node->parent)
		for (size_t i = 0; i < cause->nr_nodes; i++)
			if (cause->nodes[i]->id == up)
				return true;
	return false;
}

/*
 * Its arrays are moved through by the same loops, or by loops of the same function that ask for the
 * same change. All loops that stream from memory are one cause: fusing them is what helps. So is
 * the same property in several regions, if it is about no array, and its refinements.
 */
static bool belongs(const struct run *run, const struct cause *cause, const struct group *group)
{
	if (cause->kind == CAUSE_PROPERTY || group->kind == CAUSE_PROPERTY)
		return cause->kind == group->kind && !cause->nr_arrays &&
		       group->array == UINT32_MAX &&
		       (same_finding(cause->worst, group->nodes[0]) ||
			refines(run, group->nodes[0], cause));
	if (is_streaming(cause->kind) && is_streaming(group->kind))
		return true;
	return cause->kind == group->kind &&
	       same_function(run, construct_of(run, cause->worst), group->construct);
}

static bool add_node(struct builder *builder, struct cause *cause, const struct run_node *node)
{
	if (!ARENA_GROW(builder->arena, cause->nodes, cause->nr_nodes, cause->room_nodes))
		return false;
	((const struct run_node **)cause->nodes)[cause->nr_nodes++] = node;
	return true;
}

static bool add_to(struct builder *builder, struct cause *cause, const struct group *group)
{
	for (size_t i = 0; i < group->nr; i++)
		if (!add_node(builder, cause, group->nodes[i]))
			return false;
	if (group->array == UINT32_MAX)
		return true;
	if (!ARENA_GROW(builder->arena, cause->arrays, cause->nr_arrays, cause->room_arrays))
		return false;
	((struct cause_array *)cause->arrays)[cause->nr_arrays++] = group->of;
	return true;
}

/* The cause that it is part of, an earlier one or its own; NULL: no memory. */
static struct cause *put_group(struct builder *builder, const struct group *group)
{
	struct cause *cause = NULL;

	for (size_t i = 0; i < builder->nr_causes && !cause; i++)
		if (belongs(builder->run, &builder->causes[i], group))
			cause = &builder->causes[i];
	if (!cause) {
		cause = &builder->causes[builder->nr_causes++];
		*cause = (struct cause){ .kind = group->kind, .worst = group->nodes[0] };
	}
	if (is_streaming(cause->kind) &&
	    cause_node_gain(group->nodes[0]) > cause_node_gain(cause->worst))
		cause->kind = group->kind;
	return add_to(builder, cause, group) ? cause : NULL;
}

/*
 * The cause that what is found of a whole region is evidence of: of arrays in it, or in one around
 * it.
 */
static struct cause *explained_by(struct builder *builder, const struct group *group,
				  enum cause_about about)
{
	const struct run *run = builder->run;
	struct cause *best = NULL;
	double most = 0;

	for (size_t i = 0; i < builder->nr_causes; i++) {
		struct cause *cause = &builder->causes[i];
		uint32_t construct = construct_of(run, cause->worst);

		if (!cause->nr_arrays || !cause_is_about(cause->kind, about) ||
		    !(run_is_inside(run, construct, group->construct) ||
		      run_is_inside(run, group->construct, construct)))
			continue;
		if (!best || cause_node_gain(cause->worst) > most) {
			best = cause;
			most = cause_node_gain(cause->worst);
		}
	}
	return best;
}

static double lines_from_memory(const struct array_facts *facts)
{
	double lines = facts->memory_lines + facts->prefetched_lines;

	return isfinite(lines) ? lines : 0;
}

/* Lines that the arrays of a construct get from memory, of the cause's alone or (NULL) of all. */
static double lines_of(const struct builder *builder, const struct cause *cause, uint32_t construct)
{
	const struct run *run = builder->run;
	double lines = 0;

	for (uint32_t i = 0; i < run->nr_regions; i++) {
		uint32_t array = run_region_array(&run->regions[i]);
		bool counts = !cause && array != UINT32_MAX;

		if (run->regions[i].parent != construct)
			continue;
		for (size_t k = 0; cause && k < cause->nr_arrays; k++)
			counts |= cause->arrays[k].array == array;
		lines += counts ? lines_from_memory(&builder->facts[i]) : 0;
	}
	return lines;
}

/* What streams from memory there are other arrays than those of the cause. */
static bool is_of_others(const struct builder *builder, const struct cause *cause,
			 const struct group *group)
{
	const char *property = group->nodes[0]->property;

	return (!strcmp(property, "ReachBeyondCaches") || !strcmp(property, "ModelledTraffic")) &&
	       lines_of(builder, cause, group->construct) <
		       lines_of(builder, NULL, group->construct) / 2;
}

static bool has_array(const struct cause *cause, uint32_t array, uint32_t construct,
		      const struct run *run)
{
	for (size_t i = 0; i < cause->nr_arrays; i++)
		if (cause->arrays[i].array == array &&
		    run_is_inside(run, cause->arrays[i].region, construct))
			return true;
	return false;
}

/*
 * The arrays whose lines come from memory in a construct that is found to stream as a whole, as far
 * as they were simulated: those with STREAMED_LEAST of the lines. Nothing is found of them alone.
 */
static bool add_streamed(struct builder *builder, struct cause *cause, const struct group *group)
{
	const struct run *run = builder->run;
	double all = lines_of(builder, NULL, group->construct);

	for (uint32_t i = 0; i < run->nr_regions; i++) {
		uint32_t array = run_region_array(&run->regions[i]);
		double lines = lines_from_memory(&builder->facts[i]);
		struct group of = { .array = array,
				    .of = { .array = array,
					    .region = group->construct,
					    .facts = &builder->facts[i] } };

		if (array >= run->nr_arrays || run->regions[i].parent != group->construct ||
		    run_array_is_stack(&run->arrays[array]) || lines <= STREAMED_LEAST * all ||
		    has_array(cause, array, group->construct, run))
			continue;
		of.of.pattern = array_pattern_of(run, array, group->construct, of.of.facts);
		of.of.high = high_of(group->nodes[0]) * lines / all;
		if (!add_to(builder, cause, &of))
			return false;
	}
	return true;
}

/* Without such a cause, memory accesses as a whole are one, and other properties are each its own. */
static bool put_regions(struct builder *builder, bool explained)
{
	for (size_t i = 0; i < builder->nr_groups; i++) {
		struct group *group = &builder->groups[i];
		enum cause_about about = cause_about(group->nodes[0]->property);
		struct cause *cause;

		if (group->array != UINT32_MAX || (about != CAUSE_ABOUT_OTHER) != explained)
			continue;
		cause = explained_by(builder, group, about);
		if (cause && is_of_others(builder, cause, group))
			cause = NULL;
		if (!cause && about == CAUSE_ABOUT_MEMORY)
			group->kind = CAUSE_BANDWIDTH;
		if (cause) {
			if (!add_to(builder, cause, group))
				return false;
			continue;
		}
		cause = put_group(builder, group);
		if (!cause ||
		    (group->kind == CAUSE_BANDWIDTH && !add_streamed(builder, cause, group)))
			return false;
	}
	return true;
}

static int by_array_gain(const void *left, const void *right)
{
	const struct cause_array *a = left, *b = right;
	double more = cause_gain(b->low, b->high) - cause_gain(a->low, a->high);

	if (more < 0 || more > 0)
		return more < 0 ? -1 : 1;
	return (a->array > b->array) - (a->array < b->array);
}

static int by_gain(const void *left, const void *right)
{
	const struct cause *a = left, *b = right;
	double more = cause_worth(b) - cause_worth(a);

	if (more < 0 || more > 0)
		return more < 0 ? -1 : 1;
	return (a->worst->id > b->worst->id) - (a->worst->id < b->worst->id);
}

/* A compiler makes several copies of a construct where it unrolls the loop around it. */
static size_t places_of(const struct builder *builder, const struct cause *cause)
{
	for (size_t i = 0; i < cause->nr_nodes; i++)
		builder->places[i] = &builder->run->regions[cause->nodes[i]->region];
	return finding_places(builder->places, cause->nr_nodes);
}

/*
 * Constructs in which its arrays are found count once; so does each place that a property is found
 * in.
 */
static void add_constructs(const struct builder *builder, struct cause *cause)
{
	const struct run *run = builder->run;
	const double *shares = builder->shares;

	cause->share = 0;
	for (size_t i = 0; !cause->nr_arrays && i < cause->nr_nodes; i++)
		cause->share += shares[construct_of(run, cause->nodes[i])];
	for (size_t i = 0; i < cause->nr_arrays; i++) {
		uint32_t construct = cause_construct(run, cause->arrays[i].region);
		bool again = false;

		for (size_t k = 0; k < i && !again; k++)
			again = cause_construct(run, cause->arrays[k].region) == construct;
		if (again)
			continue;
		cause->share += shares[construct];
		cause->nr_constructs++;
	}
	if (!cause->nr_arrays)
		cause->nr_constructs = places_of(builder, cause);
}

/* Another order or layout gains other things than fewer lines from memory: it may need them all. */
static bool is_modelled_traffic(const struct run_node *node)
{
	return node->property && !strcmp(node->property, "ModelledTraffic");
}

static double sure_of(const struct cause *cause, const struct run_node *node)
{
	if (cause->nr_arrays && is_simulated_level(node))
		return 0;
	if (cause->nr_arrays && !is_streaming(cause->kind) && is_modelled_traffic(node))
		return 0;
	return low_of(node);
}

/* Enters what findings about each construct as a whole cost, and marks the regions around it. */
static void enter_wholes(const struct builder *builder, const struct cause *cause)
{
	const struct run *run = builder->run;

	for (size_t i = 0; i < cause->nr_nodes; i++) {
		uint32_t construct = construct_of(run, cause->nodes[i]);
		struct whole *whole = &builder->wholes[construct];

		whole->found = true;
		if (array_of(run, cause->nodes[i]) == UINT32_MAX) {
			whole->low = fmax(whole->low, sure_of(cause, cause->nodes[i]));
			whole->high = fmax(whole->high, high_of(cause->nodes[i]));
		}
		for (uint32_t up = run->regions[construct].parent;
		     up < run->nr_regions && !builder->wholes[up].around;
		     up = run->regions[up].parent)
			builder->wholes[up].around = true;
	}
}

static void clear_wholes(const struct builder *builder, const struct cause *cause)
{
	const struct run *run = builder->run;

	for (size_t i = 0; i < cause->nr_nodes; i++) {
		uint32_t construct = construct_of(run, cause->nodes[i]);

		builder->wholes[construct] = (struct whole){ 0 };
		for (uint32_t up = run->regions[construct].parent;
		     up < run->nr_regions && builder->wholes[up].around;
		     up = run->regions[up].parent)
			builder->wholes[up] = (struct whole){ 0 };
	}
}

/*
 * What findings about constructs as a whole cost: of each the most. Not of one around another, so
 * that no time counts twice.
 */
static void add_wholes(const struct builder *builder, const struct cause *cause, double *low_out,
		       double *high_out)
{
	*low_out = *high_out = 0;
	enter_wholes(builder, cause);
	for (size_t i = 0; i < cause->nr_nodes; i++) {
		struct whole *whole = &builder->wholes[construct_of(builder->run, cause->nodes[i])];

		if (whole->found && !whole->around) {
			*low_out += whole->low;
			*high_out += whole->high;
		}
		whole->found = false;
	}
	clear_wholes(builder, cause);
}

/*
 * What several arrays cost adds up, and so does what several constructs cost, up to the time of
 * these constructs, and up to what is found of the whole phase.
 */
static void add_up(const struct builder *builder, struct cause *cause)
{
	const struct run *run = builder->run;
	const struct run_node *whole = cause->nr_arrays ? NULL : finding_whole(run, cause->worst);
	double low, high, low_arrays = 0, high_arrays = 0, most;

	add_wholes(builder, cause, &low, &high);
	for (size_t i = 0; i < cause->nr_arrays; i++) {
		low_arrays += cause->arrays[i].low;
		high_arrays += cause->arrays[i].high;
	}
	low = fmax(low, low_arrays);
	high = fmax(high, high_arrays);
	for (size_t i = 0; i < cause->nr_nodes; i++) {
		low = fmax(low, sure_of(cause, cause->nodes[i]));
		high = fmax(high, high_of(cause->nodes[i]));
	}
	add_constructs(builder, cause);
	most = isnan(cause->share) || !cause->nr_arrays ? 1 : fmin(1, cause->share);
	if (whole) {
		low = fmin(low, fmax(low_of(whole), low_of(cause->worst)));
		high = fmin(high, fmax(high_of(whole), high_of(cause->worst)));
	}
	cause->high = fmin(fmax(high, low), fmax(most, low_of(cause->worst)));
	cause->low = fmin(low, cause->high);
}

/*
 * The property counts the threads that wait while one works: all that dividing the work gains. Work
 * that is not done at all gains the time of the one, too.
 */
static void add_worker(const struct run *run, struct cause *cause)
{
	double threads = fmax(2, run->threads);

	if (is_serial(cause))
		cause->high = fmin(1, cause->high * threads / (threads - 1));
}

#define LINE_BYTES 64

static bool is_array_of(const struct cause *cause, uint32_t array)
{
	for (size_t i = 0; i < cause->nr_arrays; i++)
		if (cause->arrays[i].array == array)
			return true;
	return !cause->nr_arrays;
}

/*
 * Bytes that all constructs get from memory of the array in one execution of the phase, or (written) write
 * back to it: a line that a construct writes goes back before another one gets it from memory.
 */
static double moved_bytes(const struct builder *builder, uint32_t array, bool written)
{
	double bytes = 0;

	for (size_t i = 0; i < builder->run->nr_regions; i++) {
		const struct run_region *region = &builder->run->regions[i];
		double lines = builder->facts[i].memory_lines + builder->facts[i].prefetched_lines;

		if (region->kind == MS_DATA_STRUCTURE && run_region_array(region) == array &&
		    region->parent == run_construct(builder->run, (uint32_t)i) && lines > 0 &&
		    (!written || builder->facts[i].stores > 0))
			bytes += LINE_BYTES * lines;
	}
	return bytes;
}

/*
 * Of each construct the first accesses were simulated, and nothing for the others: what one leaves in
 * the caches for the next one is overestimated.
 */
static bool is_of_begins(const struct run *run)
{
	return run->modelled.begins > 0 && !run->modelled.begins_apart;
}

/*
 * What streams from memory once in each execution of the phase has to: without that (larger tiles over
 * several executions, smaller types) it is another algorithm, which may gain nothing. The lower bound
 * keeps the part of the bytes read from memory and written to it above one size of each array each way. An
 * array of which only a small part is used, and that part many times, may so have too low a bound, never
 * too high a one. Where fused or blocked loops leave only the first time, smaller types halve that at most.
 */
static void take_off_first(const struct builder *builder, struct cause *cause)
{
	double all = 0, again = 0;

	cause->again = NAN;
	if (!is_streaming(cause->kind))
		return;
	for (uint32_t i = 0; i < builder->run->nr_arrays; i++) {
		for (int written = 0; written <= 1 && is_array_of(cause, i); written++) {
			double bytes = moved_bytes(builder, i, written);

			all += bytes;
			again += fmax(0, bytes - (double)builder->run->arrays[i].bytes);
		}
	}
	if (!(all > 0))
		return;
	cause->low *= again / all;
	if (again >= CAUSE_ONCE * all || cause->nr_constructs < 2 || !is_of_begins(builder->run))
		cause->again = again / all;
	if (cause->kind == CAUSE_BANDWIDTH && cause->again >= CAUSE_ONCE)
		cause->high = fmax(cause->low, cause->high * (1 + cause->again) / 2);
}

static bool is_lock(const struct cause *cause)
{
	return cause->kind == CAUSE_PROPERTY &&
	       (!strcmp(cause->worst->property, "LockContention") ||
		!strcmp(cause->worst->property, "CriticalContention"));
}

static bool comes_with(const struct cause *other, const struct cause *lock)
{
	bool is_system_time = other->kind == CAUSE_PROPERTY &&
			      !strcmp(other->worst->property, "SystemTime");

	return other->kind == CAUSE_TRUE_SHARING ||
	       ((other->kind == CAUSE_FALSE_SHARING || is_system_time) && lock->high >= other->low);
}

/*
 * Lines that threads write while they hold a lock move from core to core with the lock, and threads
 * that wait for it sleep and wake each other by system calls. Ranks a lock before true sharing in the
 * construct that takes it, independent of both costs; before false sharing and system time only if
 * their intervals overlap.
 */
static void put_locks_first(struct builder *builder)
{
	struct cause *causes = builder->causes;

	for (size_t i = 1; i < builder->nr_causes; i++) {
		struct cause lock = causes[i];
		size_t to = i;

		for (size_t k = 0; k < i && is_lock(&lock) && to == i; k++)
			if (comes_with(&causes[k], &lock) &&
			    run_is_inside(builder->run, lock.region,
					  cause_construct(builder->run, causes[k].region)))
				to = k;
		/* private copies make the lock and the sharing of what it guards unnecessary */
		if (to < i && causes[to].kind != CAUSE_PROPERTY)
			lock.high = fmax(lock.high, causes[to].high);
		memmove(&causes[to + 1], &causes[to], (i - to) * sizeof(*causes));
		causes[to] = lock;
	}
}

static int worst_first(const void *left, const void *right)
{
	const struct run_node *a = *(const struct run_node *const *)left,
			      *b = *(const struct run_node *const *)right;
	double more = cause_node_gain(b) - cause_node_gain(a);

	if (more < 0 || more > 0)
		return more < 0 ? -1 : 1;
	return (a->id > b->id) - (a->id < b->id);
}

/* Where most of it is found: in a region, rather than in the whole phase. */
static uint32_t region_of_most(const struct cause *cause)
{
	for (size_t i = 0; i < cause->nr_nodes; i++)
		if (cause->nodes[i]->region != MS_REGION_USER)
			return cause->nodes[i]->region;
	return cause->worst->region;
}

/* Shares of the time without `waits`. */
static void scale(double waits, struct cause *cause)
{
	struct cause_array *arrays = (struct cause_array *)cause->arrays;
	double factor = 1 / (1 - waits);

	for (size_t i = 0; i < cause->nr_arrays; i++) {
		arrays[i].low = fmin(1, factor * arrays[i].low);
		arrays[i].high = fmin(1, factor * arrays[i].high);
	}
	cause->low = fmin(1, factor * cause->low);
	cause->high = fmin(1, factor * cause->high);
	if (isfinite(cause->share))
		cause->share = fmin(1, factor * cause->share);
}

static void complete(struct builder *builder)
{
	double waits = disturbance_waits(builder->run);

	for (size_t i = 0; i < builder->nr_causes; i++) {
		struct cause *cause = &builder->causes[i];
		struct cause_array *arrays = (struct cause_array *)cause->arrays;

		sort(arrays, cause->nr_arrays, sizeof(*arrays), by_array_gain);
		sort((void *)cause->nodes, cause->nr_nodes, sizeof(*cause->nodes), worst_first);
		cause->worst = cause->nodes[0];
		cause->region = cause->nr_arrays ? arrays[0].region : region_of_most(cause);
		add_up(builder, cause);
		add_worker(builder->run, cause);
		take_off_first(builder, cause);
		if (cause->kind != CAUSE_PROPERTY)
			scale(fmin(WAITS_MOST, waits), cause);
	}
	sort(builder->causes, builder->nr_causes, sizeof(*builder->causes), by_gain);
	put_locks_first(builder);
}

static bool make_causes(struct builder *builder)
{
	builder->causes = arena_alloc(builder->arena,
				      (builder->nr_groups + 1) * sizeof(*builder->causes));
	builder->wholes = arena_alloc(builder->arena,
				      builder->run->nr_regions * sizeof(*builder->wholes));
	builder->places = arena_alloc(builder->arena, builder->nr_nodes * sizeof(*builder->places));
	if (!builder->causes || !builder->wholes || !builder->places)
		return false;
	for (size_t i = 0; i < builder->nr_groups; i++)
		if (builder->groups[i].array != UINT32_MAX &&
		    !put_group(builder, &builder->groups[i]))
			return false;
	if (!put_regions(builder, true) || !put_regions(builder, false))
		return false;
	complete(builder);
	return true;
}

size_t causes_of(struct arena *arena, const struct run *run, bool of_model,
		 const struct cause **out)
{
	struct builder builder = { .arena = arena, .run = run, .of_model = of_model };

	*out = NULL;
	builder.left = recorded_left(arena, run);
	builder.facts = array_facts_of(arena, run);
	if (!builder.left || !builder.facts || !mark_listed(&builder) || !collect(&builder) ||
	    !builder.nr_nodes)
		return 0;
	builder.shares = finding_time_shares(arena, run);
	if (!builder.shares || !make_groups(&builder))
		return 0;
	diagnose(&builder);
	if (!make_causes(&builder))
		return 0;
	*out = builder.causes;
	return builder.nr_causes;
}
