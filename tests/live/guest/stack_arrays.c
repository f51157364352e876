/* SPDX-License-Identifier: Apache-2.0 */
/* Guest: large automatic arrays and alloca in regions, half of what workers' stacks hold. */
/* Shell: export OMP_STACKSIZE=4M */
#include <alloca.h>
#include "guest.h"

__attribute__((noinline)) static long fills(size_t bytes, int value)
{
	char *block = alloca(bytes);
	long sum = 0;

	memset(block, value, bytes);
	for (size_t i = 0; i < bytes; i += 64)
		sum += block[i];
	return sum;
}

int main(void)
{
	long sum = 0;

	for (int step = 0; step < GUEST_STEPS; step++) {
		guest_step();
#pragma omp parallel reduction(+ : sum)
		{
			char array[2 << 20];

			memset(array, step & 63, sizeof array);
			sum += array[step * 1000] + fills(1000 + step * 1000, 3);
		}
	}
	return guest_end(sum);
}
