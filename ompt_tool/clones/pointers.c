/* SPDX-License-Identifier: Apache-2.0 */
/* Finds words of a module's data that are addresses of its functions. */
#define _GNU_SOURCE
#include "ompt_tool/clones/pointers.h"

#include <link.h>
#include <unistd.h>

#include "analysis/base/arena.h"
#include "analysis/base/read_words.h"
#include "analysis/base/sort.h"
#include "ompt_tool/clones/callee.h"
#include "ompt_tool/clones/clone_calls.h"
#include "ompt_tool/code/bounds.h"
#include "ompt_tool/code/slots.h"

enum { PIECE = 2048 };           /* words per read */
enum { CODE_BYTES = 256 << 10 }; /* limit per module: some 50 us per KiB */

struct gathering {
	struct arena *arena;
	uintptr_t address;   /* in the module */
	uintptr_t low, high; /* its code */
	uintptr_t *found;
	size_t nr, room;
};

static bool is_code(const ElfW(Phdr) * segment)
{
	return segment->p_type == PT_LOAD && segment->p_flags & PF_X;
}

static void gather_word(struct gathering *all, uintptr_t word)
{
	if (word >= all->low && word < all->high && !(all->nr && all->found[all->nr - 1] == word) &&
	    ARENA_GROW(all->arena, all->found, all->nr, all->room))
		all->found[all->nr++] = word;
}

/* The program may have made pages of its data unreadable, to detect accesses. */
static void gather_words(struct gathering *all, uintptr_t at, uintptr_t end)
{
	uintptr_t words[PIECE], page = (uintptr_t)sysconf(_SC_PAGESIZE);

	while (at < end) {
		size_t wanted = (end - at) / sizeof(words[0]) < PIECE
					? (end - at) / sizeof(words[0])
					: PIECE,
		       nr = read_words(at, words, wanted);

		for (size_t i = 0; i < nr; i++)
			gather_word(all, words[i]);
		at += nr * sizeof(words[0]);
		if (nr < wanted)
			at = (at + page) & -page;
	}
}

/* Not under the lock held here: the analysis takes other locks. */
static int gather(struct dl_phdr_info *module, size_t bytes, void *ctx)
{
	struct gathering *all = ctx;

	(void)bytes;
	if (!slots_module_has(module, all->address))
		return 0;
	for (int i = 0; i < module->dlpi_phnum; i++)
		if (is_code(&module->dlpi_phdr[i])) {
			all->low = module->dlpi_addr + module->dlpi_phdr[i].p_vaddr;
			all->high = all->low + module->dlpi_phdr[i].p_memsz;
		}
	for (int i = 0; i < module->dlpi_phnum; i++) {
		const ElfW(Phdr) *segment = &module->dlpi_phdr[i];
		uintptr_t at = (module->dlpi_addr + segment->p_vaddr + sizeof(at) - 1) &
			       ~(sizeof(at) - 1);

		if (segment->p_type == PT_LOAD && segment->p_flags & PF_R && !is_code(segment) &&
		    segment->p_filesz >= 2 * sizeof(at))
			gather_words(all, at,
				     at + (segment->p_filesz - sizeof(at)) / sizeof(at) *
						     sizeof(at));
	}
	return 1;
}

static void learn_all(const struct gathering *all, uint32_t probes)
{
	size_t read = 0;

	for (size_t i = 0; i < all->nr && read < CODE_BYTES; i++) {
		struct code_bounds bounds;

		if ((i && all->found[i] == all->found[i - 1]) ||
		    code_bounds_find(all->found[i], &bounds) != CODE_BOUNDS_FOUND ||
		    bounds.start != all->found[i])
			continue;
		read += bounds.end - bounds.start;
		clone_lets_call(all->found[i], probes);
	}
}

enum { KNOWN = 64 }; /* modules with code that is cloned, one after the other */
static struct {
	uint64_t module;
	uint32_t probes;
} known[KNOWN];

static bool is_known(uint64_t module, uint32_t probes)
{
	static unsigned int next;

	for (size_t i = 0; i < KNOWN; i++)
		if (known[i].module == module && known[i].probes == probes)
			return true;
	known[next % KNOWN].module = module;
	known[next++ % KNOWN].probes = probes;
	return false;
}

void pointers_learn(uintptr_t address, uint32_t probes)
{
	struct gathering all = { .address = address };

	if (!callee_module(address) || is_known(callee_identity(address), probes) ||
	    !(all.arena = arena_new()))
		return;
	dl_iterate_phdr(gather, &all);
	sort(all.found, all.nr, sizeof(all.found[0]), sort_by_address);
	learn_all(&all, probes);
	arena_free(all.arena);
}
