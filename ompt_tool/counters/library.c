/* SPDX-License-Identifier: Apache-2.0 */
/* The functions of a library that is opened late. */
#include "ompt_tool/counters/library.h"

#include <dlfcn.h>
#include <string.h>

bool library_functions(void *library, const struct library_function *wanted, size_t nr)
{
	for (size_t i = 0; i < nr; i++) {
		void *function = dlsym(library, wanted[i].name);

		if (!function)
			return false;
		/* ISO C has no cast for this: dlsym(3) */
		memcpy(wanted[i].pointer, &function, sizeof(function));
	}
	return true;
}
