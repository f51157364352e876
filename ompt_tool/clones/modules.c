/* SPDX-License-Identifier: Apache-2.0 */
/* Segments of loaded files, and the names of personality routines. */
#define _GNU_SOURCE
#include "ompt_tool/clones/modules.h"

#include <dlfcn.h>
#include <link.h>
#include <string.h>

#define REMEMBERED 8             /* routines; a process has two or three */

struct question {
	uintptr_t address;
	uintptr_t end;                   /* of the segment; 0: not found */
	unsigned long long unloaded;     /* modules, so far */
};

static int ask(struct dl_phdr_info *module, size_t size, void *ctx)
{
	struct question *question = ctx;

	(void)size;
	question->unloaded = module->dlpi_subs;
	for (int i = 0; i < module->dlpi_phnum; i++) {
		const ElfW(Phdr) *segment = &module->dlpi_phdr[i];
		uintptr_t start = module->dlpi_addr + segment->p_vaddr;

		if (segment->p_type == PT_LOAD && segment->p_flags & PF_R && question->address - start < segment->p_memsz)
			question->end = start + segment->p_memsz;
	}
	return question->end != 0;
}

bool modules_memory(const void *address, struct bytes *out)
{
	struct question question = { .address = (uintptr_t)address };

	dl_iterate_phdr(ask, &question);
	*out = (struct bytes){ .at = address, .end = (const unsigned char *)question.end };
	return question.end != 0;
}

static bool has_known_name(uintptr_t routine)
{
	Dl_info info;

	if (!dladdr((void *)routine, &info) || !info.dli_sname || info.dli_saddr != (void *)routine)
		return false;
	return !strcmp(info.dli_sname, "__gxx_personality_v0") || !strcmp(info.dli_sname, "__gcc_personality_v0");
}

/* dladdr looks at every symbol of a library, so answers are kept until a module is unloaded. */
bool modules_personality_known(uintptr_t routine)
{
	static struct { uintptr_t routine; bool known; } answers[REMEMBERED];
	static unsigned long long unloaded;
	static size_t nr;
	struct question question = { .address = routine };

	dl_iterate_phdr(ask, &question);
	if (question.unloaded != unloaded)
		nr = 0;
	unloaded = question.unloaded;
	for (size_t i = 0; i < nr && i < REMEMBERED; i++)
		if (answers[i].routine == routine)
			return answers[i].known;
	answers[nr % REMEMBERED].routine = routine;
	answers[nr % REMEMBERED].known = has_known_name(routine);
	return answers[nr++ % REMEMBERED].known;
}
