/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_TESTS_UNIT_UNWIND_TABLES_H
#define MEMSEARCH_TESTS_UNIT_UNWIND_TABLES_H

#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <dlfcn.h>
#include <link.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>

#include "ompt_tool/code/bounds.h"
#include "tests/unit/test.h"

/*
 * A second reader of unwind tables, as an unwinder uses them: which rules hold at an address, and
 * what a personality routine would do there. It shares nothing with the translation under test, and
 * trusts what it reads.
 */
typedef const unsigned char *tables_at;

static inline uint64_t tables_uleb(tables_at *at)
{
	uint64_t value = 0;
	int shift = 0;

	do
		value |= (uint64_t)(**at & 127) << shift, shift += 7;
	while (*(*at)++ & 128);
	return value;
}

static inline int64_t tables_sleb(tables_at *at)
{
	int64_t value = 0;
	int shift = 0;

	do
		value |= (int64_t)(**at & 127) << shift, shift += 7;
	while (*(*at)++ & 128);
	return shift < 64 && (*at)[-1] & 64 ? value | -(int64_t)(1ull << shift) : value;
}

static inline int64_t tables_number(tables_at *at, unsigned int format)
{
	int16_t two;
	int32_t four;
	int64_t eight;

	switch (format) {
	case 1: return (int64_t)tables_uleb(at);
	case 9: return tables_sleb(at);
	case 2:
	case 10:
		memcpy(&two, *at, 2);
		*at += 2;
		return format == 2 ? (int64_t)(uint16_t)two : two;
	case 3:
	case 11:
		memcpy(&four, *at, 4);
		*at += 4;
		return format == 3 ? (int64_t)(uint32_t)four : four;
	case 0:
	case 4:
	case 12:
		memcpy(&eight, *at, 8);
		*at += 8;
		return eight;
	default: test_fail(__FILE__, __LINE__, "pointer format %u", format);
	}
}

/* With its indirection followed. */
static inline uintptr_t tables_pointer(tables_at *at, unsigned int encoding)
{
	uintptr_t place = (uintptr_t)*at, value = (uintptr_t)tables_number(at, encoding & 15);

	if (!value)
		return 0;
	if ((encoding & 0x70) == 0x10)
		value += place;
	return encoding & 0x80 ? *(uintptr_t *)value : value;
}

struct tables_frame {
	tables_at fde, cie, initial, initial_end, program, program_end, lsda;
	uintptr_t start, end, personality;
	uint64_t code_factor;
	int64_t data_factor;
	unsigned int pointers, lsda_pointers;
	bool signal_frame;
};

static inline uint32_t tables_word(tables_at at)
{
	uint32_t word;

	memcpy(&word, at, 4);
	return word;
}

static inline void tables_read_cie(struct tables_frame *frame)
{
	tables_at at = frame->cie + 8, data;
	const char *letters = (const char *)++at;
	bool augmented = *letters == 'z';

	at += strlen(letters) + 1;
	frame->code_factor = tables_uleb(&at);
	frame->data_factor = tables_sleb(&at);
	tables_uleb(&at);
	data = at;
	if (augmented) {
		uint64_t size = tables_uleb(&data);

		at = data + size;
	}
	for (letters += augmented; *letters; letters++) {
		if (*letters == 'S')
			frame->signal_frame = true;
		else if (*letters == 'R')
			frame->pointers = *data++;
		else if (*letters == 'L')
			frame->lsda_pointers = *data++;
		else if (*letters == 'P') {
			unsigned int encoding = *data++;

			frame->personality = tables_pointer(&data, encoding);
		} else
			test_fail(__FILE__, __LINE__, "augmentation %s", letters);
	}
	frame->initial = at;
	frame->initial_end = frame->cie + 4 + tables_word(frame->cie);
}

static inline struct tables_frame tables_frame(tables_at fde)
{
	struct tables_frame frame = { .fde = fde,
				      .cie = fde + 4 - tables_word(fde + 4),
				      .lsda_pointers = 255 };
	tables_at at = fde + 8, data;
	uint64_t size;

	tables_read_cie(&frame);
	frame.start = tables_pointer(&at, frame.pointers);
	frame.end = frame.start + (uintptr_t)tables_number(&at, frame.pointers & 15);
	size = tables_uleb(&at); /* every CIE of today has a z */
	data = at;
	if (frame.lsda_pointers != 255)
		frame.lsda = (tables_at)tables_pointer(&data, frame.lsda_pointers);
	frame.program = at + size;
	frame.program_end = fde + 4 + tables_word(fde);
	return frame;
}

static inline struct code_bounds tables_bounds(const struct tables_frame *frame)
{
	return (struct code_bounds){ .start = frame->start,
				     .end = frame->end,
				     .fde = frame->fde,
				     .cie = frame->cie,
				     .personality = frame->personality,
				     .lsda = (uintptr_t)frame->lsda,
				     .signal_frame = frame->signal_frame };
}

/* -- rules at an address */

#define TABLES_REGISTERS 64
enum tables_rule_kind {
	RULE_NONE,
	RULE_UNDEFINED,
	RULE_SAME,
	RULE_AT,
	RULE_IS,
	RULE_REGISTER,
	RULE_AT_EXPRESSION,
	RULE_IS_EXPRESSION
};
struct tables_rule {
	int64_t kind, value, expression;
}; /* expression: hash of its bytes */

struct tables_row {
	uintptr_t start, end;
	struct {
		int64_t reg, offset, expression;
	} cfa;
	int64_t arguments;
	struct tables_rule rules[TABLES_REGISTERS];
};

static inline int64_t tables_block(tables_at *at)
{
	uint64_t size = tables_uleb(at), hash = 1469598103934665603u + size;

	for (; size; size--)
		hash = (hash ^ *(*at)++) * 1099511628211u;
	return (int64_t)hash;
}

struct tables_machine {
	const struct tables_frame *frame;
	struct tables_row row, initial, saved[16];
	int nr_saved;
	void (*emit)(void *ctx, const struct tables_row *row);
	void *ctx;
};

static inline void tables_move(struct tables_machine *machine, uintptr_t to)
{
	machine->row.end = to;
	if (machine->row.end > machine->row.start && machine->emit)
		machine->emit(machine->ctx, &machine->row);
	machine->row.start = to;
}

static inline struct tables_rule *tables_register(struct tables_machine *machine, uint64_t number)
{
	CHECK_THAT(number, <, TABLES_REGISTERS);
	return &machine->row.rules[number];
}

static inline void tables_extended(struct tables_machine *machine, unsigned int code, tables_at *at)
{
	struct tables_row *row = &machine->row;
	int64_t factor = machine->frame->data_factor;
	struct tables_rule *rule;
	uintptr_t start = row->start;

	switch (code) {
	case 0x00: return;
	case 0x01: tables_move(machine, tables_pointer(at, machine->frame->pointers)); return;
	case 0x02: tables_move(machine, start + *(*at)++ * machine->frame->code_factor); return;
	case 0x03:
		tables_move(machine,
			    start + (uint64_t)tables_number(at, 2) * machine->frame->code_factor);
		return;
	case 0x04:
		tables_move(machine,
			    start + (uint64_t)tables_number(at, 3) * machine->frame->code_factor);
		return;
	case 0x0a:
		CHECK_THAT(machine->nr_saved, <, 16);
		machine->saved[machine->nr_saved++] = *row;
		return;
	case 0x0b:
		CHECK_THAT(machine->nr_saved, >, 0);
		*row = machine->saved[--machine->nr_saved];
		row->start = start;
		return;
	case 0x0c:
		row->cfa.reg = (int64_t)tables_uleb(at);
		row->cfa.offset = (int64_t)tables_uleb(at);
		row->cfa.expression = 0;
		return;
	case 0x0d:
		row->cfa.reg = (int64_t)tables_uleb(at);
		row->cfa.expression = 0;
		return;
	case 0x0e: row->cfa.offset = (int64_t)tables_uleb(at); return;
	case 0x0f: row->cfa.expression = tables_block(at); return;
	case 0x12:
		row->cfa.reg = (int64_t)tables_uleb(at);
		row->cfa.offset = tables_sleb(at) * factor;
		row->cfa.expression = 0;
		return;
	case 0x13: row->cfa.offset = tables_sleb(at) * factor; return;
	case 0x2e: row->arguments = (int64_t)tables_uleb(at); return;
	}
	rule = tables_register(machine, tables_uleb(at));
	switch (code) {
	case 0x05:
		*rule = (struct tables_rule){ RULE_AT, (int64_t)tables_uleb(at) * factor, 0 };
		return;
	case 0x06: *rule = machine->initial.rules[rule - row->rules]; return;
	case 0x07: *rule = (struct tables_rule){ RULE_UNDEFINED, 0, 0 }; return;
	case 0x08: *rule = (struct tables_rule){ RULE_SAME, 0, 0 }; return;
	case 0x09:
		*rule = (struct tables_rule){ RULE_REGISTER, (int64_t)tables_uleb(at), 0 };
		return;
	case 0x10: *rule = (struct tables_rule){ RULE_AT_EXPRESSION, 0, tables_block(at) }; return;
	case 0x11: *rule = (struct tables_rule){ RULE_AT, tables_sleb(at) * factor, 0 }; return;
	case 0x14:
		*rule = (struct tables_rule){ RULE_IS, (int64_t)tables_uleb(at) * factor, 0 };
		return;
	case 0x15: *rule = (struct tables_rule){ RULE_IS, tables_sleb(at) * factor, 0 }; return;
	case 0x16: *rule = (struct tables_rule){ RULE_IS_EXPRESSION, 0, tables_block(at) }; return;
	case 0x2f:
		*rule = (struct tables_rule){ RULE_AT, -(int64_t)tables_uleb(at) * factor, 0 };
		return;
	default: test_fail(__FILE__, __LINE__, "instruction %#x", code);
	}
}

static inline void tables_execute(struct tables_machine *machine, tables_at at, tables_at end)
{
	while (at < end) {
		unsigned int code = *at++, low = code & 63;

		if (code >> 6 == 1)
			tables_move(machine,
				    machine->row.start + low * machine->frame->code_factor);
		else if (code >> 6 == 2)
			machine->row.rules[low] = (struct tables_rule){
				RULE_AT, (int64_t)tables_uleb(&at) * machine->frame->data_factor, 0
			};
		else if (code >> 6 == 3)
			machine->row.rules[low] = machine->initial.rules[low];
		else
			tables_extended(machine, low, &at);
	}
}

/* Calls `emit` for each stretch of code with the same rules, in order. */
static inline void tables_rows(const struct tables_frame *frame,
			       void (*emit)(void *ctx, const struct tables_row *row), void *ctx)
{
	static struct tables_machine machine;

	memset(&machine, 0, sizeof(machine));
	machine.frame = frame;
	machine.row.start = frame->start;
	tables_execute(&machine, frame->initial, frame->initial_end);
	machine.initial = machine.row;
	machine.emit = emit;
	machine.ctx = ctx;
	tables_execute(&machine, frame->program, frame->program_end);
	if (machine.row.start < frame->end)
		tables_move(&machine, frame->end);
}

static inline bool tables_same_rules(const struct tables_row *a, const struct tables_row *b)
{
	return !memcmp(&a->cfa, &b->cfa, sizeof(a->cfa)) && a->arguments == b->arguments &&
	       !memcmp(a->rules, b->rules, sizeof(a->rules));
}

/* -- what happens to an exception at an address */

#define TABLES_FILTERS 64
struct tables_handling {
	bool listed;   /* false: the program ends */
	uintptr_t pad; /* 0: none */
	/* numbers below: filter; of a type its address; of a list its types' and 0 */
	size_t nr;
	int64_t what[TABLES_FILTERS];
};

struct tables_types {
	tables_at end;
	unsigned int encoding;
};

static inline void tables_add(struct tables_handling *handling, int64_t number)
{
	CHECK_THAT(handling->nr, <, TABLES_FILTERS);
	handling->what[handling->nr++] = number;
}

static inline int64_t tables_type(const struct tables_types *types, uint64_t index)
{
	size_t size = (types->encoding & 7) == 2 ? 2 : (types->encoding & 7) == 3 ? 4 : 8;
	tables_at at = types->end - index * size;

	return (int64_t)tables_pointer(&at, types->encoding);
}

static inline void tables_actions(struct tables_handling *handling,
				  const struct tables_types *types, tables_at action)
{
	for (;;) {
		int64_t filter = tables_sleb(&action), next;
		tables_at second = action;

		tables_add(handling, filter);
		if (filter > 0)
			tables_add(handling, tables_type(types, (uint64_t)filter));
		if (filter < 0) {
			tables_at list = types->end - filter - 1;
			uint64_t index;

			while ((index = tables_uleb(&list)))
				tables_add(handling, tables_type(types, index));
			tables_add(handling, 0);
		}
		next = tables_sleb(&action);
		if (!next)
			return;
		action = second + next;
	}
}

/* Call sites that hold an address: `emit` gets begin and end of each (offsets) when not NULL. */
static inline struct tables_handling
tables_handling(const struct tables_frame *frame, uint64_t offset,
		void (*emit)(void *ctx, uint64_t begin, uint64_t end), void *ctx)
{
	struct tables_handling handling = { 0 };
	struct tables_types types = { 0 };
	tables_at at = frame->lsda, end;
	unsigned int encoding = *at++;
	uintptr_t pads = frame->start;
	uint64_t size;

	if (encoding != 255)
		pads = tables_pointer(&at, encoding);
	types.encoding = *at++;
	if (types.encoding != 255) {
		size = tables_uleb(&at);
		types.end = at + size;
	}
	encoding = *at++;
	size = tables_uleb(&at);
	for (end = at + size; at < end;) {
		uint64_t begin = (uint64_t)tables_number(&at, encoding),
			 length = (uint64_t)tables_number(&at, encoding);
		uint64_t pad = (uint64_t)tables_number(&at, encoding), action = tables_uleb(&at);

		if (emit)
			emit(ctx, begin, begin + length);
		if (handling.listed || offset < begin || offset >= begin + length)
			continue;
		handling.listed = true;
		handling.pad = pad ? pads + pad : 0;
		if (pad && action)
			tables_actions(&handling, &types, end + action - 1);
	}
	return handling;
}

/* -- the functions of a library */

struct tables_library {
	tables_at header;
	uintptr_t base;
	const char *name, *path;
};

static inline int tables_match(struct dl_phdr_info *module, size_t size, void *ctx)
{
	struct tables_library *library = ctx;

	(void)size;
	if (!module->dlpi_name || !strstr(module->dlpi_name, library->name))
		return 0;
	for (int i = 0; i < module->dlpi_phnum; i++)
		if (module->dlpi_phdr[i].p_type == PT_GNU_EH_FRAME)
			library->header = (tables_at)(module->dlpi_addr +
						      module->dlpi_phdr[i].p_vaddr);
	library->base = module->dlpi_addr;
	library->path = module->dlpi_name;
	return library->header != NULL;
}

/* Number of functions; 0: not installed. */
static inline size_t tables_open(const char *name, struct tables_library *out)
{
	*out = (struct tables_library){ .name = name };
	if (!dlopen(name, RTLD_LAZY) || !dl_iterate_phdr(tables_match, out))
		return 0;
	CHECK(out->header[0] == 1 && out->header[2] == 3 && out->header[3] == 0x3b);
	return tables_word(out->header + 8);
}

static inline struct tables_frame tables_function(const struct tables_library *library,
						  size_t index)
{
	return tables_frame(library->header +
			    (int32_t)tables_word(library->header + 12 + 8 * index + 4));
}

#endif
