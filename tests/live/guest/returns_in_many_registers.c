/* SPDX-License-Identifier: Apache-2.0 */
/* Guest: functions return structs in ten registers (clang's __regcall). */
/* Flags: -fwrapv */
/* Compilers: clang */
#include "guest.h"

struct ten { long a, b, c, d, e, f, g, h, i, j; };

__attribute__((noinline, regcall)) static struct ten make(const long *p, long n)
{
	struct ten ten = { p[0], p[1], p[2], p[3], p[4], p[5], p[6], p[7], p[0] + 1, p[1] + 2 };

	for (long k = 0; k < n; k++) {
		ten.a += p[k & 7] * k;
		ten.b ^= p[(k * ten.a) & 7];
	}
	return ten;
}

__attribute__((noinline)) static long ask(const long *p, int i)
{
	struct ten ten = make(p, i & 31);

	return ten.a + ten.b * 3 + ten.c * 5 + ten.d * 7 + ten.e * 11 + ten.f * 13 + ten.g * 17 + ten.h * 19 + ten.i * 23 + ten.j * 29;
}

int main(void)
{
	long sum = 0, p[8] = { 1, 2, 3, 4, 5, 6, 7, 8 };

	for (int step = 0; step < GUEST_STEPS; step++) {
		guest_step();
#pragma omp parallel for schedule(static) reduction(+ : sum)
		for (int i = 0; i < 1000; i++)
			sum += ask(p, i);
		sum += ask(p, step);
	}
	return guest_end(sum);
}
