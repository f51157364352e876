/* SPDX-License-Identifier: Apache-2.0 */
/* Another library that brings a malloc, to be preloaded: blocks at the begin of mappings of their own, nothing readable before them. */
#define _GNU_SOURCE
#include <errno.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#define SLOTS 65536
static struct { uintptr_t start; size_t bytes; } blocks[SLOTS];
static int locked;

static void lock(void) { while (__atomic_exchange_n(&locked, 1, __ATOMIC_ACQUIRE)) continue; }
static void unlock(void) { __atomic_store_n(&locked, 0, __ATOMIC_RELEASE); }

static size_t slot_of(uintptr_t start)
{
	size_t at = (start >> 12) % SLOTS;

	while (blocks[at].start && blocks[at].start != start)
		at = (at + 1) % SLOTS;
	return at;
}

/* A guard page, and the block behind it. */
void *malloc(size_t bytes)
{
	size_t room = (bytes + 4095 + !bytes) & ~(size_t)4095;
	char *guard = room < bytes ? (char *)-1 : (char *)syscall(SYS_mmap, NULL, room + 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0L);
	size_t at;

	if (guard == (char *)-1) {
		errno = ENOMEM;
		return NULL;
	}
	syscall(SYS_mprotect, guard + 4096, room, PROT_READ | PROT_WRITE);
	lock();
	at = slot_of((uintptr_t)guard + 4096);
	blocks[at].start = (uintptr_t)guard + 4096;
	blocks[at].bytes = bytes;
	unlock();
	return guard + 4096;
}

/* Gives pages back, and keeps the address. */
void free(void *block)
{
	if (block)
		syscall(SYS_madvise, block, 4096, MADV_DONTNEED);
}

void *calloc(size_t nr, size_t bytes)
{
	size_t all;

	if (__builtin_mul_overflow(nr, bytes, &all)) {
		errno = ENOMEM;
		return NULL;
	}
	return malloc(all);
}

void *realloc(void *old, size_t bytes)
{
	void *block = malloc(bytes);
	size_t had = 0;

	if (old) {
		lock();
		had = blocks[slot_of((uintptr_t)old)].bytes;
		unlock();
	}
	if (block && old)
		memcpy(block, old, had < bytes ? had : bytes);
	if (block)
		free(old);
	return block;
}

void *memalign(size_t alignment, size_t bytes) { return alignment <= 4096 ? malloc(bytes) : NULL; }
void *aligned_alloc(size_t alignment, size_t bytes) { return memalign(alignment, bytes); }
void *valloc(size_t bytes) { return malloc(bytes); }
void *pvalloc(size_t bytes) { return malloc(bytes); }
int posix_memalign(void **block, size_t alignment, size_t bytes) { return (*block = memalign(alignment, bytes)) ? 0 : ENOMEM; }
