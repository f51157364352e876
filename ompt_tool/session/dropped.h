/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_SESSION_DROPPED_H
#define MEMSEARCH_SESSION_DROPPED_H

#include <stdint.h>

/* Notes in the run of `online` what was not measured. */

void dropped_add(const char *what, const char *why, uint64_t count);
/* Notes everything known at the end. `cut_short`: as for online_finish. */
void dropped_note(uint64_t now_ns, const char *cut_short);

#endif
