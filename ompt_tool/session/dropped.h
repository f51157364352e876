/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_SESSION_DROPPED_H
#define MEMSEARCH_SESSION_DROPPED_H

#include <stdint.h>

/* What was not measured, into the run of `online`. */

void dropped_add(const char *what, const char *why, uint64_t count);
/* All that is known at the end. `cut_short`: as of online_finish. */
void dropped_note(uint64_t now_ns, const char *cut_short);

#endif
