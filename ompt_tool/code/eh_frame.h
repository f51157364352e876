/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_CODE_EH_FRAME_H
#define MEMSEARCH_CODE_EH_FRAME_H

#include "ompt_tool/code/bytes.h"

/*
 * Reads records of .eh_frame in memory (LSB Core 5.0, 10.5 and 10.6), such that no content can lead
 * a reader out of its module. Yields the function of a record, not its unwind rules.
 *
 * Any thread; allocates nothing.
 */
struct dl_phdr_info;

/* Within one readable segment. */
struct eh_cursor {
	const struct dl_phdr_info *module;
	struct bytes bytes;
};

/*
 * From `address` to the end of its segment; `bad` is set if the module has no readable memory
 * there.
 */
struct eh_cursor eh_cursor_at(const struct dl_phdr_info *module, uintptr_t address);
/* A segment with all these permissions (PF_…). */
bool eh_segment_around(const struct dl_phdr_info *module, uintptr_t address, uint32_t permissions,
		       uintptr_t *start_out, uintptr_t *end_out);
bool eh_is_loaded(const struct dl_phdr_info *module, uintptr_t address, size_t bytes,
		  uint32_t permissions);

/*
 * A pointer in any encoding, including those that bytes_pointer does not support: indirect ones are
 * followed; `data_base` is the base of data-relative ones, 0: these are bad. 0 means no pointer,
 * whatever its base.
 */
uint64_t eh_read_pointer(struct eh_cursor *cursor, uint8_t encoding, uintptr_t data_base);

struct eh_record {
	const unsigned char *start; /* its length field */
	struct eh_cursor body;      /* after the CIE pointer */
	uint32_t cie_pointer;       /* 0: it is a CIE */
	bool last;                  /* the terminator: nothing else is set */
};

/* The record at the cursor, which advances past it. False: not a record. */
bool eh_read_record(struct eh_cursor *cursor, struct eh_record *out);

struct eh_function {
	uintptr_t start, end, personality, lsda;
	const unsigned char *fde, *cie;
	bool signal_frame;
};

/*
 * The function of an FDE. False: the record contradicts itself or is in a form that no compiler is
 * known to write.
 */
bool eh_read_function(const struct eh_record *fde, struct eh_function *out);

#endif
