/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_TESTS_UNIT_MACHINE_CODE_H
#define MEMSEARCH_TESTS_UNIT_MACHINE_CODE_H

/*
 * What the tests of code/ share: machine code read from bytes or from functions, and rows of it as
 * text.
 */
#include "analysis/base/arena.h"
#include "analysis/code/code.h"
#include "analysis/code/decode.h"
#include "ompt_tool/code/bounds.h"
#include "ompt_tool/code/running_code.h"
#include "tests/unit/test.h"

#include <dlfcn.h>
#include <stdarg.h>
#include <stdint.h>

static inline void need_machine_code(void)
{
	if (decode_unsupported())
		test_skip("%s", decode_unsupported());
}

static inline const struct code *read_code(struct arena *arena, uintptr_t start, uintptr_t end,
					   const void *bytes)
{
	const char *why = NULL;
	const struct code *code = code_read(arena, start, end, bytes, &why);

	if (!code)
		test_fail(__FILE__, __LINE__, "not read: %s", why);
	return code;
}

/* Bytes of the NOPs and traps that compilers and linkers fill gaps with, and nothing else. */
static inline bool is_padding(const unsigned char *bytes, size_t nr)
{
	static const unsigned char padding[] = { 0x66, 0x2e, 0x0f, 0x1f, 0x84, 0x80,
						 0x44, 0x40, 0x00, 0x90, 0xcc };

	for (size_t i = 0; i < nr; i++)
		if (!memchr(padding, bytes[i], sizeof(padding)))
			return false;
	return true;
}

/*
 * How far the next function may be from where there is none: one byte, but in padding, and in data
 * between sections of code, to their alignment: each query reads the library's symbols.
 */
static inline uintptr_t way_on(uintptr_t at, uintptr_t gap, uintptr_t end)
{
	enum { GAP_OF_FUNCTIONS = 128, ALIGNMENT = 16 };
	uintptr_t aligned = ALIGNMENT - at % ALIGNMENT;

	if (gap >= GAP_OF_FUNCTIONS ||
	    (aligned <= end - at && is_padding((const unsigned char *)at, aligned)))
		return aligned;
	return 1;
}

/*
 * Visits every function of the library that has the symbol, in the order of addresses; 0: it is not
 * installed.
 */
static inline size_t each_function(const char *library, const char *symbol,
				   void (*visit)(void *ctx, const struct code_bounds *), void *ctx)
{
	void *handle = dlopen(library, RTLD_NOW), *inside = handle ? dlsym(handle, symbol) : NULL;
	struct code_bounds bounds;
	uintptr_t at, end, gap;
	size_t nr = 0;

	if (!inside)
		return 0;
	CHECK(code_segment_around((uintptr_t)inside, &at, &end));
	gap = at;
	while (at < end) {
		if (code_bounds_find(at, &bounds) != CODE_BOUNDS_FOUND) {
			at += way_on(at, at - gap, end);
			continue;
		}
		visit(ctx, &bounds);
		at = gap = bounds.end;
		nr++;
	}
	return nr;
}

struct text {
	char at[512];
	size_t length;
};

static inline __attribute__((format(printf, 2, 3))) void add(struct text *text, const char *format,
							     ...)
{
	va_list args;

	va_start(args, format);
	text->length += (size_t)vsnprintf(text->at + text->length, sizeof(text->at) - text->length,
					  format, args);
	va_end(args);
	CHECK_THAT(text->length, <, sizeof(text->at));
}

static const char *const register_names[] = { "rax", "rcx", "rdx", "rbx", "rsp", "rbp",
					      "rsi", "rdi", "r8",  "r9",  "r10", "r11",
					      "r12", "r13", "r14", "r15" };

static inline void add_registers(struct text *text, const char *label, unsigned int mask)
{
	if (mask)
		add(text, " %s", label);
	for (unsigned int i = 0; i < 16; i++)
		if (mask >> i & 1)
			add(text, ":%s", register_names[i]);
}

static inline void add_flags(struct text *text, const char *label, unsigned int mask)
{
	if (mask)
		add(text, " %s:", label);
	for (unsigned int i = 0; i < 7; i++)
		if (mask >> i & 1)
			add(text, "%c", "CPAZSOD"[i]);
}

static inline void add_address(struct text *text, const struct code_access *access)
{
	const char *plus = "";

	add(text, " [%s", access->segment == 'f' ? "fs:" : access->segment == 'g' ? "gs:" : "");
	if (access->base != CODE_NO_REGISTER) {
		add(text, "%s", access->base == CODE_RIP ? "rip" : register_names[access->base]);
		plus = "+";
	}
	if (access->index != CODE_NO_REGISTER) {
		add(text, "%s%s*%d", plus, register_names[access->index], access->scale);
		plus = "+";
	}
	if (access->kind == CODE_ACCESS_LANES)
		add(text, "%sv%d.%d/%d*%d", plus, access->index_vector, access->vector_bytes,
		    access->index_size, access->scale);
	if (access->base == CODE_RIP)
		add(text, ":%llx", (unsigned long long)access->displacement);
	else if (access->displacement)
		add(text, "%+lld", (long long)access->displacement);
	add(text, access->address_32 ? "]32" : "]");
}

static inline void add_access(struct text *text, const struct code_access *access)
{
	static const char *const names[] = { "",        "stack ",  "rep ",    "lanes ",
					     "masked ", "packed ", "unknown " };

	add(text, "; %s%s%s%u", names[access->kind], access->read ? "R" : "",
	    access->write ? "W" : "", access->size);
	if (access->lanes)
		add(text, "x%d %s%d", access->lanes, access->vector_mask ? "v" : "k", access->mask);
	if (access->vector_mask && access->kind == CODE_ACCESS_MASKED)
		add(text, ".%d", access->vector_bytes);
	add_address(text, access);
}

static const char *const kind_names[] = { "plain", "jump",  "branch", "call",   "return",
					  "jump*", "call*", "stop",   "refused" };

static inline const char *instruction_text(const struct code *code, size_t nr, struct text *text)
{
	const struct code_instruction *instruction = &code->instructions[nr];

	text->length = 0;
	add(text, "%s", kind_names[instruction->kind]);
	if (instruction->kind == CODE_REFUSED)
		add(text, " (%s)", code->refusal);
	if (instruction->target)
		add(text, " to %llx", (unsigned long long)instruction->target);
	if (instruction->rip_offset)
		add(text, " at %d", instruction->rip_offset);
	add_registers(text, "r", instruction->reads);
	add_registers(text, "w", instruction->writes);
	add_flags(text, "fr", instruction->flags_read);
	add_flags(text, "fw", instruction->flags_written);
	for (unsigned int i = 0; i < instruction->nr_accesses; i++)
		add_access(text, &code->accesses[instruction->first_access + i]);
	return text->at;
}

#endif
