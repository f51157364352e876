/* SPDX-License-Identifier: Apache-2.0 */
/* Starts the runtime before a program's first parallel region, not inside of it. */
#define _GNU_SOURCE /* dl_iterate_phdr, RTLD_DEFAULT */
#include "ompt_tool/loader/first_region.h"

#ifdef __x86_64__

#include <dlfcn.h>
#include <errno.h>
#include <link.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>

#include "ompt_tool/code/argument_registers.h"
#include "ompt_tool/code/slots.h"
#include "ompt_tool/code/writing.h"

#define FORK "__kmpc_fork_call"
/* Starts the runtime if it is not, and returns the thread's number; does not use its argument. */
#define START "__kmpc_global_thread_num"

uintptr_t first_region_fork; /* the runtime's function */
uint8_t first_region_begun;  /* atomic; 1: the first call was made */
static int (*start)(void *location);
static uintptr_t *place; /* one of the slots that lead here; NULL: none */

/* Keeps the arguments, and jumps: the runtime sees the program's return address. */
/* clang-format off */
__asm__(".pushsection .text, \"ax\", @progbits\n"
	".balign 16\n"
	".globl first_region_call\n"
	".hidden first_region_call\n"
	".type first_region_call, @function\n"
	"first_region_call:\n"
	".cfi_startproc\n"
	"	endbr64\n"
	"	cmpb	$0, first_region_begun(%rip)\n"
	"	je	1f\n"
	"	jmp	*first_region_fork(%rip)\n"
	"1:	sub	$200, %rsp\n"
	".cfi_adjust_cfa_offset 200\n"
	ARGUMENT_REGISTERS_SAVE
	"	call	first_region_begin\n"
	"	mov	%rax, %r11\n"
	ARGUMENT_REGISTERS_LOAD
	"	add	$200, %rsp\n"
	".cfi_adjust_cfa_offset -200\n"
	"	jmp	*%r11\n"
	".cfi_endproc\n"
	".size first_region_call, . - first_region_call\n"
	".popsection\n");
/* clang-format on */

extern const char first_region_call[] __attribute__((visibility("hidden")));

/*
 * The address at which the call continues. Of the first call that is memsearch's, if it has started
 * and replaced the slot's value. Once it has replaced the value, calls come from there, and must not
 * return there. Threads that call meanwhile wait in the runtime.
 */
uintptr_t first_region_begin(void);
__attribute__((used)) uintptr_t first_region_begin(void)
{
	bool early = __atomic_load_n(place, __ATOMIC_ACQUIRE) == (uintptr_t)first_region_call,
	     first = !__atomic_exchange_n(&first_region_begun, 1, __ATOMIC_ACQ_REL);
	int error = errno;

	if (!early || !first)
		return first_region_fork;
	start(NULL);
	errno = error;
	return __atomic_load_n(place, __ATOMIC_ACQUIRE);
}

static void lead_here(void *ctx, const struct slot *slot)
{
	int protection = PROT_READ | (slot->read_only ? 0 : PROT_WRITE);

	(void)ctx;
	if (slot->defined || (slot->kind != SLOT_CALL && slot->kind != SLOT_ADDRESS) ||
	    strcmp(slot->name, FORK))
		return;
	if (writing_known_word(slot->place, (uintptr_t)first_region_call, protection))
		place = slot->place;
}

static int lead_module_here(struct dl_phdr_info *module, size_t bytes, void *ctx)
{
	(void)bytes;
	slots_of_module(module, lead_here, ctx);
	return 0;
}

void first_region_prepare(void)
{
	first_region_fork = (uintptr_t)dlsym(RTLD_DEFAULT, FORK);
	start = (int (*)(void *))dlsym(RTLD_DEFAULT, START);
	if (first_region_fork && start)
		dl_iterate_phdr(lead_module_here, NULL);
}

#else

void first_region_prepare(void)
{
}

#endif
