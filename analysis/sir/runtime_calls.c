/* SPDX-License-Identifier: Apache-2.0 */
/* Entries of libomp (__kmpc_*, kmp.h) and libgomp (GOMP_*, libgomp_g.h) that make constructs. */
#include "analysis/sir/runtime_calls.h"

#include <stddef.h>
#include <string.h>

#include "analysis/base/name_pattern.h"
#include "memsearch/region.h"

enum { RDX = 2, RDI = 7, R9 = 9 };

#define PARALLEL .kind = MS_PARALLEL_REGION, .role = RUNTIME_BODY
#define DO_CHUNKS .kind = MS_DO_REGION, .role = RUNTIME_CHUNKS
#define DO_NEXT .kind = MS_DO_REGION, .role = RUNTIME_NEXT
#define DO_END .kind = MS_DO_REGION, .role = RUNTIME_END
#define LEAF(of) .kind = (of), .role = RUNTIME_LEAF
#define BEGIN(of) .kind = (of), .role = RUNTIME_BEGIN
#define END(of) .kind = (of), .role = RUNTIME_END

/* The first row that name_matches counts. */
static const struct runtime_call calls[] = {
	{ "__kmpc_fork_call*", PARALLEL, .body = RDX },
	{ "__kmpc_fork_teams", PARALLEL, .body = RDX },
	{ "__kmpc_for_static_init*", BEGIN(MS_DO_REGION) },
	{ "__kmpc_dist_for_static_init*", BEGIN(MS_DO_REGION) },
	{ "__kmpc_for_static_fini", DO_END },
	{ "__kmpc_dispatch_init*", DO_CHUNKS },
	{ "__kmpc_dispatch_next*", DO_NEXT },
	{ "__kmpc_single", BEGIN(MS_SINGLE_REGION) },
	{ "__kmpc_end_single", END(MS_SINGLE_REGION) },
	{ "__kmpc_master", BEGIN(MS_MASTER_REGION) },
	{ "__kmpc_end_master", END(MS_MASTER_REGION) },
	{ "__kmpc_masked", BEGIN(MS_MASTER_REGION) },
	{ "__kmpc_end_masked", END(MS_MASTER_REGION) },
	{ "__kmpc_critical*", BEGIN(MS_CRITICAL_REGION) },
	{ "__kmpc_end_critical", END(MS_CRITICAL_REGION) },
	{ "__kmpc_ordered", BEGIN(MS_ORDERED_REGION) },
	{ "__kmpc_end_ordered", END(MS_ORDERED_REGION) },
	{ "__kmpc_omp_task_alloc", .kind = MS_TASK_REGION, .role = RUNTIME_BODY, .body = R9 },
	{ "__kmpc_omp_taskwait*", LEAF(MS_TASKWAIT_REGION) },
	{ "__kmpc_end_taskgroup", LEAF(MS_TASKWAIT_REGION) },
	{ "__kmpc_barrier", LEAF(MS_BARRIER_REGION) },
	{ "__kmpc_reduce", LEAF(MS_REDUCTION_REGION) },
	{ "__kmpc_reduce_nowait", LEAF(MS_REDUCTION_REGION) },

	{ "GOMP_parallel_sections*", PARALLEL, .body = RDI, .combined = MS_SECTIONS_REGION },
	{ "GOMP_parallel_loop_*", PARALLEL, .body = RDI, .combined = MS_DO_REGION },
	{ "GOMP_parallel", PARALLEL, .body = RDI },
	{ "GOMP_parallel_reductions", PARALLEL, .body = RDI },
	{ "GOMP_parallel_start", PARALLEL, .body = RDI },
	{ "GOMP_teams_reg", PARALLEL, .body = RDI },
	{ "GOMP_loop_end*", DO_END },
	{ "GOMP_sections_start", BEGIN(MS_SECTIONS_REGION) },
	{ "GOMP_sections_end*", END(MS_SECTIONS_REGION) },
	{ "GOMP_single_start", LEAF(MS_SINGLE_REGION) },
	{ "GOMP_single_copy_start", LEAF(MS_SINGLE_REGION) },
	{ "GOMP_critical_start", BEGIN(MS_CRITICAL_REGION) },
	{ "GOMP_critical_end", END(MS_CRITICAL_REGION) },
	{ "GOMP_critical_name_start", BEGIN(MS_CRITICAL_REGION) },
	{ "GOMP_critical_name_end", END(MS_CRITICAL_REGION) },
	{ "GOMP_ordered_start", BEGIN(MS_ORDERED_REGION) },
	{ "GOMP_ordered_end", END(MS_ORDERED_REGION) },
	{ "GOMP_taskloop*", .kind = MS_TASK_REGION, .role = RUNTIME_BODY, .body = RDI },
	{ "GOMP_task", .kind = MS_TASK_REGION, .role = RUNTIME_BODY, .body = RDI },
	{ "GOMP_taskwait*", LEAF(MS_TASKWAIT_REGION) },
	{ "GOMP_taskgroup_end", LEAF(MS_TASKWAIT_REGION) },
	{ "GOMP_barrier", LEAF(MS_BARRIER_REGION) },

	{ "omp_set_lock", LEAF(MS_LOCK_REGION) },
	{ "omp_set_nest_lock", LEAF(MS_LOCK_REGION) },
};

/* GOMP_loop_SCHEDULE_start and _next, of any schedule */
static const struct runtime_call loop_start = { "", DO_CHUNKS }, loop_next = { "", DO_NEXT };

static bool begins(const char *name, const char *with)
{
	return !strncmp(name, with, strlen(with));
}

static bool ends(const char *name, const char *with)
{
	size_t length = strlen(name), tail = strlen(with);

	return length >= tail && !strcmp(name + length - tail, with);
}

const struct runtime_call *runtime_call(const char *name)
{
	for (size_t i = 0; i < sizeof(calls) / sizeof(calls[0]); i++)
		if (name_matches(calls[i].name, name))
			return &calls[i];
	if (begins(name, "GOMP_loop_") && ends(name, "_start"))
		return &loop_start;
	if (begins(name, "GOMP_loop_") && ends(name, "_next"))
		return &loop_next;
	return NULL;
}

bool runtime_is(const char *name)
{
	return begins(name, "GOMP_") || begins(name, "__kmpc_") || begins(name, "omp_");
}
