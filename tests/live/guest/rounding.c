/* SPDX-License-Identifier: Apache-2.0 */
/* Guest: every thread rounds in its own direction, in SSE and x87, and finds it so after every region. */
/* Flags: -lm -frounding-math */
#include <fenv.h>
#include <omp.h>
#include "guest.h"

static const int directions[] = { FE_TONEAREST, FE_UPWARD, FE_DOWNWARD, FE_TOWARDZERO };

int main(void)
{
	long wrong = 0;
	uint64_t hash = 1;

	for (int step = 0; step < GUEST_STEPS; step++) {
		guest_step();
		for (int way = 0; way < 4; way++) {
			double sums[64] = { 0 };
			long double exact[64] = { 0 };

			fesetround(directions[way]);
#pragma omp parallel reduction(+ : wrong)
			{
				fesetround(directions[way]);
#pragma omp for schedule(static, 1)
				for (int i = 0; i < 64; i++) {
					volatile double one = 1, three = 3 + i;
					volatile long double wide = 1;

					for (int k = 0; k < 20; k++) {
						sums[i] += one / three;
						exact[i] += wide / three;
					}
				}
				wrong += fegetround() != directions[way];
				fesetround(FE_TONEAREST);
			}
			wrong += fegetround() != FE_TONEAREST;
			hash = guest_hash(sums, sizeof sums, hash);
			for (int i = 0; i < 64; i++)
				hash = guest_hash(&exact[i], 10, hash);
		}
	}
	return guest_end(wrong * 1000000 + hash % 1000000);
}
