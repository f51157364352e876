/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "tests/differential/functions.h"

#include <Zydis/Zydis.h>
#include <dlfcn.h>
#include <link.h>
#include <stdio.h>
#include <string.h>

#include "analysis/base/arena.h"
#include "analysis/base/hash.h"
#include "ompt_tool/code/bounds.h"

struct listing {
	struct functions *out;
	struct arena *arena;
	uintptr_t base;
};

/*
 * Distances relative to the instruction: of branches and calls that leave the function, and of
 * operands.
 */
static void blank_distances(const struct function *function, const ZydisDecodedInstruction *is,
			    uintptr_t at, unsigned char *bytes)
{
	int64_t target = (int64_t)at + is->length + is->raw.imm[0].value.s;

	if (is->raw.disp.size == 32 && is->attributes & ZYDIS_ATTRIB_HAS_MODRM &&
	    is->raw.modrm.mod == 0 && is->raw.modrm.rm == 5)
		memset(bytes + is->raw.disp.offset, 0, 4);
	if (is->raw.imm[0].is_relative && is->raw.imm[0].size == 32 &&
	    (target < (int64_t)function->start || target >= (int64_t)function->end))
		memset(bytes + is->raw.imm[0].offset, 0, 4);
}

static uint64_t hash_code(const struct function *function)
{
	uint64_t hash = HASH_START;
	ZydisDecodedInstruction is;
	ZydisDecoder decoder;

	ZydisDecoderInit(&decoder, ZYDIS_MACHINE_MODE_LONG_64, ZYDIS_STACK_WIDTH_64);
	for (uintptr_t at = function->start; at < function->end; at += is.length) {
		unsigned char bytes[16];

		if (!ZYAN_SUCCESS(ZydisDecoderDecodeInstruction(&decoder, NULL, (const void *)at,
								function->end - at, &is)))
			return hash_bytes(hash, (const void *)at, function->end - at);
		memcpy(bytes, (const void *)at, is.length);
		blank_distances(function, &is, at, bytes);
		hash = hash_bytes(hash, bytes, is.length);
	}
	return hash;
}

static void set_name(const struct listing *listing, struct function *function)
{
	Dl_info info;

	snprintf(function->name, sizeof(function->name), "+0x%lx",
		 (long)(function->start - listing->base));
	if (dladdr((const void *)function->start, &info) &&
	    info.dli_saddr == (void *)function->start && info.dli_sname)
		snprintf(function->name, sizeof(function->name), "%s", info.dli_sname);
}

/* push or jmp through memory at the begin, perhaps behind endbr64. */
static bool is_linkage(const unsigned char *code)
{
	static const unsigned char endbr64[] = { 0xf3, 0x0f, 0x1e, 0xfa };

	if (!memcmp(code, endbr64, sizeof(endbr64)))
		code += sizeof(endbr64);
	return (code[0] == 0xff && (code[1] == 0x35 || code[1] == 0x25)) ||
	       (code[0] == 0xf2 && code[1] == 0xff && code[2] == 0x25);
}

static void add_function(struct listing *listing, const struct code_bounds *bounds)
{
	struct functions *out = listing->out;

	if (is_linkage((const unsigned char *)bounds->start) ||
	    !ARENA_GROW(listing->arena, out->rows, out->nr, out->room))
		return;
	out->rows[out->nr] = (struct function){ .start = bounds->start, .end = bounds->end };
	out->rows[out->nr].hash = hash_code(&out->rows[out->nr]);
	set_name(listing, &out->rows[out->nr]);
	out->rows[out->nr].prototype = out->generated ? &prototype_generated
						      : prototype_of(out->rows[out->nr].name,
								     &out->rows[out->nr].type);
	out->nr++;
}

static void add_segment(struct listing *listing, const struct dl_phdr_info *info,
			const ElfW(Phdr) * segment)
{
	uintptr_t at = info->dlpi_addr + segment->p_vaddr, end = at + segment->p_memsz;
	struct code_bounds bounds;

	while (at < end) {
		if (code_bounds_find_in(info, at, &bounds) != CODE_BOUNDS_FOUND) {
			at++;
			continue;
		}
		add_function(listing, &bounds);
		at = bounds.end;
	}
}

static int add_module(struct dl_phdr_info *info, size_t size, void *ctx)
{
	struct listing *listing = ctx;

	(void)size;
	if (info->dlpi_addr != listing->base)
		return 0;
	for (int i = 0; i < info->dlpi_phnum; i++)
		if (info->dlpi_phdr[i].p_type == PT_LOAD && info->dlpi_phdr[i].p_flags & PF_X)
			add_segment(listing, info, &info->dlpi_phdr[i]);
	return 1;
}

bool functions_of(const char *library, struct functions *out, const char **why_out)
{
	void *handle = dlopen(library, RTLD_NOW);
	struct listing listing = { .out = out, .arena = arena_new() };
	struct link_map *map = NULL;

	*out = (struct functions){ 0 };
	*why_out = handle ? "no memory" : dlerror();
	if (!handle || !listing.arena || dlinfo(handle, RTLD_DI_LINKMAP, &map))
		return false;
	out->generated = dlsym(handle, "differential_generated") != NULL;
	listing.base = out->base = map->l_addr;
	dl_iterate_phdr(add_module, &listing);
	return true;
}
