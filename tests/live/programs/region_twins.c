/* SPDX-License-Identifier: Apache-2.0 */
/* Two regions that differ in one number; prints what each has added up. */
#include <stdio.h>

static long first, second;

__attribute__((noinline)) static void add_one(long *sum)
{
#pragma omp parallel
#pragma omp atomic
	*sum += 1;
}

__attribute__((noinline)) static void add_hundred(long *sum)
{
#pragma omp parallel
#pragma omp atomic
	*sum += 100;
}

int main(void)
{
	for (int i = 0; i < 10; i++) {
		add_one(&first);
		add_hundred(&second);
	}
	printf("%ld %ld\n", first, second);
	return 0;
}
