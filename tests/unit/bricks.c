/* SPDX-License-Identifier: Apache-2.0 */
/* The bricks of strategies, over a host made of tables: nothing of the engine is behind it. */
#include "analysis/search/bricks.h"
#include "tests/unit/test.h"

enum { WAIT, LOCK, SPREAD, NR_PROPERTIES };

/*
 * WAIT applies to regions of work, its refinement LOCK to locks and parallel regions, SPREAD is a
 * root for loops only.
 */
static const uint32_t kinds[NR_PROPERTIES] = {
	[WAIT] = 1u << MS_USER_REGION | 1u << MS_PARALLEL_REGION | 1u << MS_SUB_REGION,
	[LOCK] = 1u << MS_LOCK_REGION | 1u << MS_PARALLEL_REGION,
	[SPREAD] = 1u << MS_DO_REGION,
};

/*
 *     0 phase
 *     ├─ 1 call ─ 2 function ─ 3 parallel ─ 4 lock
 *     ├─ 5 serial
 *     │  ├─ 6 parallel ─ 7 loop ─ 8 lock
 *     │  └─ 9 lock
 *     └─ 10 call ─ 11 call ─ 12 function
 */
static const struct ms_region_info regions[] = {
	{ 0, MS_REGION_NONE, MS_USER_REGION, 0 },
	{ 1, 0, MS_CALL_REGION, 0 },
	{ 2, 1, MS_SUB_REGION, 0 },
	{ 3, 2, MS_PARALLEL_REGION, 0 },
	{ 4, 3, MS_LOCK_REGION, 0 },
	{ 5, 0, MS_SERIAL_REGION, 0 },
	{ 6, 5, MS_PARALLEL_REGION, 0 },
	{ 7, 6, MS_DO_REGION, 0 },
	{ 8, 7, MS_LOCK_REGION, 0 },
	{ 9, 5, MS_LOCK_REGION, 0 },
	{ 10, 0, MS_CALL_REGION, 0 },
	{ 11, 10, MS_CALL_REGION, 0 },
	{ 12, 11, MS_SUB_REGION, 0 },
};
#define NR_REGIONS (sizeof(regions) / sizeof(regions[0]))

struct world {
	struct ms_host host;
	struct {
		struct ms_candidate candidate;
		enum ms_node_state state;
	} nodes[16];
	uint32_t nr_nodes;
};

static size_t list(const uint32_t *items, size_t nr, uint32_t *out, size_t room)
{
	for (size_t i = 0; i < nr && i < room; i++)
		out[i] = items[i];
	return nr;
}

static size_t world_roots(void *ctx, uint32_t *out, size_t room)
{
	static const uint32_t roots[] = { WAIT, SPREAD };

	(void)ctx;
	return list(roots, 2, out, room);
}

static size_t world_children(void *ctx, uint32_t property, uint32_t *out, size_t room)
{
	static const uint32_t children[] = { LOCK };

	(void)ctx;
	return list(children, property == WAIT, out, room);
}

static int world_applies(void *ctx, uint32_t property, enum ms_region_kind kind)
{
	(void)ctx;
	return kinds[property] >> kind & 1;
}

static int world_info(void *ctx, uint32_t region, struct ms_region_info *out)
{
	(void)ctx;
	if (region < NR_REGIONS)
		*out = regions[region];
	return region < NR_REGIONS;
}

static uint32_t next_of(uint32_t parent, uint32_t after)
{
	for (uint32_t id = after; id < NR_REGIONS; id++)
		if (regions[id].parent == parent)
			return id;
	return MS_REGION_NONE;
}

static uint32_t world_first_child(void *ctx, uint32_t region)
{
	(void)ctx;
	return next_of(region, region + 1);
}

static uint32_t world_next_sibling(void *ctx, uint32_t region)
{
	(void)ctx;
	return next_of(regions[region].parent, region + 1);
}

static uint32_t world_find(void *ctx, uint32_t property, uint32_t region, uint32_t thread,
			   uint32_t interval)
{
	const struct world *world = ctx;

	for (uint32_t id = 0; id < world->nr_nodes; id++)
		if (world->nodes[id].candidate.property == property &&
		    world->nodes[id].candidate.region == region &&
		    world->nodes[id].candidate.thread == thread &&
		    world->nodes[id].candidate.interval == interval)
			return id;
	return MS_NODE_NONE;
}

static enum ms_node_state world_state(void *ctx, uint32_t node)
{
	return ((struct world *)ctx)->nodes[node].state;
}

static int world_candidate(void *ctx, uint32_t node, struct ms_candidate *out)
{
	*out = ((struct world *)ctx)->nodes[node].candidate;
	return 1;
}

static void world_init(struct world *world)
{
	*world = (struct world){ .host = {
					 .abi = MS_HOST_ABI,
					 .size = sizeof(struct ms_host),
					 .ctx = world,
					 .property_roots = world_roots,
					 .property_children = world_children,
					 .property_applies = world_applies,
					 .region_info = world_info,
					 .region_first_child = world_first_child,
					 .region_next_sibling = world_next_sibling,
					 .node_find = world_find,
					 .node_state = world_state,
					 .node_candidate = world_candidate,
				 } };
}

static uint32_t world_node(struct world *world, uint32_t property, uint32_t region,
			   enum ms_node_state state)
{
	world->nodes[world->nr_nodes].candidate = (struct ms_candidate){
		.property = property,
		.region = region,
		.thread = MS_REQUEST_ALL_THREADS,
		.parent = MS_NODE_NONE,
	};
	world->nodes[world->nr_nodes].state = state;
	return world->nr_nodes++;
}

static struct ms_candidate items[16];

static struct brick_output output(void)
{
	return (struct brick_output){ items, 0, 16 };
}

/* "property@region", in order */
static void check(const struct brick_output *out, const char *expected)
{
	char have[256] = "";

	for (size_t i = 0; i < out->nr; i++)
		snprintf(have + strlen(have), sizeof(have) - strlen(have), "%s%u@%u", i ? " " : "",
			 items[i].property, items[i].region);
	CHECK_STR(have, expected);
}

TEST(bricks__initial_candidates)
{
	struct brick_output out = output();
	struct world world;

	world_init(&world);
	brick_initial(&world.host, &out);
	/* at the phase; where it does not apply to one, at the outermost loop */
	check(&out, "0@0 2@7");
	CHECK_INT(items[0].parent, MS_NODE_NONE);
	CHECK_INT(items[0].thread, MS_REQUEST_ALL_THREADS);
}

TEST(bricks__what_was_asked_is_not_asked_again)
{
	struct brick_output out = output();
	struct world world;

	world_init(&world);
	world_node(&world, WAIT, 0, MS_NODE_FALSE);
	brick_initial(&world.host, &out);
	check(&out, "2@7");
}

TEST(bricks__subregions_are_the_nearest_that_apply)
{
	struct brick_output out = output();
	struct world world;
	uint32_t node;

	world_init(&world);
	node = world_node(&world, WAIT, 0, MS_NODE_TRUE);
	brick_subregion_set(&world.host, node, &world.nodes[node].candidate, &out);
	/* through calls and serial stretches, not below a function that applies */
	check(&out, "0@2 0@6 0@12");
	CHECK_INT(items[0].parent, node);
}

TEST(bricks__specific_properties)
{
	struct brick_output out = output();
	struct world world;
	uint32_t phase, region;

	world_init(&world);
	phase = world_node(&world, WAIT, 0, MS_NODE_TRUE);
	region = world_node(&world, WAIT, 6, MS_NODE_TRUE);
	brick_specific_set(&world.host, phase, &world.nodes[phase].candidate, &out);
	check(&out, ""); /* it does not apply to a phase */
	brick_specific_subregion_set(&world.host, phase, &world.nodes[phase].candidate, &out);
	check(&out, "1@9"); /* only where the general one does not apply on the way */
	out.nr = 0;
	brick_specific_set(&world.host, region, &world.nodes[region].candidate, &out);
	check(&out, "1@6");
	out.nr = 0;
	brick_specific_subregion_set(&world.host, region, &world.nodes[region].candidate, &out);
	check(&out, ""); /* it was asked at the region itself */
}

TEST(bricks__calls)
{
	struct brick_output out = output();
	struct world world;
	uint32_t node;

	world_init(&world);
	node = world_node(&world, WAIT, 0, MS_NODE_TRUE);
	brick_call_set(&world.host, node, &world.nodes[node].candidate, &out);
	check(&out, "0@2 0@12");
	world_node(&world, WAIT, 2, MS_NODE_FALSE);
	out.nr = 0;
	brick_call_set(&world.host, node, &world.nodes[node].candidate, &out);
	check(&out, "0@12");
}

static uint32_t refined[8];
static size_t nr_refined;

static void remember(const struct ms_host *host, uint32_t node, const struct ms_candidate *proven,
		     struct brick_output *out)
{
	(void)host, (void)proven, (void)out;
	refined[nr_refined++] = node;
}

TEST(bricks__the_proven_set_leaves_out_what_fell)
{
	struct brick_output out = output();
	struct world world;
	uint32_t nodes[3];

	world_init(&world);
	nodes[0] = world_node(&world, WAIT, 0, MS_NODE_TRUE);
	nodes[1] = world_node(&world, WAIT, 2, MS_NODE_FALSE);
	nodes[2] = world_node(&world, WAIT, 6, MS_NODE_TRUE);
	brick_proven_set(&world.host, nodes, 3, remember, &out);
	CHECK_INT(nr_refined, 2);
	CHECK_INT(refined[1], nodes[2]);
}

TEST(bricks__more_than_fits_is_counted)
{
	struct brick_output out = { items, 0, 1 };
	struct world world;
	uint32_t node;

	world_init(&world);
	items[1].region = 77;
	node = world_node(&world, WAIT, 0, MS_NODE_TRUE);
	brick_subregion_set(&world.host, node, &world.nodes[node].candidate, &out);
	CHECK_INT(out.nr, 3);
	CHECK_INT(items[1].region, 77);
}
