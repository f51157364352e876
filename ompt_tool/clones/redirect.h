/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_CLONES_REDIRECT_H
#define MEMSEARCH_CLONES_REDIRECT_H

#include <stdbool.h>

#include "ompt_tool/clones/switching.h"

/* switching_redirect() with the rules for entries and modules as an argument. */
struct dl_phdr_info;
struct runtime_entry;

struct redirect_rules {
	const struct runtime_entry *(*entry)(const char *name); /* NULL: not redirected */
	bool (*leave)(const struct dl_phdr_info *module);       /* its tables are not changed */
};

bool redirect(const struct redirect_rules *rules, switching_translate *translate,
	      struct switching_status *out);

#endif
