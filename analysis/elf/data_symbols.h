/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_ELF_DATA_SYMBOLS_H
#define MEMSEARCH_ELF_DATA_SYMBOLS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * The data objects of a file's symbol tables: where they lie and how large they are, and their
 * names as the programmer wrote them. Also where data can lie at all, to recognise what linkers
 * dropped.
 */
struct arena;
struct binary;

struct data_symbol {
	uint64_t address, bytes; /* thread-private: an offset in the TLS image */
	const char *name;        /* as the linker has it */
	bool thread_private;
};

struct data_section {
	uint64_t low, high;
	bool thread_private;
};

struct data_symbols {
	/* by address, thread-private ones behind; one for each address, the largest */
	struct data_symbol *items;
	size_t nr;
	const struct data_symbol **by_name; /* all names, also of one address */
	size_t nr_names;
	struct data_section *sections;
	size_t nr_sections;
	uint64_t tls_start; /* address of the TLS image in the file */
	bool complete;      /* there is a .symtab */
};

/* Strings live as long as `binary`. */
struct data_symbols data_symbols_read(struct arena *arena, struct binary *binary);

/* The one that begins there; NULL: none. */
const struct data_symbol *data_symbols_at(const struct data_symbols *symbols, uint64_t address,
					  bool thread_private);
const struct data_symbol *data_symbols_named(const struct data_symbols *symbols, const char *name);
/* Does the file have room for data there? */
bool data_symbols_has_place(const struct data_symbols *symbols, uint64_t address, uint64_t bytes,
			    bool thread_private);

/*
 * The source's name, as declared.h has them; NULL: made by a compiler or the linker, not in the
 * source. *common_out: a COMMON block as a whole; *module_out: in a Fortran module. `fortran`:
 * trailing underscores are the compiler's.
 */
const char *data_symbol_name(struct arena *arena, const char *symbol, bool fortran,
			     bool *common_out, bool *module_out);

#endif
