/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_DEBUGINFO_SOURCE_H
#define MEMSEARCH_DEBUGINFO_SOURCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analysis/debuginfo/assignment.h"
#include "analysis/debuginfo/modules.h"
#include "memsearch/region.h"
#include "memsearch/status.h"

/*
 * Code address → function, file and line, from ELF and DWARF (libdw). Never
 * called from a callback: it opens files and uses the heap. It is used at the
 * end of a run inside the program, and later by the `memsearch` program on
 * recorded addresses, so it does not depend on OMPT or on running threads.
 */
struct arena;

struct source {
	const char *function; /* demangled where C++; "" unknown */
	const char *file;     /* as the compiler wrote it, without its directory; "" unknown */
	int line;             /* 0 unknown */
	bool approximate;     /* the line is near the construct, not its own (flang, no -g …) */
	const char *module;   /* file name of the module */
	uint64_t offset;      /* address in the file that was looked up */
};

struct sources; /* open ELF and DWARF files, cached */

struct sources *sources_new(struct arena *arena); /* strings of the answers live in `arena` */
void sources_free(struct sources *sources);
size_t sources_bytes(const struct sources *sources); /* of binary_bytes; NULL: 0 */

/*
 * Source of a region: `construct` is the codeptr_ra of its begin event (a return address), `inside`
 * a return address known to lie inside the outlined body of the construct, module UINT32_MAX if
 * none is known. Where the call is a function's last and so a jump, `construct` lies in a caller,
 * and the function called from there is looked through. gcc gives no line to the call that starts a
 * region; there the entry line of the outlined function `X._omp_fn.N` around `inside`, or the one
 * the call site loads, is the pragma's line; for gcc's loops, single and sections the directive is
 * looked up in the source file, if it is there and not newer than the binary. Always fills *out;
 * MS_ERR_NOT_FOUND: function and line unknown, out holds module and offset. MS_ERR_VERSION: the
 * file's build-id is another by now.
 */
enum ms_status sources_region(struct sources *sources, const struct module *modules,
			      size_t nr_modules, enum ms_region_kind kind,
			      struct code_address construct, struct code_address inside,
			      struct source *out);

/*
 * Source of a construct whose begin event had no address of its own, since the call was the last
 * thing in the body of the parallel region around it (then a jump), or because gcc begins the
 * loop with the region: `construct` and `inside` are those of that parallel region.
 */
enum ms_status sources_region_within(struct sources *sources, const struct module *modules,
				     size_t nr_modules, enum ms_region_kind kind,
				     struct code_address construct, struct code_address inside,
				     struct source *out);

/*
 * Source of one instruction; `return_address`: look at the byte before it.
 * Writes the innermost inlined frame first, then its callers as far as they were
 * inlined, at most `room`; returns how many.
 */
size_t sources_instruction(struct sources *sources, const struct module *modules, size_t nr_modules,
			   struct code_address address, bool return_address, struct source *out,
			   size_t room);

/*
 * Source of an instruction as the program has it: where a template or function of a library's
 * header was inlined, the line that uses it. What is not known is "" or 0.
 */
void sources_statement(struct sources *sources, const struct module *modules, size_t nr_modules,
		       struct code_address address, bool return_address, struct source *out);

/* In the line that the instruction itself has, inlined or not; 0 unknown. */
int sources_column(struct sources *sources, const struct module *modules, size_t nr_modules,
		   struct code_address address);

/*
 * The text of the source file that the line of sources_statement is in; NULL: it is not known, not
 * there, or newer than the binary. Valid until sources_free.
 */
const char *sources_text(struct sources *sources, const struct module *modules, size_t nr_modules,
			 struct code_address address);

/*
 * The folder of `file`, a source file without folder that the instruction is of, or the function
 * that it is inlined into, by the folder in which the compiler ran: from the root on, without
 * -ffile-prefix-map. NULL: it is not known. In the arena of answers.
 */
const char *sources_folder(struct sources *sources, const struct module *modules, size_t nr_modules,
			   struct code_address address, bool return_address, const char *file);

/*
 * Code of a natural loop that is in no inner one, as addresses in the file; `last`: an instruction
 * at which it goes back or is left, 0: none.
 */
struct loop_code {
	uint64_t low, high, last;
};

struct loop_source {
	/*
	 * `approximate`: where it is controlled has no line of its own, and this is one of its
	 * body's
	 */
	struct source at;
	/* all that its code has in that function, ascending, each once; in the caller's `arena` */
	const int *lines;
	size_t nr_lines;
};

/*
 * Source of a natural loop: the line of its `for`, `do` or `while`, which is that of the
 * instructions that go back to its begin or leave it, in the function that the loop was written in,
 * wherever that was inlined; for one of C++'s own templates, the program's line that uses it.
 * MS_ERR_NOT_FOUND: the line is not known.
 */
enum ms_status sources_loop(struct sources *sources, const struct module *modules,
			    size_t nr_modules, struct code_address header,
			    const struct loop_code *code, size_t nr, struct arena *arena,
			    struct loop_source *out);

/*
 * Who asked for memory: the frames of sources_instruction at the return address of an allocation,
 * innermost first. `library`: the code is of a library's header, and what it allocates its
 * caller's. `variable`: what the source says gets the memory (assignment.h), if it is there and not
 * newer than the binary; "" not known; `variables`: where a statement allocates for several, in its
 * order, the first nr_variables. `returned`: the frame hands it on to its caller, or is likely to:
 * a local variable has it, in a function that returns an address. `member`: the variable is a member
 * of the object whose method the frame is. `to_object`, `result`: see assignment.h. `callee`: the
 * function that was called there, if the address is behind a call of another than an allocator;
 * else "".
 */
struct allocation {
	struct source source;
	const char *variable, *variables[ASSIGNMENT_MOST];
	size_t nr_variables;
	bool library, returned, member, to_object, result;
	bool by_parameter;      /* the memory goes to what a parameter points to */
	const char *address_of; /* see assignment.h */
};
size_t sources_allocation(struct sources *sources, const struct module *modules, size_t nr_modules,
			  struct code_address address, const char *callee, struct allocation *out,
			  size_t room);

/*
 * Whether a program file, or the separate debug file that belongs to it, holds lines: MS_OK, or
 * MS_ERR_NOT_FOUND. Another status: it cannot be opened or is no ELF file.
 */
enum ms_status sources_has_lines(const char *path);

#endif
