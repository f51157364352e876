/* SPDX-License-Identifier: Apache-2.0 */
/* Redirects malloc calls of libraries that were loaded with memsearch-core.so. */
#define _GNU_SOURCE /* dl_iterate_phdr */
#include "ompt_tool/process/own_libraries.h"

#include <elfutils/libdwfl.h>
#include <libelf.h>
#include <link.h>
#include <stdbool.h>
#include <string.h>
#include <sys/mman.h>

#include "analysis/base/base_name.h"
#include "analysis/base/own_heap.h"
#include "ompt_tool/code/slots.h"
#include "ompt_tool/code/writing.h"

#define FUNCTIONS_MAX 32

/*
 * The first two allocate for each other, so that both are redirected or neither; the others do not
 * pass on memory that they allocate.
 */
static const char *const names[] = { "libdw.so",   "libelf.so", "libz.so",
				     "liblzma.so", "libbz2.so", "libzstd.so" };
#define NAMES (sizeof(names) / sizeof(names[0]))
#define NEEDED 2

/* Functions that access trees (tsearch), which are not libc's after the redirection. */
static const char *const unknown[] = { "tdelete", "twalk", "twalk_r" };

static struct {
	uintptr_t core; /* an address in memsearch-core.so */
	/* during the iteration of modules, in load order */
	bool behind_core;
	bool came[NAMES];
	const char *why; /* why they are not redirected */
	struct slots_change changes[FUNCTIONS_MAX];
	size_t nr;
} found;

/* Index in `names`; NAMES: none. */
static size_t library(const char *path)
{
	const char *file = path ? base_name(path) : NULL;
	size_t i = 0;

	while (i < NAMES && (!file || strncmp(file, names[i], strlen(names[i])) != 0))
		i++;
	return i;
}

static bool is_among(const struct slot *slot)
{
	for (size_t i = 0; i < found.nr; i++)
		if (!strcmp(slot->name, found.changes[i].name))
			return true;
	return false;
}

/*
 * All or none: a block of one allocator must not be passed to the other. So the slots are only
 * collected first.
 */
static void look_at_slot(void *ctx, const struct slot *slot)
{
	(void)ctx;
	for (size_t i = 0; i < sizeof(unknown) / sizeof(unknown[0]); i++)
		if (!strcmp(slot->name, unknown[i]))
			found.why = "they look into trees in a way that is not known";
	if (!is_among(slot))
		return;
	if (slot->kind == SLOT_POINTER)
		found.why = "they keep addresses of functions that allocate";
	else if (!writing_known_word(slot->place, *slot->place,
				     slot->read_only ? PROT_READ : PROT_READ | PROT_WRITE))
		found.why = "their tables of addresses cannot be written";
}

static int look_at_module(struct dl_phdr_info *module, size_t bytes, void *ctx)
{
	size_t which = library(module->dlpi_name);

	(void)bytes, (void)ctx;
	found.behind_core |= slots_module_has(module, found.core);
	if (which == NAMES || !found.behind_core)
		return 0;
	found.came[which] = true;
	slots_of_module(module, look_at_slot, NULL);
	return 0;
}

static bool is_led(const char *path)
{
	size_t which = library(path);

	return which < NAMES && found.came[which];
}

static void list_changes(void)
{
	const struct own_heap_function *functions;
	size_t nr = own_heap_functions(&functions);

	for (found.nr = 0; found.nr < nr && found.nr < FUNCTIONS_MAX; found.nr++)
		found.changes[found.nr] = (struct slots_change){ .name = functions[found.nr].name,
								 .with = functions[found.nr].with };
}

/*
 * Each library stores its last error per thread, in memory that the dynamic linker allocates at the
 * first access.
 */
static void take_errors(void)
{
	elf_errno();
	dwarf_errno();
	dwfl_errno();
}

static void look(void)
{
	dl_iterate_phdr(look_at_module, NULL);
}

void own_libraries_lead(void)
{
	list_changes();
	found.core = (uintptr_t)own_libraries_lead;
	look();
	for (size_t i = 0; i < NEEDED; i++)
		if (!found.came[i])
			found.why = "the program has libdw or libelf itself";
	if (found.why)
		return;
	slots_change(found.changes, found.nr, is_led);
	own_heap_serve(is_led);
	take_errors();
}

const char *own_libraries_why(void)
{
	return found.why;
}
