/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_TESTS_UNIT_CLONES_KERNELS_H
#define MEMSEARCH_TESTS_UNIT_CLONES_KERNELS_H

#include <stdint.h>

typedef uint64_t kernel_run(unsigned char *memory, uint64_t seed);
struct kernel { const char *name; kernel_run *run; };
extern const struct kernel kernels[];    /* the last one has no name */

#endif
