/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_CODE_GOT_H
#define MEMSEARCH_CODE_GOT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * The tables of addresses (GOT) through which loaded files call functions of other files: an entry the dynamic linker
 * filled for a name gets another address, and later its own again. No text is written. Entries in memory that the
 * linker made read-only (RELRO) are made writable for the moment of the change.
 *
 *     call f@plt ─▶ jmp *entry ─▶ f              call f@plt ─▶ jmp *entry ─▶ stand-in ─▶ f
 *
 * Function pointers in the program's data are not touched. One thread at a time; others may call through the entries
 * meanwhile. Not in callbacks: takes the dynamic linker's lock.
 */
struct got_change {
	const char *name;                /* symbol */
	uintptr_t with;                  /* what its entries get */
};

/* Whether the entries of the file at `path` are to be changed; "" is the program itself. */
typedef bool got_chooser(const char *path);

/* What was changed, to be undone: all zero at first, and the caller's to keep. Its memory is mapped, not from the heap. */
struct got_changes {
	struct got_slot { uintptr_t slot, before; } *slots;
	size_t nr, room;
	unsigned int refused;            /* entries that could not be written, or memory did not suffice to note them */
};

/* In every file loaded by now that is chosen; again after dlopen: what is changed already stays. Returns how many entries were changed. */
unsigned int got_change(const struct got_change *changes, size_t nr, got_chooser *choose, struct got_changes *done);
/* As it was before, in the files that are still loaded and where nobody else has changed it since. */
void got_restore(const struct got_change *changes, size_t nr, got_chooser *choose, struct got_changes *done);

#endif
