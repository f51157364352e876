/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_TRACE_STRETCHES_H
#define MEMSEARCH_TRACE_STRETCHES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Format of the words that clones record: a stream of 8-byte words in a buffer of each thread.
 *
 *     header  word …  word      header  word …      header …
 *     (a stretch: straight-line code between two points where other code may record)
 *
 * A header is the number of a stretch. The stretch's rows give the number and meaning of its words;
 * they are created with the clone, constant and never freed. Words are values of address registers,
 * or sums of them. Sites share words; a site with a constant address has none:
 *
 *     address = stretch[base_word] + stretch[index_word] * scale + displacement
 *                                                                 (word number 0: no addend)
 *
 * record_expand expands REPEATED, LANES, MASKED and PACKED accesses. Events (function and loop
 * points) are stretches with an event and no sites.
 *
 * A counted loop has one stretch, each of whose words changes by a constant per iteration. Its
 * first iteration is recorded, and at the exit one or two registers, from which the number of
 * further iterations follows; nothing if there were none.
 *
 *     stretch word …  COUNTED register (register)
 *
 * A signal handler that runs a clone between two words may make counts inexact or cause words that
 * are no header: record_stretch is NULL for most of these, and readers continue with the next
 * buffer.
 */

/* How an instruction accesses memory. */
enum code_access_kind {
	/* `size` bytes at base + index * scale + displacement (+ segment) */
	CODE_ACCESS_PLAIN,
	/*
	 * implicit, of push, pop, call, return, enter, leave: at the stack pointer; also base +
	 * displacement
	 */
	CODE_ACCESS_STACK,
	/*
	 * string instruction with rep: up to rcx elements of `size` bytes, from rsi or rdi, by the
	 * direction flag
	 */
	CODE_ACCESS_REPEATED,
	/*
	 * gather or scatter: one element of `size` bytes for each set lane of the mask, index in a
	 * vector
	 */
	CODE_ACCESS_LANES,
	/*
	 * vector load or store, one element of `size` bytes for each set lane of the mask; loads of
	 * the whole vector are PLAIN
	 */
	CODE_ACCESS_MASKED,
	/*
	 * compress or expand: one contiguous element of `size` bytes for each set lane of the mask
	 */
	CODE_ACCESS_PACKED,
	/* xsave, fxrstor, …: size known at run time only, 0 here; the address is exact */
	CODE_ACCESS_UNKNOWN,
};

enum record_event {
	RECORD_NONE,
	RECORD_FUNCTION_ENTRY,
	RECORD_FUNCTION_EXIT,
	RECORD_LOOP_ENTRY,
	RECORD_LOOP_EXIT,
	RECORD_ITERATION_BEGIN,
	RECORD_ITERATION_END,
	/* call of memcpy, memmove, memset: words are written address, read address (or 0), bytes */
	RECORD_RANGE,
	/*
	 * exit of a counted loop, whose first iteration is the stretch before; words: one or two
	 * registers, see record_counted
	 */
	RECORD_COUNTED,
	RECORD_LEFT, /* control leaves to code without a clone; word: its address */
};

/* one memory operand of one instruction of an original */
struct record_site {
	uintptr_t address; /* of the instruction in the original */
	int64_t displacement;
	uint32_t loop; /* number of its innermost loop, see clone_loop; 0: none */
	uint32_t size; /* bytes, of one element where there are several */
	/*
	 * word numbers in the stretch, the header is 0; 0: none. LANES: index_word is the vector's
	 * first
	 */
	uint16_t base_word, index_word;
	uint16_t mask_word; /* LANES, MASKED, PACKED: first of the mask's */
	/* REPEATED: maximum of elements, flags (DF is bit 10); left_word: elements not accessed */
	uint16_t count_word;
	uint16_t left_word;
	uint8_t access; /* enum code_access_kind */
	uint8_t scale;
	uint8_t lanes, index_size; /* LANES: bytes of an index, signed */
	/* bytes of a mask's element, whose top bit is the mask; 0: one bit per lane */
	uint8_t mask_size;
	bool read, write;
	bool is_float, non_temporal; /* by a vector or x87 register; a non-temporal write */
	bool atomic;                 /* see struct code_access */
};

/*
 * Maximal bytes of one REPEATED access or RECORD_RANGE: larger values are damage by a signal
 * handler, and would take days to simulate.
 */
#define RECORD_BYTES_MOST ((uint64_t)1 << 36)

/* Words of an event with a time: ticks of the CPU's counter, the stack pointer. */
#define RECORD_TIME_WORDS 2

struct record_stretch {
	uint32_t first_site, nr_sites; /* in the order of the program */
	uint32_t words;                /* after the header */
	uint8_t event;                 /* enum record_event */
	/* all sites are PLAIN, and it is no RANGE or COUNTED; set by record_rows.c */
	bool plain;
	bool counted; /* RECORD_COUNTED may follow */
	/*
	 * of an event: loop number, or clone number, COUNTED: record_counted's; of sites: the
	 * clone's
	 */
	uint32_t subject;
};

/* at most; loops with more words are recorded in each iteration */
#define RECORD_COUNTED_WORDS 62
struct record_counted {
	uint32_t stretch; /* number of the repeated stretch */
	/*
	 * word from which iterations are computed: at the end of the first one the registers were
	 * larger by `behind`
	 */
	uint16_t word;
	/* of the second register, added to the first; 0: there is one */
	uint8_t scale;
	int64_t behind;
	/* by word, the header is 0: its change per iteration */
	int64_t amounts[1 + RECORD_COUNTED_WORDS];
};

#endif
