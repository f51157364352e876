/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_CODE_EH_FRAME_H
#define MEMSEARCH_CODE_EH_FRAME_H

#include "ompt_tool/code/bytes.h"

/*
 * Records of .eh_frame as they lie in memory (LSB Core 5.0, 10.5 and 10.6), read so that no content
 * can lead a reader out of its module. Yields the function of a record, not how it is unwound.
 *
 * Any thread, no memory is taken.
 */
struct dl_phdr_info;

/* Within one readable segment. */
struct eh_cursor {
	const struct dl_phdr_info *module;
	struct bytes bytes;
};

/*
 * From `address` to the end of its segment; bad from the begin if the module has nothing to read
 * there.
 */
struct eh_cursor eh_cursor_at(const struct dl_phdr_info *module, uintptr_t address);
/* A segment with all these permissions (PF_…). */
bool eh_segment_around(const struct dl_phdr_info *module, uintptr_t address, uint32_t permissions,
		       uintptr_t *start_out, uintptr_t *end_out);
bool eh_is_loaded(const struct dl_phdr_info *module, uintptr_t address, size_t bytes,
		  uint32_t permissions);

/*
 * A pointer in any encoding, also those that bytes_pointer leaves alone: indirect ones are
 * followed; `data_base` is what those relative to data start from, 0: such are bad. 0 stands for no
 * pointer, whatever it is relative to.
 */
uint64_t eh_read_pointer(struct eh_cursor *cursor, uint8_t encoding, uintptr_t data_base);

struct eh_record {
	const unsigned char *start; /* its length field */
	struct eh_cursor body;      /* behind the CIE pointer */
	uint32_t cie_pointer;       /* 0: it is a CIE */
	bool last;                  /* the terminator: nothing else is set */
};

/* The record at the cursor, which moves behind it. False: not a record. */
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
