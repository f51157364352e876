/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_TESTS_DIFFERENTIAL_FOLLOWED_H
#define MEMSEARCH_TESTS_DIFFERENTIAL_FOLLOWED_H

#include "ompt_tool/clones/clone.h"

/*
 * A function's clone and those of all it calls, in its own module and in libraries that others use,
 * but not in what the runs themselves need: libc and this program. NULL: refused.
 */
const struct clone *followed_clone(uintptr_t function, uint32_t probes);
const char *followed_why_refused(uintptr_t function);

#endif
