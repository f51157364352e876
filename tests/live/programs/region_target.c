/* SPDX-License-Identifier: Apache-2.0 */
/* Regions for a device, of which there is none. -DDEVICE_CODE: like a program that brings code for one. */
#include <stdio.h>

#ifdef DEVICE_CODE
void GOMP_offload_register_ver(unsigned int version, const void *host, int type, const void *code);
#endif

static double a[1000];

int main(int argc, char **argv)
{
	double sum = 0;

#ifdef DEVICE_CODE
	if (argc > 1000)
		GOMP_offload_register_ver(0, argv, argc, argv);
#endif
	(void)argc, (void)argv;
	for (int n = 0; n < 10; n++) {
#pragma omp target map(tofrom : a, sum)
		for (int i = 0; i < 1000; i++) {
			a[i] += i % 7 + n;
			sum += a[i];
		}
#pragma omp parallel
#pragma omp single
#pragma omp target map(tofrom : a) nowait
		for (int i = 0; i < 1000; i++)
			a[i] *= 0.5;
	}
	printf("%a\n", sum);
	return 0;
}
