/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_CMDS_PROGRAM_OUTPUT_H
#define MEMSEARCH_CMDS_PROGRAM_OUTPUT_H

struct arena;

/*
 * Runs argv[0] (a path) and returns what it wrote to stdout and stderr; NULL: it could not be
 * started. No shell.
 */
char *capture(struct arena *arena, char *const *argv, char *const *environment);

#endif
