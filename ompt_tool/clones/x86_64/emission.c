/* SPDX-License-Identifier: Apache-2.0 */
/* State shared by all parts of writing a copy. */
#ifdef __x86_64__
#include "ompt_tool/clones/x86_64/emission.h"

#include "analysis/base/arena.h"

struct point emission_point(const struct emission *e, uint32_t instruction)
{
	const struct liveness *live = e->request->live;

	if (instruction >= e->request->code->nr_instructions)
		return (struct point){ 0, false };
	return (struct point){ (uint16_t)~(live->registers[instruction] | 1 << RSP),
			       !(live->flags[instruction] & CODE_FLAGS_STATUS) };
}

struct point emission_point_of_block(const struct emission *e, uint32_t block)
{
	return emission_point(e, e->request->graph->blocks[block].first);
}

void emission_refuse(struct emission *e, const char *why, uintptr_t at)
{
	if (!e->why) {
		e->why = why;
		e->at = at;
	}
}

/*
 * The distance from the thread's base is the same in every thread: the definition of initial-exec
 * TLS.
 */
struct operand emission_cursor(void)
{
	return operand_thread(
		(int64_t)((uintptr_t)&buffer_self.cursor - (uintptr_t)__builtin_thread_pointer()));
}

struct behind *emission_behind(struct emission *e, uint8_t kind, uint32_t instruction)
{
	/* without memory the function is refused, and this is not read */
	static struct behind lost;

	if (!ARENA_GROW(e->arena, e->behind, e->nr_behind, e->room_behind)) {
		emission_refuse(e, "no memory", e->at);
		return &lost;
	}
	e->behind[e->nr_behind] = (struct behind){ .kind = kind,
						   .instruction = instruction,
						   .cursor = CODE_NO_REGISTER,
						   .state = CODE_NO_REGISTER,
						   .table_slot = UINT32_MAX };
	return &e->behind[e->nr_behind++];
}

void emission_exit(struct emission *e, uint32_t block, uint8_t kind, unsigned char *field,
		   uintptr_t target)
{
	struct copy *copy = e->copy;

	if (!ARENA_GROW(e->arena, copy->exits, copy->nr_exits, e->room_exits)) {
		emission_refuse(e, "no memory", e->at);
		return;
	}
	copy->exits[copy->nr_exits++] = (struct copy_exit){
		.kind = kind,
		.field = field,
		.field_run = field ? emission_field_run(e, field) : 0,
		.target = target,
		.block = block,
	};
}

void emission_block_field(struct emission *e, unsigned char *field, uint32_t block)
{
	if (!ARENA_GROW(e->arena, e->fields, e->nr_fields, e->room_fields)) {
		emission_refuse(e, "no memory", e->at);
		return;
	}
	e->fields[e->nr_fields++] = (struct block_field){ field, emission_field_run(e, field),
							  block };
}
#endif
