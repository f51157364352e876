/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_CLONES_X86_64_SCOPE_H
#define MEMSEARCH_CLONES_X86_64_SCOPE_H

#include "ompt_tool/clones/x86_64/emission.h"

/* Registers for a probe. */

/* one probe: registers it may use until its end */
struct scope {
	uint8_t cursor, scratch; /* CODE_NO_REGISTER: none */
	uint8_t pushed[2];
	unsigned int nr_pushed;
	int32_t shift; /* bytes by which the stack pointer is lowered */
};

struct scope scope_begin(struct emission *e, struct point point, bool needs_scratch,
			 uint16_t avoid);
void scope_end(struct emission *e, const struct scope *scope);

#endif
