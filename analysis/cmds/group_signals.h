/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_CMDS_GROUP_SIGNALS_H
#define MEMSEARCH_CMDS_GROUP_SIGNALS_H

#include <signal.h>
#include <stdbool.h>
#include <sys/types.h>

/*
 * Whether a signal was sent to the whole process group: a further process of the group blocks all
 * signals, and reports on request those that are pending.
 */
struct group_signals {
	pid_t process; /* 0: there is none */
	int socket;
};

/* `held`: signals that the caller has blocked. Without memory or processes there is none. */
void group_signals_begin(struct group_signals *group, const sigset_t *held);
/* Whether the group got this signal, too, from the same process. Takes some 2 ms. */
bool group_signals_got(const struct group_signals *group, const siginfo_t *info);
void group_signals_end(struct group_signals *group);

#endif
