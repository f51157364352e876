/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Executable memory near a module: shared memory in a gap of the address space, with a second,
 * writable mapping.
 */
#define _GNU_SOURCE
#include "ompt_tool/clones/code_memory.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "analysis/base/own_memory.h"
#include "ompt_tool/clones/gaps.h"

#ifndef MAP_FIXED_NOREPLACE
#define MAP_FIXED_NOREPLACE 0x100000
#endif

/*
 * 16 MiB hold the copies of some 3 MB of code. Sizes double from the smallest one; smaller ones are
 * tried if no gap is large enough.
 */
enum { LARGEST = 16 << 20, SMALLEST = 1 << 20 };
/*
 * 32-bit displacements reach 2 GiB. Within 1 GiB all of a module with 1 GiB of code and data is
 * reached; if arrays fill that range, farther gaps are tried, which reach smaller modules.
 */
static const uintptr_t reaches[] = { (uintptr_t)1 << 30, ((uintptr_t)1 << 31) - (64 << 20) };

static struct text *texts;
static pid_t owner;

static uintptr_t distance(uintptr_t a, uintptr_t b)
{
	return a < b ? b - a : a - b;
}

/*
 * One shared anonymous mapping, duplicated: mremap(2) of 0 bytes makes a second mapping of the same
 * pages. No file, which RLIMIT_FSIZE and seccomp filters of memfd_create would concern. No mapping
 * is ever writable and executable, nor becomes executable (PR_SET_MDWE).
 */
static bool map_twice(uintptr_t address, size_t bytes, struct text *out)
{
	void *run = mmap((void *)address, bytes, PROT_READ | PROT_EXEC,
			 MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE, -1, 0);
	void *write = MAP_FAILED;

	if (run == MAP_FAILED)
		return false;
	if ((uintptr_t)run == address)
		write = mremap(run, 0, bytes, MREMAP_MAYMOVE);
	if (write == MAP_FAILED) {
		munmap(run, bytes);
		return false;
	}
	if (mprotect(write, bytes, PROT_READ | PROT_WRITE)) {
		munmap(write, bytes);
		munmap(run, bytes);
		return false;
	}
	madvise(write, bytes, MADV_DONTFORK);
	munlock(run, bytes); /* under mlockall(MCL_FUTURE) of the program */
	munlock(write, bytes);
	own_memory_note(run, bytes);
	own_memory_note(write, bytes);
	*out = (struct text){ .write = write, .run = address, .room = bytes };
	return true;
}

static struct text *text_map(uintptr_t address, size_t bytes)
{
	struct text *text = own_memory(sizeof(*text), 0);

	if (!text)
		return NULL;
	if (map_twice(address, bytes, text))
		return text;
	own_memory_give_back(text, sizeof(*text));
	return NULL;
}

/*
 * Most programs need less than 1 MiB; mapped memory counts for the program's limits, and may be
 * populated by its mlockall.
 */
static size_t next_room(size_t bytes)
{
	size_t room = SMALLEST;

	for (struct text *text = texts; text && room < LARGEST; text = text->next)
		room *= 2;
	while (room < bytes && room < LARGEST)
		room *= 2;
	return room;
}

static struct text *text_new(uintptr_t address, size_t bytes, uintptr_t reach, const char **why_out)
{
	bool gap = false;

	for (size_t size = next_room(bytes); size >= SMALLEST && size >= bytes; size /= 2) {
		uintptr_t at = gaps_near(address, size, reach);
		struct text *text = at ? text_map(at, size) : NULL;

		gap |= at != 0;
		if (text) {
			text->next = texts;
			return texts = text;
		}
	}
	*why_out = gap ? "the kernel refuses executable memory"
		       : "no free addresses within reach of the function";
	return NULL;
}

static struct text *text_made(uintptr_t address, size_t bytes, uintptr_t reach)
{
	for (struct text *text = texts; text; text = text->next)
		if (distance(text->run, address) < reach && text->room - text->used > bytes)
			return text;
	return NULL;
}

struct text *text_near(uintptr_t address, size_t bytes, const char **why_out)
{
	struct text *text = NULL;

	if (!owner)
		owner = getpid();
	if (owner != getpid()) {
		*why_out = "child of a process that makes clones";
		return NULL;
	}
	for (size_t i = 0; i < sizeof(reaches) / sizeof(reaches[0]) && !text; i++) {
		text = text_made(address, bytes + 64, reaches[i]);
		text = text ? text : text_new(address, bytes + 64, reaches[i], why_out);
	}
	return text;
}
