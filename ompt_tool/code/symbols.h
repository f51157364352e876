/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_CODE_SYMBOLS_H
#define MEMSEARCH_CODE_SYMBOLS_H

#include <stdbool.h>
#include <stdint.h>

/*
 * Where a function begins and ends by the symbol table of its file: for functions without unwind
 * information, as flang makes them at -O2 and above where nothing in them can throw. A symbol is
 * believed only where no other function's begins inside of it, and where the file still holds the
 * very code that is in memory.
 *
 * Any thread; not in callbacks (opens and reads the file, both tables of symbols). No memory is
 * taken.
 */
struct dl_phdr_info;
enum symbols_result {
	SYMBOLS_FOUND,
	SYMBOLS_NONE,     /* to believe */
	SYMBOLS_NOT_READ, /* the file cannot be opened (now) */
};
enum symbols_result symbols_function(const struct dl_phdr_info *module, uintptr_t address,
				     uintptr_t *start_out, uintptr_t *end_out);
/*
 * Whether the module's code in [start, end) is what its file has there: no debugger or probe has
 * written into it. False also if it cannot be read.
 */
bool symbols_code_is_files(uintptr_t start, uintptr_t end);
/*
 * Calls `visit` for where each of the file's functions begins whose symbol starts with `prefix`,
 * for some more than once.
 */
void symbols_named(const struct dl_phdr_info *module, const char *prefix,
		   void (*visit)(void *ctx, uintptr_t begin), void *ctx);

#endif
