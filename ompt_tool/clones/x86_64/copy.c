/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Writes a copy block by block, then the code after the body, then sets all displacements to the
 * final addresses.
 */
#ifdef __x86_64__
#include <string.h>

#include "analysis/base/arena.h"
#include "analysis/trace/stretch_rows.h"
#include "ompt_tool/clones/returns.h"
#include "ompt_tool/clones/control_equivalence.h"
#include "ompt_tool/clones/x86_64/emission.h"
#include "ompt_tool/clones/x86_64/flow.h"
#include "ompt_tool/clones/x86_64/translate.h"

enum { HALF = BUFFER_UNCHECKED / 2 };

void copy_instruction(struct emission *e, uint32_t instruction)
{
	const struct code_instruction *in = &e->request->code->instructions[instruction];
	unsigned char *at = e->out.at;
	uintptr_t run = e->out.run;

	encode_bytes(&e->out, e->request->code->bytes + in->offset, in->length);
	if (!in->rip_offset || e->out.full)
		return;
	/* as if the displacement were the last field: bytes after it count, too */
	if (!encode_patch(at + in->rip_offset, run + in->length - 4, in->target))
		emission_refuse(e, "data out of reach", e->request->code->start + in->offset);
}

/*
 * Instructions that are not written have no place of their own: they share that of the preceding
 * one.
 */
static void note_place(struct emission *e, uint32_t instruction)
{
	const struct code_instruction *in = &e->request->code->instructions[instruction];
	struct copy *copy = e->copy;

	if (!in->length)
		return;
	e->at = e->request->code->start + in->offset;
	copy->places[copy->nr_places++] = (struct unwind_place){
		in->offset, (uint32_t)(e->out.run - copy->code)
	};
}

static void open_block(struct emission *e, uint32_t block)
{
	const struct graph *graph = e->request->graph;
	uint32_t loop = plan_has_iterations(e->request->probes) ? graph->blocks[block].loop
								: GRAPH_NONE;

	e->labels[block] = e->out.run;
	e->unchecked = 0;
	if (e->plan->check[block])
		check_buffer(e, emission_point_of_block(e, block), e->plan->cursor[block],
			     graph->blocks[block].first);
	window_open(e, e->plan->cursor[block]);
	for (; loop != GRAPH_NONE; loop = graph->loops[loop].parent)
		if (graph->loops[loop].header == block)
			window_event(e, RECORD_ITERATION_BEGIN, e->request->first_loop + loop);
}

/*
 * Writes the instructions of one window; the block's last one is left to flow_end unless control
 * simply continues.
 */
static void write_window(struct emission *e, uint32_t first, uint32_t end, uint32_t block_end)
{
	for (uint32_t i = first; i < end; i++) {
		if (i != e->request->graph->blocks[e->block].first)
			note_place(e, i);
		window_probe(e, i);
		if (i + 1 == block_end && e->request->code->instructions[i].kind != CODE_PLAIN)
			return;
		copy_instruction(e, i);
		window_passed(e, i);
	}
}

static void write_block(struct emission *e, uint32_t block)
{
	const struct graph_block *b = &e->request->graph->blocks[block];
	uint32_t end = b->first + b->nr, i = b->first;

	e->block = block;
	note_place(e, i);
	open_block(e, block);
	while (i < end) {
		uint32_t next = window_accesses(e, i, end);

		e->window.hold = next == end && flow_holds(e, block);
		write_window(e, i, next, end);
		if (next < end)
			window_close(e, emission_point(e, next));
		if (next < end && e->unchecked > HALF - WINDOW_WORDS)
			check_buffer(e, emission_point(e, next), e->plan->cursor[block], next);
		i = next;
	}
	if (e->request->code->instructions[end - 1].kind == CODE_PLAIN) {
		window_close(e, emission_point(e, end));
		flow_to(e, block, block + 1, e->plan->cursor[block]);
	} else {
		flow_end(e, block);
	}
}

static bool is_endbr64(const struct code *code)
{
	return code->instructions[0].length == 4 && !memcmp(code->bytes, "\xf3\x0f\x1e\xfa", 4);
}

/*
 * The entry keeps an indirect-call landing pad (endbr64) as its first instruction; the block below
 * contains it again, without effect.
 */
static void write_entry(struct emission *e)
{
	struct point point = emission_point(e, 0);

	if (is_endbr64(e->request->code))
		copy_instruction(e, 0);
	check_buffer(e, point, CODE_NO_REGISTER, 0);
	window_open(e, CODE_NO_REGISTER);
	window_function(e, RECORD_FUNCTION_ENTRY);
	window_close(e, point);
	if (edge_needed(e, GRAPH_NONE, 0, CODE_NO_REGISTER))
		edge_write(e, GRAPH_NONE, 0, CODE_NO_REGISTER);
}

/* Unreachable instructions, mostly padding, have a place, but no code. */
static void write_body(struct emission *e)
{
	const struct graph *graph = e->request->graph;
	struct copy *copy = e->copy;

	for (uint32_t b = 0; b < graph->nr_blocks && !e->why; b++) {
		e->first_sites[b] = record_nr_sites();
		if (e->plan->written[b])
			write_block(e, b);
		else
			for (uint32_t i = 0; i < graph->blocks[b].nr; i++)
				note_place(e, graph->blocks[b].first + i);
	}
	e->first_sites[graph->nr_blocks] = record_nr_sites();
	copy->body_end = e->out.run;
	copy->places[copy->nr_places++] = (struct unwind_place){
		(uint32_t)(e->request->code->end - e->request->code->start),
		(uint32_t)(copy->body_end - copy->code)
	};
}

static void write_piece(struct emission *e, const struct behind *piece)
{
	switch (piece->kind) {
	case BEHIND_CHECK: check_buffer_behind(e, piece); break;
	case BEHIND_EDGE:
		edge_write(e, piece->from, piece->to, piece->state);
		emission_block_field(e, encode_jump(&e->out, e->out.run), piece->to);
		break;
	case BEHIND_EXIT: flow_exit_behind(e, piece); break;
	case BEHIND_MISS: indirect_miss_behind(e, piece); break;
	case BEHIND_MISSED_CALL: indirect_missed_call_behind(e, piece); break;
	}
}

/* Pieces may append more pieces, which then follow. */
static void write_behind(struct emission *e)
{
	struct copy *copy = e->copy;
	size_t room = 0;

	for (size_t i = 0; i < e->nr_behind && !e->why && !e->out.full; i++) {
		struct behind piece = e->behind[i];

		if (!ARENA_GROW(e->arena, copy->behind, copy->nr_behind, room)) {
			emission_refuse(e, "no memory", e->at);
			return;
		}
		e->at = e->request->code->start +
			e->request->code->instructions[piece.instruction].offset;
		copy->behind[copy->nr_behind++] = (struct copy_place){ e->at, e->out.run };
		if (piece.field)
			encode_patch(piece.field, piece.field_run, e->out.run);
		if (piece.table_slot != UINT32_MAX)
			e->slots[piece.table_slot].copy = e->out.run;
		write_piece(e, &piece);
	}
}

static void lead_fields(struct emission *e)
{
	for (size_t i = 0; i < e->nr_fields; i++)
		encode_patch(e->fields[i].field, e->fields[i].field_run,
			     e->labels[e->fields[i].block]);
}

/* An entry from another copy: as at the function's entry. */
static void write_leader(struct emission *e, uintptr_t original)
{
	const struct code *code = e->request->code;
	const struct code_instruction *in = code_at(code, original);
	uint32_t block = in ? graph_block_of(e->request->graph, (uint32_t)(in - code->instructions))
			    : 0;
	struct copy *copy = e->copy;

	if (!in ||
	    code->start + code->instructions[e->request->graph->blocks[block].first].offset !=
		    original) {
		emission_refuse(e, "entry into an instruction", original);
		return;
	}
	copy->leaders[copy->nr_leaders++] = (struct copy_place){ original, e->out.run };
	window_open(e, CODE_NO_REGISTER);
	window_function(e, RECORD_FUNCTION_ENTRY);
	window_close(e, emission_point_of_block(e, block));
	edge_write(e, GRAPH_NONE, block, CODE_NO_REGISTER);
	emission_block_field(e, encode_jump(&e->out, e->out.run), block);
}

static void write_leaders(struct emission *e)
{
	e->copy->leaders = arena_alloc(e->arena,
				       (e->request->nr_entries + 1) * sizeof(*e->copy->leaders));
	for (size_t i = 0; e->copy->leaders && i < e->request->nr_entries; i++)
		write_leader(e, e->request->entries[i]);
}

static void write_all(struct emission *e)
{
	write_entry(e);
	write_body(e);
	write_leaders(e);
	write_behind(e);
	if (e->why || e->out.full)
		return;
	indirect_tables(e);
	lead_fields(e);
	control_equivalence_find(e->request->graph, e->first_sites, e->copy);
	e->copy->code_end = e->out.run;
	if (e->out.out_of_reach)
		emission_refuse(e, "code or data out of reach", e->request->code->start);
}

static struct encoder encoder_at(struct text *text)
{
	uintptr_t run = text_next(text);
	unsigned char *at = text_writable(text, run);

	return (struct encoder){ .at = at, .end = text->write + text->room, .run = run };
}

static void write_head(struct text *text)
{
	struct encoder out = { .at = text->write,
			       .end = text->write + TEXT_HEAD_BYTES,
			       .run = text->run };

	if (text->used)
		return;
	translate_write_head(&out);
	text_take(text, text->run + TEXT_HEAD_BYTES);
}

/*
 * One attempt with at least that much room; true: written, or refused (e->why). False: too little
 * room.
 */
static bool try_write(struct emission *e, size_t room)
{
	const struct graph *graph = e->request->graph;

	e->text = text_near(e->request->code->start, room, &e->why);
	if (!e->text) {
		e->at = e->request->code->start;
		return true;
	}
	write_head(e->text);
	e->out = encoder_at(e->text);
	*e->copy = (struct copy){ .text = e->text, .code = e->out.run };
	e->copy->places = arena_alloc(e->arena, (e->request->code->nr_instructions + 1) *
							sizeof(*e->copy->places));
	e->labels = arena_alloc(e->arena, graph->nr_blocks * sizeof(*e->labels));
	e->first_sites = arena_alloc(e->arena, (graph->nr_blocks + 1) * sizeof(*e->first_sites));
	if (!e->copy->places || !e->labels || !e->first_sites)
		emission_refuse(e, "no memory", e->request->code->start);
	else
		write_all(e);
	return e->why || !e->out.full;
}

/* Copies of compiled code with all accesses recorded take 3 to 12 times the original's bytes. */
static bool write_with_room(struct emission *e)
{
	/* too many to be cleared for each function */
	static struct pending accesses[WINDOW_ACCESSES];
	size_t room = (e->request->code->end - e->request->code->start) * 16 + 4096;

	for (int i = 0; i < 4; i++, room *= 4) {
		struct emission fresh = { .arena = e->arena,
					  .request = e->request,
					  .plan = e->plan,
					  .copy = e->copy,
					  .window = { .accesses = accesses } };

		*e = fresh;
		if (try_write(e, room))
			return !e->why;
	}
	emission_refuse(e, "the copy grows too large", e->request->code->start);
	return false;
}

bool copy_write(struct arena *arena, const struct copy_request *request, struct copy *out,
		const char **why_out, uintptr_t *at_out)
{
	struct emission *e = arena_alloc(arena, sizeof(*e));
	bool written;

	*why_out = "no memory";
	*at_out = request->code->start;
	if (!e)
		return false;
	*e = (struct emission){ .arena = arena,
				.request = request,
				.copy = out,
				.plan = plan_new(arena, request->graph, request->live,
						 request->probes) };
	if (!e->plan)
		return false;
	written = write_with_room(e);
	if (written)
		text_take(e->text, out->code_end);
	*why_out = e->why;
	*at_out = e->at;
	return written;
}

/* A jump through the eight bytes after it, next to the copy; 0: no room. */
static uintptr_t write_far_jump(struct text *text, uintptr_t target)
{
	struct encoder out = encoder_at(text);
	uintptr_t run = out.run;

	ENCODE(&out, "\xff\x25\x00\x00\x00\x00");
	encode_64(&out, target);
	if (out.full)
		return 0;
	text_take(text, out.run);
	return run;
}

bool copy_lead(const struct copy *copy, const struct copy_exit *exit, uintptr_t target)
{
	uintptr_t over;

	if (encode_patch(exit->field, exit->field_run, target))
		return true;
	over = write_far_jump(copy->text, target);
	encode_patch(exit->field, exit->field_run, over ? over : exit->target);
	return over != 0;
}

const char *copy_unsupported(void)
{
	if (return_shadow_stack())
		return "a shadow stack is active, which allows no other return addresses (CET)";
	return buffer_state_bytes()
		       ? NULL
		       : "this CPU or system cannot save all registers at once (XSAVE)";
}

#else
#include "ompt_tool/clones/copy.h"

bool copy_write(struct arena *arena, const struct copy_request *request, struct copy *out,
		const char **why_out, uintptr_t *at_out)
{
	(void)arena, (void)out;
	*why_out = copy_unsupported();
	*at_out = request->code->start;
	return false;
}

bool copy_lead(const struct copy *copy, const struct copy_exit *exit, uintptr_t target)
{
	(void)copy, (void)exit, (void)target;
	return false;
}

const char *copy_unsupported(void)
{
	return "functions of this architecture cannot be copied";
}
#endif
