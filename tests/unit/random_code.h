/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_TESTS_UNIT_RANDOM_CODE_H
#define MEMSEARCH_TESTS_UNIT_RANDOM_CODE_H

/* Rows of instructions made up by a test, each one byte long, which no decoder has seen. */
#include "tests/unit/machine_code.h"

#include <stdlib.h>

#define MADE_START 0x1000

struct made {
	uint8_t kind;
	int target;
};

static inline const struct code *make_code(struct arena *arena, const struct made *rows, size_t nr)
{
	struct code *code = arena_alloc(arena, sizeof(*code));

	code->start = MADE_START;
	code->end = MADE_START + nr;
	code->bytes = arena_alloc(arena, nr);
	code->instructions = arena_alloc(arena, nr * sizeof(*code->instructions));
	code->nr_instructions = nr;
	code->lines = arena_alloc(arena, (nr / CODE_LINE + 1) * sizeof(*code->lines));
	for (size_t i = 0; i < nr; i += CODE_LINE)
		code->lines[i / CODE_LINE] = (uint32_t)i;
	for (size_t i = 0; i < nr; i++)
		code->instructions[i] = (struct code_instruction){
			.offset = (uint32_t)i,
			.length = 1,
			.kind = rows[i].kind,
			.target = (uint64_t)(MADE_START + rows[i].target)
		};
	return code;
}

/*
 * Mostly forward jumps and few long ways back, as in programs, or anything, in turn. Some leave the
 * function.
 */
static inline const struct code *random_code(struct arena *arena, size_t nr, bool wild)
{
	static const uint8_t kinds[] = { CODE_PLAIN,  CODE_PLAIN, CODE_BRANCH, CODE_BRANCH,
					 CODE_BRANCH, CODE_JUMP,  CODE_CALL,   CODE_RETURN };
	struct made *rows = arena_alloc(arena, nr * sizeof(*rows));

	for (size_t i = 0; i < nr; i++) {
		int away = (int)(random() % 12) - (wild ? 6 : 3);

		rows[i].kind = kinds[(size_t)random() % sizeof(kinds)];
		rows[i].target = wild && random() % 2 ? (int)((size_t)random() % (nr + 2))
						      : (int)i + away;
		if (rows[i].kind == CODE_CALL)
			rows[i].target = -100;
	}
	rows[nr - 1].kind = CODE_RETURN;
	return make_code(arena, rows, nr);
}

#endif
