/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A program that counts page faults with PAPI itself, on each thread: "before" the OpenMP runtime (and so memsearch) starts,
 * "after" it did, or "late", with a library it opens then. Prints what each thread counted: 1000 for 0, 2000 for 1.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <omp.h>
#include <papi.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define FUNCTIONS(X) X(library_init) X(thread_init) X(create_eventset) X(add_named_event) X(start) X(read) X(stop)

static struct {
#define X(name) __typeof__(PAPI_##name) *name;
	FUNCTIONS(X)
#undef X
} papi;

static void need(int ok, const char *what)
{
	if (!ok) {
		printf("%s failed\n", what);
		exit(1);
	}
}

static void find_papi(void *library)
{
#define X(name) papi.name = dlsym(library, "PAPI_" #name); need(papi.name != NULL, #name);
	FUNCTIONS(X)
#undef X
	need(papi.library_init(PAPI_VER_CURRENT) == PAPI_VER_CURRENT, "init");
	need(papi.thread_init((unsigned long (*)(void))pthread_self) == PAPI_OK, "thread_init");
}

/* One thread at a time: PAPI 7.0 looks events up without a lock, and finds none in one of 60 runs where two do so at once on a busy machine. */
static void add_faults(int *set)
{
#pragma omp critical
	{
		need(papi.create_eventset(set) == PAPI_OK, "create");
		need(papi.add_named_event(*set, "perf::PAGE-FAULTS") == PAPI_OK, "add");
	}
}

static long long count_faults(size_t pages)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	char *fresh = mmap(NULL, pages * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	long long before, after, last;
	int set = PAPI_NULL;

	need(fresh != MAP_FAILED && !madvise(fresh, pages * page, MADV_NOHUGEPAGE), "mmap");
	add_faults(&set);
	need(papi.start(set) == PAPI_OK, "start");
	need(papi.read(set, &before) == PAPI_OK && papi.read(set, &before) == PAPI_OK, "read");
	for (size_t i = 0; i < pages; i++)
		((volatile char *)fresh)[i * page] = 1;
	need(papi.read(set, &after) == PAPI_OK, "read");
	need(papi.stop(set, &last) == PAPI_OK, "stop");
	munmap(fresh, pages * page);
	return after - before;
}

int main(int argc, char **argv)
{
	const char *when = argc > 1 ? argv[1] : "before";
	int late = strcmp(when, "late") == 0;

	if (strcmp(when, "before") == 0)
		find_papi(RTLD_DEFAULT);
#pragma omp parallel
	{
#pragma omp master
		if (!papi.start)
			find_papi(late ? dlopen(LIBRARY, RTLD_NOW | RTLD_GLOBAL) : RTLD_DEFAULT);
	}
	for (volatile int step = 0; step < 3; step++) {
#pragma omp parallel for ordered schedule(static, 1)
		for (int i = 0; i < 2; i++) {
			long long faults = count_faults(1000 * ((size_t)i + 1));

#pragma omp ordered
			printf("%d %lld\n", i, faults);
		}
	}
	return 0;
}
