/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/differential/compare.h"

#include <cpuid.h>
#include <stdio.h>
#include <string.h>

#include "ompt_tool/code/bounds.h"

enum { DIRECTION_FLAG = 0x400, OVERFLOW = 64 << 10 };

/*
 * Of the XSAVE area: what the last x87 instruction was and worked on, unused bytes, the header.
 * Intel SDM 1, 13.4.
 */
static const struct {
	unsigned int start, end;
} ignored[] = { { 6, 24 }, { 416, 576 } };

#define SAY(out, ...) (snprintf((out)->at, sizeof((out)->at), __VA_ARGS__), false)

static unsigned int vector_bytes(void)
{
	unsigned int a, b, c, d;

	__cpuid_count(13, 0, a, b, c, d);
	return b < ENTER_VECTORS ? b : ENTER_VECTORS;
}

/* Around there is code: of a module, or of clones. */
static bool is_near_code(uint64_t value)
{
	uint64_t first = value & ~0xfffful, start, end;

	if (code_segment_around(first, &start, &end))
		return true;
	for (uint64_t at = first; at < first + 0x10000; at++)
		if (clone_around(at))
			return true;
	return false;
}

/*
 * Functions that return nothing in rdx or a vector may leave something from dead stack in it, like
 * parts of a return address that an earlier call left there; which one it was depends on how deep
 * it went.
 */
static bool is_left_over(uint64_t want, uint64_t have)
{
	return is_near_code(want) && is_near_code(have);
}

static uint64_t word_at(const unsigned char *bytes, size_t at)
{
	uint64_t word;

	memcpy(&word, bytes + at, sizeof(word));
	return word;
}

/*
 * Opmasks are nobody's after a return (System V ABI, 3.2.3), and may come from comparing dead
 * stack.
 */
static bool is_opmask(size_t at)
{
	size_t start = enter_component_offset(5);

	return enter_components() & 1u << 5 && at >= start && at - start < 64;
}

static bool same_vectors(const struct outcome *want, const struct outcome *have, struct text *out)
{
	unsigned int end = vector_bytes();

	for (unsigned int i = 0; i < end; i++) {
		for (size_t j = 0; j < sizeof(ignored) / sizeof(ignored[0]); j++)
			if (i >= ignored[j].start && i < ignored[j].end)
				i = ignored[j].end;
		if (i < end && want->vectors[i] != have->vectors[i] && !is_opmask(i) &&
		    !is_left_over(word_at(want->vectors, i & ~7u), word_at(have->vectors, i & ~7u)))
			return SAY(out, "word %u of vector state is %lx, not %lx", i & ~7u,
				   (long)word_at(have->vectors, i & ~7u),
				   (long)word_at(want->vectors, i & ~7u));
	}
	return true;
}

/* What is returned and what is kept; the others have no meaning after a return. */
static bool same_registers(const struct outcome *want, const struct outcome *have, struct text *out)
{
	static const struct {
		unsigned int number;
		const char *name;
	} compared[] = {
		{ 0, "rax" },  { 2, "rdx" },  { 3, "rbx" },  { 4, "rsp" },  { 5, "rbp" },
		{ 12, "r12" }, { 13, "r13" }, { 14, "r14" }, { 15, "r15" },
	};

	for (size_t i = 0; i < sizeof(compared) / sizeof(compared[0]); i++) {
		uint64_t a = want->registers[compared[i].number],
			 b = have->registers[compared[i].number];

		if (a != b && (compared[i].number != ENTER_RDX || !is_left_over(a, b)))
			return SAY(out, "%s is %lx, not %lx", compared[i].name, (long)b, (long)a);
	}
	if ((want->flags ^ have->flags) & DIRECTION_FLAG)
		return SAY(out, "the direction flag differs");
	return want->error_number == have->error_number ||
	       SAY(out, "errno is %d, not %d", have->error_number, want->error_number);
}

/* Where the original leaves an address to return to, the clone leaves its own. */
static bool same_bytes(const char *where, const unsigned char *want, const unsigned char *have,
		       size_t nr, struct text *out)
{
	for (size_t i = 0; i < nr; i++)
		if (want[i] != have[i] &&
		    clone_original(word_at(have, i & ~7ul)) != word_at(want, i & ~7ul))
			return SAY(out, "byte %zu of %s is %02x, not %02x", i, where, have[i],
				   want[i]);
	return true;
}

/* Clones need somewhat more stack: where exactly it ends does not matter. */
static bool is_overflow(const struct outcome *outcome)
{
	return outcome->end == RUN_FAULTED &&
	       outcome->address - ((uintptr_t)PREPARE_STACK - OVERFLOW) < OVERFLOW;
}

bool outcome_left_stack(const struct outcome *outcome)
{
	return outcome->end == RUN_FAULTED &&
	       outcome->stack - ((uintptr_t)PREPARE_STACK - OVERFLOW) >
		       PREPARE_STACK_BYTES + OVERFLOW;
}

static bool same_fault(const struct outcome *want, const struct outcome *have, struct text *out)
{
	if (want->signal != have->signal || want->at != have->at || want->address != have->address)
		return SAY(out, "signal %d at %lx for %lx, not %d at %lx for %lx", have->signal,
			   (long)have->at, (long)have->address, want->signal, (long)want->at,
			   (long)want->address);
	return true;
}

bool compare_outcomes(const struct outcome *want, const struct outcome *have, struct text *out)
{
	if (want->end != have->end)
		return SAY(out, "ended by %d (status %x, signal %d at %lx), not %d (%x)", have->end,
			   have->status, have->signal, (long)have->at, want->end, want->status);
	if (want->end == RUN_DIED)
		return want->status == have->status ||
		       SAY(out, "ended with status %x, not %x", have->status, want->status);
	if (is_overflow(want) && is_overflow(have))
		return true;
	if (outcome_left_stack(want) && outcome_left_stack(have) && want->at == have->at)
		return true;
	if (want->end == RUN_FAULTED
		    ? !same_fault(want, have, out)
		    : !same_registers(want, have, out) || !same_vectors(want, have, out))
		return false;
	if (!same_bytes("memory", want->memory, have->memory, PREPARE_BYTES, out) ||
	    !same_bytes("the caller's stack", want->above, have->above, PREPARE_ABOVE, out))
		return false;
	return want->data == have->data || SAY(out, "the module's data differ");
}

void blank_undefined(struct outcome *want, const struct outcome *again, struct outcome *have)
{
	for (size_t i = 0; i + 8 <= ENTER_VECTORS; i += 8)
		if (word_at(want->vectors, i) != word_at(again->vectors, i))
			memset(want->vectors + i, 0, 8), memset(have->vectors + i, 0, 8);
	for (unsigned int i = 0; i < 16; i++)
		if (want->registers[i] != again->registers[i])
			want->registers[i] = have->registers[i] = 0;
}

bool compare_counts(const struct outcome *steps, const struct outcome *clone, struct text *out)
{
	const struct count *want = &steps->count, *have = &clone->count;

	if (have->broken)
		return SAY(out, "the recorded stream is broken");
	if (want->nr != have->nr || want->bytes != have->bytes ||
	    want->addresses != have->addresses || want->squares != have->squares ||
	    want->writes != have->writes)
		return SAY(out, "recorded %lu accesses of %lu bytes (%lx), not %lu of %lu (%lx)",
			   (long)have->nr, (long)have->bytes, (long)have->addresses, (long)want->nr,
			   (long)want->bytes, (long)want->addresses);
	if (want->events[RECORD_RANGE] != have->events[RECORD_RANGE] ||
	    want->range_bytes != have->range_bytes)
		return SAY(out, "recorded %lu ranges of %lu bytes, not %lu of %lu",
			   (long)have->events[RECORD_RANGE], (long)have->range_bytes,
			   (long)want->events[RECORD_RANGE], (long)want->range_bytes);
	return true;
}
