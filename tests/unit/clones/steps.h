/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_TESTS_UNIT_CLONES_STEPS_H
#define MEMSEARCH_TESTS_UNIT_CLONES_STEPS_H

/*
 * The oracle: a function runs in a child of fork, instruction by instruction, and what each is about to access is
 * computed from its operands and the child's registers. x86-64.
 */
#ifdef __x86_64__
#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* sched_setaffinity */
#endif
#include <cpuid.h>
#include <elf.h>
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sched.h>
#include <sys/ptrace.h>
#include <sys/uio.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <unistd.h>

#include "analysis/base/arena.h"
#include "ompt_tool/clones/clone.h"
#include "ompt_tool/clones/linkage.h"
#include "ompt_tool/code/bounds.h"
#include "ompt_tool/code/running_code.h"
#include "tests/unit/clones/count.h"

struct stepper {
	pid_t child;
	struct arena *arena;
	struct code **codes;             /* of functions met that have clones */
	size_t nr_codes, room_codes;
	uintptr_t outside_start, outside_end;        /* of the last function met that has none */
	bool leads;                      /* the last instruction was a direct call or jump of a function that has one */
	bool stack;                      /* implicit accesses count, too */
	struct user_regs_struct registers;
	unsigned char state[16384];      /* XSAVE, the standard form */
	struct count count;
	uint64_t steps;
};

static uint64_t step_register(const struct user_regs_struct *r, uint8_t reg)
{
	const unsigned long long all[] = { r->rax, r->rcx, r->rdx, r->rbx, r->rsp, r->rbp, r->rsi, r->rdi,
					   r->r8, r->r9, r->r10, r->r11, r->r12, r->r13, r->r14, r->r15 };

	return reg < 16 ? all[reg] : 0;
}

static unsigned int component_offset(unsigned int component)
{
	unsigned int a, b, c, d;

	__cpuid_count(13, component, a, b, c, d);
	return b;
}

/* SDM 1, 13.4 and 13.5: XMM, upper halves of YMM, of ZMM, ZMM16 to 31, opmasks. */
static void step_vector(struct stepper *s, unsigned int number, unsigned char *out)
{
	if (number < 16) {
		memcpy(out, s->state + 160 + 16 * number, 16);
		memcpy(out + 16, s->state + component_offset(2) + 16 * number, 16);
		memcpy(out + 32, s->state + component_offset(6) + 32 * number, 32);
	} else {
		memcpy(out, s->state + component_offset(7) + 64 * (number - 16), 64);
	}
}

static uint64_t step_mask(struct stepper *s, const struct code_access *access)
{
	unsigned char vector[64];
	uint64_t mask = 0;

	if (!access->vector_mask) {
		memcpy(&mask, s->state + component_offset(5) + 8 * access->mask, 8);
		return mask;
	}
	step_vector(s, access->mask, vector);
	for (unsigned int lane = 0; lane < access->lanes; lane++)
		mask |= (uint64_t)(vector[(lane + 1) * access->size - 1] >> 7) << lane;
	return mask;
}

static int64_t step_index(struct stepper *s, const struct code_access *access, unsigned int lane)
{
	unsigned char vector[64];
	int64_t wide;
	int32_t narrow;

	step_vector(s, access->index_vector, vector);
	memcpy(&wide, vector + 8 * (access->index_size == 8 ? lane : 0), 8);
	memcpy(&narrow, vector + 4 * (access->index_size == 4 ? lane : 0), 4);
	return (access->index_size == 8 ? wide : narrow) * access->scale;
}

static uint64_t step_address(const struct stepper *s, const struct code_access *access)
{
	uint64_t address = (uint64_t)access->displacement;

	if (access->base != CODE_RIP)
		address += step_register(&s->registers, access->base);
	if (access->index != CODE_NO_REGISTER)
		address += step_register(&s->registers, access->index) * access->scale;
	if (access->address_32)
		address = (uint32_t)address;
	return address + (access->segment == 'f' ? s->registers.fs_base : access->segment == 'g' ? s->registers.gs_base : 0);
}

static void step_lanes(struct stepper *s, const struct code_access *access, uint64_t address)
{
	struct iovec area = { s->state, sizeof(s->state) };
	unsigned int packed = 0;
	uint64_t mask;

	if (ptrace(PTRACE_GETREGSET, s->child, NT_X86_XSTATE, &area))
		return;
	mask = step_mask(s, access);
	for (unsigned int lane = 0; lane < access->lanes; lane++) {
		if (!(mask >> lane & 1))
			continue;
		if (access->kind == CODE_ACCESS_LANES)
			count_one(&s->count, address + (uint64_t)step_index(s, access, lane), access->size, access->read, access->write);
		else
			count_one(&s->count, address + access->size * (access->kind == CODE_ACCESS_PACKED ? packed++ : lane), access->size,
				  access->read, access->write);
	}
}

static void step_access(struct stepper *s, const struct code_access *access)
{
	uint64_t address = step_address(s, access);

	if (access->kind == CODE_ACCESS_STACK && !s->stack)
		return;
	if (access->kind == CODE_ACCESS_LANES || access->kind == CODE_ACCESS_MASKED || access->kind == CODE_ACCESS_PACKED)
		step_lanes(s, access, address);
	else if (access->kind != CODE_ACCESS_REPEATED || s->registers.rcx)
		count_one(&s->count, address, access->size, access->read, access->write);
}

/* NULL: the function around the address has no clone. */
static const struct code *step_code(struct stepper *s, uintptr_t address)
{
	struct code_bounds bounds;
	const char *why;

	if (address >= s->outside_start && address < s->outside_end)
		return NULL;
	for (size_t i = 0; i < s->nr_codes; i++)
		if (address >= s->codes[i]->start && address < s->codes[i]->end)
			return s->codes[i];
	if (code_bounds_find(address, &bounds) != CODE_BOUNDS_FOUND || !clone_of(bounds.start)) {
		s->outside_start = address, s->outside_end = address + 1;
		if (code_bounds_find(address, &bounds) == CODE_BOUNDS_FOUND)
			s->outside_start = bounds.start, s->outside_end = bounds.end;
		return NULL;
	}
	if (!ARENA_GROW(s->arena, s->codes, s->nr_codes, s->room_codes))
		return NULL;
	return s->codes[s->nr_codes++] = code_read(s->arena, bounds.start, bounds.end, NULL, &why);
}

static void step_once(struct stepper *s)
{
	const struct code *code = step_code(s, s->registers.rip);
	const struct code_instruction *in = code ? code_at(code, s->registers.rip) : NULL;
	uintptr_t slot = s->leads && !code ? linkage_slot(s->registers.rip) : 0;

	if (slot)                                /* which the linkage table's entry reads */
		count_one(&s->count, slot, sizeof(slot), true, false);
	for (unsigned int a = 0; in && a < in->nr_accesses; a++)
		step_access(s, &code->accesses[in->first_access + a]);
	s->leads = in && (in->kind == CODE_CALL || in->kind == CODE_JUMP);
	s->steps++;
}

/* As below, on the CPUs that this process has. */
static bool steps_of_child(struct stepper *s, void (*run)(void *ctx), void *ctx)
{
	int status = 0;

	s->child = fork();
	if (!s->child) {
		if (ptrace(PTRACE_TRACEME, 0, NULL, NULL))
			_exit(1);
		run(ctx);
		_exit(0);
	}
	if (waitpid(s->child, &status, 0) != s->child || !WIFSTOPPED(status))
		return false;
	for (;;) {
		if (ptrace(PTRACE_SINGLESTEP, s->child, NULL, NULL) || waitpid(s->child, &status, 0) != s->child)
			return false;
		if (!WIFSTOPPED(status) || WSTOPSIG(status) != SIGTRAP)
			break;
		if (ptrace(PTRACE_GETREGS, s->child, NULL, &s->registers))
			return false;
		step_once(s);
	}
	if (WIFSTOPPED(status)) {
		kill(s->child, SIGKILL);
		waitpid(s->child, NULL, 0);
		return WSTOPSIG(status) == SIGSTOP;
	}
	return false;
}

/*
 * Runs `run(ctx)` in a child from its first to its second SIGSTOP. False: it could not be stepped through.
 * Both on one CPU: they wake each other at each instruction, which takes a third of the time so.
 */
static bool steps_count(struct stepper *s, void (*run)(void *ctx), void *ctx, bool implicit)
{
	cpu_set_t all, here;
	bool done;

	*s = (struct stepper){ .arena = arena_new(), .stack = implicit };
	CPU_ZERO(&here);
	CPU_SET(sched_getcpu(), &here);
	sched_getaffinity(0, sizeof(all), &all);
	sched_setaffinity(0, sizeof(here), &here);
	done = steps_of_child(s, run, ctx);
	sched_setaffinity(0, sizeof(all), &all);
	return done;
}
#endif

#endif
