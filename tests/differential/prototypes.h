/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_TESTS_DIFFERENTIAL_PROTOTYPES_H
#define MEMSEARCH_TESTS_DIFFERENTIAL_PROTOTYPES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * What functions take, so that they do real work instead of ending at the first argument: those of
 * generate.c and solve.c, and Fortran's of BLAS and LAPACK, whose arguments are all addresses.
 */
struct prototype {
	/* letters with which the name begins, one for each type: s d c z; "": none */
	const char *types;
	const char *name;      /* the rest of it, without the underscore at its end */
	const char *arguments; /* a letter each: see prototypes.c */
};

/* (memory, seed), as generate.c's. */
extern const struct prototype prototype_generated;
/* Other functions of Fortran: addresses of anything. */
extern const struct prototype prototype_addresses;

/* Of a library's symbol; NULL: nothing is known. *type_out: s, d, c or z. */
const struct prototype *prototype_of(const char *symbol, char *type_out);

/* Where the arguments of BLAS and LAPACK lie, one behind the other. */
enum { PROTOTYPE_ROOM = 8192, PROTOTYPE_MOST = 28 };

/* Fills the memory of the argument at `number`, zeros so far. `seed`: chooses sizes and letters. */
void prototype_fill(const struct prototype *prototype, size_t number, char type, uint64_t seed,
		    unsigned char *out);
/* its length is passed, too, behind all arguments */
bool prototype_is_letter(char argument);

#endif
