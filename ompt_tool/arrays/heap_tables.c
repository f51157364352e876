/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Redirects calls to malloc and similar functions to libmemsearch.so through the modules' tables of
 * addresses.
 */
#include "ompt_tool/arrays/heap_tables.h"

#include <string.h>

#include "analysis/base/base_name.h"
#include "analysis/base/own_heap.h"
#include "ompt_tool/arrays/heap.h"

#define STAND_INS_MAX 64

/*
 * Modules whose calls are not redirected: allocations of libc, the runtime, the unwinder and the
 * tool are no arrays.
 */
static const char *const left_alone[] = {
	"libc.",     "ld-linux",    "ld64.",         "libomp.",         "libgomp.",   "libiomp5.",
	"libgcc_s.", "libpthread.", "libmemsearch.", "memsearch-core.", "linux-vdso",
};

static bool is_changed(const char *path)
{
	const char *name = base_name(path);

	for (size_t i = 0; i < sizeof(left_alone) / sizeof(*left_alone); i++)
		if (!strncmp(name, left_alone[i], strlen(left_alone[i])))
			return false;
	return !own_heap_serves(path);
}

/*
 * Calls to an allocator in the program's own file bypass the tables: redirecting those of the
 * libraries alone would record only a part.
 */
static size_t add_changes(const struct heap_interposer *interposer,
			  const struct heap_stand_ins *list, struct slots_change *changes,
			  size_t nr)
{
	for (size_t i = 0; i < list->nr && nr < STAND_INS_MAX; i++)
		if (!interposer->foreign_malloc || !list->of[i].allocates)
			changes[nr++] = (struct slots_change){
				.name = list->of[i].name, .with = (uintptr_t)list->of[i].function
			};
	return nr;
}

struct slots_changed heap_tables_change(const struct heap_interposer *interposer)
{
	struct slots_change changes[STAND_INS_MAX];
	size_t nr = 0;

	for (size_t i = 0; i < HEAP_STAND_INS; i++)
		nr = add_changes(interposer, &interposer->stand_ins[i], changes, nr);
	return slots_change(changes, nr, is_changed);
}
