/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_CODE_SYMBOLS_H
#define MEMSEARCH_CODE_SYMBOLS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Bounds of a function by the symbol table of its file: for functions without unwind information,
 * which flang emits at -O2 and above if nothing in them can throw. A symbol is used only if no
 * other function begins inside of it, and if the file still contains the code that is in memory.
 *
 * Any thread; not in callbacks (opens and reads the file, both symbol tables). Allocates nothing.
 */
struct dl_phdr_info;
enum symbols_result {
	SYMBOLS_FOUND,
	SYMBOLS_NONE,     /* no reliable symbol */
	SYMBOLS_NOT_READ, /* the file cannot be opened at present */
};
enum symbols_result symbols_function(const struct dl_phdr_info *module, uintptr_t address,
				     uintptr_t *start_out, uintptr_t *end_out);
/*
 * Whether the module's code in [start, end) equals its file's: no debugger or probe has modified
 * it. False also if the file cannot be read.
 */
bool symbols_code_is_files(uintptr_t start, uintptr_t end);
/*
 * The bytes of a section of the module's file, in memory of its own (own_memory_give_back), if it is not
 * compressed and has `most` at most. NULL: there is none, or it cannot be read.
 */
void *symbols_section(const struct dl_phdr_info *module, const char *name, size_t most,
		      size_t *bytes_out);
/*
 * Calls `visit` with the begin of each function of the file whose symbol starts with `prefix`, for
 * some functions more than once.
 */
void symbols_named(const struct dl_phdr_info *module, const char *prefix,
		   void (*visit)(void *ctx, uintptr_t begin), void *ctx);

#endif
