/* SPDX-License-Identifier: Apache-2.0 */
/* Memory of memsearch's own. */
#define _GNU_SOURCE
#include "analysis/base/own_memory.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "analysis/base/memory_left.h"
#include "analysis/base/memory_map.h"
#include "analysis/base/pagemap_scan.h"
#include "analysis/base/spin.h"

#ifndef MAP_FIXED_NOREPLACE
#define MAP_FIXED_NOREPLACE 0x100000
#endif
#ifndef MLOCK_ONFAULT
#define MLOCK_ONFAULT 1 /* Linux 4.4 */
#endif
#ifndef MCL_ONFAULT
#define MCL_ONFAULT 4 /* Linux 4.4 */
#endif

/* further ones are used, but neither excluded from mlockall nor counted as resident */
#define RANGES 4096
/* from this size on three system calls cost less than populating */
#define LARGE ((size_t)128 << 10)
#define APART ((size_t)16 << 20) /* from here on it is mapped away from libraries */
#define PIECE 4096               /* pages per call of mincore */
#define STRETCHES 64             /* scanned at a time */

struct range {
	uintptr_t low, high;
};

static struct {
	int locked;
	bool known; /* the budget is */
	bool left;  /* own_memory_leave was called */
	size_t nr, taken, budget;
	size_t shared; /* of `taken`: no data memory */
	struct range ranges[RANGES];
} own;

/* ------------------------------------------------------------------- ranges */

static void add_range(uintptr_t low, uintptr_t high)
{
	for (size_t i = 0; i < own.nr; i++) {
		struct range *range = &own.ranges[i];

		if (range->high != low && range->low != high)
			continue;
		range->low = range->low < low ? range->low : low;
		range->high = range->high > high ? range->high : high;
		return;
	}
	if (own.nr < RANGES)
		own.ranges[own.nr++] = (struct range){ low, high };
}

static void remove_range(uintptr_t low, uintptr_t high)
{
	for (size_t i = 0; i < own.nr; i++) {
		struct range range = own.ranges[i];

		if (low < range.low || high > range.high)
			continue;
		own.ranges[i] = own.ranges[--own.nr];
		if (range.low < low)
			own.ranges[own.nr++] = (struct range){ range.low, low };
		if (high < range.high && own.nr < RANGES)
			own.ranges[own.nr++] = (struct range){ high, range.high };
		return;
	}
}

static size_t budget(void)
{
	if (!__atomic_load_n(&own.known, __ATOMIC_ACQUIRE)) {
		size_t left = memory_left_to_map().bytes;

		__atomic_store_n(&own.budget, left == SIZE_MAX ? SIZE_MAX : left / MEMORY_SHARE,
				 __ATOMIC_RELAXED);
		__atomic_store_n(&own.known, true, __ATOMIC_RELEASE);
	}
	return __atomic_load_n(&own.budget, __ATOMIC_RELAXED);
}

void own_memory_alone(void)
{
	__atomic_store_n(&own.budget, memory_left_to_map().bytes, __ATOMIC_RELAXED);
	__atomic_store_n(&own.known, true, __ATOMIC_RELEASE);
}

size_t own_memory_leave(bool data)
{
	size_t all = budget(), bytes;

	spin_lock(&own.locked);
	if (!own.left && own.taken + OWN_MEMORY_ROOM < all)
		__atomic_store_n(&own.budget, own.taken + OWN_MEMORY_ROOM, __ATOMIC_RELAXED);
	own.left = true;
	bytes = own.budget - (data ? own.shared : 0);
	spin_unlock(&own.locked);
	return bytes;
}

static bool may_take(size_t bytes, size_t kept_parts)
{
	size_t all = budget(), kept = all / 4 * kept_parts;

	kept = kept < MEMORY_WORK_MOST ? kept : MEMORY_WORK_MOST;
	return all == SIZE_MAX ||
	       __atomic_load_n(&own.taken, __ATOMIC_RELAXED) + bytes <= all - kept;
}

static void note(void *memory, size_t bytes, bool shared)
{
	spin_lock(&own.locked);
	own.taken += bytes;
	own.shared += shared ? bytes : 0;
	add_range((uintptr_t)memory, (uintptr_t)memory + bytes);
	spin_unlock(&own.locked);
}

void own_memory_note(void *memory, size_t bytes)
{
	note(memory, bytes, true);
}

void own_memory_in_child(void)
{
	spin_unlock(&own.locked);
}

static size_t whole_pages(size_t bytes)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);

	return (bytes + page - 1) & ~(page - 1);
}

/* ------------------------------------------------------------------ mappings */

/*
 * After mlockall(MCL_FUTURE) the kernel populates writable mappings at once. So memory is mapped
 * without any right, unlocked, and made writable then: the kernel populates at mprotect only what
 * is locked.
 */
static void *map_unpopulated(void *at, size_t bytes, int flags)
{
	void *memory = mmap(at, bytes, PROT_NONE, MAP_ANONYMOUS | MAP_NORESERVE | flags, -1, 0);

	if (memory == MAP_FAILED)
		return memory;
	munlock(memory, bytes);
	if (mprotect(memory, bytes, PROT_READ | PROT_WRITE) == 0)
		return memory;
	munmap(memory, bytes);
	return MAP_FAILED;
}

/*
 * Copies of code must lie within 2 GiB of it (clones/code_memory.h). Large mappings next to
 * libraries would fill that, so they are requested between 512 and 768 GiB below them, one after the
 * other; the kernel takes another place where something is mapped.
 */
static void *place_apart(size_t bytes)
{
	static const uint64_t below = (uint64_t)768 << 30, room = (uint64_t)256 << 30;
	static uint64_t used;
	uint64_t at = __atomic_fetch_add(&used, (bytes + APART - 1) & ~(APART - 1),
					 __ATOMIC_RELAXED) %
		      room;

	return (void *)(((uintptr_t)&own & ~(uintptr_t)(APART - 1)) - below + at);
}

/* `kept_parts`: quarters of what memsearch may take that stay free. */
static void *map(void *at, size_t bytes, int flags, size_t kept_parts)
{
	int error = errno;
	void *memory;

	bytes = whole_pages(bytes);
	if (!may_take(bytes, kept_parts)) {
		errno = ENOMEM;
		return NULL;
	}
	if (!at && bytes >= APART)
		at = place_apart(bytes);
	if (bytes >= LARGE && !(flags & MAP_POPULATE))
		memory = map_unpopulated(at, bytes, flags);
	else
		memory = mmap(at, bytes, PROT_READ | PROT_WRITE,
			      MAP_ANONYMOUS | MAP_NORESERVE | flags, -1, 0);
	if (memory == MAP_FAILED)
		return NULL;
	madvise(memory, bytes, MADV_DONTDUMP); /* Linux 3.4 */
	note(memory, bytes, flags & MAP_SHARED);
	errno = error;
	return memory;
}

void *own_memory(size_t bytes, int flags)
{
	return map(NULL, bytes, flags & MAP_SHARED ? flags : flags | MAP_PRIVATE, 2);
}

void *own_memory_for_work(size_t bytes, int flags)
{
	return map(NULL, bytes, flags | MAP_PRIVATE, 0);
}

/* Kernels before Linux 4.17 take the address for a hint. */
void *own_memory_at(void *address, size_t bytes)
{
	void *memory = map(address, bytes, MAP_PRIVATE | MAP_FIXED_NOREPLACE, 2);

	if (!memory || memory == address)
		return memory;
	own_memory_give_back(memory, bytes);
	errno = EEXIST;
	return NULL;
}

void own_memory_give_back(void *memory, size_t bytes)
{
	bytes = whole_pages(bytes);
	spin_lock(&own.locked);
	own.taken -= bytes;
	remove_range((uintptr_t)memory, (uintptr_t)memory + bytes);
	spin_unlock(&own.locked);
	munmap(memory, bytes);
}

size_t own_memory_for_a_table(void)
{
	size_t all = budget(), part = all / MEMORY_TABLE_SHARE;

	if (all == SIZE_MAX)
		return SIZE_MAX;
	return part < MEMORY_TABLE_MOST ? part : MEMORY_TABLE_MOST;
}

/* ------------------------------------------------------------------ resident */

/* Without a lock: mincore fails for ranges unmapped meanwhile, which counts as no page. */
static bool range_at(size_t i, struct range *out)
{
	bool there;

	spin_lock(&own.locked);
	there = i < own.nr;
	if (there)
		*out = own.ranges[i];
	spin_unlock(&own.locked);
	return there;
}

/* Bytes that are present below what *at becomes, as far as the kernel finds these quickly. */
static size_t scan(int pagemap, uintptr_t *at, uintptr_t high)
{
	struct pagemap_stretch stretches[STRETCHES];
	size_t bytes = 0;

	while (*at < high) {
		int nr = pagemap_scan(pagemap, at, high, PAGEMAP_PRESENT, false, stretches,
				      STRETCHES);

		if (nr < 0)
			break;
		for (int i = 0; i < nr; i++)
			bytes += stretches[i].high - stretches[i].low;
	}
	return bytes;
}

static size_t resident_in(int pagemap, const struct range *range, size_t page)
{
	unsigned char is_there[PIECE];
	uintptr_t at = range->low;
	size_t bytes = pagemap < 0 ? 0 : scan(pagemap, &at, range->high), pages = 0;

	for (; at < range->high; at += PIECE * page) {
		size_t nr = (range->high - at) / page < PIECE ? (range->high - at) / page : PIECE;

		if (mincore((void *)at, nr * page, is_there))
			continue;
		for (size_t i = 0; i < nr; i++)
			pages += is_there[i] & 1;
	}
	return bytes + pages * page;
}

size_t own_memory_resident(void)
{
	size_t bytes = 0, page = (size_t)sysconf(_SC_PAGESIZE);
	int error = errno, pagemap = open("/proc/self/pagemap", O_RDONLY | O_CLOEXEC);
	struct range range;

	for (size_t i = 0; range_at(i, &range); i++)
		bytes += resident_in(pagemap, &range, page);
	if (pagemap >= 0)
		close(pagemap);
	errno = error;
	return bytes;
}

/* ------------------------------------------------------------------- locking */

/* The first of our ranges that ends behind `at`. */
static struct range next_range(uintptr_t at)
{
	struct range next = { UINTPTR_MAX, UINTPTR_MAX }, range;

	for (size_t i = 0; range_at(i, &range); i++)
		if (range.high > at && range.low < next.low)
			next = range;
	return next;
}

/* Errors are those of populating, which mlockall ignores, too. */
static bool lock_mapping(void *ctx, const struct memory_mapping *mapping)
{
	const unsigned int *how = ctx;

	for (uintptr_t at = mapping->low; at < mapping->high;) {
		struct range range = next_range(at);
		uintptr_t end = range.low < mapping->high ? range.low : mapping->high;

		if (end > at)
			syscall(SYS_mlock2, at, end - at, *how);
		at = range.high;
	}
	return true;
}

static void unlock_own(void)
{
	struct range range;

	for (size_t i = 0; range_at(i, &range); i++)
		munlock((void *)range.low, range.high - range.low);
}

/* RLIMIT_MEMLOCK counts all addresses for mlockall: whether it would suffice without ours. */
static bool allowed_without_own(void)
{
	size_t mapped = memory_mapped().all, taken = __atomic_load_n(&own.taken, __ATOMIC_RELAXED);
	struct rlimit limit;

	return errno == ENOMEM && getrlimit(RLIMIT_MEMLOCK, &limit) == 0 &&
	       mapped - taken <= limit.rlim_cur;
}

/*
 * Locks everything without populating, unlocks ours, and locks the rest again, which populates it.
 */
int own_memory_lock_all(int flags)
{
	unsigned int how = flags & MCL_ONFAULT ? MLOCK_ONFAULT : 0;
	int error = errno;

	if (!(flags & MCL_CURRENT))
		return (int)syscall(SYS_mlockall, flags);
	if (syscall(SYS_mlockall, flags | MCL_ONFAULT) && !allowed_without_own())
		return -1;
	unlock_own();
	memory_map_visit(lock_mapping, &how);
	if (flags & MCL_FUTURE)
		/* later mappings are populated again, as the program wants */
		syscall(SYS_mlockall, flags & ~MCL_CURRENT);
	errno = error;
	return 0;
}
