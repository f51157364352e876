/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What originals see that clones call: their return addresses, their arguments, and registers as
 * they were.
 */
#define _GNU_SOURCE
#include "ompt_tool/clones/clone_calls.h"
#include "ompt_tool/clones/guard.h"

#include <stdlib.h>
#include <string.h>

#include "ompt_tool/clones/clone.h"
#include "ompt_tool/clones/runtime_entries.h"
#include "tests/unit/test.h"

#ifdef __x86_64__
#define PLAIN NOT_INSTRUMENTED __attribute__((used, no_instrument_function))

static const struct clone_options options = { .probes = CLONE_ACCESSES, .depth = 2 };
static volatile long cell = 3;

static uintptr_t clone_code(void *function)
{
	const struct clone *clone;

	if (clone_unsupported())
		test_skip("%s", clone_unsupported());
	clone = clone_make((uintptr_t)function, &options);
	CHECK(clone != NULL);
	return clone->code;
}

static void *seen[4];
static unsigned int left_times;
static enum switching_stops stopped;

static void note_left(enum switching_stops stops)
{
	left_times++;
	stopped = stops;
}

PLAIN static void look(int place)
{
	seen[place] = __builtin_return_address(0);
}
PLAIN static long asks_twice(long x)
{
	long before = cell;

	look(0);
	look(1);
	return before + x;
}

/* The first call leaves the clone, so that the second is made by the original. */
TEST(guard__functions_see_where_originals_call_them)
{
	long (*clone)(long) = (long (*)(long))clone_code((void *)asks_twice);
	void *by_original[2];

	switching_leaving(note_left);
	CHECK_INT(asks_twice(4), 7);
	memcpy(by_original, seen, sizeof(by_original));
	memset(seen, 0, sizeof(seen));
	CHECK_INT(clone(4), 7);
	CHECK(seen[0] == by_original[0] && seen[1] == by_original[1]);
	CHECK_INT(left_times, 1);
	CHECK_INT(stopped, SWITCHING_NONE);
	CHECK(clone_make((uintptr_t)look, &options) == NULL);
}

PLAIN static long inner(long x)
{
	look(2);
	return x + cell;
}
PLAIN static long outer(long x)
{
	long sum = inner(x);

	return sum + !clone_around((uintptr_t)seen[2]);
}

/* What calls the activation that is left stays a clone. */
TEST(guard__only_the_caller_is_left)
{
	long (*clone)(long) = (long (*)(long))clone_code((void *)outer);
	struct {
		uintptr_t target;
		uint64_t times;
	} row = { 0 };

	CHECK_INT(clone(1), 5);
	CHECK(!clone_around((uintptr_t)seen[2]) && seen[2]);
	for (size_t i = 0; i < clone_nr_left(); i++) {
		uint64_t times = clone_left_before(i, &row.target);

		row.times += row.target == (uintptr_t)look ? times : 0;
	}
	CHECK_INT(row.times, 1);
}

PLAIN static void look_by_tail_call(int place)
{
	__attribute__((musttail)) return look(place);
}
PLAIN static long asks_behind_jump(long x)
{
	look_by_tail_call(3);
	return x + cell;
}

TEST(guard__through_tail_calls)
{
	long (*clone)(long) = (long (*)(long))clone_code((void *)asks_behind_jump);

	CHECK_INT(clone(1), 4);
	CHECK(seen[3] && !clone_around((uintptr_t)seen[3]));
}

static long comparisons;

PLAIN static int by_value(const void *a, const void *b)
{
	int left = *(const int *)a, right = *(const int *)b;

	comparisons += clone_around((uintptr_t)__builtin_return_address(0)) != NULL;
	return (left > right) - (left < right);
}
PLAIN static long sorts(int *values, long nr)
{
	qsort(values, (size_t)nr, sizeof(values[0]), by_value);
	return values[0] + cell;
}

TEST(guard__callbacks_get_clones)
{
	long (*clone)(int *, long) = (long (*)(int *, long))clone_code((void *)sorts);
	int values[] = { 5, 3, 9, 1 };
	uintptr_t missed[8];

	CHECK_INT(clone(values, 4), 4);
	CHECK(clone_take_missed(missed, 8) == 1 && missed[0] == (uintptr_t)by_value);
}

/* ------------------------------------------------------------------ registers */

struct state {
	uint64_t general[14], flags;
	unsigned char vector[16][32];
};
void call_with_state(uintptr_t target, const struct state *in, struct state *out);

/* Loads all but rsp and r15, calls, and stores what it finds then. rdi target, rsi in, rdx out. */
#define GENERAL(op) \
	op(rax, 0) op(rbx, 1) op(rcx, 2) op(rdx, 3) op(rsi, 4) op(rdi, 5) op(rbp, 6) op(r8, 7) \
		op(r9, 8) op(r10, 9) op(r11, 10) op(r12, 11) op(r13, 12)
#define VECTORS(op) \
	op(0) op(1) op(2) op(3) op(4) op(5) op(6) op(7) op(8) op(9) op(10) op(11) op(12) op(13) \
		op(14) op(15)
#define LOAD(reg, n) "	mov	8*" #n "(%r14), %" #reg "\n"
#define STORE(reg, n) "	mov	%" #reg ", 8*" #n "(%r14)\n"
#define LOAD_VECTOR(n) "	vmovdqu	120+32*" #n "(%r14), %ymm" #n "\n"
#define STORE_VECTOR(n) "	vmovdqu	%ymm" #n ", 120+32*" #n "(%r14)\n"
__asm__(".pushsection .text, \"ax\", @progbits\n.globl call_with_state\n.hidden call_with_state\n.type call_with_state, @function\ncall_with_state:\n"
	"	push	%rbx\n	push	%rbp\n	push	%r12\n	push	%r13\n	push	%r14\n	push	%r15\n"
	"	push	%rdx\n	push	%rdi\n	mov	%rsi, %r14\n" VECTORS(LOAD_VECTOR) "	push	112(%r14)\n	popfq\n" GENERAL(
		LOAD) "	call	*(%rsp)\n"
		      "	mov	8(%rsp), %r14\n" GENERAL(STORE) "	pushfq\n	pop	112(%r14)\n" VECTORS(
			      STORE_VECTOR) "	vzeroupper\n	cld\n	add	$16, %rsp\n"
					    "	pop	%r15\n	pop	%r14\n	pop	%r13\n	pop	%r12\n	pop	%rbp\n	pop	%rbx\n	ret\n"
					    ".size call_with_state, . - call_with_state\n"
					    ".globl does_nothing\n.hidden does_nothing\n.type does_nothing, @function\ndoes_nothing: ret\n.size does_nothing, 1\n.popsection\n");
extern const char does_nothing[];

TEST(guard__keeps_all_registers)
{
	static const struct runtime_entry entry = { "", .leaves = LEAVES_STACK,
						    .callbacks = 1 << 1 };
	struct state in, out;

	if (!guard_code.nr || !__builtin_cpu_supports("avx"))
		test_skip("no guards, or no AVX");
	for (size_t i = 0; i < sizeof(in); i++)
		((unsigned char *)&in)[i] = (unsigned char)(i * 37 + 11);
	/* carry, zero and direction flags beside those that are always set */
	in.flags = 0x202 | 0x1 | 0x40 | 0x400;
	in.general[4] = 0; /* the callback */
	memset(&out, 0, sizeof(out));
	call_with_state(guard_for(&entry, (uintptr_t)does_nothing, CLONE_ACCESSES), &in, &out);
	CHECK(!memcmp(in.general, out.general, 13 * sizeof(in.general[0])));
	CHECK_INT(out.flags & 0xcd5, in.flags & 0xcd5);
	CHECK(!memcmp(in.vector, out.vector, sizeof(in.vector)));
}
#endif

TEST(guard__one_for_each)
{
	static const struct runtime_entry entry = { "", .leaves = LEAVES_CALL };
	uintptr_t nr = 0;

	if (!guard_code.nr)
		test_skip("no guards for this architecture");
	CHECK_THAT(guard_for(&entry, 1, 1), ==, guard_for(&entry, 1, 1));
	CHECK(guard_for(&entry, 1, 1) != guard_for(&entry, 2, 1) &&
	      guard_for(&entry, 1, 1) != guard_for(&entry, 1, 2));
	CHECK(guard_is(guard_for(&entry, 1, 1)) && !guard_is(guard_code.first - 1) &&
	      !guard_is((uintptr_t)guard_for));
	while (nr < 100000 && guard_for(&entry, nr + 1, 1))
		nr++;
	CHECK(nr > 500 && nr < 100000);
	CHECK(!guard_is(guard_code.first + guard_code.nr * guard_code.bytes));
}
