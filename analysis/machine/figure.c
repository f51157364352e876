/* SPDX-License-Identifier: Apache-2.0 */
/* The table of figures, and their values as text. */
#include "analysis/machine/figure.h"

#include <inttypes.h>
#include <string.h>

#include "analysis/base/arena.h"
#include "analysis/machine/model.h"

#define FIELD(field) \
	.offset = offsetof(struct machine_model, field), \
	.bytes = sizeof(((struct machine_model *)0)->field)
#define CACHE(number, field) .level = number, FIELD(cache[number - 1].field)
#define TLB(number, field) .tlb = number, FIELD(tlb[number - 1].field)
#define HUGE_TLB(number, field) .huge_tlb = number, FIELD(huge_tlb[number - 1].field)

#define CACHE_ROWS(name, number) \
	{ name ".size", FIGURE_BYTES, CACHE(number, bytes), .meaning = "data bytes of one" }, \
		{ name ".ways", FIGURE_WAYS, CACHE(number, ways), .meaning = "lines of one set" }, \
		{ name ".line", FIGURE_BYTES, CACHE(number, line), .meaning = "bytes of a line" }, \
		{ name ".cores", FIGURE_COUNT, CACHE(number, cores), \
		  .meaning = "cores that share one" }, \
		{ name ".latency", FIGURE_CYCLES, CACHE(number, latency), \
		  .meaning = "from a load to its use, where this level delivers" }, \
		{ name ".replacement", FIGURE_WORD, CACHE(number, replacement), \
		  .words = "lru|tree_plru", .meaning = "which line of a set leaves" }, \
		{ name ".next_line", FIGURE_WORD, CACHE(number, next_line), .words = "no|yes", \
		  .meaning = "prefetches the line behind one that missed" }, \
		{ name ".strides", FIGURE_WORD, CACHE(number, strides), .words = "no|yes", \
		  .meaning = "prefetches along constant strides" }

#define WRITE_ROWS(name, number) \
	{ name ".write_miss", FIGURE_WORD, CACHE(number, write_around), \
	  .words = "allocate|around", .meaning = "whether a write that misses enters the line" }, \
		{ name ".write_hit", FIGURE_WORD, CACHE(number, write_through), \
		  .words = "back|through", \
		  .meaning = "whether a write stays here until the line leaves" }

#define TLB_ROWS(name, number) \
	{ name ".entries", FIGURE_COUNT, TLB(number, entries), .meaning = "pages known" }, \
		{ name ".ways", FIGURE_WAYS, TLB(number, ways), .meaning = "entries of one set" }, \
		{ name ".latency", FIGURE_CYCLES, TLB(number, latency), \
		  .meaning = "added where this level is the first to know the page" }

#define HUGE_TLB_ROWS(name, number) \
	{ name ".entries", FIGURE_COUNT, HUGE_TLB(number, entries), \
	  .meaning = "huge pages known" }, \
		{ name ".ways", FIGURE_WAYS, HUGE_TLB(number, ways), \
		  .meaning = "entries of one set" }

static const struct figure table[] = {
	{ "cores", FIGURE_COUNT, FIELD(cores), .meaning = "one simulated thread each" },
	{ "nodes", FIGURE_COUNT, FIELD(nodes), .meaning = "NUMA nodes; all have as many cores" },
	{ "clock", FIGURE_HERTZ, FIELD(hz), .meaning = "of the cores" },
	CACHE_ROWS("l1", 1),
	WRITE_ROWS("l1", 1),
	{ "l1.float_bypasses", FIGURE_WORD, CACHE(1, float_bypasses), .words = "no|yes",
	  .meaning = "floating-point accesses go to the next level at once" },
	CACHE_ROWS("l2", 2),
	WRITE_ROWS("l2", 2),
	CACHE_ROWS("l3", 3),
	{ "l3.inclusion", FIGURE_WORD, CACHE(3, inclusion),
	  .words = "non_inclusive|inclusive|exclusive",
	  .meaning = "what it holds of the caches inside" },
	TLB_ROWS("tlb1", 1),
	TLB_ROWS("tlb2", 2),
	{ "page", FIGURE_BYTES, FIELD(page), .meaning = "of memory" },
	{ "huge_page", FIGURE_BYTES, FIELD(huge_page),
	  .meaning = "of memory, where programs ask for it" },
	HUGE_TLB_ROWS("huge_tlb1", 1),
	HUGE_TLB_ROWS("huge_tlb2", 2),
	{ "walk", FIGURE_CYCLES, FIELD(walk_latency), .meaning = "a page that no TLB knows" },
	{ "memory", FIGURE_CYCLES, FIELD(memory_latency),
	  .meaning = "from a load to its use, from the own node's memory" },
	{ "remote", FIGURE_CYCLES, FIELD(remote_latency),
	  .meaning = "… from another node's, where no distances say more" },
	{ "transfer", FIGURE_CYCLES, FIELD(transfer_latency),
	  .meaning = "a line that another core of the node has modified" },
	{ "remote_transfer", FIGURE_CYCLES, FIELD(remote_transfer_latency),
	  .meaning = "… a core of another node" },
	{ "placement", FIGURE_WORD, FIELD(interleave), .words = "first_touch|interleave",
	  .meaning = "on which node a page is" },
};

size_t figures(const struct figure **out)
{
	*out = table;
	return sizeof(table) / sizeof(*table);
}

const struct figure *figure_find(const char *key)
{
	for (size_t i = 0; i < sizeof(table) / sizeof(*table); i++)
		if (!strcmp(table[i].key, key))
			return &table[i];
	return NULL;
}

/* Fields are of 1, 4 and 8 bytes; Hz alone is a double. */
uint64_t figure_get(const struct figure *figure, const struct machine_model *model)
{
	const char *field = (const char *)model + figure->offset;
	uint32_t word;
	uint64_t value;
	double hz;

	if (figure->bytes == sizeof(bool))
		return *(const bool *)field;
	if (figure->kind == FIGURE_HERTZ) {
		memcpy(&hz, field, sizeof(hz));
		return (uint64_t)hz;
	}
	if (figure->bytes == sizeof(word)) {
		memcpy(&word, field, sizeof(word));
		return word;
	}
	memcpy(&value, field, sizeof(value));
	return value;
}

bool figure_set(const struct figure *figure, struct machine_model *model, uint64_t value)
{
	char *field = (char *)model + figure->offset;
	uint32_t word = (uint32_t)value;
	double hz = (double)value;

	if (figure->bytes < sizeof(value) && value > UINT32_MAX)
		return false;
	if (figure->bytes == sizeof(bool))
		*(bool *)field = value != 0;
	else if (figure->kind == FIGURE_HERTZ)
		memcpy(field, &hz, sizeof(hz));
	else if (figure->bytes == sizeof(word))
		memcpy(field, &word, sizeof(word));
	else
		memcpy(field, &value, sizeof(value));
	return true;
}

bool figure_applies(const struct figure *figure, const struct machine_model *model)
{
	if (figure->level)
		return model->cache[figure->level - 1].bytes != 0;
	if (figure->huge_tlb)
		return model->huge_tlb[figure->huge_tlb - 1].entries != 0;
	if (figure->offset == offsetof(struct machine_model, huge_page))
		return model->huge_page != 0;
	return !figure->tlb || model->tlb[figure->tlb - 1].entries != 0;
}

bool figure_is_none(const struct figure *figure, const struct machine_model *model)
{
	uint64_t value = figure_get(figure, model);

	return !value &&
	       (figure->kind == FIGURE_HERTZ || (figure->kind == FIGURE_CYCLES && !figure->tlb));
}

int figure_word(const struct figure *figure, const char *word, size_t nr)
{
	const char *at = figure->words;

	for (int i = 0;; i++) {
		size_t length = strcspn(at, "|");

		if (length == nr && !memcmp(at, word, nr))
			return i;
		if (!at[length])
			return -1;
		at += length + 1;
	}
}

const char *figure_word_text(struct arena *arena, const struct figure *figure, uint64_t value)
{
	const char *at = figure->words;

	while (value-- > 0 && strchr(at, '|'))
		at = strchr(at, '|') + 1;
	return arena_strndup(arena, at, strcspn(at, "|"));
}

static const char *bytes_text(struct arena *arena, uint64_t bytes)
{
	static const char *const units[] = { "bytes", "KiB", "MiB", "GiB" };
	size_t unit = 0;

	while (unit < 3 && bytes && bytes % 1024 == 0) {
		bytes /= 1024;
		unit++;
	}
	return arena_printf(arena, "%" PRIu64 " %s", bytes, units[unit]);
}

/* In GHz with up to three decimals, independent of the locale. */
static const char *hertz_text(struct arena *arena, uint64_t hz)
{
	uint64_t mega = (hz + 500000) / 1000000;
	char *text = arena_printf(arena, "%" PRIu64 ".%03" PRIu64, mega / 1000, mega % 1000);

	for (size_t i = text ? strlen(text) : 0; i-- > 0 && text[i] == '0' && text[i - 1] != '.';)
		text[i] = '\0';
	return text ? arena_printf(arena, "%s GHz", text) : NULL;
}

const char *figure_text(struct arena *arena, const struct figure *figure,
			const struct machine_model *model)
{
	uint64_t value = figure_get(figure, model);

	if (!figure_applies(figure, model) || (figure->kind == FIGURE_HERTZ && !value))
		return NULL;
	switch (figure->kind) {
	case FIGURE_BYTES: return bytes_text(arena, value);
	case FIGURE_CYCLES:
		return arena_printf(arena, "%" PRIu64 " cycle%s", value, value == 1 ? "" : "s");
	case FIGURE_HERTZ: return hertz_text(arena, value);
	case FIGURE_WORD: return figure_word_text(arena, figure, value);
	default: return arena_printf(arena, "%" PRIu64, value);
	}
}

const char *figure_unit(const struct figure *figure)
{
	switch (figure->kind) {
	case FIGURE_BYTES: return "bytes";
	case FIGURE_CYCLES: return "cycles";
	case FIGURE_HERTZ: return "Hz";
	case FIGURE_WORD: return NULL;
	default: return "1";
	}
}
