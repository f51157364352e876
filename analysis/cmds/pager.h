/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_CMDS_PAGER_H
#define MEMSEARCH_CMDS_PAGER_H

#include <stdbool.h>

struct text;

/*
 * Shows text that is longer than the terminal on standard output through PAGER, else `less`, as git
 * does; an empty variable or "cat" means none. `less` gets the options
 * FRX where LESS is not set. False: nothing was shown, the caller writes it: no terminal, it fits,
 * no pager, or the pager cannot be started.
 */
bool pager_show(const struct text *text);

#endif
