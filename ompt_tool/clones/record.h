/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_CLONES_RECORD_H
#define MEMSEARCH_CLONES_RECORD_H

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
 * stands in the stretch's rows, made with the clone, constant afterwards and never freed. Most
 * words are addresses; REPEATED, LANES and MASKED accesses take several, whose meaning
 * record_expand knows. Events (function and loop points) are stretches with an event and no sites.
 *
 * The buffer is reached by initial-exec TLS. It is full when its cursor passes a bound, which clones look at
 * at function entry, after calls, and on every way back to an earlier stretch; `consume`
 * then gets all of it, on the thread itself, in the middle of the program's code: it must not allocate, lock,
 * call into the program or use more than 16 KiB of stack. All registers, vector state and errno are kept around it.
 * A signal handler that runs a clone between two words may make counts inexact; memory is never at risk.
 */
enum record_event {
	RECORD_NONE,
	RECORD_FUNCTION_ENTRY, RECORD_FUNCTION_EXIT,
	RECORD_LOOP_ENTRY, RECORD_LOOP_EXIT, RECORD_ITERATION_BEGIN, RECORD_ITERATION_END,
	RECORD_RANGE,            /* memcpy, memmove, memset called: words are written address, read address (or 0), bytes */
	RECORD_LEFT,             /* control went on to code that is not cloned; word: where */
};

struct record_site {             /* one memory operand of one instruction of an original */
	uintptr_t address;               /* of the instruction in the original */
	uint32_t loop;                   /* number of its innermost loop, see clone_loop; 0: none */
	uint32_t size;                   /* bytes an element */
	uint8_t access;                  /* enum code_access_kind */
	bool read, write;
	uint8_t words;                   /* in the stream */
	uint8_t lanes, index_size, scale, mask_size;
	int64_t displacement;            /* LANES: what is added to base + index * scale */
};

struct record_stretch {
	uint32_t first_site, nr_sites;
	uint32_t words;                  /* after the header, in all */
	uint8_t event;                   /* enum record_event */
	uint32_t subject;                /* of an event: loop number, or clone number */
};

/* Rows by number; valid for numbers that were recorded. Any thread, callbacks allowed. */
const struct record_stretch *record_stretch(uint32_t number);
const struct record_site *record_site(uint32_t number);
uint32_t record_nr_sites(void);

/* [words, words + nr): whole stretches only. On the recording thread. */
typedef void record_consume(void *ctx, const uint64_t *words, size_t nr);

/*
 * The calling thread records from now on into a buffer of `bytes` (a power of two, 64 KiB … 4 MiB) that is handed to `consume`
 * when full. False: no memory (ENOMEM), the thread then runs clones without recording.
 */
bool record_thread_begin(size_t bytes, record_consume *consume, void *ctx);
void record_thread_end(void);            /* hands over what is left */
void record_flush(void);                 /* the same, and goes on: at a phase boundary, before memory is given back */

/* Single accesses behind the words of one site; returns how many (at most `room`; REPEATED ones come as one range each). */
struct record_access { uint64_t address; uint64_t bytes; bool read, write; };
size_t record_expand(const struct record_site *site, const uint64_t *words, struct record_access *out, size_t room);

#endif
