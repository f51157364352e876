/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_SESSION_EXECUTIONS_H
#define MEMSEARCH_SESSION_EXECUTIONS_H

#include <stdbool.h>
#include <stdint.h>

#include "ompt_tool/process/thread.h"

/* A phase was found, or another one: its executions are measured from now on. */
void executions_begin(void);
/* An execution, or a group of short ones, ended. */
void executions_end(uint64_t now_ns);
/* The same of executions in which nothing was measured. */
void executions_pass(uint64_t now_ns, uint64_t executions);
/*
 * The phase is none. What is open counts for nothing, as only what the phase's search asked for was
 * measured; the whole program is watched from now on, until another phase is found.
 */
void executions_abandon(void);
/*
 * The execution that ends now is so short that it is measured together with the next one, unless
 * the group already costs more than the limit allows.
 */
bool executions_are_short(const struct thread *self, uint64_t now_ns);

#endif
