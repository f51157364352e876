/* SPDX-License-Identifier: Apache-2.0 */
/* Opens memsearch-core.so and calls the functions that it exports for this program. */
#include "analysis/cmds/core_queries.h"

#include <dlfcn.h>

#include "analysis/base/arena.h"
#include "analysis/cmds/installation.h"

/* NULL: `why_out` says why. The core stays open: it is linked with -z nodelete. */
static void *function_of_core(struct arena *arena, const char *name, const char **why_out)
{
	const char *path = installation_path(arena, INSTALLATION_CORE);
	void *core = path ? dlopen(path, RTLD_NOW | RTLD_LOCAL) : NULL,
	     *function = core ? dlsym(core, name) : NULL;

	if (!function)
		*why_out = path ? arena_strdup(arena, dlerror())
				: "the folder of this program is not known";
	return function;
}

static bool is_answered(enum ms_status status, const char **why_out)
{
	if (status != MS_OK)
		*why_out =
			status == MS_ERR_VERSION
				? "memsearch-core.so is of another version than this program"
				: "memsearch-core.so has no memory, or cannot read its property files";
	return status == MS_OK;
}

bool core_query_probe(struct arena *arena, const char *properties, struct ms_probe *probe,
		      const char **why_out)
{
	ms_doctor_probe_function *ask = (ms_doctor_probe_function *)function_of_core(
		arena, MS_DOCTOR_PROBE, why_out);

	*probe = (struct ms_probe){ .size = sizeof(*probe), .properties = properties };
	return ask && is_answered(ask(probe), why_out);
}

bool core_query_sampling(struct arena *arena, const char *root, struct ms_sampling *sampling,
			 const char **why_out)
{
	ms_doctor_sampling_function *ask = (ms_doctor_sampling_function *)function_of_core(
		arena, MS_DOCTOR_SAMPLING, why_out);

	*sampling = (struct ms_sampling){ .size = sizeof(*sampling), .root = root };
	return ask && is_answered(ask(sampling), why_out);
}
