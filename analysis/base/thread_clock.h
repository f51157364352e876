/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_BASE_THREAD_CLOCK_H
#define MEMSEARCH_BASE_THREAD_CLOCK_H

#include <stdint.h>

/*
 * CLOCK_MONOTONIC, in ns, through the vdso. Any thread, callbacks allowed. In a file of its own, so
 * that tests can replace it.
 */
uint64_t thread_clock_ns(void);
/*
 * The same clock as of the kernel's last tick, up to 10 ms earlier: takes a quarter of the time, as the
 * CPU's counter is not read.
 */
uint64_t thread_coarse_clock_ns(void);

#endif
