/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/differential/enter.h"

#include <cpuid.h>

#define FLAGS 0x202ul /* interrupts on, as always in programs */
#define TRAP_FLAG 0x100ul

uint64_t enter_registers[16], enter_left[16], enter_left_flags;
unsigned char enter_vectors[ENTER_VECTORS] __attribute__((aligned(64)));
unsigned char enter_left_vectors[ENTER_VECTORS] __attribute__((aligned(64)));
extern uint64_t enter_to, enter_flags, enter_own_stack, enter_mask;
extern uint32_t enter_control;
uint64_t enter_to, enter_flags, enter_own_stack, enter_mask;
uint32_t enter_control;
void enter_now(void);

/* its stack is not the caller's */
__asm__(".text\n.p2align 4\n.type enter_now, @function\nenter_now:\n.cfi_startproc\n.cfi_undefined rip\n"
	"push %rbx\n push %rbp\n push %r12\n push %r13\n push %r14\n push %r15\n"
	"mov %rsp, enter_own_stack(%rip)\n"
	"stmxcsr enter_control(%rip)\n"
	"mov enter_mask(%rip), %eax\n xor %edx, %edx\n xrstor64 enter_vectors(%rip)\n"
	"mov enter_registers+8(%rip), %rcx\n mov enter_registers+16(%rip), %rdx\n mov enter_registers+24(%rip), %rbx\n"
	"mov enter_registers+32(%rip), %rsp\n mov enter_registers+40(%rip), %rbp\n mov enter_registers+48(%rip), %rsi\n"
	"mov enter_registers+56(%rip), %rdi\n mov enter_registers+64(%rip), %r8\n mov enter_registers+72(%rip), %r9\n"
	"mov enter_registers+80(%rip), %r10\n mov enter_registers+88(%rip), %r11\n mov enter_registers+96(%rip), %r12\n"
	"mov enter_registers+104(%rip), %r13\n mov enter_registers+112(%rip), %r14\n mov enter_registers+120(%rip), %r15\n"
	"mov enter_registers(%rip), %rax\n"
	"pushq enter_flags(%rip)\n popfq\n"
	"call *enter_to(%rip)\n"
	"mov %rax, enter_left(%rip)\n"
	"pushfq\n popq enter_left_flags(%rip)\n"
	"pushq $0x202\n popfq\n"
	"mov %rcx, enter_left+8(%rip)\n mov %rdx, enter_left+16(%rip)\n mov %rbx, enter_left+24(%rip)\n"
	"mov %rsp, enter_left+32(%rip)\n mov %rbp, enter_left+40(%rip)\n mov %rsi, enter_left+48(%rip)\n"
	"mov %rdi, enter_left+56(%rip)\n mov %r8, enter_left+64(%rip)\n mov %r9, enter_left+72(%rip)\n"
	"mov %r10, enter_left+80(%rip)\n mov %r11, enter_left+88(%rip)\n mov %r12, enter_left+96(%rip)\n"
	"mov %r13, enter_left+104(%rip)\n mov %r14, enter_left+112(%rip)\n mov %r15, enter_left+120(%rip)\n"
	"mov enter_own_stack(%rip), %rsp\n"
	"mov enter_mask(%rip), %eax\n xor %edx, %edx\n xsave64 enter_left_vectors(%rip)\n"
	"fninit\n ldmxcsr enter_control(%rip)\n"
	"pop %r15\n pop %r14\n pop %r13\n pop %r12\n pop %rbp\n pop %rbx\n ret\n"
	".cfi_endproc\n.size enter_now, . - enter_now\n");

uint32_t enter_components(void)
{
	uint32_t low, high;

	__asm__("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
	return low & ENTER_COMPONENTS;
}

uint32_t enter_component_offset(unsigned int component)
{
	unsigned int a, b, c, d;

	__cpuid_count(13, component, a, b, c, d);
	return b;
}

void enter_function(uintptr_t function, bool step)
{
	enter_to = function;
	enter_flags = FLAGS | (step ? TRAP_FLAG : 0);
	enter_mask = enter_components();
	enter_now();
}
