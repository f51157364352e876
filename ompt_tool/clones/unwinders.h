/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_CLONES_UNWINDERS_H
#define MEMSEARCH_CLONES_UNWINDERS_H

#include <stdbool.h>
#include <stddef.h>

/*
 * An unwinder of the process. libgcc up to 12 searches registered sections linearly at every frame,
 * libgcc 13 has a tree, LLVM's has a list of single functions. So for the first, adjacent sections
 * are joined (two of n functions become one of 2 n), and few remain. The joined one is registered
 * before the old ones are deregistered, those with lower addresses first: so every function is
 * found at any time, also by threads that throw concurrently. The unwinder reads its object after
 * unlocking; therefore objects are ours and permanent.
 */
struct arena;
struct section;

typedef void unwinder_add(const void *records, void *object);
typedef void *unwinder_remove(const void *records);
typedef void unwinder_add_one(const void *fde);
typedef const void *unwinder_search(void *address, void *bases);

struct unwinder {
	const void *module; /* load address */
	unwinder_add *add;
	unwinder_remove *remove;
	unwinder_search *search;
	unwinder_add_one *add_one; /* LLVM's; NULL: libgcc's */
	bool joins;                /* sections may be joined */
	struct section *sections;  /* registered now */
	size_t nr, room;
	size_t registered; /* of the sections: passed to it */
};

/* The unwinder that the module (a handle of dlopen) calls. False: none, or it lacks a function. */
bool unwinder_find(void *module, struct unwinder *out);
/* Tests whether sections may be joined, with tables of functions that do not exist. */
void unwinder_try(struct unwinder *unwinder, struct arena *arena);
/* Registers the section. False: no memory. */
bool unwinder_register(struct unwinder *unwinder, struct arena *arena,
		       const struct section *section);

#endif
