/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_CLONES_TICKS_H
#define MEMSEARCH_CLONES_TICKS_H

#include <stdint.h>

/* The CPU's counter that clones with CLONE_TIMES read; the architecture's. Any thread. */
uint64_t clone_ticks(void);
/* Why it is no clock here, or must not be read; NULL: it is one. */
const char *clone_ticks_unsupported(void);

#endif
