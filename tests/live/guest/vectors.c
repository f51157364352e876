/* SPDX-License-Identifier: Apache-2.0 */
/* Guest: keeps values in all vector and mask registers that the machine has while it computes and calls, and finds them as they were. */
#include "guest.h"

static uint64_t memory[64];

#define EACH(M) M(0) M(1) M(2) M(3) M(4) M(5) M(6) M(7)

__attribute__((noinline)) static long in_sse(long seed)
{
	uint64_t out[8][2], in[2] = { seed * 0x9e3779b97f4a7c15u, ~seed };

#define LOAD(n) "movdqu %[in], %%xmm" #n "\n"
#define STORE(n) "movdqu %%xmm" #n ", 16*" #n "(%[out])\n"
	__asm__ volatile(EACH(LOAD) "mov $30, %%ecx\n1: mov (%[from]), %%rax\nadd %%rax, 8(%[from])\nlea (%%rax,%%rcx), %%rax\nmov %%rax, 16(%[from])\ndec %%ecx\njnz 1b\n" EACH(STORE)
			 : : [in] "m"(in), [out] "r"(out), [from] "r"(memory + seed % 8 * 8)
			 : "rax", "rcx", "memory", "cc", "xmm0", "xmm1", "xmm2", "xmm3", "xmm4", "xmm5", "xmm6", "xmm7");
	return guest_hash(out, sizeof out, 3) & 0xffff;
}

__attribute__((noinline, target("avx512f,avx512bw"))) static long in_avx512(long seed)
{
	uint64_t out[8][8], masks[8], in[8];

	for (int i = 0; i < 8; i++)
		in[i] = seed * (i + 3) * 0x9e3779b97f4a7c15u;
#define LOAD_WIDE(n) "vmovdqu64 %[in], %%zmm2" #n "\nkmovq %[mask], %%k" #n "\n"
#define STORE_WIDE(n) "vmovdqu64 %%zmm2" #n ", 64*" #n "(%[out])\nkmovq %%k" #n ", 8*" #n "(%[masks])\n"
	__asm__ volatile(EACH(LOAD_WIDE) "mov $30, %%ecx\n1: mov (%[from]), %%rax\nadd %%rax, 8(%[from])\nmov %%rax, 16(%[from])\ndec %%ecx\njnz 1b\n" EACH(STORE_WIDE)
			 : : [in] "m"(in), [mask] "m"(in[1]), [out] "r"(out), [masks] "r"(masks), [from] "r"(memory + seed % 8 * 8)
			 : "rax", "rcx", "memory", "cc", "xmm20", "xmm21", "xmm22", "xmm23", "xmm24", "xmm25", "xmm26", "xmm27", "k1", "k2", "k3", "k4", "k5", "k6", "k7");
	return (guest_hash(out, sizeof out, 3) ^ guest_hash(masks, sizeof masks, 5)) & 0xffff;
}

int main(void)
{
	int wide = __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw");
	long sum = 0;

	for (int step = 0; step < GUEST_STEPS; step++) {
		guest_step();
#pragma omp parallel for reduction(+ : sum)
		for (int i = 0; i < 8; i++)
			sum += in_sse(i + step * 8) + (wide ? in_avx512(i + step * 8) : 0);
	}
	return guest_end(sum);
}
