/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_CLONES_CREATED_TASKS_H
#define MEMSEARCH_CLONES_CREATED_TASKS_H

#include <stdint.h>

/*
 * Functions of explicit tasks that code creates: arguments of its calls of the OpenMP runtime, by
 * runtime_entries.h. So the tasks of a region are known before it is executed.
 */
struct arena;
struct code;

/*
 * Returns their number, *out: each once, in the arena. Without those that the code does not show:
 * addresses that it reads from memory. One thread at a time, not in callbacks.
 */
uint32_t created_tasks(struct arena *arena, const struct code *code, const uintptr_t **out);

#endif
