/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_TESTS_DIFFERENTIAL_LACKEY_H
#define MEMSEARCH_TESTS_DIFFERENTIAL_LACKEY_H

#include "tests/differential/functions.h"
#include "tests/differential/places.h"

/*
 * Functions called as compiled under valgrind, whose tool lackey lists every instruction with what
 * it reads and writes. One process under valgrind for all calls. Counted are the instructions of
 * functions that have clones in this process.
 */
struct lackey {
	bool returned;
	/* memory or rax are not as in `registers` and `memory`: it has computed something else */
	bool other_result;
	bool x87; /* did, and valgrind computes with 64 bits instead of 80 */
	/*
	 * what has no clone led to what has one, by a call, a retpoline or a linkage table: no
	 * clone of it was run
	 */
	bool called_back;
	bool system_call;      /* made one, which natively fails */
	struct places *places; /* with addresses of this process */
};

/* Libraries that this process has opened, too. NULL: it has begun; else why it cannot. */
const char *lackey_begin(char **libraries);
/*
 * With registers, vectors, memory and stack as they are prepared now (prepare.h). `rax`, `memory`:
 * what the original has left natively. False: valgrind has come to an end.
 */
bool lackey_call(const struct function *function, uint64_t rax, const unsigned char *memory,
		 struct lackey *out);
/* Whether an address is the same, or has the same meaning, under valgrind. */
bool lackey_has(uintptr_t address);

#endif
