/* SPDX-License-Identifier: Apache-2.0 */
/* Calls of libgomp that have no events. */
#define _GNU_SOURCE
#include "ompt_tool/process/gomp_calls.h"

#include <link.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "ompt_tool/clones/trampoline.h"
#include "ompt_tool/code/slots.h"
#include "ompt_tool/gomp/entries.h"
#include "ompt_tool/gomp/file_name.h"

static const char *const with_events[] = {
#define X(result, name, parameters) #name,
	GOMP_ENTRIES
#undef X
};

/* Prefixes of entries that need no events: libgomp.map of GCC 16. */
static const char *const without_events[] = {
	"GOMP_PLUGIN_",
	"GOMP_add_alloc",
	"GOMP_alloc",
	"GOMP_cancel",
	"GOMP_critical_",
	"GOMP_doacross_post",
	"GOMP_doacross_ull_post",
	"GOMP_error",
	"GOMP_free",
	"GOMP_has_masked_thread_num",
	"GOMP_interop",
	"GOMP_is_alloc",
	"GOMP_offload_",
	"GOMP_ordered_end",
	"GOMP_realloc",
	"GOMP_scope_start",
	"GOMP_target",
	"GOMP_task_reduction",
	"GOMP_taskgroup_",
	"GOMP_taskwait_depend_nowait",
	"GOMP_taskyield",
	"GOMP_teams",
	"GOMP_warning",
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
/* copies, as modules may be closed */
struct unknown {
	char names[NAMES_MAX][NAME_BYTES];
	size_t nr;
};

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

/* -- calls that bypass libmemsearch-gomp.so */

enum { COPIES_MAX = 8, UNSEEN_MAX = 4, MODULE_BYTES = 128 };
struct unseen {
	struct dl_phdr_info libgomps[COPIES_MAX];
	size_t nr_libgomps;
	bool calls_past;                        /* the module being visited */
	char modules[UNSEEN_MAX][MODULE_BYTES]; /* file names; copies, as modules may be closed */
	size_t nr;
};

static int keep_libgomp(struct dl_phdr_info *module, size_t size, void *ctx)
{
	struct unseen *unseen = ctx;

	(void)size;
	if (gomp_is_file_name(module->dlpi_name) && unseen->nr_libgomps < COPIES_MAX)
		unseen->libgomps[unseen->nr_libgomps++] = *module;
	return 0;
}

static void look_where_slot_leads(void *ctx, const struct slot *slot)
{
	struct unseen *unseen = ctx;

	if (strncmp(slot->name, "GOMP_parallel", strlen("GOMP_parallel")) || slot->defined)
		return;
	for (size_t i = 0; i < unseen->nr_libgomps; i++)
		unseen->calls_past |= slots_module_has(
			&unseen->libgomps[i],
			trampoline_target(__atomic_load_n(slot->place, __ATOMIC_RELAXED)));
}

static int look_where_module_calls(struct dl_phdr_info *module, size_t size, void *ctx)
{
	struct unseen *unseen = ctx;
	const char *slash = strrchr(module->dlpi_name, '/');

	(void)size;
	unseen->calls_past = false;
	slots_of_module(module, look_where_slot_leads, unseen);
	if (unseen->calls_past && unseen->nr < UNSEEN_MAX)
		snprintf(unseen->modules[unseen->nr++], MODULE_BYTES, "%s",
			 slash ? slash + 1 : module->dlpi_name);
	return 0;
}

void gomp_calls_unseen(void (*visit)(void *ctx, const char *module), void *ctx)
{
	struct unseen unseen = { .nr = 0 };

	dl_iterate_phdr(keep_libgomp, &unseen);
	dl_iterate_phdr(look_where_module_calls, &unseen);
	for (size_t i = 0; i < unseen.nr; i++)
		visit(ctx, unseen.modules[i]);
}
