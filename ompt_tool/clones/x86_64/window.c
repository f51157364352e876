/* SPDX-License-Identifier: Apache-2.0 */
/* Windows: headers and words behind the cursor, and the cursor's step over them. */
#ifdef __x86_64__
#include <string.h>

#include "analysis/trace/record_rows.h"
#include "ompt_tool/clones/x86_64/capture.h"
#include "ompt_tool/clones/x86_64/flow.h"

enum { RED_ZONE = 128, RANGE_WORDS = 4, LEFT_WORDS = 2, HALF = BUFFER_UNCHECKED / 2 };

static void forget_values(struct window *window)
{
	memset(window->raw, 0, sizeof(window->raw));
	window->nr_sums = 0;
}

static void window_clear(struct window *window)
{
	window->words = window->nr_headers = window->nr_accesses = window->header = window->passed =
		window->complete = 0;
	window->hold = false;
	forget_values(window);
}

void window_open(struct emission *e, uint8_t state)
{
	window_clear(&e->window);
	e->window.cursor = state;
	e->window.cursor_pinned = state != CODE_NO_REGISTER;
}

static void add_header(struct emission *e, uint32_t word, const struct record_stretch *stretch)
{
	struct window *window = &e->window;
	uint32_t number = record_rows_add_stretch(stretch);

	if (!number || number > INT32_MAX || window->nr_headers == WINDOW_HEADERS) {
		emission_refuse(e, number ? "too many events at one place" : "no memory", e->at);
		return;
	}
	window->headers[window->nr_headers].word = word;
	window->headers[window->nr_headers++].stretch = number;
}

/* Ends the stretch of the announced accesses; the words of their registers belong to it. */
static void finish_stretch(struct emission *e)
{
	struct window *window = &e->window;
	struct record_stretch stretch = { .first_site = record_nr_sites(),
					  .nr_sites = window->nr_accesses,
					  .words = window->words - window->header - 1,
					  .subject = e->request->number,
					  .counted = e->plan->counted[e->block] };

	if (!window->nr_accesses)
		return;
	for (uint32_t i = 0; i < window->nr_accesses; i++)
		if (record_rows_add_site(&window->accesses[i].site) == UINT32_MAX)
			emission_refuse(e, "no memory", e->at);
	e->copy->nr_sites += window->nr_accesses;
	window->nr_accesses = window->passed = window->complete = 0;
	forget_values(window);
	add_header(e, window->header, &stretch);
	if (window->nr_headers)
		e->last_stretch = window->headers[window->nr_headers - 1].stretch;
}

static bool is_timed(const struct emission *e)
{
	return e->request->probes & CLONE_TIMES;
}

void window_event(struct emission *e, enum record_event event, uint32_t subject)
{
	struct record_stretch stretch = { .event = (uint8_t)event,
					  .subject = subject,
					  .words = is_timed(e) ? RECORD_TIME_WORDS : 0 };

	finish_stretch(e);
	add_header(e, e->window.words, &stretch);
	e->window.words += 1 + stretch.words;
}

/* Of a function that the runtime calls there is no time: it is the construct's. */
void window_function(struct emission *e, enum record_event event)
{
	uint32_t subject = is_timed(e) ? e->request->around_loops : e->request->number;

	if (e->request->probes & CLONE_FUNCTION && subject)
		window_event(e, event, subject);
}

struct operand window_word(const struct scope *scope, uint32_t word)
{
	return operand_at(scope->cursor, 8 * (int64_t)word);
}

static void publish(struct emission *e, const struct scope *scope)
{
	struct window *window = &e->window;
	struct operand cursor = emission_cursor(), end = window_word(scope, window->words);

	finish_stretch(e);
	for (uint32_t i = 0; i < window->nr_headers; i++) {
		struct operand at = window_word(scope, window->headers[i].word);

		encode_store_value(&e->out, &at, (int32_t)window->headers[i].stretch);
	}
	encode_lea(&e->out, scope->cursor, &end);
	if (!window->cursor_pinned)
		encode_store(&e->out, &cursor, scope->cursor);
	e->unchecked += window->words;
	window_clear(window);
}

static bool has_words(const struct pending *pending)
{
	return pending->captured && !pending->left_to_come;
}

static bool complete(struct window *window)
{
	if (window->hold || !window->nr_accesses)
		return false;
	while (window->complete < window->nr_accesses &&
	       has_words(&window->accesses[window->complete]))
		window->complete++;
	return window->complete == window->nr_accesses;
}

static uint32_t innermost_loop(const struct emission *e)
{
	uint32_t loop = e->request->graph->blocks[e->block].loop;

	return loop == GRAPH_NONE ? e->request->around_loops : e->request->first_loop + loop;
}

static void announce(struct emission *e, uint32_t instruction, const struct code_access *access)
{
	struct window *window = &e->window;
	const struct code *code = e->request->code;
	struct pending *pending = &window->accesses[window->nr_accesses++];

	*pending = (struct pending){ .instruction = instruction, .access = *access };
	if (access->base == CODE_RIP)
		pending->access.base = CODE_NO_REGISTER;
	pending->site = (struct record_site){
		.address = code->start + code->instructions[instruction].offset,
		.displacement = access->displacement,
		.loop = innermost_loop(e),
		.size = access->size,
		.access = access->kind,
		.scale = access->scale,
		.lanes = access->lanes,
		.index_size = access->index_size,
		.read = access->read,
		.write = access->write,
		.is_float = access->is_float,
		.non_temporal = access->non_temporal,
		.atomic = access->atomic,
		.mask_size = access->vector_mask ? (uint8_t)access->size : 0
	};
	pending->captured = capture_is_constant(&pending->access);
}

uint32_t window_accesses(struct emission *e, uint32_t first, uint32_t end)
{
	const struct code *code = e->request->code;
	struct window *window = &e->window;
	uint32_t words = window->words, i;

	for (i = first; i < end; i++) {
		const struct code_instruction *in = &code->instructions[i];

		if (window->nr_accesses + in->nr_accesses > WINDOW_ACCESSES || words > WINDOW_WORDS)
			break;
		for (uint32_t a = 0; a < in->nr_accesses; a++) {
			const struct code_access *access = &code->accesses[in->first_access + a];

			if (!plan_records(access, e->request->probes))
				continue;
			if (!window->nr_accesses)
				window->header = window->words++;
			announce(e, i, access);
			words += plan_words(access);
		}
	}
	return i;
}

void window_probe(struct emission *e, uint32_t instruction)
{
	struct scope scope;

	if (capture_shared(e, instruction) && !complete(&e->window))
		return;
	scope = scope_begin(e, emission_point(e, instruction),
			    capture_needs_scratch(e, instruction), capture_avoid(e, instruction));
	capture_instruction(e, &scope, instruction);
	if (complete(&e->window))
		publish(e, &scope);
	scope_end(e, &scope);
}

static void store_left(struct emission *e, struct pending *pending, struct point point)
{
	struct scope scope = scope_begin(e, point, false, 1 << RCX);
	struct operand at = window_word(&scope, e->window.header + pending->site.left_word);

	encode_store(&e->out, &at, RCX);
	pending->left_to_come = false;
	if (complete(&e->window))
		publish(e, &scope);
	scope_end(e, &scope);
}

void window_passed(struct emission *e, uint32_t instruction)
{
	struct window *window = &e->window;
	const struct code_instruction *in = &e->request->code->instructions[instruction];
	uint16_t writes = in->writes;

	if (in->step)
		capture_step(window, (uint8_t)__builtin_ctz(writes), in->step);
	else
		capture_forget(window, writes);
	if (!window->cursor_pinned && window->cursor != CODE_NO_REGISTER &&
	    writes >> window->cursor & 1)
		window->cursor = CODE_NO_REGISTER;
	for (uint32_t i = 0; i < window->nr_accesses; i++)
		if (window->accesses[i].instruction == instruction &&
		    window->accesses[i].left_to_come)
			store_left(e, &window->accesses[i], emission_point(e, instruction + 1));
}

/* The C library's memcpy (to, from, bytes) and memset (to, value, bytes). */
void window_range(struct emission *e, struct point point, bool copies)
{
	struct window *window = &e->window;
	struct record_stretch stretch = { .words = RANGE_WORDS - 1,
					  .event = RECORD_RANGE,
					  .subject = e->request->number };
	uint32_t at;
	struct scope scope;
	struct operand to, from, bytes;

	finish_stretch(e);
	at = window->words;
	add_header(e, at, &stretch);
	scope = scope_begin(e, point, false, 1 << RDI | 1 << RSI | 1 << RDX);
	to = window_word(&scope, at + 1), from = window_word(&scope, at + 2),
	bytes = window_word(&scope, at + 3);
	encode_store(&e->out, &to, RDI);
	if (copies)
		encode_store(&e->out, &from, RSI);
	else
		encode_store_value(&e->out, &from, 0);
	encode_store(&e->out, &bytes, RDX);
	window->words += RANGE_WORDS;
	publish(e, &scope);
	scope_end(e, &scope);
}

void window_left(struct emission *e, struct point point, uintptr_t target)
{
	struct window *window = &e->window;
	struct record_stretch stretch = { .words = LEFT_WORDS - 1,
					  .event = RECORD_LEFT,
					  .subject = e->request->number };
	struct scope scope = scope_begin(e, point, true, 0);
	struct operand at = window_word(&scope, window->words + 1);

	add_header(e, window->words, &stretch);
	encode_value(&e->out, scope.scratch, target);
	encode_store(&e->out, &at, scope.scratch);
	window->words += LEFT_WORDS;
	publish(e, &scope);
	scope_end(e, &scope);
}

void window_counted(struct emission *e, struct point point, const struct counting *counting,
		    uint32_t number)
{
	const uint8_t registers[] = { counting->base, counting->index };
	uint32_t nr = counting->index == CODE_NO_REGISTER ? 1 : 2;
	struct record_stretch stretch = { .words = nr, .event = RECORD_COUNTED, .subject = number };
	struct scope scope = scope_begin(
		e, point, false,
		(uint16_t)(1 << counting->base | (nr > 1 ? 1 << counting->index : 0)));

	for (uint32_t i = 0; i < nr; i++) {
		struct operand at = window_word(&scope, e->window.words + 1 + i);

		encode_store(&e->out, &at, registers[i]);
	}
	add_header(e, e->window.words, &stretch);
	e->window.words += 1 + nr;
	publish(e, &scope);
	scope_end(e, &scope);
}

/*
 * The events of one window share a time: ticks of the time-stamp counter, of which rdtsc writes the
 * halves to eax and edx, and the program's stack pointer. Changes no flags.
 */
static void store_times(struct emission *e, const struct scope *scope, struct point point)
{
	const struct window *window = &e->window;
	bool save_a = !(point.dead >> RAX & 1), save_d = !(point.dead >> RDX & 1),
	     lower = !scope->nr_pushed && (save_a || save_d);
	int32_t shift = scope->shift + (lower ? RED_ZONE : 0) + 8 * (save_a + save_d);
	struct operand below = operand_at(RSP, -RED_ZONE), above = operand_at(RSP, RED_ZONE),
		       stack = operand_at(RSP, shift);

	if (lower)
		encode_lea(&e->out, RSP, &below);
	if (save_a)
		encode_push(&e->out, RAX);
	if (save_d)
		encode_push(&e->out, RDX);
	ENCODE(&e->out, "\x0f\x31"); /* rdtsc */
	for (uint32_t i = 0; i < window->nr_headers; i++) {
		struct operand at = window_word(scope, window->headers[i].word + 1);

		encode_store_low(&e->out, &at, RAX);
		at.displacement += 4;
		encode_store_low(&e->out, &at, RDX);
	}
	encode_lea(&e->out, RAX, &stack);
	for (uint32_t i = 0; i < window->nr_headers; i++) {
		struct operand at = window_word(scope, window->headers[i].word + 2);

		encode_store(&e->out, &at, RAX);
	}
	if (save_d)
		encode_pop(&e->out, RDX);
	if (save_a)
		encode_pop(&e->out, RAX);
	if (lower)
		encode_lea(&e->out, RSP, &above);
}

void window_close(struct emission *e, struct point point)
{
	struct scope scope;

	if (!e->window.nr_headers && !e->window.nr_accesses)
		return;
	scope = scope_begin(e, point, false, is_timed(e) ? 1 << RAX | 1 << RDX : 0);
	if (is_timed(e))
		store_times(e, &scope, point);
	publish(e, &scope);
	scope_end(e, &scope);
}
#endif
