/* SPDX-License-Identifier: Apache-2.0 */
/* mprotect, /proc/self/mem and /proc/self/maps. */
#define _GNU_SOURCE
#include "ompt_tool/code/writing.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define READ_BYTES 4096

/* A line of maps so far: "start-end rwxp …"; `field` counts what was passed: 0 start, 1 end, 2 protection, 3 the rest. */
struct line {
	uintptr_t start, end;
	int protection;
	unsigned int field;
};

static unsigned int digit(char c)
{
	return c >= 'a' ? (unsigned int)(c - 'a') + 10 : (unsigned int)(c - '0');
}

static int protection_bit(char c)
{
	return c == 'r' ? PROT_READ : c == 'w' ? PROT_WRITE : c == 'x' ? PROT_EXEC : 0;
}

/* Takes one character; true at the end of the line. */
static bool line_take(struct line *line, char c)
{
	if (c == '\n')
		return true;
	if ((c == '-' && line->field == 0) || (c == ' ' && line->field < 3))
		line->field++;
	else if (line->field == 0)
		line->start = line->start << 4 | digit(c);
	else if (line->field == 1)
		line->end = line->end << 4 | digit(c);
	else if (line->field == 2)
		line->protection |= protection_bit(c);
	return false;
}

static int find_protection(int fd, uintptr_t address)
{
	struct line line = { 0 };
	char text[READ_BYTES];
	ssize_t got;

	while ((got = read(fd, text, sizeof(text))) > 0) {
		for (ssize_t i = 0; i < got; i++) {
			if (!line_take(&line, text[i]))
				continue;
			if (address >= line.start && address < line.end)
				return line.protection;
			line = (struct line){ 0 };
		}
	}
	return -1;
}

int writing_protection(uintptr_t address)
{
	int saved = errno, fd = open("/proc/self/maps", O_RDONLY | O_CLOEXEC), found = -1;

	if (fd >= 0) {
		found = find_protection(fd, address);
		close(fd);
	}
	errno = saved;
	return found;
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
