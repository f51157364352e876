/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A table of stacks, each free or taken. Part of the loader, too: libc only, and not instrumented
 * by sanitizers.
 */
#define _GNU_SOURCE
#include "analysis/base/own_stack.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "analysis/base/guest_state.h"

/* more than any frame has, and as much as the largest pages */
#define GUARD_BYTES 65536u

struct stack {
	int taken;         /* atomic */
	char *low;         /* NULL: not mapped yet; of who has taken it */
	uintptr_t program; /* stack pointer of its thread on the program's stack */
};

static struct stack stacks[OWN_STACK_COUNT];
static own_stack_watcher *watcher;

/* Initial-exec: finding it calls nothing. */
/* the one this thread has taken last */
static __thread struct stack *current __attribute__((tls_model("initial-exec")));
/* where its search begins */
static __thread unsigned int last __attribute__((tls_model("initial-exec")));

/* ------------------------------------------------------------------ the switch */

#ifdef __x86_64__
void own_stack_switch(void (*function)(void *argument), void *argument, char *top);

/*
 * The frame pointer holds the program's stack pointer meanwhile, and the call-frame information
 * says so.
 */
__asm__(".text\n"
	".p2align 4\n"
	".hidden own_stack_switch\n"
	".globl own_stack_switch\n"
	".type own_stack_switch, @function\n"
	"own_stack_switch:\n"
	"	.cfi_startproc\n"
	"	endbr64\n"
	"	pushq %rbp\n"
	"	.cfi_def_cfa_offset 16\n"
	"	.cfi_offset %rbp, -16\n"
	"	movq %rsp, %rbp\n"
	"	.cfi_def_cfa_register %rbp\n"
	"	movq %rdi, %rax\n"
	"	movq %rsi, %rdi\n"
	"	movq %rdx, %rsp\n"
	"	call *%rax\n"
	"	movq %rbp, %rsp\n"
	"	popq %rbp\n"
	"	.cfi_def_cfa %rsp, 8\n"
	"	ret\n"
	"	.cfi_endproc\n"
	".size own_stack_switch, . - own_stack_switch\n");

static const bool can_switch = true;
#else
static void own_stack_switch(void (*function)(void *argument), void *argument, char *top)
{
	(void)top;
	function(argument);
}

static const bool can_switch = false;
#endif

/* ------------------------------------------------------------------ AddressSanitizer */

extern void __sanitizer_start_switch_fiber(void **saved, const void *low, size_t bytes)
	__attribute__((weak));
extern void __sanitizer_finish_switch_fiber(void *saved, const void **low_out, size_t *bytes_out)
	__attribute__((weak));

static void tell_leaving(void **saved, const void *low, size_t bytes)
{
	if (__sanitizer_start_switch_fiber)
		__sanitizer_start_switch_fiber(saved, low, bytes);
}

static void tell_arrived(void *saved, const void **low_out, size_t *bytes_out)
{
	if (__sanitizer_finish_switch_fiber)
		__sanitizer_finish_switch_fiber(saved, low_out, bytes_out);
}

struct call {
	void (*function)(void *argument);
	void *argument;
};

static void on_own_stack(void *argument)
{
	const struct call *call = argument;
	const void *low = NULL;
	size_t bytes = 0;

	tell_arrived(NULL, &low, &bytes);
	call->function(call->argument);
	tell_leaving(NULL, low, bytes);
}

static void switch_to(char *low, size_t bytes, const struct call *call)
{
	void *saved = NULL;

	tell_leaving(&saved, low, bytes);
	own_stack_switch(on_own_stack, (void *)call, low + bytes);
	tell_arrived(saved, NULL, NULL);
}

/* ------------------------------------------------------------------ memory */

/*
 * By system calls, which interposed malloc and mmap do not see. Not locked, even if the program
 * locks future mappings. NULL: none.
 */
static char *map(size_t bytes)
{
	int error = errno;
	char *memory = (char *)syscall(SYS_mmap, NULL, GUARD_BYTES + bytes, PROT_NONE,
				       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_STACK, -1,
				       0);
	char *low = NULL;

	if (memory != MAP_FAILED) {
		syscall(SYS_munlock, memory, GUARD_BYTES + bytes);
		if (!syscall(SYS_mprotect, memory + GUARD_BYTES, bytes, PROT_READ | PROT_WRITE))
			low = memory + GUARD_BYTES;
		else
			syscall(SYS_munmap, memory, GUARD_BYTES + bytes);
	}
	errno = error;
	return low;
}

static void unmap(char *low, size_t bytes)
{
	int error = errno;

	syscall(SYS_munmap, low - GUARD_BYTES, GUARD_BYTES + bytes);
	errno = error;
}

void own_stack_run(size_t bytes, void (*function)(void *argument), void *argument)
{
	const struct call call = { function, argument };
	char *low = can_switch ? map(bytes) : NULL;

	if (!low) {
		function(argument);
		return;
	}
	switch_to(low, bytes, &call);
	unmap(low, bytes);
}

/* ------------------------------------------------------------------ signals */

/*
 * The kernel's masks: glibc's leave out the two signals of its own, one of which cancels a thread.
 */
static uint64_t set_mask(int how, uint64_t mask)
{
	uint64_t before = 0;

	syscall(SYS_rt_sigprocmask, how, &mask, &before, sizeof(mask));
	return before;
}

static uint64_t bit_of(int signal)
{
	return 1ull << (signal - 1);
}

/* All but those that an instruction raises: the kernel kills a process that has them blocked. */
static uint64_t block_signals(void)
{
	return set_mask(SIG_BLOCK, ~(bit_of(SIGSEGV) | bit_of(SIGBUS) | bit_of(SIGFPE) |
				     bit_of(SIGILL) | bit_of(SIGTRAP) | bit_of(SIGSYS)));
}

/* ------------------------------------------------------------------ the table */

static bool is_on(const struct stack *stack)
{
	return stack &&
	       (uintptr_t)__builtin_frame_address(0) - (uintptr_t)stack->low < OWN_STACK_BYTES;
}

static void give_back(struct stack *stack)
{
	__atomic_store_n(&stack->taken, 0, __ATOMIC_RELEASE);
}

/*
 * NULL: all are taken, or there is no memory. A thread gets its last stack again, unless another
 * thread has taken it.
 */
static struct stack *take(void)
{
	for (unsigned int i = 0; can_switch && i < OWN_STACK_COUNT; i++) {
		struct stack *stack = &stacks[(last + i) % OWN_STACK_COUNT];
		int taken = 0;

		if (!__atomic_compare_exchange_n(&stack->taken, &taken, 1, false, __ATOMIC_ACQUIRE,
						 __ATOMIC_RELAXED))
			continue;
		stack->low = stack->low ? stack->low : map(OWN_STACK_BYTES);
		if (stack->low) {
			last = (unsigned int)(stack - stacks);
			return stack;
		}
		give_back(stack);
		return NULL;
	}
	return NULL;
}

void own_stack_watch(own_stack_watcher *to)
{
	watcher = to;
}

static void run(struct stack *stack, const struct call *call)
{
	struct stack *outer = current;
	const void *before;
	int cancelling;

	pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &cancelling);
	stack->program = (uintptr_t)__builtin_frame_address(0);
	current = stack;
	before = watcher ? watcher(stack->low) : NULL;
	switch_to(stack->low, OWN_STACK_BYTES, call);
	if (watcher)
		watcher(before);
	current = outer;
	give_back(stack);
	pthread_setcancelstate(cancelling, NULL);
}

static void leave_programs_stack(const struct call *call)
{
	uint64_t mask = block_signals();
	struct stack *stack = take();

	if (stack) {
		run(stack, call);
		set_mask(SIG_SETMASK, mask);
	} else {
		set_mask(SIG_SETMASK, mask);
		call->function(call->argument);
	}
}

void own_stack_call(void (*function)(void *argument), void *argument)
{
	struct guest_state state;

	if (is_on(current)) {
		function(argument);
		return;
	}
	guest_state_hold(&state);
	if (can_switch)
		leave_programs_stack(&(struct call){ function, argument });
	else
		function(argument);
	guest_state_give_back(&state);
}

uintptr_t own_stack_programs(void)
{
	return is_on(current) ? current->program : (uintptr_t)__builtin_frame_address(0);
}

static size_t used(const struct stack *stack)
{
	const uint64_t *words = (const uint64_t *)stack->low;
	size_t at = 0, nr = OWN_STACK_BYTES / sizeof(*words);

	while (words && at < nr && !words[at])
		at++;
	return words ? (nr - at) * sizeof(*words) : 0;
}

size_t own_stack_deepest(void)
{
	size_t most = 0;

	for (unsigned int i = 0; i < OWN_STACK_COUNT; i++)
		most = used(&stacks[i]) > most ? used(&stacks[i]) : most;
	return most;
}
