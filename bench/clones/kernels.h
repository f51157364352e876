/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_BENCH_CLONES_KERNELS_H
#define MEMSEARCH_BENCH_CLONES_KERNELS_H

struct kernel { const char *name; void (*run)(void); };
extern const struct kernel kernels[];    /* the last one has no name */
void prepare(void);

#endif
