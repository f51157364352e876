/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_TRACE_STRETCHES_H
#define MEMSEARCH_TRACE_STRETCHES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * What clones record, a stream of 8-byte words in a buffer of each thread:
 *
 *     header  word …  word      header  word …      header …
 *     (a stretch: straight code between two points where others may record)
 *
 * A header is the number of a stretch. How many words follow it and what each says
 * stands in the stretch's rows, made with the clone, constant afterwards and never freed. Words are what the
 * registers of addresses held, or sums of them; sites share words, and one with a constant address has none:
 *
 *     address = stretch[base_word] + stretch[index_word] * scale + displacement        (word 0: nothing is added)
 *
 * record_expand knows what REPEATED, LANES, MASKED and PACKED accesses add to that. Events (function and
 * loop points) are stretches with an event and no sites.
 *
 * A loop of one stretch whose words each go on by the same amount is counted: its first time is recorded, and when it is left what its
 * registers hold then, right behind, which tells how many times more there were. If there were none, nothing follows.
 *
 *     stretch word …  COUNTED register (register)
 *
 * A signal handler that runs a clone between two words may make counts inexact, and then even lead to words that are no
 * header: record_stretch is NULL for most of these, and whoever reads goes on with the next buffer.
 */

/* How an instruction accesses memory. */
enum code_access_kind {
	CODE_ACCESS_PLAIN,               /* `size` bytes at base + index * scale + displacement (+ segment) */
	CODE_ACCESS_STACK,               /* implicit, of push, pop, call, return, enter, leave: at the stack pointer; also base + displacement */
	CODE_ACCESS_REPEATED,            /* string instruction with rep: up to rcx elements of `size` bytes, from rsi or rdi, by the direction flag */
	CODE_ACCESS_LANES,               /* gather or scatter: one element of `size` bytes for each set lane of the mask, index in a vector */
	CODE_ACCESS_MASKED,              /* vector load or store, one element of `size` bytes for each set lane of the mask; loads that the CPU makes as a whole are PLAIN */
	CODE_ACCESS_PACKED,              /* compress or expand: as many elements of `size` bytes as the mask has set lanes, side by side from the address on */
	CODE_ACCESS_UNKNOWN,             /* xsave, fxrstor, …: size not known before it runs, 0 here; address is right */
};

enum record_event {
	RECORD_NONE,
	RECORD_FUNCTION_ENTRY, RECORD_FUNCTION_EXIT,
	RECORD_LOOP_ENTRY, RECORD_LOOP_EXIT, RECORD_ITERATION_BEGIN, RECORD_ITERATION_END,
	RECORD_RANGE,            /* memcpy, memmove, memset called: words are written address, read address (or 0), bytes */
	RECORD_COUNTED,          /* a counted loop was left, the stretch before is its first time; words: one or two registers, see record_counted */
	RECORD_LEFT,             /* control left for code without a clone; word: its address */
};

struct record_site {             /* one memory operand of one instruction of an original */
	uintptr_t address;               /* of the instruction in the original */
	int64_t displacement;
	uint32_t loop;                   /* number of its innermost loop, see clone_loop; 0: none */
	uint32_t size;                   /* bytes, of one element where there are several */
	uint16_t base_word, index_word;  /* numbers in the stretch, its header being 0; 0: none. LANES: index_word is the first of the vector's */
	uint16_t mask_word;              /* LANES, MASKED, PACKED: first of the mask's */
	uint16_t count_word;             /* REPEATED: elements at most, flags (DF is bit 10); if left_word, then the elements not touched */
	uint16_t left_word;
	uint8_t access;                  /* enum code_access_kind */
	uint8_t scale;
	uint8_t lanes, index_size;       /* LANES: bytes of an index, signed */
	uint8_t mask_size;               /* bytes of a mask's element, whose top bit counts; 0: a bit a lane */
	bool read, write;
	bool is_float, non_temporal;     /* by a vector or x87 register; a write past the caches */
};

/* Bytes of one REPEATED access or RECORD_RANGE at most: more is what a signal handler left behind, and takes days to walk through. */
#define RECORD_BYTES_MOST ((uint64_t)1 << 36)

struct record_stretch {
	uint32_t first_site, nr_sites;   /* in the order of the program */
	uint32_t words;                  /* after the header, in all */
	uint8_t event;                   /* enum record_event */
	bool plain;                      /* all sites are PLAIN, and it is no RANGE or COUNTED: the words are all there is to know; rows.c knows */
	bool counted;                    /* RECORD_COUNTED may follow */
	uint32_t subject;                /* of an event: loop number, or clone number, COUNTED: record_counted's; of sites: the clone's */
};

#define RECORD_COUNTED_WORDS 62          /* at most; loops with more are recorded each time */
struct record_counted {
	uint32_t stretch;                /* number of that which comes again */
	uint16_t word;                   /* that word of it tells how often: at the end of the first time the registers were more by `behind` */
	uint8_t scale;                   /* of the second register, added to the first; 0: there is one */
	int64_t behind;
	int64_t amounts[1 + RECORD_COUNTED_WORDS];       /* by word, the header being 0: its difference from one time to the next */
};

/* Rows lie one behind the other but where their numbers pass a multiple of this; rows.c writes them. */
#define RECORD_BLOCK 4096
#define RECORD_BLOCKS (1 << 14)          /* 2^26 rows are more than a clone of all of libLLVM has (19 million instructions) */
struct record_rows {
	uint32_t nr;                     /* atomic, as blocks */
	void *blocks[RECORD_BLOCKS];
};
extern struct record_rows record_stretches, record_sites, record_counts;

/* Rows by number; NULL: no such. Any thread, callbacks allowed. Inline, as decoders call it for every word. */
static inline const void *record_row(const struct record_rows *rows, uint64_t number, size_t bytes)
{
	if (number >= __atomic_load_n(&rows->nr, __ATOMIC_ACQUIRE))
		return NULL;
	return (const char *)__atomic_load_n(&rows->blocks[number / RECORD_BLOCK], __ATOMIC_RELAXED) + number % RECORD_BLOCK * bytes;
}

static inline const struct record_stretch *record_stretch(uint64_t number)
{
	return number ? record_row(&record_stretches, number, sizeof(struct record_stretch)) : NULL;
}

static inline const struct record_site *record_site(uint32_t number) { return record_row(&record_sites, number, sizeof(struct record_site)); }
static inline const struct record_counted *record_counted(uint32_t number) { return record_row(&record_counts, number, sizeof(struct record_counted)); }

uint32_t record_nr_sites(void);

/* The site with that number, `site` being the one before; not to be read where there is none. */
static inline const struct record_site *record_next_site(const struct record_site *site, uint32_t number)
{
	return number % RECORD_BLOCK ? site + 1 : record_site(number);
}

/* Where a PLAIN access goes; `stretch`: its header. */
static inline uint64_t record_address(const struct record_site *site, const uint64_t *stretch)
{
	uint64_t base = site->base_word ? stretch[site->base_word] : 0, index = site->index_word ? stretch[site->index_word] : 0;

	return base + index * site->scale + (uint64_t)site->displacement;
}

/* The same without decisions, for who asks for many: address = stretch[base] * base_times + stretch[index] * index_times + constant. */
struct record_terms { uint16_t base, index; uint8_t base_times, index_times; uint64_t constant; };

static inline struct record_terms record_terms(const struct record_site *site)
{
	return (struct record_terms){ .base = site->base_word, .index = site->index_word, .base_times = site->base_word > 0,
				      .index_times = site->index_word ? site->scale : 0, .constant = (uint64_t)site->displacement };
}

/*
 * Single accesses of one site; `stretch`: its header. Returns how many there are, of which at most `room` are written;
 * REPEATED ones come as one range, and those of more than RECORD_BYTES_MOST not at all.
 */
struct record_access { uint64_t address; uint64_t bytes; bool read, write; };
size_t record_expand(const struct record_site *site, const uint64_t *stretch, struct record_access *out, size_t room);
/* Of a REPEATED access: it is one of those. */
bool record_is_too_long(const struct record_site *site, const uint64_t *stretch);

/*
 * The stretch that the RECORD_COUNTED at `at` belongs to, the entry before it; NULL: that is another entry. record_times: how many more times it came, 0 if
 * the words are impossible (a signal handler interrupted them). record_go_on: its words, header included, after that number of times.
 */
const uint64_t *record_before(const uint64_t *words, size_t at);
uint64_t record_times(const uint64_t *counted, const uint64_t *stretch);
void record_go_on(const struct record_counted *row, const uint64_t *stretch, uint64_t times, uint64_t *out);

/* Every stretch, those of counted loops each time. False: what follows is no record. For who has time. */
typedef void record_visit(void *ctx, const struct record_stretch *row, const uint64_t *stretch);
bool record_each(const uint64_t *words, size_t nr, record_visit *visit, void *ctx);

#endif
