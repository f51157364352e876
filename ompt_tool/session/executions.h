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
/*
 * The phase is none: what is open belongs to the whole program, which is watched until another phase
 * is found.
 */
void executions_abandon(uint64_t now_ns);
/*
 * The execution that ends now is so short that it is measured together with the next one, unless
 * the group already costs more than the limit allows.
 */
bool executions_are_short(const struct thread *self, uint64_t now_ns);

#endif
