/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_TESTS_DIFFERENTIAL_PLACES_H
#define MEMSEARCH_TESTS_DIFFERENTIAL_PLACES_H

/*
 * What the instructions of a function accessed, summed up byte by byte: the same however an access
 * is cut into pieces, and in whichever order they come. Addresses count where they mean the same in
 * two processes: in the prepared memory and stack, and in modules that both have; of others
 * (thread-local data, the heap) only how many bytes they are.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct bytes {
	uint64_t accesses, nr, addresses, squares, elsewhere;
};
struct place {
	uintptr_t at;
	struct bytes read, written;
}; /* of an instruction; 0: none */

enum { PLACES = 1 << 14 };
struct places {
	size_t nr;
	bool full;
	struct place rows[PLACES];
};

struct module {
	char name[240];
	uintptr_t start, end;
}; /* as it lies in memory */
enum { MODULES = 64 };
struct modules {
	size_t nr;
	struct module rows[MODULES];
};

/* Those of this process. */
void modules_look(struct modules *out);

void places_clear(struct places *places);
/* Of the instruction at `at`; `known`: its address counts. */
void places_add(struct places *places, uintptr_t at, uintptr_t address, uint64_t bytes, bool write,
		bool known);
/* What it has accessed; nothing: zeros. */
struct place places_of(const struct places *places, uintptr_t at);

#endif
