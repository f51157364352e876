/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Indirect jumps and calls: the target is an address in an original, which is translated if it is
 * known. A jump whose targets the graph knows has a table of them; other targets are searched among
 * the entries of all clones with the same probes.
 */
#ifdef __x86_64__
#include "analysis/trace/record_rows.h"
#include "ompt_tool/clones/x86_64/emission.h"
#include "ompt_tool/clones/x86_64/flow.h"
#include "ompt_tool/clones/x86_64/translate.h"

#include "analysis/base/arena.h"

enum { RED_ZONE = 128, SAVED = 32 }; /* SAVED: rax, rcx, rdx and the flags */

static void move_stack(struct emission *e, int32_t by)
{
	struct operand to = operand_at(RSP, by);

	encode_lea(&e->out, RSP, &to);
}

static void save(struct emission *e)
{
	encode_push(&e->out, RAX);
	encode_push(&e->out, RCX);
	encode_push(&e->out, RDX);
	ENCODE(&e->out, "\x9c"); /* pushfq */
}

static void restore(struct emission *e)
{
	ENCODE(&e->out, "\x9d"); /* popfq */
	encode_pop(&e->out, RDX);
	encode_pop(&e->out, RCX);
	encode_pop(&e->out, RAX);
}

/* The operand in memory; false: a register, which the last byte (ModRM) names. */
static bool target_operand(const struct emission *e, uint32_t instruction,
			   struct operand *memory_out, uint8_t *reg_out)
{
	const struct code *code = e->request->code;
	const struct code_instruction *in = &code->instructions[instruction];
	const unsigned char *end = code->bytes + in->offset + in->length;

	for (uint32_t a = 0; a < in->nr_accesses; a++) {
		const struct code_access *access = &code->accesses[in->first_access + a];

		if (access->kind == CODE_ACCESS_STACK)
			continue;
		*memory_out = (struct operand){ access->base,       access->index,
						access->scale,      access->segment,
						access->address_32, access->displacement };
		return true;
	}
	*reg_out = (uint8_t)((end[-1] & 7) |
			     (in->length > 2 && (end[-3] & 0xf0) == 0x40 && end[-3] & 1 ? 8 : 0));
	return false;
}

static void write_missed_call(struct emission *e, uint32_t block, unsigned char *field)
{
	const struct graph_block *b = &e->request->graph->blocks[block];
	struct behind *behind = emission_behind(e, BEHIND_MISSED_CALL, b->first + b->nr - 1);

	behind->field = field;
	behind->field_run = emission_field_run(e, field);
	behind->from = block;
}

/* The target is in a word below the stack pointer; registers and flags are preserved. */
void indirect_call(struct emission *e, uint32_t block)
{
	const struct graph_block *b = &e->request->graph->blocks[block];
	struct operand memory, slot = operand_at(RSP, SAVED), below = operand_at(RSP, -8);
	uint8_t reg;

	if (target_operand(e, b->first + b->nr - 1, &memory, &reg))
		encode_push_operand(&e->out, &memory);
	else
		encode_push(&e->out, reg);
	save(e);
	encode_load(&e->out, RAX, &slot);
	encode_call(&e->out, e->text->run + translate_in_text(e->request->probes));
	encode_test_value(&e->out, RCX, 1);
	write_missed_call(e, block, encode_branch(&e->out, WHEN_ZERO, e->out.run));
	encode_store(&e->out, &slot, RAX);
	restore(e);
	move_stack(e, 8);
	encode_call_operand(&e->out, &below); /* in the red zone: safe from signals */
}

/*
 * Loads the target into rax. Registers hold the program's values, the stack pointer is `shift`
 * lower.
 */
static void load_target(struct emission *e, uint32_t instruction, int32_t shift)
{
	struct operand memory;
	uint8_t reg;

	if (target_operand(e, instruction, &memory, &reg)) {
		memory.displacement += memory.base == RSP ? shift : 0;
		encode_load(&e->out, RAX, &memory);
	} else if (reg != RAX) {
		encode_move(&e->out, RAX, reg);
	}
}

#define FACTOR 0x9e3779b1u /* as ENTRIES_FACTOR */
enum { ROW_BYTES = 16, KNOWN = UINT32_MAX - 1 };

static uint32_t hash(uintptr_t address, uint32_t bits)
{
	return (uint32_t)address * FACTOR >> (32 - bits);
}

/* A table has at least as many free rows as used ones. */
static uint32_t bits_for(uint32_t nr)
{
	uint32_t bits = 1;

	while (1u << bits < 2 * nr)
		bits++;
	return bits;
}

static void add_slot(struct emission *e, uint32_t from, uint32_t to)
{
	const struct code *code = e->request->code;
	uintptr_t original = code->start +
			     code->instructions[e->request->graph->blocks[to].first].offset;
	struct behind *behind;

	if (!ARENA_GROW(e->arena, e->slots, e->nr_slots, e->room_slots)) {
		emission_refuse(e, "no memory", original);
		return;
	}
	e->slots[e->nr_slots++] = (struct jump_slot){ original, to, 0 };
	if (!edge_needed(e, from, to, CODE_NO_REGISTER))
		return;
	behind = emission_behind(e, BEHIND_EDGE, e->request->graph->blocks[from].first);
	behind->table_slot = (uint32_t)e->nr_slots - 1;
	behind->from = from;
	behind->to = to;
}

static bool has_slot(const struct emission *e, const struct jump_table *table, uint32_t to)
{
	for (size_t i = table->first_slot; i < e->nr_slots; i++)
		if (e->slots[i].to == to)
			return true;
	return false;
}

static void add_slots(struct emission *e, struct jump_table *table, uint32_t block)
{
	const struct graph_block *b = &e->request->graph->blocks[block];

	for (uint32_t to = 0; b->unknown && to < e->request->graph->nr_blocks; to++)
		add_slot(e, block, to);
	for (uint32_t s = 0; !b->unknown && s < b->nr_successors; s++)
		if (!has_slot(e, table, e->request->graph->edges[b->first_successor + s]))
			add_slot(e, block, e->request->graph->edges[b->first_successor + s]);
	table->nr_slots = (uint32_t)e->nr_slots - table->first_slot;
	table->bits = bits_for(table->nr_slots);
}

/*
 * If the targets of a jump are unknown, its table has every block; other addresses continue in the
 * original. Such jumps share a table if they leave the same loops.
 */
static uint32_t find_table(struct emission *e, uint32_t block)
{
	const struct graph_block *b = &e->request->graph->blocks[block];
	uint32_t from = !b->unknown                        ? KNOWN
			: e->request->probes & CLONE_LOOPS ? b->loop
							   : GRAPH_NONE;

	if (!b->nr_successors && !b->unknown)
		return GRAPH_NONE;
	for (uint32_t i = 0; b->unknown && i < e->nr_tables; i++)
		if (e->tables[i].unknown_from == from)
			return i;
	if (!ARENA_GROW(e->arena, e->tables, e->nr_tables, e->room_tables)) {
		emission_refuse(e, "no memory", e->at);
		return GRAPH_NONE;
	}
	e->tables[e->nr_tables] = (struct jump_table){ .first_slot = (uint32_t)e->nr_slots,
						       .unknown_from = from };
	add_slots(e, &e->tables[e->nr_tables], block);
	return (uint32_t)e->nr_tables++;
}

static void write_table_address(struct emission *e, uint32_t table)
{
	ENCODE(&e->out, "\x48\x8d\x15"); /* lea table(%rip), %rdx */
	if (!ARENA_GROW(e->arena, e->table_fields, e->nr_table_fields, e->room_table_fields)) {
		emission_refuse(e, "no memory", e->at);
		return;
	}
	e->table_fields[e->nr_table_fields++] = (struct table_field){ e->out.at, e->out.run,
								      table };
	encode_32(&e->out, 0);
}

/*
 * rdx + rcx becomes the table's row for the target in rax; returns the displacement that is
 * followed if there is none.
 */
static unsigned char *write_lookup(struct emission *e, uint32_t number)
{
	uint32_t bits = e->tables[number].bits;
	struct operand key = { RDX, RCX, 1, 0, false, 0 };
	unsigned char *miss;

	ENCODE(&e->out, "\x69\xc8"); /* imul $FACTOR, %eax, %ecx */
	encode_32(&e->out, (int32_t)FACTOR);
	ENCODE(&e->out, "\xc1\xe9"); /* shr $…, %ecx */
	encode_8(&e->out, (uint8_t)(32 - bits));
	ENCODE(&e->out, "\xc1\xe1\x04"); /* shl $4, %ecx */
	write_table_address(e, number);
	encode_compare(&e->out, &key, RAX); /* loop: */
	ENCODE(&e->out, "\x74\x16");        /* je past the jump back */
	encode_compare_64(&e->out, &key, 0);
	miss = encode_branch(&e->out, WHEN_ZERO, e->out.run);
	ENCODE(&e->out, "\x83\xc1\x10\x81\xe1"); /* add $16, %ecx; and $…, %ecx */
	encode_32(&e->out, (int32_t)(((1u << bits) - 1) * ROW_BYTES));
	ENCODE(&e->out, "\xeb\xe4"); /* jmp loop */
	return miss;
}

static void write_miss(struct emission *e, uint32_t block, unsigned char *field, uintptr_t back)
{
	struct behind *behind = emission_behind(e, BEHIND_MISS,
						e->request->graph->blocks[block].first);

	behind->field = field;
	behind->field_run = emission_field_run(e, field);
	behind->from = block;
	behind->back = back;
}

/*
 * The new target is written below the red zone; `ret 128` jumps there and restores the stack
 * pointer.
 */
void indirect_jump(struct emission *e, uint32_t block)
{
	const struct graph_block *b = &e->request->graph->blocks[block];
	uint32_t instruction = b->first + b->nr - 1;
	uint32_t table = find_table(e, block);
	struct operand slot = operand_at(RSP, SAVED);
	unsigned char *field;

	if (e->plan->cursor[block] != CODE_NO_REGISTER)
		edge_store(e, e->plan->cursor[block]);
	if (b->unknown)
		check_buffer(e, emission_point(e, instruction), CODE_NO_REGISTER, instruction);
	move_stack(e, -(RED_ZONE + 8));
	save(e);
	load_target(e, instruction, RED_ZONE + 8 + SAVED);
	if (table != GRAPH_NONE) {
		field = write_lookup(e, table);
		ENCODE(&e->out, "\x48\x8b\x44\x0a\x08"); /* mov 8(%rdx,%rcx), %rax */
	} else {
		field = encode_jump(&e->out, e->out.run);
	}
	write_miss(e, block, field, e->out.run);
	encode_store(&e->out, &slot, RAX);
	restore(e);
	ENCODE(&e->out, "\xc2\x80\x00"); /* ret $128 */
}

/* Appends a header through rcx, which is free here. */
static void write_event(struct emission *e, const struct record_stretch *stretch, bool with_target)
{
	struct operand cursor = emission_cursor(), header = operand_at(RCX, 0),
		       word = operand_at(RCX, 8);
	struct operand end = operand_at(RCX, with_target ? 16 : 8);
	uint32_t number = record_rows_add_stretch(stretch);

	if (!number)
		emission_refuse(e, "no memory", e->at);
	encode_load(&e->out, RCX, &cursor);
	encode_store_value(&e->out, &header, (int32_t)number);
	if (with_target)
		encode_store(&e->out, &word, RAX);
	encode_lea(&e->out, RCX, &end);
	encode_store(&e->out, &cursor, RCX);
}

/* Without times: the calls of the loops and the function are in an original from here on. */
static void write_exit_events(struct emission *e, uint32_t block)
{
	const struct graph *graph = e->request->graph;
	uint32_t loop = plan_has_iterations(e->request->probes) ? graph->blocks[block].loop
								: GRAPH_NONE;

	for (; loop != GRAPH_NONE; loop = graph->loops[loop].parent) {
		write_event(e,
			    &(struct record_stretch){ .event = RECORD_ITERATION_END,
						      .subject = e->request->first_loop + loop },
			    false);
		write_event(e,
			    &(struct record_stretch){ .event = RECORD_LOOP_EXIT,
						      .subject = e->request->first_loop + loop },
			    false);
	}
	if (e->request->probes & CLONE_FUNCTION && !(e->request->probes & CLONE_TIMES))
		write_event(e,
			    &(struct record_stretch){ .event = RECORD_FUNCTION_EXIT,
						      .subject = e->request->number },
			    false);
}

/* The call's target may be anything, so the original makes the call and continues after it. */
void indirect_missed_call_behind(struct emission *e, const struct behind *behind)
{
	const struct code *code = e->request->code;
	struct record_stretch left = { .words = 1,
				       .event = RECORD_LEFT,
				       .subject = e->request->number };

	write_exit_events(e, behind->from);
	write_event(e, &left, true);
	ENCODE(&e->out, "\x31\xd2"); /* xor %edx, %edx */
	encode_call(&e->out, e->text->run + GUARD_IN_TEXT);
	restore(e);
	move_stack(e, 8);
	encode_jump(&e->out, code->start + code->instructions[behind->instruction].offset);
}

/* The jump leaves the function: to another clone's entry, or for good. */
void indirect_miss_behind(struct emission *e, const struct behind *behind)
{
	struct record_stretch left = { .words = 1,
				       .event = RECORD_LEFT,
				       .subject = e->request->number };
	struct operand return_address = operand_at(RSP, RED_ZONE + 8 + SAVED);

	write_exit_events(e, behind->from);
	encode_call(&e->out, e->text->run + translate_in_text(e->request->probes));
	ENCODE(&e->out, "\xe3\x05"); /* jrcxz over the jump */
	encode_jump(&e->out, behind->back);
	write_event(e, &left, true);
	encode_push(&e->out, RAX);
	return_address.displacement += 8;
	encode_lea(&e->out, RDX, &return_address);
	encode_call(&e->out, e->text->run + GUARD_IN_TEXT);
	encode_pop(&e->out, RAX);
	encode_jump(&e->out, behind->back);
}

static void write_rows(struct emission *e, const struct jump_table *table)
{
	uint32_t rows = 1u << table->bits;
	const struct jump_slot **taken = arena_alloc(e->arena,
						     rows * sizeof(const struct jump_slot *));

	if (!taken) {
		emission_refuse(e, "no memory", e->at);
		return;
	}
	for (uint32_t i = table->first_slot; i < table->first_slot + table->nr_slots; i++) {
		uint32_t row = hash(e->slots[i].original, table->bits);

		while (taken[row])
			row = (row + 1) & (rows - 1);
		taken[row] = &e->slots[i];
	}
	for (uint32_t row = 0; row < rows; row++) {
		encode_64(&e->out, taken[row] ? taken[row]->original : 0);
		encode_64(&e->out, taken[row] ? taken[row]->copy : 0);
	}
}

void indirect_tables(struct emission *e)
{
	for (size_t i = 0; i < e->nr_slots; i++)
		if (!e->slots[i].copy)
			e->slots[i].copy = e->labels[e->slots[i].to];
	while (e->out.run & 15 && !e->out.full)
		encode_8(&e->out, 0xcc);
	for (uint32_t table = 0; table < e->nr_tables; table++) {
		uintptr_t run = e->out.run;

		write_rows(e, &e->tables[table]);
		for (size_t i = 0; i < e->nr_table_fields && !e->out.full; i++)
			if (e->table_fields[i].table == table)
				encode_patch(e->table_fields[i].field, e->table_fields[i].field_run,
					     run);
	}
}
#endif
