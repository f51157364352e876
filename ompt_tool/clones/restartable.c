/* SPDX-License-Identifier: Apache-2.0 */
/* Finds signatures in a module's code, and then descriptors in its data. */
#define _GNU_SOURCE
#include "ompt_tool/clones/restartable.h"

#include <link.h>
#include <stddef.h>
#include <string.h>

#include "analysis/base/arena.h"
#include "ompt_tool/clones/callee.h"
#include "ompt_tool/code/slots.h"

/* RSEQ_SIG of glibc's sys/rseq.h for x86: what ud1's displacement before each abort handler is. */
#define SIGNATURE 0x53053053u

/* linux/rseq.h: struct rseq_cs. */
struct descriptor {
	uint32_t version, flags;
	uint64_t start, bytes, abort_handler;
};

struct range {
	uintptr_t start, end;
};

/* Cache of the last modules, as most queries are about few of them. */
struct sequences {
	uintptr_t headers;           /* the module's; 0: none */
	unsigned long long unloaded; /* modules at the time of the scan */
	bool has_signatures;
	struct arena *arena;
	struct range *ranges;
	size_t nr, room;
};
enum { KEPT = 4 };
static struct sequences kept[KEPT];

static bool is_in_code(const struct dl_phdr_info *module, uintptr_t address, uintptr_t bytes)
{
	for (int i = 0; i < module->dlpi_phnum; i++) {
		const ElfW(Phdr) *segment = &module->dlpi_phdr[i];
		uintptr_t offset = address - (module->dlpi_addr + segment->p_vaddr);

		if (segment->p_type == PT_LOAD && segment->p_flags & PF_X &&
		    segment->p_flags & PF_R && offset < segment->p_memsz &&
		    bytes <= segment->p_memsz - offset)
			return true;
	}
	return false;
}

/* By its second byte, the rarest one in code: memchr is some ten times faster than memmem. */
static bool has_signature(const unsigned char *at, const unsigned char *end)
{
	static const uint32_t signature = SIGNATURE;
	const unsigned char *second = (const unsigned char *)&signature + 1;

	if (end - at < (ptrdiff_t)sizeof(signature))
		return false;
	for (at++, end -= 2; (at = memchr(at, *second, (size_t)(end - at))); at++)
		if (!memcmp(at - 1, &signature, sizeof(signature)))
			return true;
	return false;
}

__attribute__((no_sanitize("address"))) static bool is_descriptor(const struct dl_phdr_info *module,
								  const struct descriptor *row)
{
	uint32_t before;

	if (row->version || !row->bytes || !is_in_code(module, row->start, row->bytes) ||
	    !is_in_code(module, row->abort_handler - sizeof(before), sizeof(before)))
		return false;
	memcpy(&before, (const void *)(row->abort_handler - sizeof(before)), sizeof(before));
	return before == SIGNATURE;
}

static void add(struct sequences *all, uintptr_t start, uintptr_t end)
{
	if (all->arena && ARENA_GROW(all->arena, all->ranges, all->nr, all->room))
		all->ranges[all->nr++] = (struct range){ start, end };
}

/*
 * In the part of a segment of data that comes from the file: descriptors are constants. Between
 * objects lie red zones of address sanitizers.
 */
__attribute__((no_sanitize("address"))) static void
look_for_descriptors(const struct dl_phdr_info *module, const ElfW(Phdr) * segment,
		     struct sequences *all)
{
	uintptr_t at = (module->dlpi_addr + segment->p_vaddr + 7) & ~(uintptr_t)7,
		  end = module->dlpi_addr + segment->p_vaddr + segment->p_filesz;

	for (; at + sizeof(struct descriptor) <= end; at += 8) {
		const struct descriptor *row = (const struct descriptor *)at;

		if (!is_descriptor(module, row))
			continue;
		add(all, row->start, row->start + row->bytes);
		add(all, row->abort_handler - sizeof(uint32_t), row->abort_handler + 1);
	}
}

static bool has_signatures(const struct dl_phdr_info *module)
{
	for (int i = 0; i < module->dlpi_phnum; i++) {
		const ElfW(Phdr) *segment = &module->dlpi_phdr[i];
		const unsigned char *at = (const unsigned char *)module->dlpi_addr +
					  segment->p_vaddr;

		if (segment->p_type == PT_LOAD && segment->p_flags & PF_X &&
		    segment->p_flags & PF_R && has_signature(at, at + segment->p_filesz))
			return true;
	}
	return false;
}

static const struct sequences *sequences_of(const struct dl_phdr_info *module)
{
	static unsigned int next;
	struct sequences *all;

	for (size_t i = 0; i < KEPT; i++)
		if (kept[i].headers == (uintptr_t)module->dlpi_phdr &&
		    kept[i].unloaded == module->dlpi_subs)
			return &kept[i];
	all = &kept[next++ % KEPT];
	arena_free(all->arena);
	*all = (struct sequences){ .headers = (uintptr_t)module->dlpi_phdr,
				   .unloaded = module->dlpi_subs,
				   .has_signatures = has_signatures(module) };
	if (!all->has_signatures)
		return all;
	all->arena = arena_new();
	for (int i = 0; i < module->dlpi_phnum; i++) {
		const ElfW(Phdr) *segment = &module->dlpi_phdr[i];

		if (segment->p_type == PT_LOAD && segment->p_flags & PF_R)
			look_for_descriptors(module, segment, all);
	}
	return all;
}

struct question {
	struct range code;
	bool met;
};

/* The segment of the last module without a signature; most queries are about it. */
static struct {
	struct range code;
	unsigned long long unloaded;
} free_of_them;

static void keep_free(const struct dl_phdr_info *module, uintptr_t address)
{
	for (int i = 0; i < module->dlpi_phnum; i++) {
		const ElfW(Phdr) *segment = &module->dlpi_phdr[i];
		uintptr_t start = module->dlpi_addr + segment->p_vaddr;

		if (segment->p_type == PT_LOAD && address - start < segment->p_memsz)
			free_of_them.code = (struct range){ start, start + segment->p_memsz };
	}
	free_of_them.unloaded = module->dlpi_subs;
}

static int look_in_module(struct dl_phdr_info *module, size_t bytes, void *ctx)
{
	struct question *question = ctx;
	const struct range *code = &question->code;
	const struct sequences *all;

	(void)bytes;
	if (!slots_module_has(module, code->start))
		return 0;
	all = sequences_of(module);
	if (!all->has_signatures)
		keep_free(module, code->start);
	question->met = all->has_signatures &&
			(!all->arena || has_signature((const unsigned char *)code->start,
						      (const unsigned char *)code->end));
	for (size_t i = 0; i < all->nr && !question->met; i++)
		question->met = all->ranges[i].start < code->end &&
				all->ranges[i].end > code->start;
	return 1;
}

bool restartable_meets(uintptr_t start, uintptr_t end)
{
	struct question question = { { start, end }, false };

	if (start >= free_of_them.code.start && end <= free_of_them.code.end &&
	    free_of_them.unloaded == callee_unloaded())
		return false;
	dl_iterate_phdr(look_in_module, &question);
	return question.met;
}
