/* SPDX-License-Identifier: Apache-2.0 */
/* The running process as the memory of code. */
#include "ompt_tool/code/running_code.h"

#include "analysis/code/code.h"
#include "analysis/code/memory.h"
#include "ompt_tool/code/bounds.h"

static const unsigned char *segment(const struct code_memory *self, uintptr_t address,
				    uintptr_t *start_out, uintptr_t *end_out)
{
	(void)self;
	if (!code_segment_around(address, start_out, end_out))
		return NULL;
	return (const unsigned char *)*start_out;
}

static const struct code_memory process = { segment };

struct code *code_read(struct arena *arena, uintptr_t start, uintptr_t end,
		       const unsigned char *bytes, const char **why_out)
{
	return code_decode(arena, &process, start, end,
			   bytes ? bytes : (const unsigned char *)start, why_out);
}
