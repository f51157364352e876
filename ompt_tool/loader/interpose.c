/* SPDX-License-Identifier: Apache-2.0 */
/*
 * malloc, mmap and related functions in place of libc's, if the library is preloaded or the
 * program's tables lead here. A call for a small block is forwarded to the next library's function;
 * for a large one, and before a seccomp filter is installed, the hooks (heap.h) are called as well.
 * Called before any constructor, from signal handlers, in forked children: all state is atomic or
 * thread-local.
 */
#define _GNU_SOURCE
#include "ompt_tool/loader/interpose.h"

#include <dlfcn.h>
#include <errno.h>
#include <link.h>
#include <malloc.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "analysis/base/hash.h"
#include "analysis/base/own_blocks.h"
#include "analysis/base/own_imports.h"
#include "analysis/base/own_stack.h"
#include "ompt_tool/loader/confinement.h"
#include "ompt_tool/loader/earlier.h"
#include "ompt_tool/loader/first_region.h"
#include "ompt_tool/loader/memory_limits.h"
#include "ompt_tool/loader/tool.h"

#define likely(condition) __builtin_expect(!!(condition), 1)
#define CALLER __builtin_return_address(0)
#if defined(__x86_64__)
#define STACK __builtin_dwarf_cfa() /* the caller's stack pointer before the call */
#else
#define STACK NULL
#endif
#define HOT __attribute__((aligned(64))) /* within one cache line */
#if defined(__clang__) && !defined(__powerpc__)
#define JUMP __attribute__((musttail))
/*
 * gcc makes jumps of such calls where it optimises; on POWER a call through a pointer cannot be one
 */
#else
#define JUMP
#endif

/*
 * glibc's malloc.c: the word before a block is the size of its chunk, at least 8 bytes more than
 * the block, with three flags in the low bits.
 */
#define CHUNK_FLAGS 7u
#define CHUNK_OVERHEAD 8

/*
 * The interposed functions. Each pointer initially leads to a function that resolves all of them
 * and continues.
 */
/* clang-format off */
#define FUNCTION_LIST(X) \
	X(malloc, void *, (size_t bytes), (bytes)) \
	X(free, void, (void *block), (block)) \
	X(calloc, void *, (size_t nr, size_t bytes), (nr, bytes)) \
	X(realloc, void *, (void *block, size_t bytes), (block, bytes)) \
	X(aligned_alloc, void *, (size_t alignment, size_t bytes), (alignment, bytes)) \
	X(memalign, void *, (size_t alignment, size_t bytes), (alignment, bytes)) \
	X(posix_memalign, int, (void **block, size_t alignment, size_t bytes), (block, alignment, bytes)) \
	X(valloc, void *, (size_t bytes), (bytes)) \
	X(pvalloc, void *, (size_t bytes), (bytes)) \
	X(mmap, void *, (void *start, size_t bytes, int rights, int flags, int fd, off_t offset), (start, bytes, rights, flags, fd, offset)) \
	X(mremap, void *, (void *old, size_t old_bytes, size_t bytes, int flags, ...), (old, old_bytes, bytes, flags)) \
	X(munmap, int, (void *start, size_t bytes), (start, bytes)) \
	X(prctl, int, (int option, unsigned long a, unsigned long b, unsigned long c, unsigned long d), (option, a, b, c, d)) \
	X(syscall, long, (long number, unsigned long a, unsigned long b, unsigned long c, unsigned long d, unsigned long e, unsigned long f), (number, a, b, c, d, e, f))
/* clang-format on */

#define X(name, result, parameters, arguments) static result first_##name parameters;
FUNCTION_LIST(X)
#undef X

static struct {
#define X(name, result, parameters, arguments) result(*name) parameters;
	FUNCTION_LIST(X)
#undef X
} __attribute__((aligned(64))) real = {
#define X(name, result, parameters, arguments) .name = first_##name,
	FUNCTION_LIST(X)
#undef X
};

/*
 * Addresses from here on have glibc's sizes before them: 1, so that NULL has none; UINTPTR_MAX
 * while the allocator is not known to be glibc's. Written before the first block is given out.
 */
static uintptr_t first_sized = UINTPTR_MAX;
static const struct heap_hooks *earlier_slot = &earlier_hooks;
static const struct heap_hooks *const *slot; /* NULL: no hooks */
static struct heap_interposer offer;
static int (*core_lock_all)(int flags); /* NULL: there is no core yet */
/* Blocks are freed here, too, so that the tool's may come from a heap of its own. */
static bool serves_own;

/* Initial-exec: access calls no function, and so allocates nothing. */
#define PER_THREAD static __thread __attribute__((tls_model("initial-exec")))
/* allocations of small blocks before the next one that is sampled, and its random state */
PER_THREAD uint32_t small_left;
PER_THREAD uint32_t small_random;
/* small blocks of weight 1 that were sampled and those of them that were noted (heap.h) */
PER_THREAD uint32_t small_tried, small_noted;
PER_THREAD bool inside;    /* a hook */
PER_THREAD bool searching; /* the next functions */
/* the stack of the tool's that this thread works on, 0: none; what small_left was before */
PER_THREAD uintptr_t own_low;
PER_THREAD uint32_t small_left_before;

/* Tries of a thread: the OpenMP runtime's and the dynamic linker's blocks are not noted. */
#define SMALL_TRIES (32 * HEAP_FIRST)
/* Noted small blocks of weight 1 that live, by hash of the address, so that free finds them. */
#define FILTER_BITS 14
static uint8_t filter[1 << FILTER_BITS];
static uint32_t nr_filtered;

/* -- memory for dlsym, which may allocate while it looks for malloc */

static struct {
	_Alignas(16) unsigned char bytes[8192];
	size_t used;
} first_memory;

static bool is_first(const void *block)
{
	return (uintptr_t)block - (uintptr_t)first_memory.bytes < sizeof(first_memory.bytes);
}

/*
 * The word before the block is larger than any chunk's size, so that free takes the slow path.
 * Zeroed, never freed.
 */
static void *first_block(size_t bytes)
{
	size_t room = bytes < sizeof(first_memory.bytes) ? ((bytes + 15) & ~(size_t)15) + 16
							 : sizeof(first_memory.bytes);
	size_t at = __atomic_fetch_add(&first_memory.used, room, __ATOMIC_RELAXED);
	uintptr_t *block = (uintptr_t *)(first_memory.bytes + at);

	if (at + room > sizeof(first_memory.bytes)) {
		__atomic_fetch_sub(&first_memory.used, room, __ATOMIC_RELAXED);
		errno = ENOMEM;
		return NULL;
	}
	block[1] = UINTPTR_MAX;
	return block + 2;
}

/*
 * Number of bytes that may be copied from such a block: its own size is unknown, all memory after
 * it belongs to the buffer.
 */
static void *leave_first(const void *block, size_t bytes)
{
	size_t room = sizeof(first_memory.bytes) -
		      ((uintptr_t)block - (uintptr_t)first_memory.bytes);
	void *new = searching ? first_block(bytes) : real.malloc(bytes);

	if (new)
		memcpy(new, block, bytes < room ? bytes : room);
	return new;
}

/* -- the tool's own blocks */

/*
 * Blocks of the dynamic linker and of the tool's libraries, allocated on the tool's stacks: in the
 * program's heap they would move the program's blocks to other addresses, and so into other cache
 * lines. In a forked child the lock may never be released, so waiting for it is bounded.
 */
static struct {
	struct own_blocks blocks;
	int taken; /* atomic */
} tools;

#define OWN_TRIES 1000
#define OWN_BLOCK_MAX (PTRDIFF_MAX / 8)
#define OWN_LARGE ((size_t)128 << 10) /* as glibc, whose free unmaps such blocks */

static bool own_begin(void)
{
	int taken = 0;

	for (int i = 0; i < OWN_TRIES; i++, taken = 0)
		if (__atomic_compare_exchange_n(&tools.taken, &taken, 1, true, __ATOMIC_ACQUIRE,
						__ATOMIC_RELAXED))
			return true;
	return false;
}

static void own_end(void)
{
	__atomic_store_n(&tools.taken, 0, __ATOMIC_RELEASE);
}

static void begin(void);

/*
 * While it works, each allocation of the thread takes the path of sampled blocks. A handler of the
 * program may have left the stack by siglongjmp.
 */
static bool is_own_work(void)
{
	if (likely(!own_low))
		return false;
	small_left = 0;
	if (own_low == (uintptr_t)INTERPOSE_ANY_STACK ||
	    (uintptr_t)__builtin_frame_address(0) - own_low < OWN_STACK_BYTES)
		return true;
	own_low = 0;
	return false;
}

__attribute__((visibility("default"))) const void *memsearch_own_work(const void *stack)
{
	const void *before = (const void *)own_low;

	if (real.malloc == first_malloc)
		begin();
	if (!serves_own)
		return NULL;
	if (stack && !before)
		small_left_before = small_left;
	own_low = (uintptr_t)stack;
	if (stack)
		small_left = 0;
	else if (before)
		small_left = small_left_before;
	return before;
}

/* By a system call: mmap may be a function of the program's, which may hold a lock. */
static void *map_piece(size_t bytes)
{
	int error = errno;
	void *memory = (void *)syscall(SYS_mmap, NULL, bytes, PROT_READ | PROT_WRITE,
				       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	errno = error;
	return memory == MAP_FAILED ? NULL : memory;
}

/* NULL: the program's allocator is to be asked. */
static void *own_aligned(size_t alignment, size_t bytes)
{
	void *block = NULL;

	if (bytes <= OWN_BLOCK_MAX && own_begin()) {
		block = own_blocks_take(&tools.blocks, alignment, bytes, map_piece);
		own_end();
	}
	return block;
}

static void *own_malloc(size_t bytes)
{
	void *block = own_aligned(1, bytes);

	return block ? block : real.malloc(bytes);
}

static bool is_own(const void *block)
{
	return own_blocks_has(&tools.blocks, block);
}

/* Whole pages behind the first one, which has the list of free blocks. */
static void give_back_pages(char *block)
{
	uintptr_t page = getauxval(AT_PAGESZ), bytes = own_blocks_bytes(block),
		  start = ((uintptr_t)block + page) & -page,
		  end = ((uintptr_t)block + bytes) & -page;
	int error = errno;

	if (bytes >= OWN_LARGE && start < end && !offer.confined)
		syscall(SYS_madvise, start, end - start, MADV_DONTNEED);
	errno = error;
}

/* What cannot be freed at once stays. */
static void own_free(void *block)
{
	if (!own_begin())
		return;
	give_back_pages(block);
	own_blocks_give_back(&tools.blocks, block);
	own_end();
}

static void *own_realloc(void *block, size_t bytes)
{
	size_t before = own_blocks_bytes(block);
	void *new = NULL;

	if (bytes && bytes <= before)
		return block;
	if (bytes)
		new = is_own_work() ? own_malloc(bytes) : real.malloc(bytes);
	if (new)
		memcpy(new, block, before);
	if (new || !bytes)
		own_free(block);
	return new;
}

/* -- the next functions of the same names */

extern void __libc_free(void *block) __attribute__((weak));
#define X(name, result, parameters, arguments) static result our_##name parameters;
FUNCTION_LIST(X)
#undef X

static void *map_pages(size_t bytes)
{
	void *memory = real.mmap(NULL, bytes, PROT_READ | PROT_WRITE,
				 MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	return memory == MAP_FAILED ? NULL : memory;
}

static const struct link_map *file_of(const void *function)
{
	struct link_map *map = NULL;
	Dl_info info;

	return dladdr1(function, &info, (void **)&map, RTLD_DL_LINKMAP) ? map : NULL;
}

static int first_file(struct dl_phdr_info *info, size_t bytes, void *context)
{
	uintptr_t *range = context;

	(void)bytes;
	for (int i = 0; i < info->dlpi_phnum; i++) {
		uintptr_t start = info->dlpi_addr + info->dlpi_phdr[i].p_vaddr;

		if (info->dlpi_phdr[i].p_type == PT_LOAD && range[0] >= start &&
		    range[0] < start + info->dlpi_phdr[i].p_memsz)
			range[1] = 1;
	}
	return 1;
}

/* Whether the function is in the program's own file, not in a library. */
static bool in_program(const void *function)
{
	uintptr_t range[2] = { (uintptr_t)function, 0 };

	dl_iterate_phdr(first_file, range);
	return range[1];
}

/*
 * In a program at a fixed address a library function's address is that of the program's linkage
 * table, in all modules. It leads to the first definition, which may be this library's.
 */
static bool is_linkage(const void *function)
{
	const ElfW(Sym) *symbol = NULL;
	Dl_info info;

	return in_program(function) && dladdr1(function, &info, (void **)&symbol, RTLD_DL_SYMENT) &&
	       symbol && symbol->st_shndx == SHN_UNDEF;
}

/* Files are in search order: only those the program was started with precede libc. */
static bool is_before_libc(void)
{
	const struct link_map *libc = file_of((const void *)__libc_free), *map = file_of(&slot);

	while (map && map != libc)
		map = map->l_next;
	return map && libc;
}

static void *defined_in(const struct link_map *map, const char *name)
{
	void *file = dlopen(map->l_name, RTLD_LAZY | RTLD_NOLOAD),
	     *found = file ? dlsym(file, name) : NULL;

	if (file)
		dlclose(file);
	return found && file_of(found) == map ? found : NULL;
}

/*
 * The function that a linkage table leads to, without this library: the first definition after the
 * program's. Not while the program is started.
 */
static void *first_definition(const char *name)
{
	const struct link_map *own = file_of(&slot), *map = own;
	void *found = NULL;

	while (map && map->l_prev)
		map = map->l_prev;
	for (map = map ? map->l_next : NULL; map && !found; map = map->l_next)
		found = map == own ? NULL : defined_in(map, name);
	return found;
}

static bool is_variable(const void *found)
{
	const ElfW(Sym) *symbol = NULL;
	Dl_info info;

	return found && dladdr1(found, &info, (void **)&symbol, RTLD_DL_SYMENT) && symbol &&
	       ELF64_ST_TYPE(symbol->st_info) == STT_OBJECT;
}

/*
 * What a name resolves to, or, if that is `own`, would resolve to without this library.
 */
static void *definition_behind(const char *name, const void *own)
{
	void *found = dlsym(RTLD_DEFAULT, name);

	if (found == own)
		return dlsym(RTLD_NEXT, name);
	if (!found || !is_linkage(found))
		return found;
	return is_before_libc() ? dlsym(RTLD_NEXT, name) : first_definition(name);
}

/* libc's function, where the program has a variable of that name. */
void *interpose_behind(const char *name, const void *own)
{
	void *found = definition_behind(name, own);
	const struct link_map *libc = is_variable(found) ? file_of((const void *)__libc_free)
							 : NULL;

	return libc ? defined_in(libc, name) : found;
}

static void find_functions(void)
{
#define X(name, result, parameters, arguments) \
	void *name##_found = interpose_behind(#name, (const void *)our_##name);
	FUNCTION_LIST(X)
#undef X
	first_sized = __libc_free && free_found == (void *)__libc_free ? 1 : UINTPTR_MAX;
#define X(name, result, parameters, arguments) \
	__atomic_store_n(&real.name, (result(*) parameters)name##_found, __ATOMIC_RELAXED);
	FUNCTION_LIST(X)
#undef X
}

/* A program may have some of the functions itself. */
static bool leads_here(const char *name, const void *own)
{
	const void *found = dlsym(RTLD_DEFAULT, name);

	return found == own || (is_linkage(found) && is_before_libc());
}

/* If several threads arrive here at once, all find the same functions; one prepares the rest. */
static void begin(void)
{
	static int begun;
	void *first;

	own_imports_bind();
	searching = true;
	find_functions();
	if (!__atomic_exchange_n(&begun, 1, __ATOMIC_ACQ_REL)) {
		first = dlsym(RTLD_DEFAULT, "malloc");
		offer.preloaded = leads_here("malloc", (const void *)our_malloc);
		serves_own = offer.preloaded && leads_here("free", (const void *)our_free) &&
			     leads_here("realloc", (const void *)our_realloc);
		offer.foreign_malloc = !offer.preloaded && !is_linkage(first) && in_program(first);
		offer.allocator = (const void *)real.malloc;
		if (offer.preloaded) {
			earlier_prepare(map_pages);
			__atomic_store_n(&slot, &earlier_slot, __ATOMIC_RELEASE);
		}
	}
	searching = false;
}

static void *first_malloc(size_t bytes)
{
	if (searching)
		return first_block(bytes);
	begin();
	return real.malloc(bytes);
}

static void *first_calloc(size_t nr, size_t bytes)
{
	size_t all;

	if (searching)
		return __builtin_mul_overflow(nr, bytes, &all) ? NULL : first_block(all);
	begin();
	return real.calloc(nr, bytes);
}

static void *first_realloc(void *block, size_t bytes)
{
	if (searching)
		return block ? leave_first(block, bytes) : first_block(bytes);
	begin();
	return real.realloc(block, bytes);
}

/* While resolving, only a block of first_block can be freed. */
static void first_free(void *block)
{
	if (searching)
		return;
	begin();
	real.free(block);
}

static void *first_mmap(void *start, size_t bytes, int rights, int flags, int fd, off_t offset)
{
	if (searching)
		return (void *)syscall(SYS_mmap, start, bytes, rights, flags, fd, offset);
	begin();
	return real.mmap(start, bytes, rights, flags, fd, offset);
}

static int first_munmap(void *start, size_t bytes)
{
	if (searching)
		return (int)syscall(SYS_munmap, start, bytes);
	begin();
	return real.munmap(start, bytes);
}

static void *first_mremap(void *old, size_t old_bytes, size_t bytes, int flags, ...)
{
	va_list more;
	void *start;

	va_start(more, flags);
	start = va_arg(more, void *); /* this library always passes it */
	va_end(more);
	if (!searching)
		begin();
	return (void *)syscall(SYS_mremap, old, old_bytes, bytes, flags, start);
}

static int first_prctl(int option, unsigned long a, unsigned long b, unsigned long c,
		       unsigned long d)
{
	if (searching)
		return (int)syscall(SYS_prctl, option, a, b, c, d);
	begin();
	return real.prctl(option, a, b, c, d);
}

/*
 * dlsym makes its system calls itself; a signal handler that interrupts it may call this function.
 */
static long first_syscall(long number, unsigned long a, unsigned long b, unsigned long c,
			  unsigned long d, unsigned long e, unsigned long f)
{
	if (searching)
		real.syscall = (long (*)(long, unsigned long, unsigned long, unsigned long,
					 unsigned long, unsigned long,
					 unsigned long))dlsym(RTLD_NEXT, "syscall");
	else
		begin();
	return real.syscall(number, a, b, c, d, e, f);
}

/* dlsym allocates no aligned memory. */
#define FIRST_ALIGNED(name, failed, parameters, arguments) \
	static __typeof__(failed) first_##name parameters \
	{ \
		if (searching) \
			return failed; \
		begin(); \
		return real.name arguments; \
	}
FIRST_ALIGNED(aligned_alloc, (void *)NULL, (size_t alignment, size_t bytes), (alignment, bytes))
FIRST_ALIGNED(memalign, (void *)NULL, (size_t alignment, size_t bytes), (alignment, bytes))
FIRST_ALIGNED(posix_memalign, (int)ENOMEM, (void **block, size_t alignment, size_t bytes),
	      (block, alignment, bytes))
FIRST_ALIGNED(valloc, (void *)NULL, (size_t bytes), (bytes))
FIRST_ALIGNED(pvalloc, (void *)NULL, (size_t bytes), (bytes))

/* -- calling the hooks */

/*
 * NULL: no hooks, or this thread is in a hook already. Call leave() after a result other than NULL.
 */
static const struct heap_hooks *enter(void)
{
	const struct heap_hooks *const *where = __atomic_load_n(&slot, __ATOMIC_ACQUIRE);
	const struct heap_hooks *hooks = where && !inside ? __atomic_load_n(where, __ATOMIC_ACQUIRE)
							  : NULL;

	inside |= hooks != NULL;
	return hooks;
}

static void leave(int error)
{
	inside = false;
	errno = error;
}

/* The tool's mappings are none of the program's arrays. */
static const struct heap_hooks *enter_mapping(void)
{
	return is_own_work() ? NULL : enter();
}

static const struct heap_hooks *enter_heap(void)
{
	return offer.foreign_malloc ? NULL : enter();
}

__attribute__((noinline)) static void *seen(void *block, size_t bytes, void *caller,
					    const void *stack)
{
	const struct heap_hooks *hooks = block ? enter_heap() : NULL;
	int error = errno;

	if (!hooks)
		return block;
	hooks->allocated(block, bytes, caller, stack);
	leave(error);
	return block;
}

__attribute__((noinline)) static void *malloc_large(size_t bytes, void *caller, const void *stack)
{
	if (is_own_work())
		return own_malloc(bytes);
	return seen(real.malloc(bytes), bytes, caller, stack);
}

static uint8_t *filter_at(const void *block)
{
	return &filter[hash_place((uintptr_t)block, FILTER_BITS)];
}

static bool may_be_noted(const void *block)
{
	return __atomic_load_n(filter_at(block), __ATOMIC_RELAXED);
}

/* Whether the filter's entry does not overflow, though other threads may add to it now. */
static bool can_filter(const void *block)
{
	return __atomic_load_n(filter_at(block), __ATOMIC_RELAXED) < UINT8_MAX / 2;
}

/*
 * The weight of the next sampled block. Distances are random, as allocations of two sites may
 * alternate.
 */
static uint32_t next_weight(void)
{
	small_left = 0;
	if (small_noted < HEAP_FIRST && small_tried < SMALL_TRIES &&
	    __atomic_load_n(&nr_filtered, __ATOMIC_RELAXED) < HEAP_FIRST_LIVE) {
		small_tried++;
		return 1;
	}
	small_random = small_random * 1664525u + 1013904223u; /* Numerical Recipes, 7.1 */
	small_left = HEAP_SAMPLED / 2 + (small_random >> 16) % HEAP_SAMPLED;
	return HEAP_SAMPLED;
}

static void note_first(const void *block)
{
	small_noted++;
	__atomic_fetch_add(&nr_filtered, 1, __ATOMIC_RELAXED);
	__atomic_fetch_add(filter_at(block), 1, __ATOMIC_RELAXED);
}

__attribute__((noinline)) static void *sampled(void *block, size_t bytes, void *caller,
					       const void *stack)
{
	const struct heap_hooks *hooks = block ? enter_heap() : NULL;
	uint32_t weight = next_weight();
	int error = errno;

	if (!hooks)
		return block;
	if ((weight > 1 || can_filter(block)) &&
	    hooks->sampled(block, bytes, caller, stack, weight) && weight == 1)
		note_first(block);
	leave(error);
	return block;
}

__attribute__((noinline)) static void *malloc_sampled(size_t bytes, void *caller, const void *stack)
{
	if (is_own_work())
		return own_malloc(bytes);
	return sampled(real.malloc(bytes), bytes, caller, stack);
}

__attribute__((noinline)) static void *calloc_slow(size_t nr, size_t bytes, void *caller,
						   const void *stack)
{
	size_t all = nr * bytes;
	void *own_one;

	if (is_own_work()) {
		own_one = own_aligned(1, all);
		return own_one ? memset(own_one, 0, all) : real.calloc(nr, bytes);
	}
	if (all < HEAP_THRESHOLD)
		return sampled(real.calloc(nr, bytes), all, caller, stack);
	return seen(real.calloc(nr, bytes), all, caller, stack);
}

static bool is_small(const void *block)
{
	return (uintptr_t)block >= first_sized &&
	       (((const size_t *)block)[-1] & ~(size_t)CHUNK_FLAGS) <
		       HEAP_THRESHOLD + CHUNK_OVERHEAD;
}

__attribute__((noinline)) static void forget(void *block)
{
	const struct heap_hooks *hooks = enter_heap();
	int error = errno;

	if (!hooks)
		return;
	if (hooks->forgotten(block)) {
		__atomic_fetch_sub(&nr_filtered, 1, __ATOMIC_RELAXED);
		__atomic_fetch_sub(filter_at(block), 1, __ATOMIC_RELAXED);
	}
	leave(error);
}

static struct heap_gone tell_freed(void *block)
{
	struct heap_gone gone = { .bytes = 0 };
	const struct heap_hooks *hooks = enter_heap();
	int error = errno;

	if (!hooks)
		return gone;
	hooks->freed(block, &gone);
	leave(error);
	return gone;
}

__attribute__((noinline)) static void free_large(void *block)
{
	if (!block || is_first(block))
		return;
	if (is_own(block)) {
		own_free(block);
		return;
	}
	if (is_small(block))
		forget(block);
	else
		tell_freed(block);
	real.free(block);
}

static void tell_realloc(const struct heap_gone *gone, void *new, size_t bytes, void *caller,
			 const void *stack)
{
	const struct heap_hooks *hooks = gone->bytes || (new && bytes >= HEAP_THRESHOLD)
						 ? enter_heap()
						 : NULL;
	int error = errno;

	if (!hooks)
		return;
	if (!new && bytes)
		hooks->kept(gone);
	else if (bytes >= HEAP_THRESHOLD)
		hooks->moved(gone, new, bytes, caller, stack);
	leave(error);
}

__attribute__((noinline)) static void *realloc_large(void *block, size_t bytes, void *caller,
						     const void *stack)
{
	struct heap_gone gone;
	void *new;

	if (!block && is_own_work())
		return own_malloc(bytes);
	if (!block)
		return bytes < HEAP_THRESHOLD ? real.malloc(bytes)
					      : seen(real.malloc(bytes), bytes, caller, stack);
	if (is_first(block))
		return leave_first(block, bytes);
	if (is_own(block))
		return own_realloc(block, bytes);
	if (is_small(block) && may_be_noted(block))
		forget(block);
	gone = tell_freed(block);
	new = real.realloc(block, bytes);
	tell_realloc(&gone, new, bytes, caller, stack);
	return new;
}

/* -- the malloc family: a small block costs a test and a jump */

#define OURS(name) __attribute__((visibility("default"), alias("our_" #name)))

HOT static void *our_malloc(size_t bytes)
{
	if (likely(bytes < HEAP_THRESHOLD))
		return likely(small_left--) ? real.malloc(bytes)
					    : malloc_sampled(bytes, CALLER, STACK);
	return malloc_large(bytes, CALLER, STACK);
}

static void *our_calloc(size_t nr, size_t bytes)
{
	size_t all;

	if (__builtin_mul_overflow(nr, bytes, &all))
		return real.calloc(nr, bytes);
	if (likely(all < HEAP_THRESHOLD && small_left--))
		return real.calloc(nr, bytes);
	return calloc_slow(nr, bytes, CALLER, STACK);
}

HOT static void our_free(void *block)
{
	if (likely(is_small(block) && !may_be_noted(block)))
		real.free(block);
	else
		free_large(block);
}

static void *our_realloc(void *block, size_t bytes)
{
	if (likely(bytes < HEAP_THRESHOLD && is_small(block) && !may_be_noted(block)))
		return real.realloc(block, bytes);
	return realloc_large(block, bytes, CALLER, STACK);
}

static void *our_reallocarray(void *block, size_t nr, size_t bytes)
{
	size_t all;

	if (__builtin_mul_overflow(nr, bytes, &all)) {
		errno = ENOMEM;
		return NULL;
	}
	return realloc_large(block, all, CALLER, STACK);
}

static void *aligned(void *block, size_t bytes, void *caller, const void *stack)
{
	if (bytes >= HEAP_THRESHOLD)
		return seen(block, bytes, caller, stack);
	return likely(small_left--) ? block : sampled(block, bytes, caller, stack);
}

static void *our_aligned_alloc(size_t alignment, size_t bytes)
{
	void *own_one = is_own_work() ? own_aligned(alignment, bytes) : NULL;

	if (own_one)
		return own_one;
	return aligned(real.aligned_alloc(alignment, bytes), bytes, CALLER, STACK);
}

static void *our_memalign(size_t alignment, size_t bytes)
{
	void *own_one = is_own_work() ? own_aligned(alignment, bytes) : NULL;

	if (own_one)
		return own_one;
	return aligned(real.memalign(alignment, bytes), bytes, CALLER, STACK);
}

static int our_posix_memalign(void **block, size_t alignment, size_t bytes)
{
	void *own_one = is_own_work() ? own_aligned(alignment, bytes) : NULL;
	int status = own_one ? 0 : real.posix_memalign(block, alignment, bytes);

	if (own_one)
		*block = own_one;
	else if (!status)
		aligned(*block, bytes, CALLER, STACK);
	return status;
}

static void *our_valloc(size_t bytes)
{
	void *block = real.valloc(bytes);

	return bytes < HEAP_THRESHOLD ? block : seen(block, bytes, CALLER, STACK);
}

static void *our_pvalloc(size_t bytes)
{
	void *block = real.pvalloc(bytes);

	return bytes < HEAP_THRESHOLD ? block : seen(block, bytes, CALLER, STACK);
}

/* -- mappings */

/* The kernel unmaps whole pages; calls that it will reject are not reported. */
static void tell_unmapping(void *start, size_t bytes, struct heap_torn *torn)
{
	size_t page = getauxval(AT_PAGESZ), whole = (bytes + page - 1) & -page;
	const struct heap_hooks *hooks = whole >= bytes && bytes && !((uintptr_t)start & (page - 1))
						 ? enter_mapping()
						 : NULL;
	int error = errno;

	torn->nr = 0;
	if (!hooks)
		return;
	hooks->unmapping(start, whole, torn);
	leave(error);
}

static void tell_unmap_failed(const struct heap_torn *torn)
{
	const struct heap_hooks *hooks = torn->nr ? enter() : NULL;
	int error = errno;

	if (!hooks)
		return;
	hooks->unmap_failed(torn);
	leave(error);
}

static void tell_mapped(void *start, size_t bytes, void *caller, const void *stack)
{
	const struct heap_hooks *hooks = bytes >= HEAP_THRESHOLD ? enter_mapping() : NULL;
	int error = errno;

	if (!hooks)
		return;
	hooks->mapped(start, bytes, caller, stack);
	leave(error);
}

static void tell_remapped(const struct heap_torn *torn, void *old, void *start, size_t bytes,
			  void *caller)
{
	const struct heap_hooks *hooks = enter();
	int error = errno;

	if (!hooks)
		return;
	hooks->remapped(torn, old, start, bytes, caller);
	leave(error);
}

static void *our_mmap(void *start, size_t bytes, int rights, int flags, int fd, off_t offset)
{
	struct heap_torn torn = { .nr = 0 };
	void *got;

	if ((flags & MAP_FIXED) && (flags & MAP_FIXED_NOREPLACE) != MAP_FIXED_NOREPLACE)
		tell_unmapping(start, bytes, &torn);
	got = real.mmap(start, bytes, rights, flags, fd, offset);
	if (got == MAP_FAILED)
		tell_unmap_failed(&torn);
	else
		tell_mapped(got, bytes, CALLER, STACK);
	return got;
}

static int our_munmap(void *start, size_t bytes)
{
	struct heap_torn torn;
	int status;

	tell_unmapping(start, bytes, &torn);
	status = real.munmap(start, bytes);
	if (status)
		tell_unmap_failed(&torn);
	return status;
}

static void *our_mremap(void *old, size_t old_bytes, size_t bytes, int flags, ...)
{
	struct heap_torn torn, covered = { .nr = 0 };
	void *start = NULL, *got;
	va_list more;

	va_start(more, flags);
	if (flags & ~MREMAP_MAYMOVE) /* only then the caller passes an address */
		start = va_arg(more, void *);
	va_end(more);
	if (flags & MREMAP_FIXED)
		tell_unmapping(start, bytes, &covered);
	tell_unmapping(old, old_bytes, &torn);
	got = real.mremap(old, old_bytes, bytes, flags, start);
	if (got != MAP_FAILED) {
		tell_remapped(&torn, old, got, bytes, CALLER);
		return got;
	}
	tell_unmap_failed(&torn);
	tell_unmap_failed(&covered);
	return got;
}

/*
 * Always a system call, so that no next function is needed. The core's memory is excluded from its
 * start on, also in forked children, which inherit it.
 */
static int our_mlockall(int flags)
{
	int (*lock_all)(int) = __atomic_load_n(&core_lock_all, __ATOMIC_ACQUIRE);

	return lock_all && !offer.confined ? lock_all(flags) : (int)syscall(SYS_mlockall, flags);
}

/* -- confinement */

/*
 * The process that owns this memory. A child of vfork has another number, and shares its parent's
 * memory.
 */
static pid_t process;
static bool forked;

static void note_fork(void)
{
	process = getpid();
	forked = true;
	memory_limits_in(process);
}

void interpose_end(void)
{
	offer.confined = true;
	__atomic_store_n(&slot, NULL, __ATOMIC_RELEASE);
}

/*
 * From now on this library makes no system calls of its own. The core must not be started any more;
 * a child that confines itself is not reported, because its parent is measured.
 */
__attribute__((noinline)) static void tell_confining(void)
{
	const struct heap_hooks *hooks = enter();
	int error = errno;

	if (getpid() == process) {
		if (hooks && hooks->confining)
			hooks->confining();
		else if (!offer.started && !forked)
			tool_stay_away();
		interpose_end();
	}
	if (hooks)
		leave(error);
	errno = error;
}

/* Like libc's, it passes on the maximum number of arguments. */
static int our_prctl(int option, unsigned long a, unsigned long b, unsigned long c, unsigned long d)
{
	if (!offer.confined && confinement_by_prctl((unsigned long)option, a, b))
		tell_confining();
	return real.prctl(option, a, b, c, d);
}

__attribute__((noinline)) static long watched_syscall(long number, unsigned long a, unsigned long b,
						      unsigned long c, unsigned long d,
						      unsigned long e, unsigned long f)
{
	if (memory_limits_is_call(number))
		return memory_limits_call(number, a, b, c, d);
	if (!offer.confined && confinement_by_syscall(number, a, b, c))
		tell_confining();
	return real.syscall(number, a, b, c, d, e, f);
}

/*
 * A test and a jump only: a call that creates a thread on another stack returns twice, and the new
 * stack contains only what the program has stored there.
 */
HOT static long our_syscall(long number, unsigned long a, unsigned long b, unsigned long c,
			    unsigned long d, unsigned long e, unsigned long f)
{
	if (!likely(number != SYS_seccomp && number != SYS_prctl && !memory_limits_is_call(number)))
		return watched_syscall(number, a, b, c, d, e, f);
	JUMP return real.syscall(number, a, b, c, d, e, f);
}

/* -- exported symbols */

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wnonnull"
void *malloc(size_t bytes) OURS(malloc);
void *calloc(size_t nr, size_t bytes) OURS(calloc);
void *realloc(void *block, size_t bytes) OURS(realloc);
void *reallocarray(void *block, size_t nr, size_t bytes) OURS(reallocarray);
void free(void *block) OURS(free);
void *aligned_alloc(size_t alignment, size_t bytes) OURS(aligned_alloc);
void *memalign(size_t alignment, size_t bytes) OURS(memalign);
int posix_memalign(void **block, size_t alignment, size_t bytes) OURS(posix_memalign);
void *valloc(size_t bytes) OURS(valloc);
void *pvalloc(size_t bytes) OURS(pvalloc);
void *mmap(void *start, size_t bytes, int rights, int flags, int fd, off_t offset) OURS(mmap);
void *mmap64(void *start, size_t bytes, int rights, int flags, int fd, off_t offset) OURS(mmap);
void *mremap(void *old, size_t old_bytes, size_t bytes, int flags, ...) OURS(mremap);
int munmap(void *start, size_t bytes) OURS(munmap);
int mlockall(int flags) OURS(mlockall);
#pragma GCC diagnostic pop
/* By separate names: libc declares these with variable arguments. */
__typeof__(our_prctl) exported_prctl __asm__("prctl") OURS(prctl);
__typeof__(our_syscall) exported_syscall __asm__("syscall") OURS(syscall);

static const struct heap_stand_in stand_ins[] = {
	{ "malloc", (void *)our_malloc, true },
	{ "calloc", (void *)our_calloc, true },
	{ "realloc", (void *)our_realloc, true },
	{ "reallocarray", (void *)our_reallocarray, true },
	{ "free", (void *)our_free, true },
	{ "aligned_alloc", (void *)our_aligned_alloc, true },
	{ "memalign", (void *)our_memalign, true },
	{ "posix_memalign", (void *)our_posix_memalign, true },
	{ "valloc", (void *)our_valloc, true },
	{ "pvalloc", (void *)our_pvalloc, true },
	{ "mmap", (void *)our_mmap, false },
	{ "mmap64", (void *)our_mmap, false },
	{ "mremap", (void *)our_mremap, false },
	{ "munmap", (void *)our_munmap, false },
	{ "mlockall", (void *)our_mlockall, false },
	{ "prctl", (void *)our_prctl, false },
	{ "syscall", (void *)our_syscall, false },
};

/* The new hooks must not see allocations of the transfer. */
static void start(const struct heap_hooks *const *hooks,
		  void (*earlier)(const struct heap_gone *block, bool mapped))
{
	inside = true;
	offer.started = true;
	__atomic_store_n(&core_lock_all, (*hooks)->lock_all, __ATOMIC_RELEASE);
	memory_limits_begin((*hooks)->added);
	earlier_hand_over(hooks, earlier);
	__atomic_store_n(&slot, hooks, __ATOMIC_RELEASE);
	inside = false;
}

__attribute__((constructor)) static void at_start(void)
{
	int error = errno;
	const void *before;

	process = getpid();
	memory_limits_in(process);
	pthread_atfork(NULL, NULL, note_fork);
	if (real.malloc == first_malloc)
		begin();
	if (offer.preloaded && earlier_has_runtime()) {
		before = memsearch_own_work(INTERPOSE_ANY_STACK);
		earlier_find_unwinder();
		tool_probe_early();
		first_region_prepare();
		memsearch_own_work(before);
	}
	errno = error;
}

const struct heap_interposer *interpose_offer(void)
{
	offer.stand_ins[0] = (struct heap_stand_ins){ stand_ins,
						      sizeof(stand_ins) / sizeof(*stand_ins) };
	offer.stand_ins[1] = memory_limits_stand_ins();
	offer.start = start;
	offer.works_on = serves_own ? memsearch_own_work : NULL;
	return &offer;
}
