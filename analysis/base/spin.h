/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_BASE_SPIN_H
#define MEMSEARCH_BASE_SPIN_H

#include <sched.h>
#include <stdbool.h>

/*
 * Waiting for other threads without the thread library. A lock is an int, 0: free; it is held for
 * some 100 ns, so that a waiting thread yields its CPU only if the holder was descheduled. Not
 * recursive, also not from a signal handler of the holder.
 */
static inline void spin_lock(int *lock)
{
	while (__atomic_exchange_n(lock, 1, __ATOMIC_ACQUIRE))
		sched_yield();
}

/*
 * False: not within that number of tries. For locks that one thread holds with signals unblocked,
 * and another one takes with signals blocked (own_stack.h): a garbage collector stops the first by
 * a signal and waits for the second.
 */
#define SPIN_TRIES 100000 /* some 50 ms at least */
static inline bool spin_lock_within(int *lock, unsigned int tries)
{
	for (; tries; tries--) {
		if (!__atomic_exchange_n(lock, 1, __ATOMIC_ACQUIRE))
			return true;
		sched_yield();
	}
	return false;
}

static inline void spin_unlock(int *lock)
{
	__atomic_store_n(lock, 0, __ATOMIC_RELEASE);
}

/* A hint to the CPU that this thread waits for another one. */
#if defined(__x86_64__)
#define spin_hint() __builtin_ia32_pause()
#elif defined(__aarch64__)
#define spin_hint() __asm__ volatile("yield")
#elif defined(__powerpc64__)
#define spin_hint() __asm__ volatile("or 27,27,27")
#else
#define spin_hint() ((void)0)
#endif

#endif
