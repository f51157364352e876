/* SPDX-License-Identifier: Apache-2.0 */
/* Guest: opens libraries that bind to themselves first (RTLD_DEEPBIND): their malloc and the program's are one. */
/* Library: -Wl,-z,now */
/* Flags: -ldl -rdynamic */
#ifdef LIBRARY
#include <stdlib.h>
#include <string.h>
char *make(int size);
int value(void) { return 5; }
char *make(int size)
{
	char *block = malloc(size);

	return memset(block, value(), size);
}
#else
#include <dlfcn.h>
#include <unistd.h>
#include "guest.h"

int value(void) { return 6; }

int main(void)
{
	char path[4096];
	long sum = 0;
	char *(*make)(int);
	ssize_t length = readlink("/proc/self/exe", path, sizeof path - 4);
	void *library;

	strcpy(path + length, ".so");
	library = dlopen(path, RTLD_NOW | RTLD_DEEPBIND);
	if (!library)
		return printf("%s\n", dlerror());
	*(void **)&make = dlsym(library, "make");
	for (int step = 0; step < GUEST_STEPS; step++) {
		guest_step();
#pragma omp parallel for reduction(+ : sum)
		for (int i = 1; i < 100; i++) {
			char *block = make(i * 50);

			sum += block[i * 49] + value();
			free(realloc(block, 3 * i));
		}
	}
	return guest_end(sum);
}
#endif
