/* SPDX-License-Identifier: Apache-2.0 */
/* Which line of the source a natural loop is. */
#include "analysis/debuginfo/loop_lines.h"

#include <string.h>

#include "analysis/base/arena.h"
#include "analysis/base/sort.h"

/*
 * One row of the line table in the loop's code: the functions inlined around, the outermost first.
 */
struct step {
	const struct source *frames;
	size_t nr;
};

struct steps {
	struct step *items;
	size_t nr, room;
};

struct search {
	struct binary *binary;
	const struct loop_code *code;
	size_t nr_code;
	loop_frames_of *frames;
	void *ctx;
	struct arena *arena;
	/* of what controls it; rows that begin in it; rows that began before */
	struct steps control, own, around;
};

static bool is_own(const struct search *search, uint64_t address)
{
	for (size_t i = 0; i < search->nr_code; i++)
		if (address >= search->code[i].low && address < search->code[i].high)
			return true;
	return false;
}

static void keep(struct search *search, struct steps *steps, const struct place *place)
{
	struct source found[LOOP_FRAMES_MAX], *frames;
	size_t nr = search->frames(search->ctx, place, found);

	if (!nr || !found[0].line ||
	    !ARENA_GROW(search->arena, steps->items, steps->nr, steps->room))
		return;
	frames = arena_alloc(search->arena, nr * sizeof(*frames));
	for (size_t i = 0; frames && i < nr; i++)
		frames[i] = found[nr - 1 - i];
	if (frames)
		steps->items[steps->nr++] = (struct step){ frames, nr };
}

static bool visit_row(void *ctx, const struct row *row)
{
	struct search *search = ctx;
	struct place place;

	if (row->line && lines_place(search->binary, row->address, &place) && !place.near)
		keep(search, &search->own, &place);
	return true;
}

static void look_at(struct search *search, const struct loop_code *code)
{
	struct place place;

	if (!lines_place(search->binary, code->low, &place))
		return;
	lines_visit(place.unit, code->low, code->high, visit_row, search);
	if (!place.near)
		keep(search, &search->around, &place);
	if (code->last && lines_place(search->binary, code->last, &place) && !place.near &&
	    is_own(search, place.row))
		keep(search, &search->control, &place);
}

/* ------------------------------------------------------------------ the function it is in */

/* How many of the outer frames two rows share; of a caller it must be the same call. */
static size_t shared(const struct step *a, const struct step *b)
{
	size_t nr = 0;

	while (nr < a->nr && nr < b->nr &&
	       !strcmp(a->frames[nr].function, b->frames[nr].function) &&
	       (!nr || a->frames[nr - 1].line == b->frames[nr - 1].line))
		nr++;
	return nr;
}

/* What most of the loop's code is not in was only inlined into it. */
static bool is_mostly_in(const struct steps *own, const struct step *like, size_t depth)
{
	size_t inside = 0;

	for (size_t i = 0; i < own->nr; i++)
		inside += shared(&own->items[i], like) >= depth;
	return 2 * inside >= own->nr;
}

static bool is_of_cxx(const struct source *frame)
{
	return !strncmp(frame->function, "std::", 5) ||
	       !strncmp(frame->function, "__gnu_cxx::", 11);
}

/* Number of frames down to the loop's function; at least 1. */
static size_t depth_of(const struct steps *like, const struct steps *own)
{
	size_t depth = like->items[0].nr;

	for (size_t i = 1; i < like->nr; i++) {
		size_t same = shared(&like->items[0], &like->items[i]);

		depth = same < depth ? same : depth;
	}
	while (depth > 1 && (!is_mostly_in(own, &like->items[0], depth) ||
			     is_of_cxx(&like->items[0].frames[depth - 1])))
		depth--;
	return depth ? depth : 1;
}

/* ------------------------------------------------------------------ lines */

static int by_number(const void *a, const void *b)
{
	return *(const int *)a - *(const int *)b;
}

/* Lines of the rows in the function `like` is in. */
static size_t list_lines(struct arena *arena, const struct steps *steps, const struct step *like,
			 size_t depth, const int **out)
{
	int *lines = arena_alloc(arena, (steps->nr + 1) * sizeof(*lines));
	size_t nr = 0, kept = 0;

	*out = lines;
	for (size_t i = 0; lines && i < steps->nr; i++)
		if (shared(&steps->items[i], like) >= depth)
			lines[nr++] = steps->items[i].frames[depth - 1].line;
	if (!nr)
		return 0;
	sort(lines, nr, sizeof(*lines), by_number);
	for (size_t i = 0; i < nr; i++)
		if (!kept || lines[kept - 1] != lines[i])
			lines[kept++] = lines[i];
	return kept;
}

static bool answer(const struct search *search, struct loop_source *out)
{
	const struct steps *own = search->own.nr ? &search->own : &search->around;
	const struct steps *like = search->control.nr ? &search->control : own;
	const struct source *frame;
	const int *lines;
	size_t depth;

	if (!like->nr)
		return false;
	depth = depth_of(like, own);
	frame = &like->items[0].frames[depth - 1];
	if (!list_lines(search->arena, like, &like->items[0], depth, &lines))
		return false;
	out->at.function = frame->function;
	out->at.file = frame->file;
	out->at.line = lines[0];
	out->at.approximate = like != &search->control;
	out->nr_lines = list_lines(search->arena, own, &like->items[0], depth, &out->lines);
	return true;
}

bool loop_lines(struct binary *binary, const struct loop_code *code, size_t nr,
		loop_frames_of *frames, void *ctx, struct arena *arena, struct loop_source *out)
{
	struct search search = { .binary = binary,
				 .code = code,
				 .nr_code = nr,
				 .frames = frames,
				 .ctx = ctx,
				 .arena = arena };

	for (size_t i = 0; i < nr; i++)
		look_at(&search, &code[i]);
	return answer(&search, out);
}
