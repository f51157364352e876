/* SPDX-License-Identifier: Apache-2.0 */
/* The one function of libnuma that is needed to query nodes. */
#include "ompt_tool/placement/numa_library.h"

#include <dlfcn.h>
#include <stdbool.h>
#include <stddef.h>

#include "analysis/base/own_imports.h"

#ifdef HAVE_LIBNUMA
#include <numaif.h>

#define LIBRARY "libnuma.so.1" /* soname of libnuma 2 */

_Static_assert(__builtin_types_compatible_p(__typeof__(move_pages), numa_move_pages),
	       "the type is that of numaif.h");

static struct {
	bool asked;
	numa_move_pages *function;
	const char *why;
} numa;

static void load(void)
{
	void *library = own_imports_open(LIBRARY);

	numa.asked = true;
	if (!library) {
		numa.why = LIBRARY " cannot be opened: install Debian's package libnuma1";
		return;
	}
	*(void **)&numa.function = dlsym(library, "move_pages");
	if (!numa.function)
		numa.why = LIBRARY " lacks move_pages, which libnuma 2 should have";
}

numa_move_pages *numa_library_move_pages(const char **why_out)
{
	if (!numa.asked)
		load();
	*why_out = numa.why;
	return numa.function;
}
#else
numa_move_pages *numa_library_move_pages(const char **why_out)
{
	*why_out =
		"memsearch was built without libnuma: install Debian's package libnuma-dev, and build again";
	return NULL;
}
#endif
