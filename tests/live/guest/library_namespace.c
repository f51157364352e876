/* SPDX-License-Identifier: Apache-2.0 */
/* Guest: opens a library in a namespace of its own (dlmopen), with another C library, from the midst of its steps. */
/* Library: */
/* Flags: -ldl */
#ifdef LIBRARY
#include <stdlib.h>
#include <string.h>
long run(long value);
long run(long value)
{
	char *block = malloc(value + 1);
	long sum = 0;

	memset(block, 3, value);
	for (long i = 0; i < value; i++)
		sum += block[i];
	free(block);
	return sum;
}
#else
#define _GNU_SOURCE
#include <dlfcn.h>
#include <unistd.h>
#include "guest.h"

int main(void)
{
	char path[4096];
	long sum = 0;
	long (*run)(long) = NULL;
	ssize_t length = readlink("/proc/self/exe", path, sizeof path - 4);

	strcpy(path + length, ".so");
	for (int step = 0; step < GUEST_STEPS; step++) {
		guest_step();
		if (step == 50) {
			void *library = dlmopen(LM_ID_NEWLM, path, RTLD_NOW);

			if (!library)
				return printf("%s\n", dlerror());
			*(void **)&run = dlsym(library, "run");
		}
		if (run)
			sum += run(step * 10);
	}
	return guest_end(sum);
}
#endif
