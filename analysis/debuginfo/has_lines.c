/* SPDX-License-Identifier: Apache-2.0 */
/* Whether a program has line information, by the reader that later reads it. */
#include "analysis/debuginfo/source.h"

#include "analysis/base/arena.h"
#include "analysis/elf/binary.h"

/*
 * The start files of the C library have units of their own; what was compiled with -g has lines for
 * some code.
 */
static bool any_unit_has_lines(Dwarf *dwarf)
{
	Dwarf_Off offset = 0, next;
	size_t header;

	for (; dwarf_nextcu(dwarf, offset, &next, &header, NULL, NULL, NULL) == 0; offset = next) {
		Dwarf_Lines *lines;
		Dwarf_Die die;
		size_t nr = 0;

		if (dwarf_offdie(dwarf, offset + header, &die) &&
		    !dwarf_getsrclines(&die, &lines, &nr) && nr)
			return true;
	}
	return false;
}

enum ms_status sources_has_lines(const char *path)
{
	struct arena *arena = arena_new();
	struct binary binary;
	enum ms_status status = arena ? binary_open(&binary, arena, path, "") : MS_ERR_MEMORY;

	if (status == MS_OK) {
		status = binary.dwarf && any_unit_has_lines(binary.dwarf) ? MS_OK
									  : MS_ERR_NOT_FOUND;
		binary_close(&binary);
	}
	arena_free(arena);
	return status;
}
