/* SPDX-License-Identifier: Apache-2.0 */
/* Compares the lines of threads. */
#include "analysis/counting/comparison.h"

#include <stddef.h>
#include <string.h>

static struct compared *set_of(const struct line_piece *piece)
{
	return (struct compared *)((char *)piece->set - offsetof(struct compared, lines));
}

/*
 * The threads that accessed the piece, as a list: it and the following equal pieces, up to
 * *end_out.
 */
static struct compared *who_touched(struct line_piece *piece, struct line_piece **end_out)
{
	struct compared *with = NULL, **last = &with;
	uint64_t address = piece->address;

	for (; piece && piece->address == address; piece = piece->after) {
		struct compared *set = set_of(piece);

		set->piece = piece;
		*last = set;
		last = &set->with_piece;
	}
	*last = NULL;
	*end_out = piece;
	return with;
}

static bool any_wrote(const struct compared *with)
{
	while (with && !with->piece->is_written)
		with = with->with_piece;
	return with;
}

/* Combines the lines of the piece over these threads. */
static void overlay(struct comparison *comparison, const struct compared *with)
{
	memset(&comparison->scratch, 0, sizeof(comparison->scratch));
	for (; with; with = with->with_piece)
		for (uint32_t i = 0; i < LINE_PIECE_LINES; i++) {
			uint32_t touches = line_touched(with->piece->lines[i]),
				 writes = line_written(with->piece->lines[i]);
			uint32_t *touched = &comparison->scratch.touched[i],
				 *written = &comparison->scratch.written[i];

			comparison->scratch.clash[i] |= (writes & *touched) | (touches & *written);
			comparison->scratch.several[i] |= touches && *touched;
			*touched |= touches;
			*written |= writes;
		}
}

struct compared_array *compared_array(struct compared *set, uint32_t array)
{
	if (set->at && set->at->array == array)
		return set->at;
	for (uint32_t i = 0; i < set->nr_arrays; i++)
		if (set->arrays[i].array == array)
			return &set->arrays[i];
	return NULL;
}

void compared_clear(struct compared *set)
{
	set->incomplete = false;
	set->nr_arrays = 0;
	set->at = NULL;
	line_set_clear(&set->lines);
}

void compared_met(struct compared *set, uint32_t array, uint32_t region)
{
	if (compared_array(set, array))
		return;
	if (set->nr_arrays == COMPARED_ARRAYS)
		set->incomplete = true;
	else
		set->arrays[set->nr_arrays++] = (struct compared_array){ .array = array,
									 .region = region };
}

static uint32_t array_around(struct comparison *comparison, uint64_t address)
{
	struct array_place place;

	if (address - comparison->block.start < comparison->block.bytes)
		return comparison->block.array;
	if (!comparison->place(comparison->ctx, address, &place))
		return ARRAY_NONE;
	comparison->block.array = place.array;
	comparison->block.start = address - place.offset;
	comparison->block.bytes = place.block_bytes;
	return place.array;
}

/* A data structure of this size shares few lines with others. */
#define BLOCK_OF_LINES (4 * LINE_BYTES)

/*
 * The data structure of the thread's words. A line with several counts for the first one, unless
 * that is the end of a large one, which has few accesses there: then for the next one, a counter
 * for example.
 */
static struct compared_array *array_touched(struct comparison *comparison, struct compared *set,
					    uint32_t line)
{
	uint64_t address = set->piece->address + (uint64_t)line * LINE_BYTES, end;
	uint32_t words = line_touched(set->piece->lines[line]), array;

	if (!words)
		return NULL;
	array = array_around(comparison, address + (uint64_t)__builtin_ctz(words) * LINE_WORD);
	end = comparison->block.start + comparison->block.bytes;
	if (array != ARRAY_NONE && comparison->block.bytes >= BLOCK_OF_LINES &&
	    end - address < LINE_BYTES) {
		words &= 0xffffu << (end - address + LINE_WORD - 1) / LINE_WORD;
		array = words ? array_around(comparison,
					     address + (uint64_t)__builtin_ctz(words) * LINE_WORD)
			      : array;
	}
	return compared_array(set, array);
}

/* Data structures for which a line is counted already: at most one per word. */
#define LINE_ARRAYS (LINE_BYTES / LINE_WORD)
struct counted {
	uint32_t arrays[LINE_ARRAYS];
	uint32_t nr;
};

static bool is_first(struct counted *counted, uint32_t array)
{
	for (uint32_t i = 0; i < counted->nr; i++)
		if (counted->arrays[i] == array)
			return false;
	if (counted->nr < LINE_ARRAYS) /* blocks may change concurrently */
		counted->arrays[counted->nr++] = array;
	return true;
}

/* A thread other than `not` that writes the line. */
static struct compared *writer_of(struct compared *with, uint32_t line, const struct compared * not)
{
	while (with && (with == not|| !with->at || !line_written(with->piece->lines[line])))
		with = with->with_piece;
	return with;
}

static struct compared *reader_of(struct compared *with, uint32_t line, const struct compared * not)
{
	while (with && (with == not|| !with->at || !line_touched(with->piece->lines[line])))
		with = with->with_piece;
	return with;
}

static uint64_t word_used(const struct compared *set, uint32_t line, bool written)
{
	uint64_t words = set->piece->lines[line];

	return set->piece->address + (uint64_t)line * LINE_BYTES +
	       (uint64_t)__builtin_ctz(written ? line_written(words) : line_touched(words)) *
		       LINE_WORD;
}

/*
 * A word of a writing thread, and one of another thread, preferably a writing one. Stored with the
 * writer.
 */
static void suspect_line(struct compared *with, uint32_t line)
{
	struct compared *first = writer_of(with, line, NULL),
			*second = first ? writer_of(with, line, first) : NULL;
	struct line_suspect suspect = { .writes_second = second };

	second = first && !second ? reader_of(with, line, first) : second;
	if (!second || second->at->array != first->at->array)
		return;
	suspect.accesses = line_accesses(first->piece->lines[line]) +
			   line_accesses(second->piece->lines[line]);
	suspect.words[0] = word_used(first, line, true);
	suspect.words[1] = word_used(second, line, suspect.writes_second);
	if (suspect.accesses > first->at->suspect.accesses)
		first->at->suspect = suspect;
}

static void note_line(struct comparison *comparison, struct compared *with, uint32_t line,
		      bool same)
{
	struct counted counted = { .nr = 0 };

	for (struct compared *set = with; set; set = set->with_piece) {
		set->at = array_touched(comparison, set, line);
		if (!set->at)
			continue;
		set->at->accesses += same ? 0 : line_accesses(set->piece->lines[line]);
		*(same ? &set->at->same_lines : &set->at->lines) += is_first(&counted,
									     set->at->array);
	}
	if (!same)
		suspect_line(with, line);
}

/* Accessed lines of the data structure. */
static uint64_t compare_piece(struct comparison *comparison, struct compared *with)
{
	uint64_t lines = 0;

	overlay(comparison, with);
	for (uint32_t i = 0; i < LINE_PIECE_LINES; i++) {
		lines += comparison->scratch.touched[i] != 0;
		if (comparison->scratch.several[i] && comparison->scratch.written[i])
			note_line(comparison, with, i, comparison->scratch.clash[i]);
	}
	return lines;
}

/* The same for lines without a write. */
static uint64_t count_piece(const struct compared *with)
{
	uint64_t lines = 0;

	for (uint32_t i = 0; i < LINE_PIECE_LINES; i++) {
		const struct compared *who = with;

		while (who && !who->piece->lines[i])
			who = who->with_piece;
		lines += who != NULL;
	}
	return lines;
}

static bool is_complete(const struct compared *first)
{
	for (; first; first = first->next)
		if (first->incomplete || first->lines.lost)
			return false;
	return true;
}

static bool is_earlier(const struct compared *first, const struct compared *set, uint32_t array)
{
	for (; first != set; first = first->next)
		for (uint32_t i = 0; i < first->nr_arrays; i++)
			if (first->arrays[i].array == array)
				return true;
	return false;
}

static void count_execution(struct compared *first)
{
	for (struct compared *set = first; set; set = set->next)
		for (uint32_t i = 0; i < set->nr_arrays; i++)
			set->arrays[i].executions = !is_earlier(first, set, set->arrays[i].array);
}

static void compare(struct comparison *comparison, struct compared *first)
{
	struct line_order order = { 0 };

	comparison->block.bytes = 0;
	for (struct compared *set = first; set; set = set->next) {
		set->at = NULL;
		set->touched = 0;
		line_order_add(&order, set->lines.sorted);
	}
	for (struct line_piece *piece = line_order_all(&order), *end; piece; piece = end) {
		struct compared *with = who_touched(piece, &end);

		with->touched += !with->with_piece ? with->piece->touched
				 : any_wrote(with) ? compare_piece(comparison, with)
						   : count_piece(with);
	}
}

bool compare_lines(struct comparison *comparison, struct compared *first)
{
	if (!is_complete(first))
		return false;
	count_execution(first);
	compare(comparison, first);
	return true;
}
