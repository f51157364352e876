/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_ARRAYS_HEAP_HOOKS_H
#define MEMSEARCH_ARRAYS_HEAP_HOOKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Interface of heap blocks (heap.h) between libmemsearch.so and the core. */

#define HEAP_FRAMES 8 /* return addresses kept of a block allocated before the core was loaded */

/* A block that a hook removed, to be restored or moved; bytes 0: unknown. */
struct heap_gone {
	uintptr_t start;
	uint64_t bytes;
	/* ARRAY_NONE: known to earlier.c only, which also supplies the frames */
	uint32_t array;
	uint32_t nr_frames;
	uint32_t weight;           /* of a sampled block: allocations that it stands for; else 0 */
	void *frames[HEAP_FRAMES]; /* return addresses, innermost first */
};

/*
 * Blocks removed by munmap, mremap or a mapping over them. If the call fails, at most this number
 * of pieces is restored.
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
	/*
	 * a block below the threshold that is sampled, and stands for `weight` allocations; false:
	 * it was not noted
	 */
	bool (*sampled)(void *block, size_t bytes, void *caller, const void *stack,
			uint32_t weight);
	/* before a sampled block of weight 1 is freed; false: it was not noted */
	bool (*forgotten)(void *block);
	void (*freed)(void *block, struct heap_gone *gone_out); /* before it is freed */
	/* realloc; `block` may be the old one */
	void (*moved)(const struct heap_gone *gone, void *block, size_t bytes, void *caller,
		      const void *stack);
	void (*kept)(const struct heap_gone *gone); /* realloc failed */
	void (*mapped)(void *start, size_t bytes, void *caller, const void *stack);
	/* before it is unmapped, entirely or in part */
	void (*unmapping)(void *start, size_t bytes, struct heap_torn *torn_out);
	/* mremap */
	void (*remapped)(const struct heap_torn *torn, void *old, void *start, size_t bytes,
			 void *caller);
	void (*unmap_failed)(const struct heap_torn *torn);
	/* mlockall for the program's memory, but not memsearch's; NULL: not available yet */
	int (*lock_all)(int flags);
	/* own_memory_leave */
	size_t (*added)(bool data);
	/*
	 * right before the program confines itself such that a call made by memsearch could
	 * terminate it (confinement.h)
	 */
	void (*confining)(void);
};

/* The functions that libmemsearch.so offers to the core, through core_interposer. */
struct heap_stand_in {
	const char *name;
	void *function;
	bool allocates; /* from the allocator, which may be the program's own */
};
struct heap_stand_ins {
	const struct heap_stand_in *of;
	size_t nr;
};
#define HEAP_STAND_INS 2 /* lists: of memory, and of limits */
struct heap_interposer {
	/*
	 * the program's calls reach the hooks by symbol interposition; false: only through
	 * redirected tables
	 */
	bool preloaded;
	/* the program's own file defines malloc: its calls are not seen */
	bool foreign_malloc;
	/* the program has confined itself (confinement.h): the core must not be started */
	bool confined;
	/* the core is already started, here or in the process that forked this one */
	bool started;
	const void *allocator; /* the malloc that the hooks call */
	/*
	 * For own_stack_watch: what is allocated on the tool's stacks comes from a heap of the
	 * tool's own, so that the program's blocks have the addresses that they have without it.
	 */
	const void *(*works_on)(const void *stack);
	struct heap_stand_ins stand_ins[HEAP_STAND_INS];
	/*
	 * From now on the hooks in `*slot` are called; it may become NULL at any time. Blocks that
	 * live already are first passed to `earlier`, on this thread, while other threads wait.
	 */
	void (*start)(const struct heap_hooks *const *slot,
		      void (*earlier)(const struct heap_gone *block, bool mapped));
};

#endif
