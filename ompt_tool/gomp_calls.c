/* SPDX-License-Identifier: Apache-2.0 */
/* Calls of libgomp that nothing is known of. */
#define _GNU_SOURCE
#include "ompt_tool/gomp_calls.h"

#include <link.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "ompt_tool/code/slots.h"
#include "ompt_tool/gomp/entries.h"

static const char *const with_events[] = {
#define X(result, name, parameters) #name,
	GOMP_ENTRIES
#undef X
};

/* How the names of those begin that need none: libgomp.map of GCC 15. */
static const char *const without_events[] = {
	"GOMP_PLUGIN_", "GOMP_alloc", "GOMP_atomic_", "GOMP_cancel", "GOMP_critical_", "GOMP_doacross_post", "GOMP_doacross_ull_post", "GOMP_error", "GOMP_free", "GOMP_has_masked_thread_num",
	"GOMP_interop", "GOMP_offload_", "GOMP_ordered_end", "GOMP_realloc", "GOMP_scope_start", "GOMP_target", "GOMP_task_reduction", "GOMP_taskgroup_",
	"GOMP_taskwait_depend_nowait", "GOMP_taskyield", "GOMP_teams", "GOMP_warning",
};

static bool is_known(const char *name)
{
	for (size_t i = 0; i < sizeof(with_events) / sizeof(*with_events); i++)
		if (!strcmp(name, with_events[i]))
			return true;
	for (size_t i = 0; i < sizeof(without_events) / sizeof(*without_events); i++)
		if (!strncmp(name, without_events[i], strlen(without_events[i])))
			return true;
	return false;
}

enum { NAMES_MAX = 16, NAME_BYTES = 64 };
struct unknown { char names[NAMES_MAX][NAME_BYTES]; size_t nr; };     /* copies, as modules may be closed */

static void look_at_slot(void *ctx, const struct slot *slot)
{
	struct unknown *unknown = ctx;

	if (strncmp(slot->name, "GOMP_", 5) || slot->defined || is_known(slot->name))
		return;
	for (size_t i = 0; i < unknown->nr; i++)
		if (!strncmp(unknown->names[i], slot->name, NAME_BYTES - 1))
			return;
	if (unknown->nr < NAMES_MAX)
		snprintf(unknown->names[unknown->nr++], NAME_BYTES, "%s", slot->name);
}

static int look_at_module(struct dl_phdr_info *module, size_t size, void *unknown)
{
	(void)size;
	slots_of_module(module, look_at_slot, unknown);
	return 0;
}

void gomp_calls_unknown(void (*visit)(void *ctx, const char *name), void *ctx)
{
	struct unknown unknown = { .nr = 0 };

	dl_iterate_phdr(look_at_module, &unknown);
	for (size_t i = 0; i < unknown.nr; i++)
		visit(ctx, unknown.names[i]);
}
