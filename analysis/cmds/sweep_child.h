/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_CMDS_SWEEP_CHILD_H
#define MEMSEARCH_CMDS_SWEEP_CHILD_H

#include <stdbool.h>
#include <stddef.h>

/*
 * Runs a program of a sweep, with all that it starts in a process group of its own and without
 * standard input, waits for its end, and keeps the last of its output. One at a time; the caller
 * has one thread then.
 */
#define SWEEP_OUTPUT_KEPT 2048 /* bytes */

struct sweep_child {
	char *const *argv; /* argv[0] is looked for in PATH */
	char *const *environment;
	bool show_output; /* all of it goes to our stderr, and nothing is kept */
	/* open file for its standard output, of which nothing is shown or kept then; -1: none */
	int output;
};

struct sweep_child_end {
	/* what a shell would report; 126 or 127: it could not be started */
	int exit_code;
	/* the signal that ended the sweep meanwhile: the group has been killed; 0: none */
	int interrupted;
	double wall_ns;
	char output[SWEEP_OUTPUT_KEPT + 1]; /* its last bytes, of stdout and stderr together */
	size_t output_bytes;
};

void sweep_child_run(const struct sweep_child *child, struct sweep_child_end *end_out);

/*
 * SIGINT, SIGTERM and SIGHUP that come from now on, unless they are ignored: while a child runs
 * they end it; at any other time the process ends at once: the `files`, up to NULL, and the
 * `folder` that they are in are removed, `words` go to stderr, and the exit status is 128 + the
 * signal. The strings must live as long. SIGXFSZ is ignored, but not by programs.
 */
void sweep_child_catch(const char *folder, const char *const *files, const char *words);
/* Does that now. */
_Noreturn void sweep_child_stop(int number);

#endif
