/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_CODE_BYTES_H
#define MEMSEARCH_CODE_BYTES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * The byte formats of unwind tables, read and written: LEB128 (DWARF 5, 7.6) and encoded
 * pointers (LSB Core 5.0, 10.5.1). Reading past the end gives 0 and sets `bad`, for good;
 * memory outside of [at, end) is never touched. Allocates nothing.
 */
struct bytes {
	const unsigned char *at, *end;
	bool bad;
};

/* pointer encoding: format in the low four bits, then the base that is added, then indirection */
enum bytes_encoding {
	BYTES_ABSOLUTE = 0x00,
	BYTES_ULEB = 0x01,
	BYTES_PC_RELATIVE = 0x10,
	BYTES_DATA_RELATIVE = 0x30,
	BYTES_ALIGNED = 0x50,  /* absolute, at a multiple of a pointer's size */
	BYTES_RELATIVE = 0x70, /* mask of the base */
	BYTES_INDIRECT = 0x80, /* the pointer leads to another one */
	BYTES_OMITTED = 0xff,
};

uint64_t bytes_fixed(struct bytes *in, size_t size); /* little-endian, 1 … 8 bytes */
uint64_t bytes_uleb(struct bytes *in);
int64_t bytes_sleb(struct bytes *in);
/* up to a zero byte; "" if there is none */
const char *bytes_text(struct bytes *in);
struct bytes bytes_take(struct bytes *in, uint64_t size);
/* Size of an encoded pointer; 0: variable, or unknown encoding. */
size_t bytes_pointer_size(unsigned int encoding);
/* The stored number: no base is added, no pointer followed. */
uint64_t bytes_number(struct bytes *in, unsigned int encoding);
/*
 * The pointer's value; indirection is not followed. Bases: the pointer's own address or none, else
 * `bad`. A stored 0 yields 0.
 */
uint64_t bytes_pointer(struct bytes *in, unsigned int encoding);

/*
 * Output buffer: bytes that do not fit are only counted, so that the same code determines the
 * required size.
 */
struct packing {
	unsigned char *bytes;
	size_t nr, room;
};

void pack_copy(struct packing *out, const void *bytes, size_t size);
void pack_fixed(struct packing *out, uint64_t value, size_t size);
void pack_uleb(struct packing *out, uint64_t value);
void pack_sleb(struct packing *out, int64_t value);
void pack_align(struct packing *out, size_t to); /* with zeros */
#define PACK_RESERVED 5                          /* bytes of a ULEB128 with 32 bits */
/*
 * Reserves PACK_RESERVED bytes of ULEB128 for any value, to be filled in later by pack_fill_uleb.
 */
size_t pack_reserve_uleb(struct packing *out);
void pack_fill_uleb(struct packing *out, size_t offset, uint32_t value);
void pack_fill_fixed(struct packing *out, size_t offset, uint64_t value, size_t size);

#endif
