/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_ELF_BINARY_H
#define MEMSEARCH_ELF_BINARY_H

#include <elfutils/libdw.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "memsearch/status.h"

/*
 * One ELF file: its function symbols, its machine code, and its DWARF, taken
 * from the file itself or from a separate debug file on this machine (build-id
 * folder or .gnu_debuglink; never from the network). Not here: what DWARF says
 * (compilation_units.h, lines.h). All addresses are addresses in the file.
 */
struct arena;

struct symbol {
	uint64_t low, high;
	const char *name;
};

/* an open file; with debug information: all of it in memory */
struct image {
	Elf *elf;
	int fd;
	void *bytes;
	size_t size;
};

struct binary {
	struct arena *arena; /* indexes live here */
	const char *path;
	struct image file, debug; /* debug: the separate file, if there is one */
	Dwarf *dwarf;             /* NULL: none */
	struct symbol *symbols;   /* functions, by address */
	size_t nr_symbols;
	/* needs a Fortran run-time library: trailing underscores are the compiler's */
	bool fortran;
	bool gcc_outlined;            /* has functions named X._omp_fn.N */
	uint64_t code_low, code_high; /* of all sections with code */
	unsigned int machine;         /* EM_X86_64 … */
	int64_t modified;             /* seconds, of the file */
	struct units *units;          /* made by compilation_units.c at the first question */
	struct import *imports;       /* made by imports.c at the first question, by slot */
	size_t nr_imports;
	bool imports_read;
};

/*
 * MS_ERR_VERSION: the file's build-id differs from `build_id` (hex; "" matches all). Until it is
 * closed, this thread's reading is apart from the program's heap (own_heap.h).
 */
enum ms_status binary_open(struct binary *binary, struct arena *arena, const char *path,
			   const char *build_id);
/*
 * The same with all of the file in memory, whatever it holds: its code and data are read without
 * debug information, too.
 */
enum ms_status binary_open_whole(struct binary *binary, struct arena *arena, const char *path);
void binary_close(struct binary *binary);
/* Of the files that are in memory while it is open; indexes take about as much. */
size_t binary_bytes(const struct binary *binary);

/* In hex; "" where the file has none. NULL: no memory. */
const char *binary_build_id(struct arena *arena, const struct binary *binary);

/*
 * A library of the system: where its symbols lie is enough. Separate debug information of libc
 * alone is 5 MB to read, for lines that no user can change.
 */
bool binary_is_system_library(const char *path);

/* The function around an address; NULL: none known. */
const struct symbol *binary_symbol(const struct binary *binary, uint64_t address);

/*
 * Machine code at [address, address + *bytes), the length cut at the end of its
 * section; NULL: no code there. Lives as long as the binary.
 */
const unsigned char *binary_code(const struct binary *binary, uint64_t address, size_t *bytes);

#endif
