/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_CLONES_HAND_OVER_H
#define MEMSEARCH_CLONES_HAND_OVER_H

#include <stdbool.h>

#include "ompt_tool/clones/switching.h"

/* switching_hand_over() by other rules than the runtime's entries and the program's modules. */
struct dl_phdr_info;
struct runtime_entry;

struct hand_over_rules {
	const struct runtime_entry *(*entry)(const char *name);  /* NULL: calls of this stay as they are */
	bool (*leave)(const struct dl_phdr_info *module);        /* its tables stay as they are */
};

bool hand_over(const struct hand_over_rules *rules, switching_translate *translate, struct switching_status *out);

#endif
