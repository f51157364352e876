/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_PROPERTIES_UNIT_H
#define MEMSEARCH_PROPERTIES_UNIT_H

#include <stdbool.h>

/* Units of the property language, as powers of the base units. Private to analysis/properties. */
struct arena;

/* Powers of the base units: ns and bytes. Ratios and counts have neither. */
struct unit {
	signed char time, bytes;
};

bool unit_equal(struct unit a, struct unit b);
struct unit unit_product(struct unit a, struct unit b, int sign); /* sign -1: quotient */
/* "us" → its powers and its size in base units; false for an unknown name. */
bool unit_find(const char *name, struct unit *unit_out, double *scale_out);
const char *unit_nearest(const char *name); /* or NULL */
/* "ns", "1", "bytes", "1/ns", "ns^2 bytes" …; constant or in the arena. */
const char *unit_text(struct arena *arena, struct unit unit);

#endif
