/* SPDX-License-Identifier: Apache-2.0 */
/* The lines in small text files of the kernel. */
#include "analysis/base/system_text.h"

#include <stdlib.h>
#include <string.h>

#include "analysis/base/arena.h"

#define NUMBERS_MAX (1u << 20) /* more CPUs or nodes than that are a broken file */

const char *system_text_value(struct arena *arena, const char *text, const char *key)
{
	size_t length = strlen(key);

	while (text && *text) {
		size_t nr = strcspn(text, "\n");
		const char *after = text + length;

		if (nr > length && !strncmp(text, key, length)) {
			after += strspn(after, " \t");
			if (*after == ':')
				after += 1 + strspn(after + 1, " \t");
			return arena_strndup(arena, after, strcspn(after, "\n"));
		}
		text += nr + (text[nr] == '\n');
	}
	return NULL;
}

const char *system_text_cpu_model(struct arena *arena, const char *cpuinfo)
{
	const char *implementer = system_text_value(arena, cpuinfo, "CPU implementer"),
		   *part = system_text_value(arena, cpuinfo, "CPU part");
	const char *model = system_text_value(arena, cpuinfo, "model name");

	if (!model && implementer && part)
		model = arena_printf(arena, "ARM implementer %s part %s", implementer, part);
	if (!model)
		model = system_text_value(arena, cpuinfo, "cpu");
	return model ? model : "";
}

uint64_t system_text_count(const char *list)
{
	uint64_t count = 0;
	char *end;

	while (list && *list >= '0' && *list <= '9') {
		unsigned long first = strtoul(list, &end, 10),
			      last = *end == '-' ? strtoul(end + 1, &end, 10) : first;

		if (last < first || last - first >= NUMBERS_MAX)
			return count;
		count += last - first + 1;
		list = *end == ',' ? end + 1 : end;
	}
	return count;
}
