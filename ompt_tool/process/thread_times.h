/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_PROCESS_THREAD_TIMES_H
#define MEMSEARCH_PROCESS_THREAD_TIMES_H

#include <stdint.h>

#include "ompt_tool/process/thread.h"

/*
 * Times long work of the tool on the current thread, including waits for a CPU or for other
 * threads. Not for each construct or task: reading a thread's CPU time takes a system call.
 */
uint64_t thread_cpu_ns(void); /* CPU time of the calling thread so far */
/* page faults without I/O of the calling thread so far (getrusage(2), ru_minflt) */
uint64_t thread_page_faults(void);

struct thread_stretch {
	uint64_t begin_ns, begin_cpu_ns;
};
struct thread_stretch thread_stretch_begin(void);
/* Returns the elapsed time, and adds its waiting part to waited_ns. */
uint64_t thread_stretch_end(struct thread *self, const struct thread_stretch *stretch);

/*
 * Total time of the tool on the thread so far: callbacks, boundaries, samples, and hooks of
 * allocations. Any thread.
 */
static inline uint64_t thread_tool_ns(const struct thread *thread)
{
	return __atomic_load_n(&thread->cost_ns, __ATOMIC_RELAXED) +
	       __atomic_load_n(&thread->boundary_ns, __ATOMIC_RELAXED) +
	       __atomic_load_n(&thread->sampled_ns, __ATOMIC_RELAXED) +
	       __atomic_load_n(&thread->heap_ns, __ATOMIC_RELAXED);
}

#endif
