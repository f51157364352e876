/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_ARRAYS_HEAP_H
#define MEMSEARCH_ARRAYS_HEAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Heap blocks: allocation site, size, lifetime.
 *
 *     preload:    malloc … ─▶ libmemsearch.so (interpose.c) ─┬─ core not there yet ─▶ earlier.c,
 *                 passed on when it comes
 *                                                            └─ hooks ─▶ heap.c ─▶ table of arrays
 *                                                            (array.h)
 *     otherwise:  entries of the files' tables of addresses (heap_tables.c) lead to the same
 *                 functions of libmemsearch.so
 *                 from the tool's begin on; large blocks that exist by then are recognised
 *                 (heap_found.c)
 *
 * A call for a block below the threshold costs one test, and one of the chunk's size word in free.
 * mmap counts as an allocation. Blocks that libraries allocate count for the program's code that
 * called them; those of the OpenMP runtime, the dynamic linker and the tool are not kept.
 */
/* bytes; smaller blocks are not kept one by one, but are one array (inventory.c); … */
#define HEAP_THRESHOLD 64
/*
 * … as are blocks below this, once so many were kept, or so many allocations of them were seen: one
 * costs 100 ns where it takes the place of another of its site, else some 500, and memory (15 MiB
 * in all); lists, trees and strings would cost more than the program's own work. From 512 bytes on
 * the table of blocks needs less than a fifth of the program's own memory, as no page has so many
 * that it is divided (SHARED_MAX in analysis/trace/blocks.c).
 */
#define HEAP_SMALL 512
#define HEAP_SMALL_MOST 32768
#define HEAP_SMALL_SEEN (1u << 18)
#define HEAP_FRAMES 8  /* of the call path of a block that came before the core */
#define HEAP_CALLERS 3 /* further callers kept of a site */

/* -- between libmemsearch.so and the core */

/* A block that a hook removed, to be restored or moved; bytes 0: unknown. */
struct heap_gone {
	uintptr_t start;
	uint64_t bytes;
	/* ARRAY_NONE: known to earlier.c only, which also gives the frames */
	uint32_t array;
	uint32_t nr_frames;
	void *frames[HEAP_FRAMES]; /* return addresses, innermost first */
};

/*
 * Blocks removed by munmap, mremap or a mapping over them. More pieces than this are not restored
 * if it fails.
 */
#define HEAP_PIECES 4
struct heap_torn {
	struct heap_gone pieces[HEAP_PIECES];
	uint32_t nr;
};

/*
 * Called with blocks of the threshold and above, on the thread itself, never from within one
 * another; `caller`: return address of the call to malloc; `stack`: the thread's stack pointer
 * before that call, NULL where it is not known. They may change errno. No malloc, no lock that
 * malloc could hold.
 */
struct heap_hooks {
	void (*allocated)(void *block, size_t bytes, void *caller, const void *stack);
	void (*freed)(void *block, struct heap_gone *gone_out); /* before it goes */
	/* realloc; `block` may be the old one */
	void (*moved)(const struct heap_gone *gone, void *block, size_t bytes, void *caller,
		      const void *stack);
	void (*kept)(const struct heap_gone *gone); /* realloc failed */
	void (*mapped)(void *start, size_t bytes, void *caller, const void *stack);
	/* before it goes, wholly or in part */
	void (*unmapping)(void *start, size_t bytes, struct heap_torn *torn_out);
	/* mremap */
	void (*remapped)(const struct heap_torn *torn, void *old, void *start, size_t bytes,
			 void *caller);
	void (*unmap_failed)(const struct heap_torn *torn);
	/* mlockall, but not of memsearch's own memory; NULL: there is none yet */
	int (*lock_all)(int flags);
	/*
	 * right before the program confines itself so that a call of memsearch's may end it
	 * (confinement.h)
	 */
	void (*confining)(void);
};

/* What libmemsearch.so offers the core, through core_interposer. */
struct heap_stand_in {
	const char *name;
	void *function;
	bool allocates; /* from the allocator, which may be the program's own */
};
struct heap_interposer {
	/*
	 * the program's calls reach the hooks by symbol interposition; false: only through
	 * redirected tables
	 */
	bool preloaded;
	/* the program's own file defines malloc: its calls are not seen */
	bool foreign_malloc;
	/* the program has confined itself (confinement.h): the core must not come */
	bool confined;
	/* … or it has come already, here or in the process that forked this one */
	bool started;
	const void *allocator; /* the malloc that the hooks call */
	const struct heap_stand_in *stand_ins;
	size_t nr_stand_ins;
	/*
	 * From now on `*slot` is called; it may become NULL at any time. Live blocks are passed to
	 * `earlier` first, on this thread, while others wait.
	 */
	void (*start)(const struct heap_hooks *const *slot,
		      void (*earlier)(const struct heap_gone *block, bool mapped));
};

/* -- the core's side */

/*
 * Whether allocations are seen: by preload, by the tables (also without calls so far), and why not.
 * `small_bytes`: live now in blocks below the threshold (mallinfo2), where that is known. `found`:
 * blocks recognised that were there before. `lost`: mappings not kept, as the table was full.
 * `small_lost`: blocks below HEAP_SMALL, likewise.
 */
struct heap_status {
	bool preloaded, patched;
	/* entries of tables that were changed, and those that could not be at the last attempt */
	unsigned int slots, refused;
	/* why allocations, or some of them, are not seen; "" all are */
	const char *why;
	bool small_known;
	uint64_t small_bytes, found, lost, small_lost;
};

/*
 * As soon as the core is loaded, before it allocates: without preload, the blocks that are there
 * are noted. Stays the caller's.
 */
void heap_offer(const struct heap_interposer *interposer);
/*
 * Where code of the program runs as copies: the address in the original behind one in a copy,
 * others unchanged. Before heap_start; from inside malloc.
 */
void heap_translate(uintptr_t (*original)(uintptr_t address));
/*
 * What is called, on the program's thread, right before it confines itself (confinement.h): of
 * memsearch's only a return may follow. Before heap_start.
 */
void heap_on_confinement(void (*leave)(void));
/* In the tool's initialize, once. False: nothing will be seen, as after no offer (tests). */
bool heap_start(struct heap_status *out);
/* For good; blocks that go from then on stay in the table. */
void heap_stop(void);
/* Phase boundary: asks the allocator, which takes its locks. */
void heap_status(struct heap_status *out);
/* Phase boundary: files loaded meanwhile get their tables changed, too (without preload). */
void heap_update(void);

/*
 * Where the blocks of an array come from: return addresses of calls, the first of them in the
 * program's own code (as array.site), then its callers as far as they are known, 0 after the last:
 * those of the first block. False: not known ("allocated before memsearch came"), or no heap array.
 * Any thread.
 */
struct heap_origin {
	uint64_t site, callers[HEAP_CALLERS];
};
bool heap_origin(uint32_t array, struct heap_origin *out);

/*
 * Names for blocks by the variables that point to them; at a phase boundary, once for each loaded
 * file. A block whose name differs from that of others of its site becomes an array of its own,
 * whose row has no site (heap_origin knows it). A block keeps its name while it lives. `declared`
 * and its strings must stay.
 */
struct declared_list;
void heap_name_blocks(const struct declared_list *declared, uintptr_t bias);

#endif
