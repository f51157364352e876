/* SPDX-License-Identifier: Apache-2.0 */
/*
 * From a library's sampled instruction to the program's line that called it: CFI over a copy of the
 * stack.
 */
#include <elfutils/libdwfl.h>
#include <string.h>
#include <unistd.h>

#include "analysis/base/arena.h"
#include "analysis/base/own_heap.h"
#include "analysis/debuginfo/modules.h"
#include "ompt_tool/clones/clone.h"
#include "ompt_tool/sampling/registers.h"
#include "ompt_tool/sampling/unwinder.h"

/* libdwfl requires a process; it has one thread with this id */
#define TASK 1

struct unwinder {
	const struct module *modules;
	size_t nr_modules;
	bool *own; /* [nr_modules] */
	/* or tried to be: most runs have no stack to follow, and each file takes 50 us */
	bool opened;
	Dwfl *dwfl;
	bool attached;
	/* while a stack is followed */
	const struct sample_site *site;
	uint64_t answer;
};

static bool is_own(const struct unwinder *unwinder, uint64_t address)
{
	struct code_address at = modules_find(unwinder->modules, unwinder->nr_modules, address);

	return at.module != UINT32_MAX && unwinder->own[at.module];
}

static pid_t next_thread(Dwfl *dwfl, void *unwinder, void **thread)
{
	(void)dwfl;
	if (*thread)
		return 0;
	*thread = unwinder;
	return TASK;
}

static bool get_thread(Dwfl *dwfl, pid_t task, void *unwinder, void **thread)
{
	(void)dwfl;
	*thread = unwinder;
	return task == TASK;
}

/*
 * Only the copy of the stack can be read. A return address into a clone, which has no CFI in its
 * file, is replaced by the original's.
 */
static bool memory_read(Dwfl *dwfl, Dwarf_Addr address, Dwarf_Word *result, void *ctx)
{
	const struct sample_site *site = ((struct unwinder *)ctx)->site;
	uint64_t offset = address - site->registers[register_map.stack_pointer];

	(void)dwfl;
	if (offset >= site->stack_bytes || site->stack_bytes - offset < sizeof(*result))
		return false;
	memcpy(result, site->stack + offset, sizeof(*result));
	*result = clone_original(*result); /* registers and stack are alike there */
	return true;
}

static bool set_registers(Dwfl_Thread *thread, void *ctx)
{
	const struct sample_site *site = ((struct unwinder *)ctx)->site;
	Dwarf_Word value = clone_original(site->ip);

	dwfl_thread_state_register_pc(thread, value);
	if (register_map.dwarf_ip &&
	    !dwfl_thread_state_registers(thread, (int)register_map.dwarf_ip, 1, &value))
		return false;
	for (uint32_t i = 0; i < register_map.nr; i++) {
		value = site->registers[i];
		if (!dwfl_thread_state_registers(thread, register_map.dwarf[i], 1, &value))
			return false;
	}
	return true;
}

static const Dwfl_Thread_Callbacks thread_callbacks = {
	.next_thread = next_thread,
	.get_thread = get_thread,
	.memory_read = memory_read,
	.set_initial_registers = set_registers,
};

/* .eh_frame is in the file itself; separate debug files are not searched. */
static int no_debug_file(Dwfl_Module *module, void **data, const char *name, Dwarf_Addr base,
			 const char *file, const char *link, GElf_Word crc, char **path)
{
	(void)module, (void)data, (void)name, (void)base, (void)file, (void)link, (void)crc,
		(void)path;
	return -1;
}

static const Dwfl_Callbacks dwfl_callbacks = {
	.find_elf = dwfl_build_id_find_elf,
	.find_debuginfo = no_debug_file,
	.section_address = dwfl_offline_section_address,
};

static void open_modules(struct unwinder *unwinder)
{
	dwfl_report_begin(unwinder->dwfl);
	for (size_t i = 0; i < unwinder->nr_modules; i++) {
		const struct module *module = &unwinder->modules[i];

		if (module->path[0] == '/')
			dwfl_report_elf(unwinder->dwfl, module->path, module->path, -1,
					module->bias, true);
	}
	dwfl_report_end(unwinder->dwfl, NULL, NULL);
}

struct unwinder *unwinder_new(struct arena *arena, const struct module *modules, size_t nr_modules)
{
	struct unwinder *unwinder = arena_alloc(arena, sizeof(*unwinder));

	if (!unwinder)
		return NULL;
	*unwinder = (struct unwinder){ .modules = modules, .nr_modules = nr_modules };
	unwinder->own = arena_alloc(arena, nr_modules * sizeof(*unwinder->own));
	for (size_t i = 0; unwinder->own && i < nr_modules; i++)
		unwinder->own[i] = !module_is_foreign(modules[i].path);
	return unwinder->own ? unwinder : NULL;
}

static bool can_follow(struct unwinder *unwinder)
{
	if (unwinder->opened)
		return unwinder->attached;
	own_heap_enter();
	unwinder->opened = true;
	unwinder->dwfl = dwfl_begin(&dwfl_callbacks);
	if (!unwinder->dwfl)
		return false;
	open_modules(unwinder);
	unwinder->attached = dwfl_attach_state(unwinder->dwfl, NULL, TASK, &thread_callbacks,
					       unwinder);
	return unwinder->attached;
}

void unwinder_free(struct unwinder *unwinder)
{
	if (!unwinder || !unwinder->opened)
		return;
	if (unwinder->dwfl)
		dwfl_end(unwinder->dwfl);
	own_heap_leave();
}

/* Without CFI libdwfl guesses from the frame pointer, which optimised code uses for anything. */
static bool has_cfi(const struct unwinder *unwinder, Dwarf_Addr pc)
{
	Dwarf_Addr bias = 0;
	Dwarf_Frame *frame = NULL;
	Dwarf_CFI *cfi = dwfl_module_eh_cfi(dwfl_addrmodule(unwinder->dwfl, pc), &bias);
	bool found = cfi && !dwarf_cfi_addrframe(cfi, pc - bias, &frame);

	own_heap_free(frame);
	return found;
}

static int visit_frame(Dwfl_Frame *frame, void *ctx)
{
	struct unwinder *unwinder = ctx;
	Dwarf_Addr pc;
	/* the innermost frame: pc is the instruction itself, not a return address */
	bool sampled;

	if (!dwfl_frame_pc(frame, &pc, &sampled))
		return DWARF_CB_ABORT;
	if (is_own(unwinder, pc)) {
		unwinder->answer = pc;
		return DWARF_CB_ABORT;
	}
	return has_cfi(unwinder, sampled ? pc : pc - 1) ? DWARF_CB_OK : DWARF_CB_ABORT;
}

enum ms_status unwinder_own_code(struct unwinder *unwinder, const struct sample_site *site,
				 uint64_t *return_address_out)
{
	unwinder->answer = 0;
	if (is_own(unwinder, clone_original(site->ip))) {
		unwinder->answer = site->ip;
	} else if (site->has_stack && can_follow(unwinder)) {
		unwinder->site = site;
		dwfl_getthread_frames(unwinder->dwfl, TASK, visit_frame, unwinder);
	}
	*return_address_out = unwinder->answer;
	return unwinder->answer ? MS_OK : MS_ERR_NOT_FOUND;
}
