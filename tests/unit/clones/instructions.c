/* SPDX-License-Identifier: Apache-2.0 */
/* Instructions that compilers seldom write, x86-64. The last kernels need AVX2 or AVX-512, which the options say. */
#include <stdint.h>

#include "kernels.h"

/* name(rdi: memory, rsi: seed), returns rax */
#define KERNEL(name, body) \
	uint64_t name(unsigned char *memory, uint64_t seed); \
	__asm__(".text\n.p2align 4\n.globl " #name "\n.type " #name ", @function\n" #name ":\n.cfi_startproc\n" \
		body "\n.cfi_endproc\n.size " #name ", . - " #name "\n");

KERNEL(counted_loops, "mov $20, %ecx\n xor %eax, %eax\n 1: add (%rdi,%rcx,8), %rax\n loop 1b\n mov $5, %ecx\n"
	"2: jrcxz 3f\n add 8(%rdi), %rax\n dec %rcx\n jmp 2b\n 3: mov $9, %ecx\n cmp %ecx, %ecx\n 4: add %rcx, (%rdi)\n cmp %ecx, %ecx\n"
	"loope 4b\n ret")
KERNEL(flags_across, "mov $30, %ecx\n xor %eax, %eax\n stc\n 1: mov (%rdi,%rcx,8), %rdx\n adc %rdx, %rax\n mov 8(%rdi,%rcx,8), %r8\n"
	"adc %r8, %rax\n lea -1(%rcx), %rcx\n jrcxz 2f\n jmp 1b\n 2: setc %cl\n movzbl %cl, %ecx\n add %rcx, %rax\n ret")
KERNEL(stack_forms, "push %rbp\n .cfi_adjust_cfa_offset 8\n mov %rsp, %rbp\n sub $32, %rsp\n mov %rsi, (%rsp)\n push (%rsp)\n pop 16(%rsp)\n"
	"pushfq\n pop %rdx\n push 8(%rdi)\n pop (%rdi)\n mov 16(%rsp), %rax\n enter $16, $0\n mov %rax, (%rsp)\n add (%rsp), %rax\n leave\n"
	"leave\n ret")
KERNEL(narrow_addresses, "lea 1000(%rip), %rdx\n mov %edi, %edx\n mov %rdi, %rcx\n sub %rdx, %rcx\n xor %eax, %eax\n"
	"lea -256(%rsp), %r8\n lea (,%edi,1), %r9d\n lea 4(%edi,%esi,8), %eax\n add %rcx, %rax\n ret")
KERNEL(locked, "mov 16(%rdi), %rax\n mov 24(%rdi), %rdx\n mov $1, %ebx\n push %rbx\n .cfi_adjust_cfa_offset 8\n mov $3, %ecx\n"
	"lock cmpxchg16b 16(%rdi)\n lock xadd %rcx, 40(%rdi)\n xchg %rcx, 48(%rdi)\n lock btsl $3, 56(%rdi)\n movnti %rcx, 64(%rdi)\n"
	"pop %rbx\n .cfi_adjust_cfa_offset -8\n xor %ebx, %ebx\n mov %rcx, %rax\n movabs $0x1111111111111111, %rbx\n ret")
KERNEL(thread_pointer, "mov %fs:0, %rax\n mov $0, %ecx\n mov %fs:(%rcx), %rdx\n xor %eax, %eax\n cmp %fs:0, %rdx\n sete %al\n"
	"mov %fs:(,%rcx,4), %r8\n sub %rdx, %r8\n add %r8, %rax\n ret")
KERNEL(red_zone_kept, "mov %rsi, -8(%rsp)\n mov %rdi, -128(%rsp)\n mov $12, %ecx\n 1: mov -8(%rsp), %rax\n add (%rdi,%rcx,8), %rax\n"
	"mov %rax, -8(%rsp)\n mov -128(%rsp), %rdi\n dec %ecx\n jnz 1b\n ret")
KERNEL(table_without_bound, "lea 5f(%rip), %r8\n mov %rsi, %rax\n xor %edx, %edx\n mov $3, %ecx\n div %rcx\n movslq (%r8,%rdx,4), %rdx\n"
	"add %r8, %rdx\n xor %eax, %eax\n jmp *%rdx\n nop\n 1: add (%rdi), %rax\n 2: add 8(%rdi), %rax\n 3: add 16(%rdi), %rax\n ret\n"
	".pushsection .rodata\n .p2align 2\n 5: .long 1b - 5b, 2b - 5b, 3b - 5b\n .popsection")
KERNEL(table_of_addresses, "lea 5f(%rip), %r8\n mov %rsi, %rax\n xor %edx, %edx\n mov $3, %ecx\n div %rcx\n shl $3, %edx\n xor %eax, %eax\n"
	"jmp *(%rdx,%r8)\n nop\n 1: add (%rdi), %rax\n 2: add 8(%rdi), %rax\n 3: add 16(%rdi), %rax\n ret\n"
	".pushsection .data.rel.ro, \"aw\"\n .p2align 3\n 5: .quad 1b, 2b, 3b\n .popsection")
KERNEL(kept_across_call, "sub $8, %rsp\n .cfi_adjust_cfa_offset 8\n mov tiny@GOTPCREL(%rip), %r10\n mov 8(%rdi), %r11\n mov 16(%rdi), %rcx\n"
	"call *%r10\n add %r11, %rax\n add 24(%rdi), %rax\n add $8, %rsp\n .cfi_adjust_cfa_offset -8\n ret")
KERNEL(tiny, "mov %rsi, %rax\n ret")
KERNEL(indirect_tail, "lea tiny@GOTPCREL(%rip), %rdx\n mov (%rdx), %rdx\n mov (%rdi), %rax\n jmp *%rdx")
/* Jumps past prefixes, in turn: both readings of the bytes are run. */
KERNEL(past_locks, "mov $20, %r8d\n 1: mov (%rdi), %rax\n lea (%rax,%r8), %rdx\n test $1, %r8d\n je 2f\n .byte 0xf0\n"
	"2: cmpxchg %rdx, (%rdi)\n test $2, %r8d\n jne 3f\n test $4, %r8d\n jne 4f\n .byte 0xf2\n 3: .byte 0xf0\n 4: xadd %rdx, 8(%rdi,%r8,8)\n"
	"dec %r8d\n jnz 1b\n mov 8(%rdi), %rax\n ret")
KERNEL(past_repeat, "mov %rdi, %r8\n mov $12, %r9d\n mov %esi, %eax\n 1: mov $5, %ecx\n lea 64(%r8,%r9,8), %rdi\n test $1, %r9d\n je 2f\n"
	".byte 0xf3\n 2: stosb\n add %rcx, (%r8)\n dec %r9d\n jnz 1b\n mov (%r8), %rax\n ret")
KERNEL(past_into_call, "push %rbx\n .cfi_adjust_cfa_offset 8\n .cfi_offset %rbx, -16\n mov $6, %ebx\n 1: test $1, %ebx\n je 2f\n .byte 0xf2\n"
	"2: call tiny@PLT\n add %rax, (%rdi)\n dec %ebx\n jnz 1b\n mov (%rdi), %rax\n pop %rbx\n .cfi_adjust_cfa_offset -8\n ret")
/* In the constant: mov (%rdi), %rax; add $1, %rax; ret. */
KERNEL(in_a_constant, "test $1, %esi\n jne 2f\n .byte 0x48, 0xb8\n 2: mov (%rdi), %rax\n add $1, %rax\n ret\n add %rsi, %rax\n add %rax, 8(%rdi)\n ret")
KERNEL(masked_2, "vpxor %ymm5, %ymm5, %ymm5\n vpcmpeqd %ymm1, %ymm1, %ymm1\n vmovdqu (%rdi), %ymm2\n vpslld $3, %ymm2, %ymm2\n vpmaskmovd 64(%rdi), %ymm2, %ymm3\n"
	"vmaskmovpd %ymm3, %ymm2, 128(%rdi,%rsi,8)\n vmovdqu 32(%rdi), %ymm4\n vpsrld $24, %ymm4, %ymm4\n vpgatherdd %ymm2, 8(%rdi,%ymm4,4), %ymm5\n"
	"vpcmpeqd %ymm1, %ymm1, %ymm1\n vmovdqu 96(%rdi), %xmm6\n vpsrlq $56, %xmm6, %xmm6\n vgatherqpd %xmm1, (%rdi,%xmm6,8), %xmm7\n vmovdqu %ymm5, (%rdi)\n"
	"vmovq %xmm7, %rax\n vzeroupper\n ret")
#ifdef __AVX512BW__
KERNEL(masked_512, "mov $0x5a5a, %eax\n kmovd %eax, %k1\n vmovdqu32 (%rdi), %zmm20\n vpsrld $22, %zmm20, %zmm21\n kmovq %k1, %k2\n"
	"vpgatherdd (%rdi,%zmm21,4), %zmm22{%k2}\n vmovdqu8 %zmm22, 64(%rdi){%k1}\n vcompressps %zmm22, 128(%rdi){%k1}\n"
	"vexpandps 192(%rdi), %zmm23{%k1}{z}\n kmovq %k1, %k3\n vpscatterdd %zmm23, 4(%rdi,%zmm21,4){%k3}\n"
	"vaddps 256(%rdi){1to16}, %zmm23, %zmm24{%k1}\n vmovdqu32 320(%rdi), %zmm25{%k1}\n vpmovzxbd %xmm25, %zmm26\n"
	"kmovq %k1, %rax\n kmovq 8(%rdi), %k4\n kmovq %k4, 16(%rdi)\n vzeroupper\n ret")
#endif

const struct kernel kernels[] = {
	{ "counted_loops", counted_loops }, { "flags_across", flags_across }, { "stack_forms", stack_forms },
	{ "narrow_addresses", narrow_addresses }, { "locked", locked }, { "thread_pointer", thread_pointer },
	{ "red_zone_kept", red_zone_kept }, { "table_without_bound", table_without_bound },
	{ "table_of_addresses", table_of_addresses }, { "kept_across_call", kept_across_call }, { "tiny", tiny }, { "indirect_tail", indirect_tail },
	{ "past_locks", past_locks }, { "past_repeat", past_repeat }, { "past_into_call", past_into_call }, { "in_a_constant", in_a_constant },
#ifdef __AVX2__
	{ "masked_2", masked_2 },
#endif
#ifdef __AVX512BW__
	{ "masked_512", masked_512 },
#endif
	{ 0, 0 },
};
