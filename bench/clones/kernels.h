/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_BENCH_CLONES_KERNELS_H
#define MEMSEARCH_BENCH_CLONES_KERNELS_H

struct kernel { const char *name; void (*run)(void); };
extern const struct kernel kernels[];    /* the last one has no name */
struct kernel_data { const void *start; unsigned long bytes; };
extern const struct kernel_data kernel_data[];   /* what they work on; the last one has no start */
void prepare(void);

#endif
