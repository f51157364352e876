/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Counted loops: the first iteration has probes, the others have none, and at the exit the
 * registers are recorded.
 */
#ifdef __x86_64__
#include "analysis/trace/record_rows.h"
#include "ompt_tool/clones/counted.h"
#include "ompt_tool/clones/x86_64/emission.h"
#include "ompt_tool/clones/x86_64/flow.h"

#include "analysis/base/arena.h"

/* The word is a sum of both registers. */
static bool is_sum(const struct pending *pending)
{
	return pending->access.base != CODE_NO_REGISTER &&
	       pending->access.index != CODE_NO_REGISTER && !pending->site.index_word;
}

static void note_amounts(const struct emission *e, const struct pending *pending,
			 struct record_counted *row)
{
	const struct code_access *access = &pending->access;
	struct counted_amounts amounts = counted_amounts(e->request->graph, e->block,
							 pending->instruction);
	int64_t base = counted_amount(&amounts, access->base),
		index = counted_amount(&amounts, access->index);

	if (pending->site.base_word)
		row->amounts[pending->site.base_word] = is_sum(pending)
								? base + index * access->scale
								: base;
	if (pending->site.index_word)
		row->amounts[pending->site.index_word] = index;
}

/* A register with a stride whose value is stored in a word. */
static bool count_by_register(const struct emission *e, uint8_t reg, struct counting *out)
{
	const struct window *window = &e->window;
	uint32_t word = reg == CODE_NO_REGISTER || !window->raw[reg]
				? 0
				: window->raw[reg] - window->header;

	if (!out->row.amounts[word])
		return false;
	out->base = reg;
	out->index = CODE_NO_REGISTER;
	out->row.word = (uint16_t)word;
	out->row.behind = window->raw_shift[reg];
	return true;
}

static bool count_by_sum(const struct emission *e, const struct pending *pending,
			 struct counting *out)
{
	const struct window *window = &e->window;

	if (!is_sum(pending) || !out->row.amounts[pending->site.base_word])
		return false;
	for (size_t i = 0; i < WINDOW_SUMS && i < window->nr_sums; i++) {
		const struct sum *sum = &window->sums[i];

		if (sum->word != window->header + pending->site.base_word)
			continue;
		out->base = sum->base;
		out->index = sum->index;
		out->row.scale = sum->scale;
		out->row.word = pending->site.base_word;
		out->row.behind = -sum->displacement;
		return true;
	}
	return false;
}

bool counting_find(const struct emission *e, struct counting *out)
{
	const struct window *window = &e->window;
	bool found = false;

	*out = (struct counting){ .base = CODE_NO_REGISTER, .index = CODE_NO_REGISTER };
	if (!e->plan->counted[e->block] || window->nr_headers ||
	    window->nr_accesses != counted_accesses(e->request->graph, e->block) ||
	    window->words - window->header - 1 > RECORD_COUNTED_WORDS)
		return false;
	for (uint32_t i = 0; i < window->nr_accesses; i++)
		note_amounts(e, &window->accesses[i], &out->row);
	for (uint32_t i = 0; i < window->nr_accesses && !found; i++) {
		const struct pending *pending = &window->accesses[i];

		found = count_by_register(e, pending->access.base, out) ||
			count_by_register(e, pending->access.index, out) ||
			count_by_sum(e, pending, out);
	}
	return found;
}

/* `original` 0: from there on the places describe the body again. */
static void note_within(struct emission *e, uintptr_t original)
{
	struct copy *copy = e->copy;

	if (!ARENA_GROW(e->arena, copy->within, copy->nr_within, e->room_within)) {
		emission_refuse(e, "no memory", e->at);
		return;
	}
	copy->within[copy->nr_within++] = (struct copy_place){ original, e->out.run };
}

static void patch(struct emission *e, unsigned char *field, uintptr_t target)
{
	if (!e->out.full)
		encode_patch(field, emission_field_run(e, field), target);
}

/* Writes the iterations after the first. */
static void write_loop(struct emission *e)
{
	const struct code *code = e->request->code;
	const struct graph_block *b = &e->request->graph->blocks[e->block];
	uint32_t last = b->first + b->nr - 1;
	uintptr_t begin = e->out.run;

	for (uint32_t i = b->first; i < last; i++) {
		note_within(e, code->start + code->instructions[i].offset);
		copy_instruction(e, i);
	}
	note_within(e, code->start + code->instructions[last].offset);
	patch(e, flow_condition(e, &code->instructions[last]), begin);
	note_within(e, 0);
}

void counting_branch(struct emission *e, struct counting *counting)
{
	const struct graph_block *b = &e->request->graph->blocks[e->block];
	unsigned char *again = flow_condition(
		e, &e->request->code->instructions[b->first + b->nr - 1]);
	unsigned char *over = encode_jump(&e->out, e->out.run);
	uint32_t number;

	counting->row.stretch = e->last_stretch;
	number = record_rows_add_counted(&counting->row);
	if (number == UINT32_MAX) {
		emission_refuse(e, "no memory", e->at);
		return;
	}
	patch(e, again, e->out.run);
	write_loop(e);
	window_open(e, e->plan->cursor[e->block]);
	window_counted(e, emission_point_of_block(e, e->block + 1), counting, number);
	patch(e, over, e->out.run);
	flow_to(e, e->block, e->block + 1, e->plan->cursor[e->block]);
}
#endif
