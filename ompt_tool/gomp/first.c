/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Functions that programs call before their first construct. Other runtimes start the tool in
 * these, too, so that the serial code that follows is measured: it may touch the arrays first.
 * Without libgomp, in a child process that tests whether there is OpenMP, they return the values of
 * a program without OpenMP.
 */
#include "ompt_tool/gomp/gomp.h"

#include <sys/syscall.h>
#include <unistd.h>

/*
 * Only in the program's first thread, which is the initial thread for the tool, and not once per
 * thread: other threads, possibly thousands, may only call these functions.
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
