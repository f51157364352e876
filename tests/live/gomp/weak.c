/* SPDX-License-Identifier: Apache-2.0 */
/* A program without OpenMP that asks by weak references whether it is there, and whose first word to the dynamic linker is dlerror. */
#include <dlfcn.h>
#include <stdio.h>

#pragma weak GOMP_parallel
#pragma weak omp_get_max_threads
#pragma weak omp_set_lock
void GOMP_parallel(void (*body)(void *), void *data, unsigned int threads, unsigned int flags);
int omp_get_max_threads(void);
void omp_set_lock(void *lock);

static void body(void *data)
{
	++*(int *)data;
}

int main(void)
{
	const char *error = dlerror();
	int count = 0;
	long lock = 0;

	if (GOMP_parallel)
		GOMP_parallel(body, &count, 1, 0);
	else
		body(&count);
	if (omp_set_lock)
		omp_set_lock(&lock);
	printf("%d %d %s\n", count, omp_get_max_threads ? omp_get_max_threads() : 1, error ? error : "no error");
	return 0;
}
