/* SPDX-License-Identifier: Apache-2.0 */
/* The bytes of a file at the addresses at which its segments are loaded. */
#include "analysis/sir/file_memory.h"

#include <gelf.h>

#include "analysis/elf/binary.h"

static const unsigned char *segment(const struct code_memory *self, uintptr_t address,
				    uintptr_t *start_out, uintptr_t *end_out)
{
	const struct image *file = &((const struct file_memory *)self)->binary->file;
	GElf_Phdr header;
	size_t nr;

	if (!file->bytes || elf_getphdrnum(file->elf, &nr))
		return NULL;
	for (size_t i = 0; i < nr; i++) {
		if (!gelf_getphdr(file->elf, (int)i, &header) || header.p_type != PT_LOAD ||
		    address - header.p_vaddr >= header.p_filesz || header.p_offset > file->size ||
		    header.p_filesz > file->size - header.p_offset)
			continue;
		*start_out = header.p_vaddr;
		*end_out = header.p_vaddr + header.p_filesz;
		return (const unsigned char *)file->bytes + header.p_offset;
	}
	return NULL;
}

void file_memory_init(struct file_memory *out, const struct binary *binary)
{
	*out = (struct file_memory){ { segment }, binary };
}
