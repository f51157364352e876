/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_TESTS_DIFFERENTIAL_PREPARE_H
#define MEMSEARCH_TESTS_DIFFERENTIAL_PREPARE_H

#include <stdbool.h>
#include <stdint.h>

#include "tests/differential/prototypes.h"

/*
 * What a function finds: memory, stack and registers that depend on a seed only. Whatever the
 * function takes for its arguments, many are of use: pointers lead into the memory, words of it are
 * at once doubles near 1 and, in their lower half, small numbers or letters that LAPACK knows;
 * other seeds fill it with pointers or text. Both lie at fixed addresses with nothing around them.
 */
/* the lower half of a pointer is a small number, too */
#define PREPARE_MEMORY ((unsigned char *)0x100000000ul)
#define PREPARE_STACK ((unsigned char *)0x200000000ul)
enum {
	PREPARE_BYTES = 256 << 10,
	/* more than made up sizes of arrays take, so that it ends for original and clone alike */
	PREPARE_STACK_BYTES = 4 << 20,
	PREPARE_ABOVE = 4096, /* of the stack, where arguments are */
};

/* False: the addresses are not free. */
bool prepare_map(void);
/* `prototype`: arguments as it says; NULL: any. `type`: as prototype_of has told. */
void prepare_all(uint64_t seed, const struct prototype *prototype, char type);

#endif
