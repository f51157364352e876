/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_CMDS_LAUNCH_H
#define MEMSEARCH_CMDS_LAUNCH_H

#include <stdbool.h>

/*
 * Starts a program and waits for it. Signals sent to us are passed on to it; those that a terminal
 * sends reach it anyhow. When it stops, we stop; when we continue, it does. Our
 * stdin and stdout are its own.
 */
#define LAUNCH_CANNOT_START 126
#define LAUNCH_NOT_FOUND 127
#define LAUNCH_SIGNAL_BASE 128 /* killed by signal n: 128 + n */

struct launch {
	char *const *argv; /* argv[0] is looked for in PATH */
	char *const *environment;
	bool hidden; /* stdin, stdout and stderr are /dev/null */
	/* in every run, where the system allows it (personality(2), ADDR_NO_RANDOMIZE) */
	bool same_addresses;
};

struct launch_end {
	int start_error; /* errno why it could not be started; 0: it was */
	int exit_code;   /* what a shell would report */
	int signal;      /* that killed it; 0: none */
	int process;     /* its number while it ran; 0: it was not started */
};

struct launch_end launch(const struct launch *what);

#endif
