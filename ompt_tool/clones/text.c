/* SPDX-License-Identifier: Apache-2.0 */
/* Executable memory near a module: a memfd in a gap of the address space, mapped a second time for writing. */
#define _GNU_SOURCE
#include "ompt_tool/clones/text.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "ompt_tool/clones/gaps.h"

#ifndef MFD_EXEC
#define MFD_EXEC 0x10u                   /* Linux 6.3, <linux/memfd.h> */
#endif
#ifndef MAP_FIXED_NOREPLACE
#define MAP_FIXED_NOREPLACE 0x100000
#endif

/* 16 MiB hold the copies of some 3 MB of code; less is tried where there is no such gap. */
enum { LARGEST = 16 << 20, SMALLEST = 1 << 20 };
static const uintptr_t reach = (uintptr_t)1 << 30;

static struct text *texts;
static pid_t owner;

static uintptr_t distance(uintptr_t a, uintptr_t b) { return a < b ? b - a : a - b; }

/* Since Linux 6.3 a memfd may be executable only if asked for; before, the flag was not known. */
static int executable_file(size_t bytes)
{
	int fd = memfd_create("memsearch clones", MFD_CLOEXEC | MFD_EXEC);

	if (fd < 0)
		fd = memfd_create("memsearch clones", MFD_CLOEXEC);
	if (fd >= 0 && ftruncate(fd, (off_t)bytes)) {
		close(fd);
		return -1;
	}
	return fd;
}

static bool map_twice(int fd, uintptr_t address, size_t bytes, struct text *out)
{
	void *run = mmap((void *)address, bytes, PROT_READ | PROT_EXEC, MAP_SHARED | MAP_FIXED_NOREPLACE, fd, 0);
	void *write;

	if (run == MAP_FAILED)
		return false;
	write = (uintptr_t)run == address ? mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0) : MAP_FAILED;
	if (write == MAP_FAILED) {
		munmap(run, bytes);
		return false;
	}
	madvise(write, bytes, MADV_DONTFORK);
	*out = (struct text){ .write = write, .run = address, .room = bytes };
	return true;
}

static struct text *text_map(uintptr_t address, size_t bytes)
{
	struct text *text = mmap(NULL, sizeof(*text), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	int fd = executable_file(bytes);
	bool mapped = text != MAP_FAILED && fd >= 0 && map_twice(fd, address, bytes, text);

	if (fd >= 0)
		close(fd);
	if (!mapped && text != MAP_FAILED)
		munmap(text, sizeof(*text));
	return mapped ? text : NULL;
}

static struct text *text_new(uintptr_t address, size_t bytes, const char **why_out)
{
	bool gap = false;

	for (size_t size = LARGEST; size >= SMALLEST && size >= bytes; size /= 2) {
		uintptr_t at = gaps_near(address, size, reach);
		struct text *text = at ? text_map(at, size) : NULL;

		gap |= at != 0;
		if (text) {
			text->next = texts;
			return texts = text;
		}
	}
	*why_out = gap ? "the kernel refuses executable memory" : "no free addresses within reach of the function";
	return NULL;
}

struct text *text_near(uintptr_t address, size_t bytes, const char **why_out)
{
	if (!owner)
		owner = getpid();
	if (owner != getpid()) {
		*why_out = "child of a process that makes clones";
		return NULL;
	}
	for (struct text *text = texts; text; text = text->next)
		if (distance(text->run, address) < reach && text->room - text->used > bytes + 64)
			return text;
	return text_new(address, bytes + 64, why_out);
}
