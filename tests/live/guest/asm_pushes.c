/* Guest: assembler pushes registers without telling unwinders, and calls a function whose library call allocates. */
#include "guest.h"

/* Where the caller's frame is by its call-frame information there are numbers. */
__attribute__((noinline, used)) static long copy_of(long x)
{
	char text[64], *copy;
	long value;

	memset(text, 'a' + (int)(x % 20), sizeof(text) - 1);
	text[sizeof(text) - 1] = 0;
	copy = strdup(text);
	value = copy ? copy[5] + x : -1;
	free(copy);
	return value;
}

#ifdef __x86_64__
__attribute__((noinline)) static long across(long x)
{
	long value;

	__asm__ volatile("mov %%rsp, %%rbx\n"
			 "sub $128, %%rsp\n" /* the red zone */
			 ".rept 32\n"
			 "push $3\n"
			 ".endr\n"
			 "and $-16, %%rsp\n"
			 "mov %1, %%rdi\n"
			 "call copy_of\n"
			 "mov %%rbx, %%rsp\n"
			 : "=a"(value)
			 : "r"(x)
			 : "rbx", "rcx", "rdx", "rsi", "rdi", "r8", "r9", "r10", "r11", "memory", "cc", "xmm0", "xmm1",
			   "xmm2", "xmm3", "xmm4", "xmm5", "xmm6", "xmm7", "xmm8", "xmm9", "xmm10", "xmm11", "xmm12",
			   "xmm13", "xmm14", "xmm15");
	return value;
}
#else
#define across copy_of
#endif

int main(void)
{
	long sum = 0;

	for (int step = 0; step < GUEST_STEPS; step++) {
		guest_step();
#pragma omp parallel for reduction(+ : sum)
		for (int i = 0; i < 500; i++)
			sum += across(i + step);
	}
	printf("%ld %.10g\n", sum, guest_to[77]);
	return 0;
}
