/* SPDX-License-Identifier: Apache-2.0 */
/* Guest: makes code while it runs, which calls the program's functions and is called by them, and writes it anew. */
#include <sys/mman.h>
#include "guest.h"

static long from_made(long x)
{
	return x * 3 + 1;
}

/* mov $constant, %esi; add %rsi, %rdi; movabs $function, %rax; sub $8, %rsp; call *%rax; add $8, %rsp; ret */
static void make(unsigned char *code, int constant, long (*function)(long))
{
	static const unsigned char plan[] = { 0xbe, 0, 0, 0, 0, 0x48, 0x01, 0xf7, 0x48, 0xb8, 0, 0, 0, 0, 0, 0, 0, 0,
					      0x48, 0x83, 0xec, 8, 0xff, 0xd0, 0x48, 0x83, 0xc4, 8, 0xc3 };

	memcpy(code, plan, sizeof plan);
	memcpy(code + 1, &constant, 4);
	memcpy(code + 10, &function, 8);
	__builtin___clear_cache((char *)code, (char *)code + sizeof plan);
}

int main(void)
{
	unsigned char *code = mmap(NULL, 4096, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	long sum = 0;

	if (code == MAP_FAILED)
		return 77;
	for (int step = 0; step < GUEST_STEPS; step++) {
		long (*function)(long) = (long (*)(long))(void *)code;

		guest_step();
		make(code, step, from_made);
#pragma omp parallel for reduction(+ : sum)
		for (int i = 0; i < 300; i++)
			sum += function(i);
	}
	return guest_end(sum);
}
