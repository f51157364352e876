/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_CMDS_WATCH_SCREEN_H
#define MEMSEARCH_CMDS_WATCH_SCREEN_H

#include <stdbool.h>

/* The state of a search on a terminal, by ncurses. */
struct watch_record;

/* Reason why there can be none in this build; NULL: there can. */
const char *watch_screen_unsupported(void);
/* Until the user presses q. False: the terminal cannot be used. */
bool watch_screen_run(struct watch_record *record);

#endif
