/* SPDX-License-Identifier: Apache-2.0 */
/* Accesses of serial stretches: clones of real code run between the regions of a fake runtime. */
#include "ompt_tool/accesses/accesses.h"
#include "ompt_tool/clones/clone.h"
#include "ompt_tool/clones/word_buffer.h"
#include "ompt_tool/events/event.h"
#include "tests/host/fake/tool.c"
#include "tests/host/host.h"
#include "tests/unit/sampling.h"

#define A 0x1000u
#define B 0x2000u
#define VALUES 100

static struct host_thread master;
static struct host_task master_task, initial, task;
static struct host_team team;
static const enum ms_metric reads[] = { MS_METRIC_READS };
static double values[VALUES];

NOT_INSTRUMENTED static void work(volatile double *at)
{
	for (int i = 0; i < VALUES; i++)
		at[i] = at[i] + 1;
}

static void work_in_clone(void)
{
	((void (*)(volatile double *))clone_of((uintptr_t)work))(values);
}

static void parallel(uint64_t code)
{
	host_parallel_begin(&team, 1, code);
	host_implicit_begin(&team, &master_task, 0);
	host_arrive();
	host_sync(ompt_sync_region_barrier_implicit_parallel, ompt_scope_end, 0);
	host_implicit_end(&master_task, 0);
	host_parallel_end(&team);
}

static void start(void)
{
	static const struct clone_options options = { .probes = CLONE_ACCESSES };

	if (clone_unsupported())
		test_skip("%s", clone_unsupported());
	fake_online.metrics = reads;
	fake_online.nr_metrics = 1;
	CHECK(host_start(core_start));
	host_thread_begin(&master, ompt_thread_initial);
	host_initial_task(&initial);
	CHECK(clone_make((uintptr_t)work, &options) != NULL);
	parallel(A);
}

static struct region *after(uint64_t code)
{
	return region_table_at(events.regions, fake_region(MS_SERIAL_REGION, code, MS_REGION_USER));
}

static struct ms_stat recorded(const struct region *region)
{
	CHECK(region != NULL);
	return fake_stat(region->id, 0, MS_METRIC_READS);
}

struct sites {
	uint32_t region, nr;
};

static void count_site(void *ctx, const struct access_row *row, uint32_t executions)
{
	struct sites *sites = ctx;

	(void)executions;
	sites->nr += row->region == sites->region && row->counts.reads + row->counts.writes;
}

/* Rows of instructions in a region. */
static uint32_t sites_in(uint32_t region)
{
	struct sites sites = { .region = region };

	accesses_each(master.data.ptr, count_site, &sites);
	return sites.nr;
}

TEST(events_serial__a_stretch_gets_what_ran_in_it)
{
	start();
	work_in_clone();
	parallel(B);
	work_in_clone();
	work_in_clone();
	parallel(A);
	fake_fold();
	CHECK_NEAR(recorded(after(A)).sum, VALUES, 4);
	CHECK_NEAR(recorded(after(B)).sum, 2 * VALUES, 8);
	CHECK_INT(after(A)->unrecorded, 0);
	CHECK_THAT(sites_in(after(A)->id), >, 0);
	CHECK_INT(sites_in(MS_REGION_NONE), 0);
}

/* An orphaned construct that asked, too, has its own; what is around it stays the stretch's. */
TEST(events_serial__goes_on_behind_an_orphaned_construct)
{
	start();
	work_in_clone();
	host_sync(ompt_sync_region_barrier_explicit, ompt_scope_begin, 0x3000);
	host_sync(ompt_sync_region_barrier_explicit, ompt_scope_end, 0x3000);
	work_in_clone();
	parallel(B);
	fake_fold();
	CHECK_NEAR(recorded(after(A)).sum, 2 * VALUES, 8);
}

TEST(events_serial__forgets_what_nobody_wants_any_more)
{
	start();
	work_in_clone();
	fake_request(0);
	parallel(B);
	fake_fold();
	CHECK_INT(recorded(after(A)).count, 0);
	fake_request(1);
	parallel(A);
	work_in_clone();
	parallel(B);
	fake_fold();
	CHECK_NEAR(recorded(after(A)).sum, VALUES, 4);
	CHECK_INT(recorded(after(A)).count, 1);
}

TEST(events_serial__is_left_out_where_the_allowance_ended_in_it)
{
	start();
	work_in_clone();
	parallel(B); /* what came so far is taken */
	accesses_allow(0);
	work_in_clone();
	record_flush();
	CHECK(accesses_used_up());
	work_in_clone();
	parallel(A);
	fake_fold();
	CHECK_INT(recorded(after(A)).count, 1);
	CHECK_INT(recorded(after(B)).count, 0);
	CHECK_THAT(sites_in(after(A)->id), >, 0);
	CHECK_INT(sites_in(after(B)->id), 0);
	CHECK_INT(after(B)->unrecorded, 1);
}

/* Asked for when the stretch is under way: what ran before is not known. */
TEST(events_serial__is_left_out_where_it_began_before)
{
	start();
	parallel(B);
	fake_fold();
	fake_request(0);
	parallel(A);
	fake_request(1);
	work_in_clone();
	parallel(B);
	fake_fold();
	CHECK_INT(recorded(after(A)).count, 0);
	CHECK_INT(after(A)->unrecorded, 1);
}

/* What the task accesses is its own affair; its code is the original here. */
TEST(events_serial__goes_on_behind_a_task)
{
	struct region *of_task;

	start();
	work_in_clone();
	host_task_create(&task, 0x4000);
	of_task = region_table_at(events.regions,
				  fake_region(MS_TASK_REGION, 0x4000, MS_REGION_USER));
	host_task_schedule(&initial, ompt_task_switch, &task);
	work_in_clone();
	host_task_schedule(&task, ompt_task_complete, &initial);
	work_in_clone();
	parallel(B);
	fake_fold();
	CHECK_NEAR(recorded(after(A)).sum, 2 * VALUES, 4);
	CHECK_INT(recorded(after(A)).count, 1);
	CHECK_INT(after(A)->unrecorded, 0);
	CHECK(of_task != NULL && of_task->unrecorded == 1);
	CHECK_INT(recorded(of_task).count, 0);
}

/* Behind a region the thread is in the originals of all that is on its stack. */
TEST(events_serial__a_task_with_a_region_in_its_midst_is_left_out)
{
	struct region *of_task;

	start();
	host_task_create_undeferred(&task, 0x4000);
	of_task = region_table_at(events.regions,
				  fake_region(MS_TASK_REGION, 0x4000, MS_REGION_USER));
	host_task_schedule(&initial, ompt_task_switch, &task);
	work_in_clone();
	parallel(B);
	work_in_clone();
	host_task_schedule(&task, ompt_task_complete, &initial);
	parallel(A);
	fake_fold();
	CHECK(of_task != NULL && of_task->unrecorded == 1);
	CHECK_INT(recorded(of_task).count, 0);
}
