/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What strategies see: the table of host functions over the engine, the database and the
 * properties.
 */
#include "analysis/base/arena.h"
#include "analysis/base/log.h"
#include "analysis/search/database_intervals.h"
#include "analysis/search/database_reading.h"
#include "analysis/search/engine_private.h"

static uint32_t host_property_count(void *ctx)
{
	return (uint32_t)((struct engine *)ctx)->properties->nr;
}

static uint32_t host_property_find(void *ctx, const char *name)
{
	const struct property_set *set = ((struct engine *)ctx)->properties;
	const struct property *property = property_set_find(set, name);

	return property ? property_index(set, property) : UINT32_MAX;
}

static const char *host_property_name(void *ctx, uint32_t index)
{
	const struct property *property = engine_property(ctx, index);

	return property ? property_name(property) : "";
}

static size_t copy(const uint32_t *from, size_t nr, uint32_t *out, size_t room)
{
	for (size_t i = 0; i < nr && i < room; i++)
		out[i] = from[i];
	return nr;
}

static size_t host_property_roots(void *ctx, uint32_t *out, size_t room)
{
	const struct property_set *set = ((struct engine *)ctx)->properties;
	const uint32_t *parents;
	size_t nr = 0;

	for (uint32_t i = 0; i < set->nr; i++) {
		if (property_parents(set->properties[i], &parents))
			continue;
		if (nr < room)
			out[nr] = i;
		nr++;
	}
	return nr;
}

static size_t host_property_children(void *ctx, uint32_t index, uint32_t *out, size_t room)
{
	const struct property *property = engine_property(ctx, index);
	const uint32_t *children = NULL;
	size_t nr = property ? property_children(property, &children) : 0;

	return copy(children, nr, out, room);
}

/* What parts of a construct's code have no values for is not proposed again and again. */
static int host_property_applies(void *ctx, uint32_t index, enum ms_region_kind kind)
{
	const struct property *property = engine_property(ctx, index);
	const uint32_t *metrics;
	size_t nr = property ? property_metrics(property, &metrics) : 0;

	for (size_t i = 0; i < nr; i++)
		if (!database_tells(((struct engine *)ctx)->db, kind, metrics[i]))
			return 0;

	return property && property_applies(property, kind);
}

static size_t host_region_children(void *ctx, uint32_t region, struct ms_region_info *out,
				   size_t room)
{
	return database_children(((struct engine *)ctx)->db, region, out, room);
}

static int host_region_info(void *ctx, uint32_t region, struct ms_region_info *out)
{
	return database_region_info(((struct engine *)ctx)->db, region, out);
}

static size_t host_region_threads(void *ctx, uint32_t region, uint32_t *out, size_t room)
{
	return database_threads(((struct engine *)ctx)->db, region, out, room);
}

static struct ms_reading host_reading(void *ctx, uint32_t region, uint32_t thread, uint32_t metric)
{
	return database_reading(((struct engine *)ctx)->db, DATABASE_ALL_BATCHES, region, thread,
				metric);
}

static uint32_t host_node_find(void *ctx, uint32_t property, uint32_t region, uint32_t thread,
			       uint32_t interval)
{
	return history_find(&((struct engine *)ctx)->history,
			    &(struct ms_candidate){ .property = property,
						    .region = region,
						    .thread = thread,
						    .interval = interval });
}

static enum ms_node_state host_node_state(void *ctx, uint32_t id)
{
	const struct engine_node *node = engine_node(ctx, id);

	return node ? node->state : MS_NODE_UNKNOWN;
}

static int host_node_candidate(void *ctx, uint32_t id, struct ms_candidate *out)
{
	const struct engine_node *node = engine_node(ctx, id);

	if (node)
		*out = node->candidate;
	return node != NULL;
}

static const struct ms_verdict *host_node_verdict(void *ctx, uint32_t id)
{
	const struct engine_node *node = engine_node(ctx, id);

	return node ? &node->verdict : NULL;
}

static void host_log(void *ctx, const char *text)
{
	const struct ms_strategy *strategy = ((struct engine *)ctx)->strategy;

	log_debug("strategy %s: %s", strategy ? strategy->name : "", text);
}

static uint32_t host_region_first_child(void *ctx, uint32_t region)
{
	return database_first_child(((struct engine *)ctx)->db, region);
}

static uint32_t host_region_next_sibling(void *ctx, uint32_t region)
{
	return database_next_sibling(((struct engine *)ctx)->db, region);
}

/*
 * During the interval; of all threads the sum, which is known where each that was seen has a value.
 */
static struct ms_reading whole_reading(const struct engine *engine,
				       const struct ms_request *request)
{
	const struct database *db = database_during(engine->db, request->interval);
	struct ms_reading sum = { .missing = MS_MISSING_NOT_EXECUTED };
	size_t nr = database_threads(db, request->region, NULL, 0);
	uint32_t *threads = arena_alloc(engine->arena, (nr + 1) * sizeof(*threads));

	if (request->thread != MS_REQUEST_ALL_THREADS)
		return database_reading(db, DATABASE_ALL_BATCHES, request->region, request->thread,
					request->metric);
	nr = threads ? database_threads(db, request->region, threads, nr) : 0;
	for (size_t i = 0; i < nr; i++) {
		struct ms_reading one = database_reading(db, DATABASE_ALL_BATCHES, request->region,
							 threads[i], request->metric);

		if (one.missing != MS_PRESENT)
			return one;
		one.value += sum.missing == MS_PRESENT ? sum.value : 0;
		one.error += sum.missing == MS_PRESENT ? sum.error : 0;
		sum = one;
	}
	return sum;
}

/* Sums over accesses; cache lines that a range has a part of are in no sum. */
static bool is_of_addresses(uint32_t metric)
{
	enum ms_sensor_id sensor = ms_metric_info(metric)->sensor;

	return sensor == MS_SENSOR_SIMULATED ||
	       (sensor == MS_SENSOR_ACCESSES && metric != MS_METRIC_FIRST_TOUCHED &&
		!ms_metric_is_of_lines(metric));
}

/* Of the whole; where that is known and a range is asked for, NO_RANGE until it is measured. */
static struct ms_reading first_answer(const struct engine *engine, const struct ms_request *request)
{
	struct ms_reading reading = { .missing = MS_MISSING_NOT_SUPPORTED };

	if (request->metric >= MS_METRICS || request->region >= database_regions(engine->db) ||
	    request->flags || request->kinds || !database_during(engine->db, request->interval))
		return reading;
	reading = whole_reading(engine, request);
	if (ms_request_has_range(request) && reading.missing == MS_PRESENT)
		reading = (struct ms_reading){ .missing = MS_MISSING_NO_RANGE };
	return reading;
}

static bool is_to_be_measured(const struct engine *engine, const struct ms_request *request,
			      const struct ms_reading *reading)
{
	return engine->config.measure && reading->missing == MS_MISSING_NO_RANGE &&
	       request->interval == MS_INTERVAL_WHOLE && ms_request_has_range(request) &&
	       request->address_low < request->address_high && is_of_addresses(request->metric);
}

static void host_measure(void *ctx, const struct ms_request *requests, size_t nr,
			 struct ms_reading *out)
{
	struct engine *engine = ctx;
	struct ms_request *asked = arena_alloc(engine->arena, (nr + 1) * sizeof(*asked));
	struct ms_reading *answers = arena_alloc(engine->arena, (nr + 1) * sizeof(*answers));
	size_t nr_asked = 0;

	for (size_t i = 0; i < nr; i++) {
		out[i] = first_answer(engine, &requests[i]);
		if (asked && answers && is_to_be_measured(engine, &requests[i], &out[i]))
			asked[nr_asked++] = requests[i];
	}
	if (!nr_asked)
		return;
	engine->config.measure(engine->config.measure_ctx, asked, nr_asked, answers);
	for (size_t i = 0, at = 0; i < nr; i++)
		if (is_to_be_measured(engine, &requests[i], &out[i]))
			out[i] = answers[at++];
}

static size_t host_region_memory(void *ctx, uint32_t region, struct ms_address_range *out,
				 size_t room)
{
	const struct engine *engine = ctx;

	return engine->config.memory
		       ? engine->config.memory(engine->config.measure_ctx, region, out, room)
		       : 0;
}

static int host_is_hinted(void *ctx, const struct ms_candidate *candidate)
{
	return engine_is_hinted(ctx, candidate);
}

static void *host_allocate(void *ctx, size_t bytes)
{
	return arena_alloc(((struct engine *)ctx)->arena, bytes);
}

static void host_by_product(void *ctx, uint32_t metric, uint32_t kinds)
{
	struct engine *engine = ctx;

	if (metric >= MS_METRICS || slots_limit(metric) || !kinds)
		return;
	ms_metric_set_add(&engine->metrics.by_products, metric);
	ms_metric_set_add(&engine->metrics.reads, metric);
	/* all requests of a metric name the same kinds, see database_requests */
	engine->metrics.kinds[metric] |= kinds;
}

static double host_deep_threshold(void *ctx)
{
	return ((struct engine *)ctx)->config.deep_threshold;
}

static int host_interval_info(void *ctx, uint32_t interval, struct ms_interval_info *out)
{
	return database_interval_info(((struct engine *)ctx)->db, interval, out);
}

void host_init(struct engine *engine)
{
	engine->host = (struct ms_host){
		.abi = MS_HOST_ABI,
		.size = sizeof(struct ms_host),
		.ctx = engine,
		.property_count = host_property_count,
		.property_find = host_property_find,
		.property_name = host_property_name,
		.property_roots = host_property_roots,
		.property_children = host_property_children,
		.property_applies = host_property_applies,
		.region_children = host_region_children,
		.region_info = host_region_info,
		.region_threads = host_region_threads,
		.reading = host_reading,
		.node_find = host_node_find,
		.node_state = host_node_state,
		.node_candidate = host_node_candidate,
		.node_verdict = host_node_verdict,
		.log = host_log,
		.region_first_child = host_region_first_child,
		.region_next_sibling = host_region_next_sibling,
		.measure = host_measure,
		.region_memory = host_region_memory,
		.is_hinted = host_is_hinted,
		.allocate = host_allocate,
		.by_product = host_by_product,
		.deep_threshold = host_deep_threshold,
		.interval_info = host_interval_info,
	};
}
