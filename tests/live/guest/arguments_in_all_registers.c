/* SPDX-License-Identifier: Apache-2.0 */
/* Guest: an interpreter of tail calls through a table, with arguments in twelve registers (clang's preserve_none). */
/* Flags: -fwrapv -no-pie -fno-pie */
/* Compilers: clang */
#include "guest.h"

#define ARGUMENTS const unsigned char *pc, long *at, long a, long b, long c, long d, long e, long f, long g, long h, long x
#define NEXT __attribute__((musttail)) return operations[*pc](pc + 1, at, a, b, c, d, e, f, g, h, x)
typedef long __attribute__((preserve_none)) operation(ARGUMENTS);

static operation end, add, store, loop;
static operation *const operations[] = { end, add, store, loop };

static long __attribute__((preserve_none)) end(ARGUMENTS)
{
	(void)pc, (void)at;
	return a + b + c + d + e + f + g + h + x * 3;
}
static long __attribute__((preserve_none)) add(ARGUMENTS)
{
	a += at[*pc & 7];
	b ^= a;
	h += at[1];
	x += a;
	NEXT;
}
static long __attribute__((preserve_none)) store(ARGUMENTS)
{
	at[8 + (c & 7)] += b;
	c += d * 3;
	e -= f;
	f += g;
	x += a;
	NEXT;
}
static long __attribute__((preserve_none)) loop(ARGUMENTS)
{
	for (long i = 0, n = *pc; i < n; i++) {
		d += at[i & 7] ^ a;
		g += at[8 + (i & 7)] + b;
	}
	x += a;
	NEXT;
}

int main(void)
{
	unsigned char program[64];
	long sum = 0;

	for (int i = 0; i < 63; i++)
		program[i] = (unsigned char)(1 + (i * i + i / 7) % 3);
	program[63] = 0;
	for (int step = 0; step < GUEST_STEPS; step++) {
		guest_step();
#pragma omp parallel for schedule(static) reduction(+ : sum)
		for (int i = 0; i < 200; i++) {
			long words[16] = { 1, 2, i, 4, 5, 6, 7, 8 };

			sum += operations[program[0]](program + 1, words, 1, 2, 3, 4, i, 6, 7, 8, 9);
		}
	}
	return guest_end(sum);
}
