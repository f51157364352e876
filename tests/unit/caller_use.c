/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which functions use return addresses: small ones by this file's compiler, and all of some
 * libraries.
 */
#define _GNU_SOURCE
#include "ompt_tool/clones/caller_use.h"

#include <alloca.h>
#include <string.h>
#include <sys/auxv.h>

#include "ompt_tool/clones/callee.h"
#include "ompt_tool/clones/cfi_copy.h"
#include "ompt_tool/clones/outside.h"
#include "ompt_tool/code/bounds.h"
#include "tests/unit/machine_code.h"

static enum caller_use use_of(const struct code_bounds *bounds)
{
	struct arena *arena = arena_new();
	const struct code *code = read_code(arena, bounds->start, bounds->end, NULL);
	enum caller_use use = CALLER_USE_NONE;
	const char *why;
	struct cfi cfi;

	if (bounds->fde && unwind_cfi(bounds, &cfi, &why))
		use = caller_use_find(code, &cfi);
	arena_free(arena);
	return use;
}

static enum caller_use use_at(void *function)
{
	struct code_bounds bounds;

	need_machine_code();
	CHECK_THAT(code_bounds_find((uintptr_t)function, &bounds), ==, CODE_BOUNDS_FOUND);
	return use_of(&bounds);
}

/* ------------------------------------------------------------------ by the compiler */

#pragma GCC diagnostic ignored "-Wframe-address"
#define APART NOT_INSTRUMENTED __attribute__((used))

static volatile double sink;

APART static void *returns_it(void)
{
	return __builtin_return_address(0);
}
APART static void *frame_of_caller(void)
{
	return __builtin_frame_address(1);
}
APART static void *return_of_caller(void)
{
	return __builtin_return_address(1);
}

APART static void *walks_frames(void)
{
	void **frame = __builtin_frame_address(0), *last = NULL;

	for (int i = 0; i < 3 && frame; i++, frame = *frame)
		last = frame[1];
	return last;
}

APART static double has_array(int n)
{
	double values[64], sum = 0;

	for (int i = 0; i < 64; i++)
		values[i] = sink + i;
	for (int i = 0; i < n; i++)
		sum += values[i & 63];
	return sum;
}

APART static double has_sized_array(int n)
{
	double *values = alloca((size_t)n * sizeof(*values));

	for (int i = 0; i < n; i++)
		values[i] = sink;
	return values[n / 2];
}

APART static double has_many_arguments(int a, int b, int c, int d, int e, int f, int g, int h)
{
	return sink + a + b + c + d + e + f + g + h;
}

APART static double has_list(int n, ...)
{
	va_list list;
	double sum = 0;

	va_start(list, n);
	for (int i = 0; i < n; i++)
		sum += va_arg(list, double);
	va_end(list);
	return sum;
}

TEST(caller_use__of_functions)
{
	static const struct {
		int line;
		void *function;
		enum caller_use use;
	} rows[] = {
		{ __LINE__, returns_it, CALLER_USE_OWN },
		{ __LINE__, frame_of_caller, CALLER_USE_FRAMES },
		{ __LINE__, return_of_caller, CALLER_USE_FRAMES },
		{ __LINE__, walks_frames, CALLER_USE_FRAMES },
		{ __LINE__, has_array, CALLER_USE_NONE },
		{ __LINE__, has_sized_array, CALLER_USE_NONE },
		{ __LINE__, has_many_arguments, CALLER_USE_NONE },
		{ __LINE__, has_list, CALLER_USE_NONE },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		enum caller_use use = use_at(rows[i].function);

		if (use != rows[i].use && !SANITIZED)
			test_fail(__FILE__, rows[i].line, "use %d, not %d", use, rows[i].use);
	}
}

/* ------------------------------------------------------------------ by hand */

#ifdef __x86_64__
#define FUNCTION(name, body) \
	".globl by_hand_" #name "\n.hidden by_hand_" #name "\n.type by_hand_" #name \
	", @function\nby_hand_" #name ":\n" \
	".cfi_startproc\n" body "	ret\n.cfi_endproc\n.size by_hand_" #name \
	", . - by_hand_" #name "\n"
#define PUSH(reg) "	push	%" #reg "\n.cfi_adjust_cfa_offset 8\n"
#define POP(reg) "	pop	%" #reg "\n.cfi_adjust_cfa_offset -8\n"

/* As gcc begins and ends functions with an aligned stack. */
#define ALIGNED(body) \
	"	lea	8(%rsp), %r10\n.cfi_def_cfa %r10, 0\n" \
	"	and	$-64, %rsp\n" \
	"	push	-8(%r10)\n" \
	"	push	%rbp\n" \
	"	mov	%rsp, %rbp\n.cfi_escape 0x10,0x6,0x2,0x76,0\n" \
	"	push	%r10\n.cfi_escape 0xf,0x3,0x76,0x78,0x6\n" \
	"	sub	$184, %rsp\n" body "	add	$184, %rsp\n" \
	"	pop	%r10\n.cfi_def_cfa %r10, 0\n" \
	"	pop	%rbp\n" \
	"	lea	-8(%r10), %rsp\n.cfi_def_cfa %rsp, 8\n"

#define FRAMED(body) \
	"	push	%rbp\n.cfi_def_cfa_offset 16\n.cfi_offset %rbp, -16\n	mov	%rsp, %rbp\n.cfi_def_cfa_register %rbp\n" body \
	"	pop	%rbp\n.cfi_def_cfa %rsp, 8\n"

__asm__(".pushsection .text, \"ax\", @progbits\n" FUNCTION(nothing, "	mov	8(%rsp), %rax\n") FUNCTION(
	at_once,
	"	mov	(%rsp), %rax\n") FUNCTION(behind_push,
						  PUSH(rbx) "	mov	8(%rsp), %rax\n" POP(
							  rbx)) FUNCTION(beside_it,
									 PUSH(rbx) "	mov	(%rsp), %rax\n	mov	16(%rsp), %rcx\n" POP(
										 rbx)) FUNCTION(by_copy,
												"	lea	16(%rsp), %rcx\n	mov	-16(%rcx), %rax\n")
		FUNCTION(its_address, "	lea	-8(%rsp), %rcx\n	lea	8(%rcx), %rdi\n") FUNCTION(
			changed,
			"	addq	$1, (%rsp)\n") FUNCTION(popped,
								"	pop	%rax\n.cfi_adjust_cfa_offset -8\n	push	%rax\n.cfi_adjust_cfa_offset 8\n")
			FUNCTION(callers_frame, "	mov	8(%rbp), %rax\n") FUNCTION(
				aligned, ALIGNED("	vmovdqa	%ymm0, -80(%rbp)\n"))
				FUNCTION(aligned_reads, ALIGNED("	mov	8(%rbp), %rax\n")) FUNCTION(
					pushes_untold,
					"	push	%rbx\n	push	%rcx\n	test	%rdi, %rdi\n	jz	1f\n	mov	(%rsp), %rax\n1:	pop	%rcx\n	pop	%rbx\n")
					FUNCTION(pushes_untold_and_reads, "	push	%rbx\n	mov	8(%rsp), %rax\n	pop	%rbx\n") FUNCTION(
						pushed_on,
						PUSH(rbx) "	push	8(%rsp)\n.cfi_adjust_cfa_offset 8\n	pop	%rax\n.cfi_adjust_cfa_offset -8\n" POP(
							rbx)) FUNCTION(with_pointer,
								       FRAMED("	mov	%rax, -8(%rbp)\n	lea	-16(%rbp), %rax\n"))
						FUNCTION(pointer_stored, FRAMED("	mov	%rbp, -8(%rbp)\n")) FUNCTION(
							pointer_passed,
							FRAMED("	mov	%rbp, %rdi\n"))
							FUNCTION(
								outermost,
								".cfi_undefined %rip\n	pop	%rsi\n")
								FUNCTION(
									other_table,
									".cfi_remember_state\n" PUSH(rbx) "	mov	(%rsp), %rax\n" POP(
										rbx) ".cfi_restore_state\n	mov	(%rsp), %rax\n") ".popsection\n");

/* As clang's speculative load hardening looks where a call returned; red zones, with a call and without. */
#define CALLING(body) \
	"	sub	$8, %rsp\n.cfi_adjust_cfa_offset 8\n" body \
	"	add	$8, %rsp\n.cfi_adjust_cfa_offset -8\n"
__asm__(".pushsection .text, \"ax\", @progbits\n" FUNCTION(
	reads_called,
	CALLING("	call	by_hand_nothing\n	mov	%rsp, %rax\n	mov	-8(%rsp), %rcx\n"))
		FUNCTION(red_zone, "	mov	%rdi, -8(%rsp)\n	mov	-8(%rsp), %rax\n") FUNCTION(
			red_zone_after_call,
			CALLING("	call	by_hand_nothing\n	mov	%rax, -8(%rsp)\n	mov	-8(%rsp), %rcx\n")) ".popsection\n");
extern char by_hand_reads_called[], by_hand_red_zone[], by_hand_red_zone_after_call[];

extern char by_hand_nothing[], by_hand_at_once[], by_hand_behind_push[], by_hand_beside_it[],
	by_hand_by_copy[], by_hand_its_address[], by_hand_changed[], by_hand_popped[],
	by_hand_callers_frame[], by_hand_aligned[], by_hand_aligned_reads[], by_hand_other_table[],
	by_hand_outermost[], by_hand_pushes_untold[], by_hand_pushes_untold_and_reads[],
	by_hand_pushed_on[], by_hand_with_pointer[], by_hand_pointer_stored[],
	by_hand_pointer_passed[];

TEST(caller_use__of_operands)
{
	static const struct {
		int line;
		void *function;
		enum caller_use use;
	} rows[] = {
		{ __LINE__, by_hand_nothing, CALLER_USE_NONE },
		{ __LINE__, by_hand_at_once, CALLER_USE_OWN },
		{ __LINE__, by_hand_behind_push, CALLER_USE_OWN },
		{ __LINE__, by_hand_beside_it, CALLER_USE_NONE },
		{ __LINE__, by_hand_by_copy, CALLER_USE_OWN },
		{ __LINE__, by_hand_its_address, CALLER_USE_OWN },
		{ __LINE__, by_hand_changed, CALLER_USE_OWN },
		{ __LINE__, by_hand_popped, CALLER_USE_OWN },
		{ __LINE__, by_hand_callers_frame, CALLER_USE_FRAMES },
		{ __LINE__, by_hand_aligned, CALLER_USE_NONE },
		{ __LINE__, by_hand_aligned_reads, CALLER_USE_OWN },
		{ __LINE__, by_hand_other_table, CALLER_USE_OWN },
		{ __LINE__, by_hand_outermost, CALLER_USE_NONE },
		{ __LINE__, by_hand_pushed_on, CALLER_USE_OWN },
		{ __LINE__, by_hand_with_pointer, CALLER_USE_NONE },
		{ __LINE__, by_hand_pointer_stored, CALLER_USE_FRAMES },
		{ __LINE__, by_hand_pointer_passed, CALLER_USE_FRAMES },
		{ __LINE__, by_hand_reads_called, CALLER_USE_OWN },
		{ __LINE__, by_hand_red_zone, CALLER_USE_NONE },
		{ __LINE__, by_hand_red_zone_after_call, CALLER_USE_NONE },
		{ __LINE__, by_hand_pushes_untold, CALLER_USE_NONE },
		{ __LINE__, by_hand_pushes_untold_and_reads, CALLER_USE_OWN },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		enum caller_use use = use_at(rows[i].function);

		if (use != rows[i].use)
			test_fail(__FILE__, rows[i].line, "use %d, not %d", use, rows[i].use);
	}
}
#endif

/* ------------------------------------------------------------------ of libraries */

struct survey {
	size_t functions, used;
};

static void survey_one(void *ctx, const struct code_bounds *bounds)
{
	struct survey *survey = ctx;

	survey->functions++;
	survey->used += use_of(bounds) != CALLER_USE_NONE;
}

/* Numerical code uses none. */
static void survey(const char *library, const char *symbol, size_t most)
{
	struct survey survey = { 0 };

	need_machine_code();
	if (!each_function(library, symbol, survey_one, &survey))
		test_skip("%s is not installed", library);
	if (survey.used > most)
		test_fail(__FILE__, __LINE__, "%s: %zu of %zu functions use return addresses",
			  library, survey.used, survey.functions);
}

TEST(caller_use__libm)
{
	survey("libm.so.6", "sin", 0);
}
TEST(caller_use__libblas)
{
	survey("libblas.so.3", "dgemm_", 0);
}
TEST(caller_use__libstdcxx)
{
	survey("libstdc++.so.6", "_ZNSo3putEc", 4);
}
TEST(caller_use__libc)
{
	survey("libc.so.6", "qsort", 40);
}

/* ------------------------------------------------------------------ known by name */

/* Of what these export each is a row of outside.c, or of those that are called as they are. */
static void known_by_name(void *ctx, const struct code_bounds *bounds)
{
	static const char *const as_they_are[] = { "__sigsetjmp", "_Unwind_RaiseException",
						   "_Unwind_Resume", "_Unwind_Resume_or_Rethrow" };
	struct callee callee = { .function = bounds->start };
	bool known = false;
	Dl_info info;

	(void)ctx;
	if (use_of(bounds) == CALLER_USE_NONE || !dladdr((void *)bounds->start, &info) ||
	    info.dli_saddr != (void *)bounds->start)
		return;
	callee.name = info.dli_sname;
	for (size_t i = 0; i < sizeof(as_they_are) / sizeof(as_they_are[0]); i++)
		known |= !strcmp(as_they_are[i], info.dli_sname);
	if (!known && !outside_entry(&callee))
		test_fail(__FILE__, __LINE__, "%s", info.dli_sname);
}

TEST(caller_use__of_surveyed_libraries)
{
	static const char *const libraries[][2] = { { "libc.so.6", "qsort" },
						    { "libm.so.6", "sin" },
						    { "libgcc_s.so.1", "_Unwind_Backtrace" },
						    { "libstdc++.so.6", "_ZNSo3putEc" },
						    { "libgfortran.so.5", "_gfortran_st_write" } };

	need_machine_code();
	if (SANITIZED)
		test_skip("sanitizers stand in for some of them");
	CHECK(callee_look());
	for (size_t i = 0; i < sizeof(libraries) / sizeof(libraries[0]); i++)
		each_function(libraries[i][0], libraries[i][1], known_by_name, NULL);
}

/* The C library leads these to the kernel's code in the process, see vdso(7). */
TEST(caller_use__of_the_kernels_functions)
{
	static const char *const names[] = { "gettimeofday", "time" };
	void *libc; /* of which sanitizers replace functions */

	need_machine_code();
	if (!getauxval(AT_SYSINFO_EHDR))
		test_skip("the kernel has put no code into the process");
	libc = dlopen("libc.so.6", RTLD_NOW);
	CHECK(libc && callee_look());
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		struct callee callee = { .name = names[i],
					 .function = (uintptr_t)dlsym(libc, names[i]) };

		CHECK(callee.function && !outside_entry(&callee));
	}
}
