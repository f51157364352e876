/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_CMDS_SEARCH_STEP_H
#define MEMSEARCH_CMDS_SEARCH_STEP_H

/* The dialogue of `memsearch search --step`: a person chooses what is tested (by_hand.h). */
struct arena;
struct searched;
struct searched_how;

/*
 * Lists candidates on stdout, reads choices from stdin, and tests them, until the input ends, the
 * person ends it or nothing is left; then prints the path. searched->strategy proposes; afterwards
 * `searched` is finished. An exit code, after a message if it is not COMMAND_OK.
 */
int search_step(struct arena *arena, struct searched *searched, const struct searched_how *how,
		int width);

#endif
