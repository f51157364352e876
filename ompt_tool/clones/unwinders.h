/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_CLONES_UNWINDERS_H
#define MEMSEARCH_CLONES_UNWINDERS_H

#include <stdbool.h>
#include <stddef.h>

/*
 * An unwinder of the process. libgcc's up to 12 looks through registered sections one after the other at every
 * frame, libgcc 13 finds them in a tree, LLVM's has a list of single functions. So for the first, sections next to each other are
 * made one as they come (two of n functions each become one of 2 n), and few remain. The new one is registered before the old ones are taken
 * away, those with lower addresses first: so every function is found at any moment, also by threads that throw meanwhile.
 * It looks at its object after it has unlocked, therefore objects are ours and stay.
 */
struct arena;
struct section;

typedef void unwinder_add(const void *records, void *object);
typedef void *unwinder_remove(const void *records);
typedef void unwinder_add_one(const void *fde);
typedef const void *unwinder_search(void *address, void *bases);

struct unwinder {
	const void *module;              /* where it is loaded */
	unwinder_add *add;
	unwinder_remove *remove;
	unwinder_search *search;
	unwinder_add_one *add_one;       /* LLVM's; NULL: libgcc's */
	bool joins;                      /* sections may be joined */
	struct section *sections;        /* that it knows now */
	size_t nr, room;
	size_t told;
};

/* The one that a module calls, which dlopen returned. False: none, or it lacks a function. */
bool unwinder_find(void *module, struct unwinder *out);
/* Finds out whether sections may be joined, with tables of functions that do not exist. */
void unwinder_try(struct unwinder *unwinder, struct arena *arena);
/* False: no memory. */
bool unwinder_tell(struct unwinder *unwinder, struct arena *arena, const struct section *section);

#endif
