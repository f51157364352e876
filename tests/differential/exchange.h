/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_TESTS_DIFFERENTIAL_EXCHANGE_H
#define MEMSEARCH_TESTS_DIFFERENTIAL_EXCHANGE_H

#include "tests/differential/enter.h"
#include "tests/differential/places.h"
#include "tests/differential/prepare.h"

/*
 * What lackey.c and the program under valgrind, called.c, have in a common file: a function to be
 * called with what it finds, and what it left. A byte through `go` asks for a child, the next one
 * lets it call the function: not before its parent waits for it, whose instructions would be listed
 * between the child's. A byte through `done` says that the call is over; the first says that all
 * libraries are open.
 */
enum { EXCHANGE_FILE = 3, EXCHANGE_GO, EXCHANGE_DONE, EXCHANGE_TRACE }; /* descriptors */

struct exchange {
	uint32_t module; /* number in `modules` */
	uint32_t returned;
	uint64_t offset; /* of the function, from the module's start */
	uint64_t registers[16], left[16];
	unsigned char vectors[ENTER_VECTORS], above[PREPARE_ABOVE], memory[PREPARE_BYTES];
	uint64_t waits_at;      /* the last instruction of the parent before it waits */
	struct modules modules; /* of the program under valgrind */
};

#endif
