/* SPDX-License-Identifier: Apache-2.0 */
/* Guest: opens a library with 1.2 KiB of thread-local memory of the initial-exec model, which the loader has little room for. */
/* Library: -ftls-model=initial-exec */
/* Flags: -ldl */
#ifdef LIBRARY
static _Thread_local char local[1200];
char *of_thread(void);
char *of_thread(void)
{
	return local;
}
#else
#include <dlfcn.h>
#include <unistd.h>
#include "guest.h"

int main(void)
{
	char path[4096];
	long sum = 0;
	char *(*of_thread)(void) = NULL;
	ssize_t length = readlink("/proc/self/exe", path, sizeof path - 4);

	strcpy(path + length, ".so");
	for (int step = 0; step < GUEST_STEPS; step++) {
		guest_step();
		if (step == GUEST_STEPS / 2) {
			void *library = dlopen(path, RTLD_NOW);

			if (!library)
				return printf("%s\n", strrchr(dlerror(), ':'));
			*(void **)&of_thread = dlsym(library, "of_thread");
		}
		if (of_thread) {
#pragma omp parallel reduction(+ : sum)
			sum += of_thread()[1199]++ >= 0;
		}
	}
	return guest_end(sum > 0);
}
#endif
