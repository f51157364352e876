/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_PROCESS_MODELLED_H
#define MEMSEARCH_PROCESS_MODELLED_H

/*
 * The machine whose caches are simulated: `name` as --machine has it, "" for none. NULL: there is none, *why_out says why; mistakes of
 * its file are told to the user. Lives in the arena. Not from a callback.
 */
struct arena;
struct model_file;

const struct model_file *modelled_machine(struct arena *arena, const char *name, const char **why_out);

#endif
