/* SPDX-License-Identifier: Apache-2.0 */
/* Distinguishes calls of a library's function from different places of the program. */
#define _GNU_SOURCE
#include "ompt_tool/sampling/callers.h"

#include <link.h>
#include <string.h>

#include "analysis/debuginfo/modules.h"
#include "ompt_tool/clones/clone.h"
#include "ompt_tool/sampling/kernel_event.h"

#define RANGES 64

static struct {
	uintptr_t low, high;
} own[RANGES];
static uint32_t nr_own;

/* The program is the first module, without a name. */
static int note_code(struct dl_phdr_info *info, size_t size, void *ctx)
{
	(void)size, (void)ctx;
	if (info->dlpi_name[0] && module_is_foreign(info->dlpi_name))
		return 0;
	for (int i = 0; i < info->dlpi_phnum && nr_own < RANGES; i++) {
		const ElfW(Phdr) *segment = &info->dlpi_phdr[i];

		if (segment->p_type != PT_LOAD || !(segment->p_flags & PF_X))
			continue;
		own[nr_own].low = info->dlpi_addr + segment->p_vaddr;
		own[nr_own].high = own[nr_own].low + segment->p_memsz;
		nr_own++;
	}
	return 0;
}

void callers_begin(void)
{
	nr_own = 0;
	dl_iterate_phdr(note_code, NULL);
}

bool callers_is_own(uint64_t address)
{
	address = clone_original(address);
	for (uint32_t i = 0; i < nr_own; i++)
		if (address - own[i].low < own[i].high - own[i].low)
			return true;
	return false;
}

uint64_t callers_of(const struct kernel_sample *sample)
{
	uint64_t word;

	for (uint32_t at = 0; sample->stack && at + sizeof(word) <= sample->stack_bytes;
	     at += sizeof(word)) {
		memcpy(&word, sample->stack + at, sizeof(word));
		if (callers_is_own(word))
			return clone_original(word);
	}
	return 0;
}
