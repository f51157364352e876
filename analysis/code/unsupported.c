/* SPDX-License-Identifier: Apache-2.0 */
/* decode.h for architectures without a folder. */
#include "analysis/code/decode.h"
#include "analysis/code/jump_table.h"

#if !defined(__x86_64__)
#define REASON "machine code of this architecture cannot be read"
#elif !defined(HAVE_ZYDIS)
#define REASON "built without Zydis (libzydis-dev)"
#endif

#ifdef REASON

const char *decode_unsupported(void)
{
	return REASON;
}

void decode_instruction(const unsigned char *bytes, size_t room, uintptr_t address,
			struct decoded *out)
{
	(void)bytes, (void)room, (void)address;
	*out = (struct decoded){ .instruction = { .length = 1, .kind = CODE_REFUSED },
				 .refusal = REASON };
}

bool decode_may_jump(const unsigned char *bytes, size_t nr, uintptr_t address, uintptr_t start,
		     uintptr_t end)
{
	(void)bytes, (void)nr, (void)address, (void)start, (void)end;
	return true;
}

uint32_t decode_constant(const unsigned char *bytes, const struct code_instruction *instruction)
{
	(void)bytes, (void)instruction;
	return 0;
}

bool table_find(const struct graph *graph, uint32_t block, struct table_scratch *scratch,
		struct jump_table *out)
{
	(void)graph, (void)block, (void)scratch, (void)out;
	return false;
}

#endif
