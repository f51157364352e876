/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_REPORT_ARRAY_MISSES_H
#define MEMSEARCH_REPORT_ARRAY_MISSES_H

#include <stddef.h>

#include "analysis/record/run.h"

/* A short table for the end of `memsearch run`: the arrays whose accesses wait longest on the modelled machine, `most` of them, and what they miss there. None where what was simulated has less than a tenth of the phase's time. Its first line begins as all that memsearch says. */
struct text;

void array_misses_text(struct text *out, const struct run *run, size_t most);

#endif
