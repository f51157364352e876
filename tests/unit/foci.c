/* SPDX-License-Identifier: Apache-2.0 */
/* Names of resources of a run with a region of each shape. */
#include "analysis/report/foci.h"

#include "analysis/base/arena.h"
#include "analysis/record/run.h"
#include "analysis/report/sync_objects.h"
#include "analysis/report/text.h"
#include "memsearch/request.h"
#include "tests/unit/test.h"

enum {
	USER,
	PARALLEL,
	FIRST, /* stands behind SECOND in the file */
	SECOND,
	CALLED,
	NATURAL,
	ARRAY,
	BARRIER,
	UPDATE,
	LOCK,
	SEVERAL,
	AT_UPDATE,
	AT_LOCK,
	AT_SEVERAL,
	NAMELESS,
	REGIONS
};

static struct run_region regions[REGIONS];
static struct run_array array = { .name = "u", .kind = "static" };
static struct module module = { .path = "/home/me/swim" };
static struct run run;

static struct run_region *region(uint32_t id, enum ms_region_kind kind, uint32_t parent,
				 const char *function, int line)
{
	regions[id] = (struct run_region){
		.id = id,
		.parent = id ? parent : MS_REGION_NONE,
		.kind = kind,
		.resolved = true,
		.source = { .function = function, .file = "swim.c", .line = line },
	};
	return &regions[id];
}

static const struct foci *make(struct arena *arena, bool brief)
{
	region(USER, MS_USER_REGION, 0, NULL, 0)->construct.module = UINT32_MAX;
	region(PARALLEL, MS_PARALLEL_REGION, USER, "calc2", 100);
	region(FIRST, MS_DO_REGION, PARALLEL, "calc2", 120);
	region(SECOND, MS_DO_REGION, PARALLEL, "calc2", 110);
	region(CALLED, MS_SUB_REGION, FIRST, "smooth", 20);
	region(NATURAL, MS_LOOP_REGION, CALLED, "smooth", 22);
	region(ARRAY, MS_DATA_STRUCTURE, NATURAL, NULL, 0)->construct.offset = 1;
	region(BARRIER, MS_BARRIER_REGION, PARALLEL, "calc2", 130);
	region(UPDATE, MS_MUTEX, USER, NULL, 0)->name = "update";
	region(LOCK, MS_MUTEX, USER, NULL, 0)->name = "locks[3]";
	region(SEVERAL, MS_MUTEX, USER, NULL, 0)->name = "grid(2,3)";
	region(AT_UPDATE, MS_CRITICAL_REGION, PARALLEL, "sum", 12)->mutex = UPDATE;
	region(AT_LOCK, MS_LOCK_REGION, PARALLEL, "calc2", 140)->mutex = LOCK;
	region(AT_SEVERAL, MS_LOCK_REGION, PARALLEL, "calc2", 150);
	region(NAMELESS, MS_MUTEX, USER, NULL, 0);
	run = (struct run){ .regions = regions,
			    .nr_regions = REGIONS,
			    .arrays = &array,
			    .nr_arrays = 1,
			    .modules = &module,
			    .nr_modules = 1,
			    .pid = 42,
			    .machine = { .host_name = "altix" } };
	return foci_of(arena, &run, brief);
}

/* Loops are numbered by line; a function that is not the construct's has a step of its own. */
TEST(foci__code)
{
	static const struct {
		uint32_t region;
		const char *code;
	} cases[] = {
		{ USER, "/Code" },
		{ PARALLEL, "/Code/swim/calc2/parallel_1" },
		{ FIRST, "/Code/swim/calc2/parallel_1/loop_2" },
		{ SECOND, "/Code/swim/calc2/parallel_1/loop_1" },
		{ CALLED, "/Code/swim/calc2/parallel_1/loop_2/smooth" },
		{ NATURAL, "/Code/swim/calc2/parallel_1/loop_2/smooth/loop_1" },
		{ ARRAY, "/Code/swim/calc2/parallel_1/loop_2/smooth/loop_1" },
		{ AT_UPDATE, "/Code/swim/calc2/parallel_1/sum/critical_1" },
		{ UPDATE, "/Code" },
		{ REGIONS, "/Code" },
	};
	struct arena *arena = arena_new();
	const struct foci *foci = make(arena, true);

	CHECK(foci);
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++)
		CHECK_STR(foci_at(arena, foci, cases[i].region, MS_REQUEST_ALL_THREADS).code,
			  cases[i].code);
	arena_free(arena);
}

TEST(foci__synchronization_objects)
{
	static const struct {
		uint32_t region;
		const char *sync;
	} cases[] = {
		{ PARALLEL, "/SyncObject" },
		{ BARRIER, "/SyncObject/barrier/calc2/swim.c:130" },
		{ UPDATE, "/SyncObject/critical/update/update" },
		{ AT_UPDATE, "/SyncObject/critical/update/update" },
		{ LOCK, "/SyncObject/lock/locks/locks[3]" },
		{ AT_LOCK, "/SyncObject/lock/locks/locks[3]" },
		{ SEVERAL, "/SyncObject/lock/grid/grid(2,3)" },
		{ AT_SEVERAL, "/SyncObject/lock" },
	};
	struct arena *arena = arena_new();
	const struct foci *foci = make(arena, true);

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++)
		CHECK_STR(foci_at(arena, foci, cases[i].region, MS_REQUEST_ALL_THREADS).sync,
			  cases[i].sync);
	CHECK_STR(sync_name_of(arena, &run, NAMELESS).type, "lock");
	CHECK_STR(sync_name_of(arena, &run, NAMELESS).object, "lock_14");
	arena_free(arena);
}

TEST(foci__machine_and_data)
{
	struct arena *arena = arena_new();
	const struct foci *foci = make(arena, false);
	struct text text;

	text_init(&text, arena);
	foci_add(&text, foci, ARRAY, 3);
	CHECK_STR(text.bytes, "</Code/swim/calc2/parallel_1/loop_2/smooth/loop_1, "
			      "/Machine/altix/42/thread_3, /Data/static/u, /SyncObject>");
	CHECK_STR(foci_at(arena, foci, USER, MS_REQUEST_ALL_THREADS).machine, "/Machine/altix/42");
	CHECK_STR(foci_at(arena, make(arena, true), USER, 1).machine,
		  "/Machine/host/process/thread_1");
	arena_free(arena);
}
