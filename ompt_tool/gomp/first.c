/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Functions that programs call before their first construct. Other runtimes start the tool with
 * these, too, so that the serial code that follows is seen: it may be the one that touches the
 * arrays first. Without libgomp, in a child process that asks whether there is OpenMP, they say
 * what a program without it does.
 */
#include "ompt_tool/gomp/gomp.h"

#include <sys/syscall.h>
#include <unistd.h>

/*
 * Only in the program's first thread, which is the initial one to the tool, and not once a thread:
 * others may only ask, and be thousands.
 */
static void start(void)
{
	if (!__atomic_load_n(&gomp_state, __ATOMIC_RELAXED) && syscall(SYS_gettid) == getpid() &&
	    gomp_start())
		gomp_self();
}

#define DEFINE_SETTER(name, type) \
	GOMP_EXPORT void name(type threads) \
	{ \
		start(); \
		GOMP_REAL(name)(threads); \
	}
#define DEFINE_GETTER(name) \
	GOMP_EXPORT int name(void) \
	{ \
		start(); \
		return GOMP_REAL(name)(); \
	}
DEFINE_SETTER(omp_set_num_threads, int)
DEFINE_SETTER(omp_set_num_threads_, const int *)
DEFINE_SETTER(omp_set_num_threads_8_, const int64_t *)
DEFINE_GETTER(omp_get_max_threads)
DEFINE_GETTER(omp_get_max_threads_)
DEFINE_GETTER(omp_get_num_procs)
DEFINE_GETTER(omp_get_num_procs_)
