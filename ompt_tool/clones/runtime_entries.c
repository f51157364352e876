/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Runtime entries with function arguments. __kmpc_*: clang and flang (kmp.h, kmp_csupport.cpp and
 * kmp_tasking.cpp of libomp 14 to 19); GOMP_*: gcc and gfortran (libgomp_g.h of GCC 4.4 to 14,
 * kmp_gsupport.cpp).
 */
#include "ompt_tool/clones/runtime_entries.h"

#include <stddef.h>
#include <string.h>

#include "analysis/base/base_name.h"

#define ARGUMENT(n) (1u << (n))
#define BODY .bodies = ARGUMENT(0)
#define TASK_AND_COPY .tasks = ARGUMENT(0), .others = ARGUMENT(2)

static const struct runtime_entry entries[] = {
	/* loc, argc, microtask, … */
	{ "__kmpc_fork_call", .bodies = ARGUMENT(2) },
	{ "__kmpc_fork_call_if", .bodies = ARGUMENT(2) },
	{ "__kmpc_fork_teams", .bodies = ARGUMENT(2) },
	/* loc, gtid, flags, bytes, bytes shared, entry */
	{ "__kmpc_omp_task_alloc", .tasks = ARGUMENT(5) },
	{ "__kmpc_omp_target_task_alloc", .tasks = ARGUMENT(5) },
	/* …, grain size, [modifier,] duplicate */
	{ "__kmpc_taskloop", .others = ARGUMENT(10) },
	{ "__kmpc_taskloop_5", .others = ARGUMENT(11) },
	/* loc, gtid, variables, bytes, data, reduce, lock */
	{ "__kmpc_reduce", .others = ARGUMENT(5) },
	{ "__kmpc_reduce_nowait", .others = ARGUMENT(5) },
	/* loc, gtid, bytes, data, copy, did it */
	{ "__kmpc_copyprivate", .others = ARGUMENT(4) },

	{ "GOMP_parallel", BODY },
	{ "GOMP_parallel_reductions", BODY },
	{ "GOMP_parallel_sections", BODY },
	{ "GOMP_parallel_loop_static", BODY },
	{ "GOMP_parallel_loop_dynamic", BODY },
	{ "GOMP_parallel_loop_guided", BODY },
	{ "GOMP_parallel_loop_runtime", BODY },
	{ "GOMP_parallel_loop_nonmonotonic_dynamic", BODY },
	{ "GOMP_parallel_loop_nonmonotonic_guided", BODY },
	{ "GOMP_parallel_loop_nonmonotonic_runtime", BODY },
	{ "GOMP_parallel_loop_maybe_nonmonotonic_runtime", BODY },
	/* GCC up to 4.8: for the other threads; the encountering one calls the body itself */
	{ "GOMP_parallel_start", BODY },
	{ "GOMP_parallel_sections_start", BODY },
	{ "GOMP_parallel_loop_static_start", BODY },
	{ "GOMP_parallel_loop_dynamic_start", BODY },
	{ "GOMP_parallel_loop_guided_start", BODY },
	{ "GOMP_parallel_loop_runtime_start", BODY },
	/* body, data, copy, … */
	{ "GOMP_task", TASK_AND_COPY },
	{ "GOMP_taskloop", TASK_AND_COPY },
	{ "GOMP_taskloop_ull", TASK_AND_COPY },
	{ "GOMP_teams_reg", BODY },
	/* device, body, … */
	{ "GOMP_target", .others = ARGUMENT(1), .device = true },
	{ "GOMP_target_ext", .others = ARGUMENT(1), .device = true },
};

const struct runtime_entry *runtime_entry(const char *name)
{
	if (strncmp(name, "GOMP_", 5) != 0 && strncmp(name, "__kmpc_", 7) != 0)
		return NULL;
	for (size_t i = 0; i < sizeof(entries) / sizeof(entries[0]); i++)
		if (!strcmp(entries[i].name, name))
			return &entries[i];
	return NULL;
}

bool runtime_entry_is_in(const char *file)
{
	static const char *const runtimes[] = { "libomp.", "libiomp5.", "libgomp.",
						"libmemsearch-gomp.", "libomptarget" };

	for (size_t i = 0; i < sizeof(runtimes) / sizeof(runtimes[0]); i++)
		if (!strncmp(file, runtimes[i], strlen(runtimes[i])))
			return true;
	return false;
}

bool runtime_entry_is_outside(const char *path)
{
	const char *name = base_name(path);

	return !runtime_entry_is_in(name) && strncmp(name, "libmemsearch", 12) != 0 &&
	       strncmp(name, "memsearch-core.", 15) != 0;
}

bool runtime_entry_registers_device_code(const char *name)
{
	return !strcmp(name, "GOMP_offload_register") || !strcmp(name, "GOMP_offload_register_ver");
}
