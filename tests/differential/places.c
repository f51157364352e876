/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "tests/differential/places.h"

#include <link.h>
#include <stdio.h>
#include <string.h>

#include "analysis/base/hash.h"

static int add_module(struct dl_phdr_info *info, size_t size, void *ctx)
{
	struct modules *modules = ctx;
	struct module *module = &modules->rows[modules->nr];

	(void)size;
	if (modules->nr == MODULES || !*info->dlpi_name)
		return 0;
	*module = (struct module){ .start = UINTPTR_MAX };
	snprintf(module->name, sizeof(module->name), "%s", info->dlpi_name);
	for (int i = 0; i < info->dlpi_phnum; i++) {
		uintptr_t start = info->dlpi_addr + info->dlpi_phdr[i].p_vaddr,
			  end = start + info->dlpi_phdr[i].p_memsz;

		if (info->dlpi_phdr[i].p_type != PT_LOAD)
			continue;
		module->start = start < module->start ? start : module->start;
		module->end = end > module->end ? end : module->end;
	}
	modules->nr++;
	return 0;
}

void modules_look(struct modules *out)
{
	out->nr = 0;
	dl_iterate_phdr(add_module, out);
}

void places_clear(struct places *places)
{
	memset(places, 0, sizeof(*places));
}

static size_t row_of(const struct places *places, uintptr_t at)
{
	size_t row = hash_word(at) >> 50; /* PLACES is 2^14 */

	while (places->rows[row].at && places->rows[row].at != at)
		row = (row + 1) % PLACES;
	return row;
}

/* Sums over [address, address + nr) of each byte's address, and of its square. */
static void add_bytes(struct bytes *bytes, uint64_t address, uint64_t nr)
{
	for (uint64_t at = address; at != address + nr; at++) {
		bytes->addresses += at;
		bytes->squares += at * at;
	}
}

void places_add(struct places *places, uintptr_t at, uintptr_t address, uint64_t bytes, bool write,
		bool known)
{
	struct place *place = &places->rows[row_of(places, at)];
	struct bytes *sums = write ? &place->written : &place->read;

	if (!place->at) {
		places->full = places->nr >= PLACES / 2;
		if (places->full)
			return;
		places->nr++;
		place->at = at;
	}
	sums->accesses++;
	sums->nr += bytes;
	if (known)
		add_bytes(sums, address, bytes);
	else
		sums->elsewhere += bytes;
}

struct place places_of(const struct places *places, uintptr_t at)
{
	return places->rows[row_of(places, at)];
}
