/* SPDX-License-Identifier: Apache-2.0 */
/* Heap blocks get the names of the variables that point to them. */
#define _GNU_SOURCE /* dl_iterate_phdr */
#include <link.h>
#include <string.h>

#include "analysis/base/arena.h"
#include "analysis/base/read_words.h"
#include "analysis/base/reserve.h"
#include "analysis/debuginfo/declared.h"
#include "ompt_tool/arrays/array.h"
#include "ompt_tool/arrays/fortran_descriptor.h"
#include "ompt_tool/arrays/heap.h"
#include "ompt_tool/arrays/origins.h"
#include "ompt_tool/arrays/siblings.h"

#define ROWS_MAX (1u << 17)   /* as many as array.c has */
#define NAMED_ALL UINTPTR_MAX /* every block of the row has its name */
#define ROWS_READ (1u << 20)  /* pointers examined in a block of pointers */
#define SEGMENTS_MAX 16       /* writable ones of a file; compilers make one or two */
/* words read at once, aligned to their size: 4 KiB, within one page on every system */
#define PIECE_WORDS 512

/* A row created for a variable, because its site also has blocks of other variables. */
struct named_row {
	uint32_t site, id;
	const char *name;
};

static struct {
	struct arena *arena;
	/* by row: the block for which its name was found; NAMED_ALL; 0: unnamed */
	uintptr_t *named;
	struct named_row *rows;
	size_t nr_rows, room;
} names;

struct block {
	uint32_t array;
	uintptr_t start;
	uint64_t bytes, offset;
};

struct scan {
	uintptr_t bias;
	struct {
		uintptr_t low, high;
	} writable[SEGMENTS_MAX];
	size_t nr;
	uintptr_t piece; /* address of the words read last; 0: none yet */
	size_t nr_words; /* 0: not readable */
	uintptr_t words[PIECE_WORDS];
};

static bool prepare(void)
{
	if (!names.arena)
		names.arena = arena_new();
	if (!names.named)
		names.named = reserve(ROWS_MAX * sizeof(*names.named));
	return names.arena && names.named;
}

/* -- where a variable may be read */

static int note_writable(struct dl_phdr_info *info, size_t bytes, void *context)
{
	struct scan *scan = context;

	(void)bytes;
	if (info->dlpi_addr != scan->bias)
		return 0;
	for (int i = 0; i < info->dlpi_phnum && scan->nr < SEGMENTS_MAX; i++) {
		const ElfW(Phdr) *part = &info->dlpi_phdr[i];

		if (part->p_type != PT_LOAD || !(part->p_flags & PF_W))
			continue;
		scan->writable[scan->nr].low = info->dlpi_addr + part->p_vaddr;
		scan->writable[scan->nr++].high = info->dlpi_addr + part->p_vaddr + part->p_memsz;
	}
	return 1;
}

/*
 * Number of bytes from the address to the end of the module's data; 0: it is not in the module's
 * data, whatever DWARF states.
 */
static size_t readable(const struct scan *scan, uintptr_t address)
{
	for (size_t i = 0; i < scan->nr; i++)
		if (address >= scan->writable[i].low && address < scan->writable[i].high)
			return scan->writable[i].high - address;
	return 0;
}

/*
 * Variables are sorted by address, so that each piece is read once per pass. False: not readable.
 */
static bool pointer_at(struct scan *scan, uintptr_t address, uintptr_t *out)
{
	uintptr_t piece = address & -sizeof(scan->words), word = (address - piece) / sizeof(*out);

	if (address % sizeof(*out))
		return read_words(address, out, 1) == 1;
	if (piece != scan->piece) {
		scan->piece = piece;
		scan->nr_words = read_words(piece, scan->words, PIECE_WORDS);
	}
	*out = word < scan->nr_words ? scan->words[word] : 0;
	return word < scan->nr_words;
}

static bool block_at(uintptr_t address, struct block *block)
{
	struct array_place place;

	if (!address || !array_at(address, array_time(), UINT64_MAX, &place) ||
	    place.array >= ROWS_MAX || array_get(place.array)->kind != ARRAY_HEAP)
		return false;
	*block = (struct block){ place.array, address - place.offset, place.block_bytes,
				 place.offset };
	return true;
}

static bool block_of(struct scan *scan, const struct declared *variable, struct block *block)
{
	uintptr_t address = variable->address + scan->bias, value;

	if ((!variable->pointer && !variable->descriptor) || variable->thread_private ||
	    readable(scan, address) < sizeof(value) || !pointer_at(scan, address, &value))
		return false;
	return block_at(value, block);
}

/* -- giving names */

static struct array row_for(const struct scan *scan, const struct declared *variable,
			    const struct block *block)
{
	uintptr_t address = variable->address + scan->bias;
	struct array row = variable->array;

	row.kind = ARRAY_HEAP;
	row.site = 0;
	row.module = "";
	if (variable->descriptor)
		fortran_descriptor_read((const unsigned char *)address, readable(scan, address),
					block->bytes, &row);
	return row;
}

/* The row that has this name among those of one site; ARRAY_NONE: none yet. */
static uint32_t find_row(uint32_t site, const char *name)
{
	for (size_t i = 0; i < names.nr_rows; i++)
		if (names.rows[i].site == site && !strcmp(names.rows[i].name, name))
			return names.rows[i].id;
	return ARRAY_NONE;
}

static bool keep_row(uint32_t site, uint32_t id, const char *name)
{
	if (!ARENA_GROW(names.arena, names.rows, names.nr_rows, names.room))
		return false;
	names.rows[names.nr_rows++] = (struct named_row){ site, id, name };
	return true;
}

static uint32_t new_row(uint32_t site, const struct array *row)
{
	uint32_t id = array_new(row);

	if (id >= ROWS_MAX || !keep_row(site, id, row->name))
		return ARRAY_NONE;
	names.named[id] = NAMED_ALL;
	origins_copy(site, id);
	return id;
}

/*
 * Moves a block to the row `id`; earlier observations stay with the old row. A block that was freed
 * meanwhile is not changed.
 */
static void give(const struct block *block, uint32_t id)
{
	uint64_t bytes;

	if (id == ARRAY_NONE || !array_block_remove(block->start, &bytes))
		return;
	siblings_leave(block->array, bytes);
	siblings_return(id, bytes);
	array_block_add(id, block->start, bytes);
}

static bool has_name(const struct block *block)
{
	return names.named[block->array] == NAMED_ALL || names.named[block->array] == block->start;
}

/*
 * Names a row: a site's row only for this block, because it may get others later; a sibling's row
 * for all its blocks.
 */
static void describe(const struct block *block, const struct array *row)
{
	uint32_t site = siblings_site(block->array);

	if (!keep_row(site, block->array, row->name))
		return;
	array_describe(block->array, row);
	names.named[block->array] = site == block->array ? block->start : NAMED_ALL;
}

/*
 * If the row has only this block, the row gets the name, also for earlier observations; if it has
 * several blocks, the block moves to a row of that name.
 */
static void name_block(const struct block *block, const struct array *row)
{
	uint32_t site = siblings_site(block->array), other = find_row(site, row->name);

	if (has_name(block))
		return;
	if (other == block->array)
		names.named[other] = block->start; /* allocated anew, or moved by realloc */
	else if (other != ARRAY_NONE)
		give(block, other);
	else if (!names.named[block->array] && origins_new(block->array) == 1)
		describe(block, row);
	else
		give(block, new_row(site, row));
}

/* -- blocks of pointers: "double **a" names its rows "a[]" */

static bool holds_pointers(const struct declared *variable)
{
	size_t length = strlen(variable->array.type);

	return variable->pointer && length && variable->array.type[length - 1] == '*';
}

static struct array row_of_rows(const struct declared *variable)
{
	const struct array *pointers = &variable->array;
	size_t length = strlen(pointers->type) - 1;
	const char *name = arena_printf(names.arena, "%s[]", pointers->name), *type;

	while (length && pointers->type[length - 1] == ' ')
		length--;
	type = arena_strndup(names.arena, pointers->type, length);
	return (struct array){
		.kind = ARRAY_HEAP,
		.name = name ? name : "",
		.type = type ? type : "",
		.file = pointers->file,
		.line = pointers->line,
		.module = "",
	};
}

struct rows {
	const struct declared *variable;
	struct array row; /* name NULL: not made yet */
	uint32_t first;   /* row of the first unnamed block … */
	uint64_t nr;      /* … and the number of unnamed blocks in it */
};

/* Calls `visit` for the unnamed blocks whose addresses are stored in a block of pointers. */
static void visit_rows(const struct block *pointers, struct rows *rows,
		       void (*visit)(struct rows *rows, const struct block *block))
{
	size_t nr = pointers->bytes / sizeof(uintptr_t), done = 0, got = 1;
	uintptr_t words[512];
	struct block block;

	for (nr = nr < ROWS_READ ? nr : ROWS_READ; done < nr && got; done += got) {
		got = read_words(pointers->start + done * sizeof(*words), words,
				 nr - done < 512 ? nr - done : 512);
		for (size_t i = 0; i < got; i++)
			if (block_at(words[i], &block) && !block.offset && !has_name(&block))
				visit(rows, &block);
	}
}

static void count_row(struct rows *rows, const struct block *block)
{
	if (!rows->nr)
		rows->first = block->array;
	rows->nr += block->array == rows->first;
}

static void give_row(struct rows *rows, const struct block *block)
{
	uint32_t site = siblings_site(block->array), id = find_row(site, rows->row.name);

	give(block, id != ARRAY_NONE ? id : new_row(site, &rows->row));
}

/*
 * If all blocks of a site are rows of this array, the site's row gets the name, also for earlier
 * observations.
 */
static void name_rows(const struct declared *variable, const struct block *pointers)
{
	struct rows rows = { .variable = variable };

	visit_rows(pointers, &rows, count_row);
	if (!rows.nr)
		return;
	rows.row = row_of_rows(variable);
	if (rows.nr == array_get(rows.first)->live_blocks && !names.named[rows.first] &&
	    keep_row(rows.first, rows.first, rows.row.name)) {
		array_describe(rows.first, &rows.row);
		names.named[rows.first] = NAMED_ALL;
	}
	visit_rows(pointers, &rows, give_row);
}

/*
 * Only by pointers to the begin of a block: a part of the frame that is not initialised yet may have
 * old pointers, to other blocks and into them.
 */
void heap_name_by_frame(const struct declared *declared, uintptr_t low, uintptr_t high)
{
	struct scan scan = { .writable = { { low, high } }, .nr = 1 };
	struct block block;

	if (prepare() && block_of(&scan, declared, &block) && !block.offset) {
		struct array row = row_for(&scan, declared, &block);

		name_block(&block, &row);
	}
}

/* Pointers to the begin of a block take precedence: a pointer into a block may be a cursor. */
void heap_name_blocks(const struct declared_list *declared, uintptr_t bias)
{
	struct scan scan = { .bias = bias };
	struct block block;

	if (!prepare())
		return;
	dl_iterate_phdr(note_writable, &scan);
	for (int inside = 0; inside < 2; inside++)
		for (size_t i = 0; i < declared->nr; i++) {
			const struct declared *variable = &declared->items[i];

			if (*variable->array.name && block_of(&scan, variable, &block) &&
			    (block.offset != 0) == inside) {
				struct array row = row_for(&scan, variable, &block);

				name_block(&block, &row);
			}
		}
	for (size_t i = 0; i < declared->nr; i++)
		if (holds_pointers(&declared->items[i]) &&
		    block_of(&scan, &declared->items[i], &block) && !block.offset)
			name_rows(&declared->items[i], &block);
}
