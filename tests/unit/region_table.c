/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Region table: identity, inheritance of requests, a full table, many threads meeting the same
 * regions.
 */
#include "ompt_tool/regions/region_table.h"
#include "tests/unit/test.h"

#include <pthread.h>
#include <sys/mman.h>

static struct region_table *table_new(void)
{
	struct region_table *table = mmap(NULL, region_table_bytes(), PROT_READ | PROT_WRITE,
					  MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	CHECK(table != MAP_FAILED);
	region_table_init(table);
	return table;
}

TEST(region_table__begins_with_the_user_region)
{
	struct region_table *table = table_new();

	CHECK_INT(region_table_count(table), 1);
	CHECK_INT(region_table_at(table, 0)->kind, MS_USER_REGION);
	CHECK(region_table_at(table, 1) == NULL);
	CHECK(region_table_at(table, MS_REGION_NONE) == NULL);
}

TEST(region_table__same_key_same_region)
{
	struct region_table *table = table_new();
	bool new;
	uint32_t a = region_table_get(table, MS_PARALLEL_REGION, 0x400123, 0, &new);

	CHECK(new);
	CHECK_INT(region_table_get(table, MS_PARALLEL_REGION, 0x400123, 0, &new), a);
	CHECK(!new);
	CHECK(region_table_get(table, MS_PARALLEL_REGION, 0x400124, 0, &new) != a && new);
	CHECK(region_table_get(table, MS_PARALLEL_REGION, 0x400123, a, &new) != a && new);
	CHECK(region_table_get(table, MS_DO_REGION, 0x400123, 0, &new) != a && new);
	CHECK_INT(region_table_count(table), 5);
	CHECK_INT(region_table_at(table, a)->construct, 0x400123);
	CHECK_INT(region_table_at(table, a)->kind, MS_PARALLEL_REGION);
}

static bool in_one_page(uint64_t construct, uint64_t other)
{
	return construct >> 12 == other >> 12;
}

/* A loop around a construct was unrolled: calls from one function with one body. */
TEST(region_table__one_construct_of_several_calls)
{
	struct region_table *table = table_new();
	bool new;
	uint32_t a = region_table_get_of_body(table, MS_PARALLEL_REGION, 0x400100, 0, 0x9000,
					      in_one_page, &new);

	CHECK(new);
	region_note_body(region_table_at(table, a), 0x9000);
	CHECK_INT(region_table_get_of_body(table, MS_PARALLEL_REGION, 0x400200, 0, 0x9000,
					   in_one_page, &new),
		  a);
	CHECK(!new);
	CHECK_INT(region_table_get(table, MS_PARALLEL_REGION, 0x400200, 0, &new), a);
	/* another function */
	CHECK(region_table_get_of_body(table, MS_PARALLEL_REGION, 0x401200, 0, 0x9000, in_one_page,
				       &new) != a &&
	      new);
	/* another body */
	CHECK(region_table_get_of_body(table, MS_PARALLEL_REGION, 0x400300, 0, 0x9100, in_one_page,
				       &new) != a &&
	      new);
	/* not known */
	CHECK(region_table_get_of_body(table, MS_PARALLEL_REGION, 0x400400, 0, 0, in_one_page,
				       &new) != a &&
	      new);
	CHECK(region_table_get_of_body(table, MS_PARALLEL_REGION, 0x400500, a, 0x9000, in_one_page,
				       &new) != a &&
	      new);
	CHECK_INT(region_table_count(table), 6);
	CHECK_INT(region_table_at(table, a)->construct, 0x400100);
}

TEST(region_table__two_addresses_of_one_region)
{
	struct region_table *table = table_new();
	bool new;
	uint32_t parallel = region_table_get(table, MS_PARALLEL_REGION, 0x1000, 0, &new),
		 loop = region_table_get(table, MS_DO_REGION, 0x1100, parallel, &new);

	CHECK_INT(region_table_find(table, MS_DO_REGION, 0x1200, parallel), MS_REGION_NONE);
	region_table_alias(table, MS_DO_REGION, 0x1200, parallel, loop);
	region_table_alias(table, MS_DO_REGION, 0x1100, parallel, parallel); /* it has one */
	CHECK_INT(region_table_find(table, MS_DO_REGION, 0x1200, parallel), loop);
	CHECK_INT(region_table_find(table, MS_DO_REGION, 0x1100, parallel), loop);
	CHECK_INT(region_table_find(table, MS_DO_REGION, 0x1200, 0), MS_REGION_NONE);
	CHECK_INT(region_table_get(table, MS_DO_REGION, 0x1200, parallel, &new), loop);
	CHECK(!new);
}

TEST(region_table__serial_regions_lie_below_the_program)
{
	struct region_table *table = table_new();
	bool new;
	uint32_t next = region_table_get(table, MS_PARALLEL_REGION, 0x1, 0, &new);
	uint32_t one = region_table_get(table, MS_SERIAL_REGION, 0x2, next, &new);
	uint32_t two = region_table_get(table, MS_SERIAL_REGION, 0x2, 0, &new);

	CHECK_THAT(one, !=, two);
	CHECK_INT(region_table_at(table, one)->parent, MS_REGION_USER);
}

TEST(region_table__new_regions_inherit_requests)
{
	struct region_table *table = table_new();
	bool new;
	uint32_t outer = region_table_get(table, MS_PARALLEL_REGION, 1, 0, &new), inner;

	CHECK_INT(region_requests(region_table_at(table, outer)), 0);
	region_table_at(table, outer)->subregion_kinds[0] = UINT32_MAX;
	region_table_at(table, outer)->subregion_kinds[2] = 1 << MS_DO_REGION;
	inner = region_table_get(table, MS_DO_REGION, 2, outer, &new);
	CHECK_INT(region_requests(region_table_at(table, inner)), 5);
	CHECK_INT(region_subregion_requests(region_table_at(table, inner), MS_DO_REGION), 5);
	CHECK_INT(region_requests(region_table_at(
			  table, region_table_get(table, MS_LOCK_REGION, 2, inner, &new))),
		  1);
	CHECK_INT(region_table_requests(table, MS_DO_REGION, 2), 5);
	CHECK_INT(region_table_requests(table, MS_DO_REGION, 3), 0);
	CHECK_INT(region_table_requests(table, MS_SINGLE_REGION, 2), 0);
}

TEST(region_table__full_table_is_counted)
{
	struct region_table *table = table_new();
	bool new;

	for (uint32_t i = 1; i < MS_REGION_MAX; i++)
		CHECK_INT(region_table_get(table, MS_PARALLEL_REGION, 0x400000 + 16 * i, 0, &new),
			  i);
	CHECK_INT(region_table_dropped(table), 0);
	CHECK_INT(region_table_get(table, MS_PARALLEL_REGION, 0x1, 0, &new), MS_REGION_NONE);
	CHECK(!new);
	CHECK_INT(region_table_get(table, MS_PARALLEL_REGION, 0x1, 0, &new), MS_REGION_NONE);
	CHECK_INT(region_table_dropped(table), 2);
	CHECK_INT(region_table_get(table, MS_DO_REGION, 0x1, MS_REGION_NONE, &new), MS_REGION_NONE);
	CHECK_INT(region_table_count(table), MS_REGION_MAX);
	CHECK_INT(region_table_get(table, MS_PARALLEL_REGION, 0x400000 + 16 * 77, 0, &new), 77);
}

#define THREADS 4
#define REGIONS 3000

static struct region_table *shared;
static uint32_t ids[THREADS][REGIONS], made[THREADS];

static void *meet(void *ctx)
{
	uint32_t *mine = ctx;
	size_t number = (size_t)(mine - ids[0]) / REGIONS;

	for (int i = 0; i < REGIONS; i++) {
		bool new;
		uint32_t at = number % 2 ? (uint32_t)i : (uint32_t)(REGIONS - 1 - i);

		mine[at] = region_table_get(shared, MS_DO_REGION, at * 8 + 8, 0, &new);
		made[number] += new;
		if (mine[at] == MS_REGION_NONE ||
		    region_table_at(shared, mine[at])->construct != at * 8 + 8)
			mine[at] = MS_REGION_NONE;
	}
	return NULL;
}

TEST(region_table__many_threads_meet_the_same_regions)
{
	pthread_t threads[THREADS];

	shared = table_new();
	for (int i = 0; i < THREADS; i++)
		CHECK_INT(pthread_create(&threads[i], NULL, meet, ids[i]), 0);
	for (int i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	CHECK_INT(made[0] + made[1] + made[2] + made[3], REGIONS);
	CHECK_INT(region_table_count(shared), REGIONS + 1);
	for (int i = 0; i < REGIONS; i++)
		for (int thread = 0; thread < THREADS; thread++)
			CHECK(ids[thread][i] != MS_REGION_NONE && ids[thread][i] == ids[0][i]);
}
