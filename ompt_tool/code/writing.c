/* SPDX-License-Identifier: Apache-2.0 */
/* mprotect and /proc/self/mem. */
#define _GNU_SOURCE
#include "ompt_tool/code/writing.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "analysis/base/memory_map.h"

struct search { uintptr_t address; int protection; };

static bool look_at(void *ctx, const struct memory_mapping *mapping)
{
	struct search *search = ctx;

	if (search->address < mapping->low || search->address >= mapping->high)
		return true;
	search->protection = mapping->protection;
	return false;
}

int writing_protection(uintptr_t address)
{
	struct search search = { address, -1 };

	memory_map_visit(look_at, &search);
	return search.protection;
}

/* At the end of a mapping, what was written before it is put back. */
static bool write_all(int fd, uintptr_t address, const void *bytes, size_t nr)
{
	unsigned char before[16];
	ssize_t written;

	if (nr > sizeof(before) || pread(fd, before, nr, (off_t)address) != (ssize_t)nr)
		return false;
	written = pwrite(fd, bytes, nr, (off_t)address);
	if (written > 0 && (size_t)written < nr)
		written = pwrite(fd, before, (size_t)written, (off_t)address) < 0 ? -1 : 0;
	return written > 0;
}

static bool write_through_file(uintptr_t address, const void *bytes, size_t nr)
{
	int fd = open("/proc/self/mem", O_RDWR | O_CLOEXEC);
	bool written = fd >= 0 && write_all(fd, address, bytes, nr);

	if (fd >= 0)
		close(fd);
	return written;
}

bool writing_read(uintptr_t address, void *bytes_out, size_t nr)
{
	int saved = errno, fd = open("/proc/self/mem", O_RDONLY | O_CLOEXEC);
	bool got = fd >= 0 && pread(fd, bytes_out, nr, (off_t)address) == (ssize_t)nr;

	if (fd >= 0)
		close(fd);
	errno = saved;
	return got;
}

/* Whole pages around some bytes. */
struct pages { void *first; size_t bytes; };

static struct pages pages_around(uintptr_t address, size_t nr)
{
	uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE), first = address / page * page;

	return (struct pages){ (void *)first, (address + nr - first + page - 1) / page * page };
}

static void store_word(uintptr_t *place, uintptr_t value)
{
	__atomic_store_n(place, value, __ATOMIC_RELEASE);
}

static bool store_unprotected(uintptr_t *place, uintptr_t value, int protection)
{
	struct pages pages = pages_around((uintptr_t)place, sizeof(*place));

	if (mprotect(pages.first, pages.bytes, protection | PROT_WRITE) < 0)
		return false;
	store_word(place, value);
	mprotect(pages.first, pages.bytes, protection);
	return true;
}

bool writing_word(uintptr_t *place, uintptr_t value)
{
	return writing_known_word(place, value, writing_protection((uintptr_t)place));
}

bool writing_known_word(uintptr_t *place, uintptr_t value, int protection)
{
	int saved = errno;
	bool written = protection >= 0;

	if (written && protection & PROT_WRITE)
		store_word(place, value);
	else if (written)
		written = store_unprotected(place, value, protection) || write_through_file((uintptr_t)place, &value, sizeof(value));
	errno = saved;
	return written;
}

/* A signal in between must not find half of it. */
static void store_bytes(uintptr_t address, const void *bytes, size_t nr)
{
	sigset_t all, before;

	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	memcpy((void *)address, bytes, nr);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
}

static bool write_unprotected(uintptr_t address, const void *bytes, size_t nr)
{
	struct pages pages = pages_around(address, nr);
	int first = writing_protection(address), last = writing_protection(address + nr - 1);

	if (first < 0 || first != last || mprotect(pages.first, pages.bytes, first | PROT_WRITE) < 0)
		return false;
	store_bytes(address, bytes, nr);
	mprotect(pages.first, pages.bytes, first);
	return true;
}

bool writing_text(uintptr_t address, const void *bytes, size_t nr)
{
	int saved = errno;
	bool written = write_through_file(address, bytes, nr) || write_unprotected(address, bytes, nr);

	errno = saved;
	return written;
}
