/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Where runtimes take functions. __kmpc_*: clang and flang (kmp.h, kmp_csupport.cpp and kmp_tasking.cpp of libomp 14 to 19);
 * GOMP_*: gcc and gfortran (libgomp_g.h of GCC 4.4 to 14, kmp_gsupport.cpp).
 */
#include "ompt_tool/clones/runtime_entries.h"

#include <stddef.h>
#include <string.h>

#define ARGUMENT(n) (1u << (n))
#define BODY ARGUMENT(0)
#define BODY_AND_COPY (ARGUMENT(0) | ARGUMENT(2))

static const struct runtime_entry entries[] = {
	/* loc, argc, microtask, … */
	{ "__kmpc_fork_call", ARGUMENT(2), false },
	{ "__kmpc_fork_call_if", ARGUMENT(2), false },
	{ "__kmpc_fork_teams", ARGUMENT(2), false },
	/* loc, gtid, flags, bytes, bytes shared, entry */
	{ "__kmpc_omp_task_alloc", ARGUMENT(5), false },
	{ "__kmpc_omp_target_task_alloc", ARGUMENT(5), false },
	/* …, grain size, [modifier,] duplicate */
	{ "__kmpc_taskloop", ARGUMENT(10), false },
	{ "__kmpc_taskloop_5", ARGUMENT(11), false },
	/* loc, gtid, variables, bytes, data, reduce, lock */
	{ "__kmpc_reduce", ARGUMENT(5), false },
	{ "__kmpc_reduce_nowait", ARGUMENT(5), false },
	/* loc, gtid, bytes, data, copy, did it */
	{ "__kmpc_copyprivate", ARGUMENT(4), false },

	{ "GOMP_parallel", BODY, false },
	{ "GOMP_parallel_reductions", BODY, false },
	{ "GOMP_parallel_sections", BODY, false },
	{ "GOMP_parallel_loop_static", BODY, false },
	{ "GOMP_parallel_loop_dynamic", BODY, false },
	{ "GOMP_parallel_loop_guided", BODY, false },
	{ "GOMP_parallel_loop_runtime", BODY, false },
	{ "GOMP_parallel_loop_nonmonotonic_dynamic", BODY, false },
	{ "GOMP_parallel_loop_nonmonotonic_guided", BODY, false },
	{ "GOMP_parallel_loop_nonmonotonic_runtime", BODY, false },
	{ "GOMP_parallel_loop_maybe_nonmonotonic_runtime", BODY, false },
	/* GCC up to 4.8: for the other threads; the encountering one calls the body itself */
	{ "GOMP_parallel_start", BODY, false },
	{ "GOMP_parallel_sections_start", BODY, false },
	{ "GOMP_parallel_loop_static_start", BODY, false },
	{ "GOMP_parallel_loop_dynamic_start", BODY, false },
	{ "GOMP_parallel_loop_guided_start", BODY, false },
	{ "GOMP_parallel_loop_runtime_start", BODY, false },
	/* body, data, copy, … */
	{ "GOMP_task", BODY_AND_COPY, false },
	{ "GOMP_taskloop", BODY_AND_COPY, false },
	{ "GOMP_taskloop_ull", BODY_AND_COPY, false },
	{ "GOMP_teams_reg", BODY, false },
	/* device, body, … */
	{ "GOMP_target", ARGUMENT(1), true },
	{ "GOMP_target_ext", ARGUMENT(1), true },
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

bool runtime_entry_registers_device_code(const char *name)
{
	return !strcmp(name, "GOMP_offload_register") || !strcmp(name, "GOMP_offload_register_ver");
}
