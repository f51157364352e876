/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_SIR_READER_H
#define MEMSEARCH_SIR_READER_H

#include "analysis/debuginfo/modules.h"
#include "analysis/elf/binary.h"
#include "analysis/sir/file_memory.h"
#include "analysis/sir/functions.h"
#include "analysis/sir/sir.h"

/* Internal to this folder: a file while its representation is made. */
struct code;
struct code_instruction;
struct graph;
struct runtime_call;

struct reader {
	struct sir *sir;
	struct arena *arena;
	struct binary binary;
	struct file_memory memory;
	struct functions functions;
	struct sources *sources;
	struct module module;
	bool decodable;
	bool fixed;    /* the file is loaded where its addresses say (ET_EXEC) */
	bool *is_body; /* by function: a construct's outlined function … */
	bool *is_done; /* … whose contents are in a region */
	/* by function: the region that has its contents; SIR_NONE: none */
	uint32_t *regions;
};

/* What a call or tail call leads to. */
struct callee {
	const char *name; /* symbol; "" unknown */
	size_t function;  /* of this file; SIZE_MAX: another, or unknown */
};

/* The decoded function; NULL: no memory. */
struct code *reader_decode(struct reader *reader, struct arena *scratch, size_t function);
struct callee reader_callee(struct reader *reader, const struct code *code,
			    const struct code_instruction *call);
/* The function of this file in the register at a call; SIZE_MAX: unknown. */
size_t reader_argument(struct reader *reader, const struct code *code, uint32_t call, uint8_t reg);
/* SIR_NONE: no memory. */
uint32_t reader_add(struct reader *reader, enum ms_region_kind kind, uint32_t parent,
		    uint64_t address);
struct code_address reader_at(uint64_t address);

/* Adds what the code of the function has to the region that it is. */
void code_regions_add(struct reader *reader, size_t function, uint32_t region);
/* Notes the arrays that the blocks of a function use in their regions (by block). */
void uses_add(struct reader *reader, struct arena *scratch, const struct graph *graph,
	      const uint32_t *regions);

#endif
