/* SPDX-License-Identifier: Apache-2.0 */
/* Resolves the functions of a library opened at run time. */
#include "ompt_tool/counters/library.h"

#include <dlfcn.h>
#include <string.h>

bool library_functions(void *library, const struct library_function *wanted, size_t nr)
{
	for (size_t i = 0; i < nr; i++) {
		void *function = dlsym(library, wanted[i].name);

		if (!function)
			return false;
		/* ISO C has no cast from void * to a function pointer: dlsym(3) */
		memcpy(wanted[i].pointer, &function, sizeof(function));
	}
	return true;
}
