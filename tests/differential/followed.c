/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "tests/differential/followed.h"

#include <dlfcn.h>

#include "ompt_tool/clones/callee.h"
#include "ompt_tool/clones/pointers.h"

enum { DEPTH = 1000 };

static bool is_followed(void *ctx, uintptr_t function)
{
	uintptr_t module = callee_module(function);

	return module == callee_module(*(uintptr_t *)ctx) ||
	       (module != callee_module((uintptr_t)dlsym(RTLD_DEFAULT, "fork")) &&
		module != callee_module((uintptr_t)dlsym(RTLD_DEFAULT, "__tls_get_addr")) &&
		module != callee_module((uintptr_t)is_followed));
}

const struct clone *followed_clone(uintptr_t function, uint32_t probes)
{
	struct clone_options how = {
		.probes = probes, .depth = DEPTH, .follow = is_followed, .ctx = &function
	};
	const struct clone *clone = clone_make(function, &how);

	pointers_learn(function, probes); /* as after the first call through a pointer */
	return clone;
}

const char *followed_why_refused(uintptr_t function)
{
	const struct clone_refusal *refusals;
	size_t nr = clone_refusals(&refusals);

	for (size_t i = 0; i < nr; i++)
		if (refusals[i].function == function)
			return refusals[i].why;
	return "no reason";
}
