/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_CMDS_ENVIRONMENT_H
#define MEMSEARCH_CMDS_ENVIRONMENT_H

#include <stddef.h>

/* An environment for a program to be started; our own stays as it is. Strings live in the arena. */
struct arena;

struct environment {
	struct arena *arena;
	char **variables; /* "NAME=value", ended by NULL */
	size_t nr, room;
};

/* a copy */
void environment_init(struct environment *environment, struct arena *arena, char *const *variables);
/* NULL: not set */
const char *environment_get(const struct environment *environment, const char *name);
void environment_set(struct environment *environment, const char *name, const char *value);
/* Puts `value` before what the variable holds, separated by a colon. */
void environment_prepend(struct environment *environment, const char *name, const char *value);
/*
 * The kernel lays these strings, pointers to them, and the path of the program that is executed
 * (execve) on the program's stack, so that longer ones move its frames. Adds one
 * or two variables, `name` and something, after which all take whole pages.
 */
void environment_fill_pages(struct environment *environment, char *const *argv, const char *path,
			    const char *name);

#endif
