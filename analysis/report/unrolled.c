/* SPDX-License-Identifier: Apache-2.0 */
/* Finds copies of one access in unrolled loops by the addresses at which they begin. */
#include "analysis/report/unrolled.h"

#include <math.h>
#include <string.h>

#include "analysis/base/arena.h"
#include "analysis/base/sort.h"
#include "analysis/record/run.h"

#define STRIDE_LEAST 0.5 /* of an instruction's accesses: it has a stride */
#define STRIDE_MOST 1e15 /* bytes: more is damage */

/* An instruction with a stride, and where it begins, modulo the stride. */
struct begun {
	struct run_access *access;
	uint64_t stride, phase;
	int column;
	uint64_t element; /* bytes of an element of the array; 1: not known */
	size_t copies;    /* 0: not known */
};

static int order(uint64_t a, uint64_t b)
{
	return (a > b) - (a < b);
}

static int first_of(const int *orders, size_t nr)
{
	for (size_t i = 0; i < nr; i++)
		if (orders[i])
			return orders[i];
	return 0;
}

/* Of one array in one loop, by the same stride. */
static int by_loop(const struct begun *a, const struct begun *b)
{
	const struct run_access *x = a->access, *y = b->access;
	const int orders[] = {
		order(x->region, y->region),
		order(x->array, y->array),
		order(x->loop, y->loop),
		order(a->stride, b->stride),
	};

	return first_of(orders, sizeof(orders) / sizeof(*orders));
}

static bool writes(const struct run_access *access)
{
	return access->writes > 0;
}

/* Copies differ in nothing of this. */
static int by_place(const struct begun *a, const struct begun *b)
{
	const struct run_access *x = a->access, *y = b->access;
	const int orders[] = {
		by_loop(a, b),
		(x->source.line > y->source.line) - (x->source.line < y->source.line),
		(a->column > b->column) - (a->column < b->column),
		order(x->bytes, y->bytes),
		order(writes(x), writes(y)),
		strcmp(x->source.file, y->source.file),
	};

	return first_of(orders, sizeof(orders) / sizeof(*orders));
}

static int by_phase(const void *left, const void *right)
{
	const struct begun *a = left, *b = right;
	int place = by_place(a, b);

	return place ? place : order(a->phase, b->phase);
}

static bool is_known(const struct run_access *access)
{
	double stride = fabs(access->stride);

	return access->start && !access->unrolled && access->source.line && access->source.file &&
	       stride >= 2 && stride < STRIDE_MOST && access->with_stride > STRIDE_LEAST;
}

static uint64_t element_of(const struct run *run, uint32_t array)
{
	uint64_t bytes = array < run->nr_arrays ? run->arrays[array].element_bytes : 0;

	return bytes ? bytes : 1;
}

static size_t collect(struct run *run, const int *columns, struct begun *items)
{
	size_t nr = 0;

	for (size_t i = 0; i < run->nr_accesses; i++) {
		struct run_access *access = &run->accesses[i];
		uint64_t stride = is_known(access) ? (uint64_t)fabs(access->stride) : 0;

		if (stride)
			items[nr++] = (struct begun){
				.access = access,
				.stride = stride,
				.phase = (access->start - 1) % stride,
				.column = columns[i],
				.element = element_of(run, access->array),
			};
	}
	return nr;
}

/*
 * `copies` sets of the same instructions, each a part of the stride behind the one before. Two fields
 * in halves of a struct are so, too, but that part is no whole element.
 */
static bool are_copies(const struct begun *items, size_t nr, size_t copies)
{
	uint64_t stride = items[0].stride, step = stride / copies;
	size_t shift = nr / copies;

	if (nr % copies || stride % copies || step % items[0].element)
		return false;
	for (size_t i = 0; i < nr; i++) {
		uint64_t next = i + shift < nr ? items[i + shift].phase
					       : items[i + shift - nr].phase + stride;

		if (next - items[i].phase != step)
			return false;
	}
	return true;
}

/* Of instructions of one place. One copy: all begin together. */
static size_t copies_of(const struct begun *items, size_t nr)
{
	size_t copies = nr;

	while (copies > 1 && !are_copies(items, nr, copies))
		copies--;
	return copies > 1 || (nr > 1 && items[0].phase == items[nr - 1].phase) ? copies : 0;
}

/* A loop is unrolled as a whole: the least number that its places show is that of all others. */
static void complete(struct begun *items, size_t nr)
{
	size_t least = 0;

	for (size_t i = 0, end; i < nr; i = end) {
		size_t copies;

		for (end = i + 1; end < nr && !by_place(&items[i], &items[end]);)
			end++;
		copies = copies_of(&items[i], end - i);
		for (size_t k = i; k < end; k++)
			items[k].copies = copies;
		if (copies > 1 && (!least || copies < least))
			least = copies;
	}
	for (size_t i = 0; i < nr && least; i++)
		if (!items[i].copies)
			items[i].copies = least;
}

void unrolled_undo(struct run *run, const int *columns, struct arena *arena)
{
	struct begun *items = arena_alloc(arena, (run->nr_accesses + 1) * sizeof(*items));
	size_t nr = items ? collect(run, columns, items) : 0;

	if (nr)
		sort(items, nr, sizeof(*items), by_phase);
	for (size_t i = 0, end; i < nr; i = end) {
		for (end = i + 1; end < nr && !by_loop(&items[i], &items[end]);)
			end++;
		complete(&items[i], end - i);
	}
	for (size_t i = 0; i < nr; i++) {
		items[i].access->unrolled = (uint32_t)items[i].copies;
		if (items[i].copies)
			items[i].access->stride /= (double)items[i].copies;
	}
}
