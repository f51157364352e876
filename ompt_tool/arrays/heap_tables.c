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

#define STAND_INS_MAX 32

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

struct slots_changed heap_tables_change(const struct heap_interposer *interposer)
{
	struct slots_change changes[STAND_INS_MAX];
	size_t nr = 0;

	/*
	 * Calls to an allocator in the program's own file bypass the tables: redirecting those of
	 * the libraries alone would record only a part.
	 */
	for (size_t i = 0; i < interposer->nr_stand_ins && nr < STAND_INS_MAX; i++)
		if (!interposer->foreign_malloc || !interposer->stand_ins[i].allocates)
			changes[nr++] = (struct slots_change){
				.name = interposer->stand_ins[i].name,
				.with = (uintptr_t)interposer->stand_ins[i].function
			};
	return slots_change(changes, nr, is_changed);
}
