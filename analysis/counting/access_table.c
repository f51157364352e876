/* SPDX-License-Identifier: Apache-2.0 */
/* Counts recorded accesses of one thread by region, site and array. */
#include "analysis/counting/access_table.h"

#include <string.h>

#include "analysis/base/own_stack.h"
#include "analysis/base/sort.h"
#include "analysis/trace/expand.h"
#include "analysis/trace/stretch_rows.h"
#include "analysis/trace/stretches.h"
#include "memsearch/region.h"

/* accesses of one site's words: lanes of the widest vector */
#define EXPANDED 64
#define WORD 8

/* The multiplier is 2^64 divided by the golden ratio (Knuth, TAOCP 3, 6.4). */
static uint32_t hash_of(uint64_t low, uint64_t high, uint32_t room)
{
	return (uint32_t)(((low ^ high << 24) * 0x9e3779b97f4a7c15ull) >> 32) % room;
}

static void lose(struct access_table *table, uint64_t accesses)
{
	__atomic_store_n(&table->dropped, table->dropped + accesses, __ATOMIC_RELAXED);
}

/* Damage by a signal handler, see stretches.h. */
static void leave_out(struct access_table *table)
{
	__atomic_store_n(&table->too_long, table->too_long + 1, __ATOMIC_RELAXED);
}

/* ------------------------------------------------------------------ rows and sums */

static struct access_row empty_row(uint32_t region, uint32_t site, uint32_t array)
{
	return (struct access_row){
		.region = region, .site = site, .array = array, .low = UINT64_MAX
	};
}

/* Position + 1; 0: full. */
static uint32_t row_of(struct access_table *table, uint32_t region, uint32_t site, uint32_t array)
{
	uint32_t slot = hash_of((uint64_t)region << 32 | site, array, 2 * ACCESS_ROWS);

	for (; table->row_index[slot]; slot = (slot + 1) % (2 * ACCESS_ROWS)) {
		const struct access_row *row = &table->rows[table->row_index[slot] - 1];

		if (row->site == site && row->array == array && row->region == region)
			return table->row_index[slot];
	}
	if (table->nr_rows == ACCESS_ROWS)
		return 0;
	table->rows[table->nr_rows] = table->under_way[table->nr_rows] = empty_row(region, site,
										   array);
	table->row_index[slot] = (uint16_t)(table->nr_rows + 1);
	__atomic_store_n(&table->nr_rows, table->nr_rows + 1, __ATOMIC_RELEASE);
	return table->row_index[slot];
}

static uint32_t slot_of(uint32_t region, uint32_t loop, uint32_t array)
{
	return hash_of((uint64_t)loop << 32 | region, array, 2 * ACCESS_SUMS);
}

static struct access_sum *sum_find(const struct access_table *table, uint32_t region, uint32_t loop,
				   uint32_t array, uint32_t *slot_out)
{
	uint32_t slot = slot_of(region, loop, array);

	for (; table->sum_index[slot]; slot = (slot + 1) % (2 * ACCESS_SUMS)) {
		const struct access_sum *sum = &table->sums[table->sum_index[slot] - 1];

		if (sum->region == region && sum->loop == loop && sum->array == array)
			return (struct access_sum *)sum;
	}
	*slot_out = slot;
	return NULL;
}

/* Inserts after the head of the region's list, (region, 0, ALL). */
static void list_sum(struct access_table *table, struct access_sum *sum)
{
	uint32_t slot;
	struct access_sum *head = sum_find(table, sum->region, 0, ACCESS_ALL, &slot);

	if (!head || head == sum)
		return;
	sum->next = head->next;
	head->next = (uint32_t)(sum - table->sums) + 1;
}

static struct access_sum *sum_of(struct access_table *table, uint32_t region, uint32_t loop,
				 uint32_t array)
{
	uint32_t slot;
	struct access_sum *sum = sum_find(table, region, loop, array, &slot), *all = NULL,
			  *outer = NULL;

	if (sum)
		return sum;
	if (array != ACCESS_ALL)
		all = sum_of(table, region, loop, ACCESS_ALL);
	if (loop)
		outer = sum_of(table, region, table->world->parent(table->world->ctx, loop), array);
	if (table->nr_sums == ACCESS_SUMS || (loop && !outer) || (array != ACCESS_ALL && !all))
		return NULL;
	/* the outer sums may have taken the slot */
	sum_find(table, region, loop, array, &slot);
	sum = &table->sums[table->nr_sums++];
	*sum = (struct access_sum){ .region = region, .loop = loop, .array = array };
	sum->outer = outer ? (uint32_t)(outer - table->sums) + 1 : 0;
	sum->all = all ? (uint32_t)(all - table->sums) + 1 : 0;
	table->sum_index[slot] = (uint16_t)table->nr_sums;
	list_sum(table, sum);
	return sum;
}

void access_counts_add(struct access_counts *to, const struct access_counts *from)
{
	to->reads += from->reads;
	to->writes += from->writes;
	to->read_bytes += from->read_bytes;
	to->written_bytes += from->written_bytes;
	to->strided += from->strided;
	to->contiguous += from->contiguous;
	to->atomics += from->atomics;
	to->far += from->far;
	to->moved += from->moved;
}

/* ------------------------------------------------------------------ rows under way */

#define LAST_ROW UINT32_MAX /* ends a list */

static void row_add(struct access_row *row, const struct access_row *more)
{
	access_counts_add(&row->counts, &more->counts);
	if (more->with_stride >= row->with_stride)
		row->stride = more->stride;
	row->with_stride += more->stride == row->stride ? more->with_stride : 0;
	row->low = more->low < row->low ? more->low : row->low;
	row->high = more->high > row->high ? more->high : row->high;
}

/* False: full. */
static bool add_under_way(struct access_table *table, const struct access_row *more)
{
	uint32_t position = row_of(table, more->region, more->site, more->array);
	struct access_sum *head = position ? sum_of(table, more->region, 0, ACCESS_ALL) : NULL;

	if (!head)
		return false;
	row_add(&table->under_way[position - 1], more);
	if (!table->next_under_way[position - 1]) {
		table->next_under_way[position - 1] = head->rows ? head->rows : LAST_ROW;
		head->rows = position;
	}
	return true;
}

/* Removes the region's next current row and returns its contents; false: there is none. */
static bool take_under_way(struct access_table *table, struct access_sum *head,
			   struct access_row *out)
{
	uint32_t position = head->rows;

	if (!position)
		return false;
	*out = table->under_way[position - 1];
	table->under_way[position - 1] = empty_row(out->region, out->site, out->array);
	head->rows = table->next_under_way[position - 1] == LAST_ROW
			     ? 0
			     : table->next_under_way[position - 1];
	table->next_under_way[position - 1] = 0;
	return true;
}

static void tell_rows(struct access_table *table, struct access_sum *head)
{
	struct access_row row;

	for (uint32_t position = head->rows; take_under_way(table, head, &row);
	     position = head->rows)
		row_add(&table->rows[position - 1], &row);
}

/* ------------------------------------------------------------------ settling */

/*
 * Sites with the same stride in the same array form one strided access: an unrolled loop over a
 * whole array has eight sites that skip seven elements each, and together skip nothing. The used
 * part of the stride and of its lines decides: the rows of a block are far from each other, and
 * each is used whole.
 */
#define WALKS 64
#define BUCKETS 64
#define PIECES 6

struct piece {
	uint64_t begin, end;
}; /* of a stride */

struct walk {
	uint32_t array;
	uint32_t nr_pieces;
	uint64_t stride;             /* its size */
	uint64_t origin;             /* pieces count from it; below `stride` */
	uint64_t touched;            /* a bit for each BUCKETS-th of the stride */
	struct piece pieces[PIECES]; /* accessed parts, up to PIECES; disjoint */
	/*
	 * a bit for each piece that uses at least half of its lines, alone or with its neighbours
	 */
	uint32_t whole;
	bool leaves_out; /* uses less than half of the stride */
};

struct walks {
	struct walk items[WALKS];
	size_t nr;
	bool crowded; /* the table of strides or pieces is, or may be, full */
};

static uint64_t size_of_stride(int64_t stride)
{
	return stride < 0 ? -(uint64_t)stride : (uint64_t)stride;
}

static struct walk *walk_of(struct walks *walks, const struct access_use *use)
{
	uint64_t stride = size_of_stride(use->stride);

	for (size_t i = 0; i < walks->nr; i++)
		if (walks->items[i].array == use->array && walks->items[i].stride == stride)
			return &walks->items[i];
	if (stride < ACCESS_LINE || walks->nr == WALKS)
		return NULL;
	walks->items[walks->nr] = (struct walk){ .array = use->array, .stride = stride };
	walks->crowded |= walks->nr + 1 == WALKS;
	return &walks->items[walks->nr++];
}

static uint64_t lines_in(uint64_t bytes)
{
	return (bytes + ACCESS_LINE - 1) / ACCESS_LINE;
}

/* False: full. */
static bool piece_add(struct walk *walk, struct piece piece)
{
	for (uint32_t i = 0; i < walk->nr_pieces;) {
		const struct piece *other = &walk->pieces[i];

		if (piece.begin > other->end || other->begin > piece.end) {
			i++;
			continue;
		}
		piece.begin = other->begin < piece.begin ? other->begin : piece.begin;
		piece.end = other->end > piece.end ? other->end : piece.end;
		walk->pieces[i] = walk->pieces[--walk->nr_pieces];
		i = 0; /* the merged piece may have new neighbours */
	}
	if (walk->nr_pieces == PIECES)
		return false;
	walk->pieces[walk->nr_pieces++] = piece;
	return true;
}

static uint64_t at_in_stride(const struct walk *walk, uint64_t address)
{
	return (address % walk->stride + walk->stride - walk->origin) % walk->stride;
}

/*
 * Marks the parts of the stride that an access of `size` bytes uses; the first one lies in the
 * middle, so that a block is seldom divided. False: the piece table is full.
 */
static bool walk_add(struct walk *walk, uint64_t address, uint64_t size)
{
	uint64_t at, bytes = size < walk->stride ? size : walk->stride;

	if (!walk->nr_pieces)
		walk->origin = (address % walk->stride + walk->stride / 2) % walk->stride;
	at = at_in_stride(walk, address);
	for (uint64_t bucket = at * BUCKETS / walk->stride;
	     bucket * walk->stride < (at + bytes) * BUCKETS; bucket++)
		walk->touched |= (uint64_t)1 << bucket % BUCKETS;
	return piece_add(walk, (struct piece){ at, at + bytes });
}

static int by_begin(const void *a, const void *b)
{
	const struct piece *left = a, *right = b;

	return (left->begin > right->begin) - (left->begin < right->begin);
}

/* Counts the minimum of lines, as if the first byte began one. */
static bool uses_half(uint64_t bytes, uint64_t span)
{
	return 2 * bytes >= lines_in(span) * ACCESS_LINE;
}

/* Pieces nearer than a line share lines. */
static void judge_pieces(struct walk *walk)
{
	uint64_t bytes = 0, span;

	sort(walk->pieces, walk->nr_pieces, sizeof(walk->pieces[0]), by_begin);
	for (uint32_t i = 0, first = 0; i < walk->nr_pieces; i++) {
		span = walk->pieces[i].end - walk->pieces[i].begin;
		bytes += span;
		walk->whole |= uses_half(span, span) ? 1u << i : 0;
		if (i + 1 < walk->nr_pieces &&
		    walk->pieces[i + 1].begin < walk->pieces[i].end + ACCESS_LINE)
			continue;
		span = walk->pieces[i].end - walk->pieces[first].begin;
		if (uses_half(bytes, span))
			walk->whole |= (2u << i) - (1u << first);
		first = i + 1;
		bytes = 0;
	}
}

/*
 * A loop with a stride of less than a line uses all lines, also if its unrolled sites have larger
 * strides.
 */
static void judge(struct walk *walk)
{
	/* begins of accessed parts */
	uint64_t places = walk->touched & ~(walk->touched << 1 | walk->touched >> (BUCKETS - 1));

	walk->leaves_out = __builtin_popcountll(walk->touched) < BUCKETS / 2 &&
			   walk->stride >= (uint64_t)__builtin_popcountll(places) * ACCESS_LINE;
	judge_pieces(walk);
}

static bool is_strided(const struct walk *walk, uint64_t address)
{
	if (!walk || !walk->leaves_out)
		return false;
	for (uint32_t i = 0; i < walk->nr_pieces; i++)
		if (at_in_stride(walk, address) - walk->pieces[i].begin <
		    walk->pieces[i].end - walk->pieces[i].begin)
			return !(walk->whole >> i & 1);
	return true;
}

static uint64_t times(uint64_t count, double factor)
{
	return factor == 1 ? count : (uint64_t)((double)count * factor + 0.5);
}

static void counts_scale(struct access_counts *counts, double factor)
{
	counts->reads = times(counts->reads, factor);
	counts->writes = times(counts->writes, factor);
	counts->read_bytes = times(counts->read_bytes, factor);
	counts->written_bytes = times(counts->written_bytes, factor);
	counts->strided = times(counts->strided, factor);
	counts->contiguous = times(counts->contiguous, factor);
	counts->atomics = times(counts->atomics, factor);
	counts->far = times(counts->far, factor);
	counts->moved = times(counts->moved, factor);
}

static double weight_of(const struct access_table *table)
{
	return table->weight > 0 ? table->weight : 1;
}

static struct access_counts counts_of(const struct record_site *site, const struct access_use *use,
				      const struct walk *walk)
{
	bool is_far = use->stride >= ACCESS_LINE || use->stride <= -ACCESS_LINE;
	bool strided = is_strided(walk, use->last);

	return (struct access_counts){
		.reads = site->read ? use->count : 0,
		.writes = site->write ? use->count : 0,
		.read_bytes = site->read ? use->count * site->size : 0,
		.written_bytes = site->write ? use->count * site->size : 0,
		.strided = strided ? use->with_stride : 0,
		.contiguous = strided || (is_far && !walk) ? 0 : use->with_stride,
		.atomics = site->atomic ? use->count : 0,
		.far = use->far,
		.moved = use->moved,
	};
}

/* Adds the counts of a site to its row and sum; keeps its current block. */
static void settle(struct access_table *table, uint32_t number, const struct walk *walk)
{
	struct access_use *use = &table->uses[number];
	const struct record_site *site = record_site(number);
	struct access_row row = { .region = table->region,
				  .site = number,
				  .array = use->array,
				  .stride = use->stride,
				  .with_stride = times(use->with_stride, weight_of(table)),
				  .low = use->low,
				  .high = use->high,
				  .counts = counts_of(site, use, walk) };
	struct access_sum *sum = sum_of(table, table->region,
					table->world->loop(table->world->ctx, site->loop),
					use->array);

	counts_scale(&row.counts, weight_of(table));
	if (sum)
		access_counts_add(&sum->own, &row.counts);
	if (!add_under_way(table, &row) || !sum)
		lose(table, use->count);
	use->count = use->with_stride = use->far = use->moved = 0;
}

static void find_walks(const struct access_table *table, struct walks *walks)
{
	walks->nr = 0;
	walks->crowded = false;
	for (uint32_t i = 0; i < table->nr_unsettled; i++) {
		const struct access_use *use = &table->uses[table->unsettled[i]];
		struct walk *walk = use->count ? walk_of(walks, use) : NULL;

		if (walk && !walk_add(walk, use->last, record_site(table->unsettled[i])->size))
			walks->crowded = true;
	}
}

/*
 * Overflow must not depend on the order in which sites were counted, which differs from program
 * order.
 */
static void settle_unsettled(void *argument)
{
	struct access_table *table = argument;
	struct walks walks;

	find_walks(table, &walks);
	if (walks.crowded) {
		sort(table->unsettled, table->nr_unsettled, sizeof(table->unsettled[0]),
		     sort_by_number);
		find_walks(table, &walks);
	}
	for (size_t i = 0; i < walks.nr; i++)
		judge(&walks.items[i]);
	for (uint32_t i = 0; i < table->nr_unsettled; i++)
		if (table->uses[table->unsettled[i]].count)
			settle(table, table->unsettled[i],
			       walk_of(&walks, &table->uses[table->unsettled[i]]));
	table->nr_unsettled = 0;
}

/* 8 KiB: too much for a program's stack. */
static void settle_all(struct access_table *table)
{
	if (table->nr_unsettled)
		own_stack_call(settle_unsettled, table);
}

/* ------------------------------------------------------------------ counting accesses */

static void find_array(struct access_table *table, struct access_use *use, uint64_t address)
{
	struct array_place place;

	table->world->place(table->world->ctx, address, table->before, table->time, &place);
	use->time = table->time;
	use->array = place.array;
	use->start = address - place.offset;
	use->bytes = place.block_bytes;
}

/* The first access since the site was settled. */
static void begin(struct access_table *table, uint32_t number, uint64_t address)
{
	struct access_use *use = &table->uses[number];

	table->unsettled[table->nr_unsettled++] = number;
	use->low = UINT64_MAX;
	use->high = 0;
	if (use->execution != table->execution) {
		use->execution = table->execution;
		use->last = address;
		use->votes = 0;
	}
	if (use->time != table->time)
		use->bytes = 0;
}

/* Another block of the same array is no change: rows of a matrix may be separate blocks. */
static void change_array(struct access_table *table, uint32_t number, uint64_t address)
{
	struct access_use *use = &table->uses[number], found = *use;

	find_array(table, &found, address);
	if (use->count && found.array != use->array) {
		settle(table, number, NULL);
		use->low = UINT64_MAX;
		use->high = 0;
	}
	use->array = found.array;
	use->start = found.start;
	use->bytes = found.bytes;
	use->time = found.time;
}

/* `nr` equal steps that are not the site's stride. */
static void note_steps(struct access_use *use, int64_t step, uint64_t nr)
{
	uint64_t size = size_of_stride(step);

	if (size >= ACCESS_FAR && step != use->far_step) {
		use->far++;
		use->moved += nr - 1;
		use->far_step = step;
	} else if (size >= ACCESS_LINE) {
		use->moved += nr;
	}
}

/* `nr` votes of the majority algorithm: a stride of more than half of the accesses remains. */
static void vote(struct access_use *use, int64_t stride, uint64_t nr)
{
	if (stride != use->stride) {
		note_steps(use, stride, use->votes >= nr ? nr : use->votes + 1);
		if (use->votes >= nr) {
			use->votes -= nr;
			return;
		}
		nr -= use->votes;
		use->stride = stride;
		use->votes = use->with_stride = 0;
	}
	use->votes += nr;
	use->with_stride += nr;
}

static void touch(struct access_table *table, uint32_t number, uint64_t address, uint64_t bytes,
		  uint64_t elements)
{
	struct access_use *use = &table->uses[number];

	if (!use->count)
		begin(table, number, address);
	if (address - use->start >= use->bytes)
		change_array(table, number, address);
	vote(use, (int64_t)(address - use->last), 1);
	use->last = address;
	use->low = address < use->low ? address : use->low;
	use->high = address + bytes > use->high ? address + bytes : use->high;
	use->count += elements;
}

/* The accesses by `stride`, at most `nr`, before the site leaves its block. */
static uint64_t steps_within(const struct access_use *use, int64_t stride, uint64_t nr)
{
	uint64_t offset = use->last - use->start,
		 room = stride < 0 ? offset : use->bytes - 1 - offset;
	uint64_t size = size_of_stride(stride), way;

	if (offset >= use->bytes)
		return 0;
	if (!__builtin_mul_overflow(size, nr, &way) && way <= room)
		return nr;
	return room / size;
}

static void walk_on(struct access_use *use, int64_t stride, uint64_t bytes, uint64_t steps)
{
	if (!steps)
		return;
	vote(use, stride, steps);
	use->last += steps * (uint64_t)stride;
	use->low = use->last < use->low ? use->last : use->low;
	use->high = use->last + bytes > use->high ? use->last + bytes : use->high;
	use->count += steps;
}

/* `touch` for each of `times` addresses. */
static void touch_walk(struct access_table *table, uint32_t number, uint64_t address,
		       int64_t stride, uint64_t bytes, uint64_t times)
{
	struct access_use *use = &table->uses[number];

	while (times) {
		uint64_t steps;

		touch(table, number, address, bytes, 1);
		steps = steps_within(use, stride, times - 1);
		walk_on(use, stride, bytes, steps);
		address += (steps + 1) * (uint64_t)stride;
		times -= steps + 1;
	}
}

static void mark_lines(const struct access_table *table, const struct record_site *site,
		       uint64_t address, int64_t stride, uint64_t bytes, uint64_t times)
{
	const struct line_walk walk = { .address = address,
					.bytes = bytes,
					.times = times,
					.stride = stride,
					.weight = (uint32_t)site->read + site->write,
					.write = site->write };

	if (table->lines)
		line_set_walk(table->lines, &walk);
}

/* Elements from `address` on, at most `nr`, that begin in the site's current block. */
static uint64_t elements_within(const struct access_use *use, uint64_t address, uint64_t bytes,
				uint64_t nr)
{
	uint64_t offset = address - use->start, within;

	if (offset >= use->bytes)
		return nr;
	within = (use->bytes - offset + bytes - 1) / bytes;
	return within < nr ? within : nr;
}

/*
 * Elements of one string instruction, which may span several arrays. The stride is that between
 * instructions.
 */
static void touch_elements(struct access_table *table, uint32_t number, uint64_t address,
			   uint64_t bytes, uint64_t elements)
{
	struct access_use *use = &table->uses[number];

	touch(table, number, address, bytes, 1);
	for (uint64_t done = 1, nr; done < elements; done += nr) {
		uint64_t at = address + done * bytes;

		if (at - use->start >= use->bytes)
			change_array(table, number, at);
		nr = elements_within(use, at, bytes, elements - done);
		use->low = at < use->low ? at : use->low;
		use->high = at + nr * bytes > use->high ? at + nr * bytes : use->high;
		use->count += nr;
	}
}

static void touch_expanded(struct access_table *table, uint32_t number,
			   const struct record_site *site, const uint64_t *stretch)
{
	struct record_access accesses[EXPANDED];
	size_t nr = record_expand(site, stretch, accesses, EXPANDED);

	if (!nr && record_is_too_long(site, stretch))
		leave_out(table);
	for (size_t i = 0; i < nr && i < EXPANDED; i++) {
		uint64_t bytes = site->size ? site->size : accesses[i].bytes,
			 elements = bytes ? accesses[i].bytes / bytes : 1;

		if (elements > 1)
			touch_elements(table, number, accesses[i].address, bytes, elements);
		else
			touch(table, number, accesses[i].address, accesses[i].bytes, elements);
		mark_lines(table, site, accesses[i].address, (int64_t)bytes, bytes, elements);
	}
}

static void take_sites(struct access_table *table, const struct record_stretch *row,
		       const uint64_t *stretch)
{
	const struct record_site *site = row->nr_sites ? record_site(row->first_site) : NULL;
	uint32_t end = row->first_site + row->nr_sites;

	for (uint32_t number = row->first_site; number < end;
	     site = record_next_site(site, ++number)) {
		uint64_t address = record_address(site, stretch);

		if (number >= ACCESS_SITES) {
			lose(table, 1);
		} else if (site->access == CODE_ACCESS_PLAIN) {
			touch(table, number, address, site->size, 1);
			mark_lines(table, site, address, 0, site->size, 1);
		} else {
			touch_expanded(table, number, site, stretch);
		}
	}
}

/* Adds to the array without a site. */
static void add_moved(struct access_table *table, uint32_t array, uint64_t words, uint64_t bytes,
		      bool write)
{
	struct access_counts counts = { .reads = write ? 0 : words,
					.writes = write ? words : 0,
					.read_bytes = write ? 0 : bytes,
					.written_bytes = write ? bytes : 0 };
	struct access_sum *sum = sum_of(table, table->region, 0, array);

	counts_scale(&counts, weight_of(table));
	if (sum)
		access_counts_add(&sum->own, &counts);
	else
		lose(table, counts.reads + counts.writes);
}

static uint64_t words_in(uint64_t bytes)
{
	return (bytes + WORD - 1) / WORD;
}

/* RECORD_RANGE has no site; each word is one access. It may span several arrays. */
static void take_range(struct access_table *table, uint64_t address, uint64_t bytes, bool write)
{
	if (!address)
		return;
	if (table->lines && bytes)
		line_set_range(table->lines, address, bytes, write);
	for (uint64_t done = 0, nr; done < bytes; done += nr) {
		struct access_use use = { 0 };

		find_array(table, &use, address + done);
		nr = elements_within(&use, address + done, 1, bytes - done);
		add_moved(table, use.array, words_in(done + nr) - words_in(done), nr, write);
	}
}

static void take_ranges(struct access_table *table, const uint64_t *stretch)
{
	if (stretch[3] > RECORD_BYTES_MOST) {
		leave_out(table);
		return;
	}
	take_range(table, stretch[1], stretch[3], true);
	take_range(table, stretch[2], stretch[3], false);
}

static void take_stretch(struct access_table *table, const struct record_stretch *row,
			 const uint64_t *stretch)
{
	if (row->event == RECORD_RANGE)
		take_ranges(table, stretch);
	take_sites(table, row, stretch);
}

/* ------------------------------------------------------------------ queued stretches */

/* `touch` for an access in the block of the previous one. */
static inline bool touch_near(struct access_use *now, uint64_t address, uint64_t bytes)
{
	if (!now->count || address - now->start >= now->bytes)
		return false;
	vote(now, (int64_t)(address - now->last), 1);
	now->last = address;
	now->low = address < now->low ? address : now->low;
	now->high = address + bytes > now->high ? address + bytes : now->high;
	now->count++;
	return true;
}

/* One site of all queued repetitions of its stretch. */
static void touch_runs(struct access_table *table, uint32_t number, const struct record_site *site,
		       const uint64_t *words, const struct queue_list *list, size_t period)
{
	const struct record_terms terms = record_terms(site);
	const uint64_t base_times = terms.base_times, index_times = terms.index_times;
	struct access_use *use = &table->uses[number], now = *use;

	for (uint32_t position = list->first; position;
	     position = table->queue.runs[position - 1].next) {
		const struct queue_run *run = &table->queue.runs[position - 1];
		const uint64_t *base = words + run->at + terms.base,
			       *index = words + run->at + terms.index;

		for (uint32_t i = 0; i < run->times; i++, base += period, index += period) {
			uint64_t address = *base * base_times + *index * index_times +
					   terms.constant;

			if (touch_near(&now, address, site->size))
				continue;
			*use = now;
			touch(table, number, address, site->size, 1);
			now = *use;
		}
	}
	*use = now;
}

static void mark_runs(const struct access_table *table, const struct record_site *site,
		      const uint64_t *words, const struct queue_list *list, size_t period)
{
	for (uint32_t position = list->first; position;
	     position = table->queue.runs[position - 1].next) {
		const struct queue_run *run = &table->queue.runs[position - 1];

		for (uint32_t i = 0; i < run->times; i++)
			mark_lines(table, site, record_address(site, words + run->at + i * period),
				   0, site->size, 1);
	}
}

static uint64_t times_of(const struct access_table *table, const struct queue_list *list)
{
	uint64_t times = 0;

	for (uint32_t position = list->first; position;
	     position = table->queue.runs[position - 1].next)
		times += table->queue.runs[position - 1].times;
	return times;
}

static void take_plain_list(struct access_table *table, const struct record_stretch *row,
			    const uint64_t *words, const struct queue_list *list)
{
	const struct record_site *site = row->nr_sites ? record_site(row->first_site) : NULL;
	uint32_t end = row->first_site + row->nr_sites;

	for (uint32_t number = row->first_site; number < end;
	     site = record_next_site(site, ++number)) {
		if (number >= ACCESS_SITES) {
			lose(table, times_of(table, list));
			continue;
		}
		touch_runs(table, number, site, words, list, 1 + row->words);
		if (table->lines)
			mark_runs(table, site, words, list, 1 + row->words);
	}
}

static void take_list(struct access_table *table, const uint64_t *words, struct queue_list *list)
{
	const struct record_stretch *row = record_stretch(list->stretch);

	if (row->plain) {
		take_plain_list(table, row, words, list);
		list->first = 0;
	}
	for (uint32_t position = list->first; position;
	     position = table->queue.runs[position - 1].next)
		for (uint32_t i = 0; i < table->queue.runs[position - 1].times; i++)
			take_stretch(table, row,
				     words + table->queue.runs[position - 1].at +
					     i * (1 + row->words));
	list->first = 0;
}

static void take_queue(struct access_table *table, const uint64_t *words)
{
	for (uint32_t i = 0; i < table->queue.nr_lists; i++)
		take_list(table, words, &table->queue.lists[table->queue.order[i]]);
	queue_clear(&table->queue);
}

/* [at, end): repetitions of this stretch. */
static void put_off(struct access_table *table, const uint64_t *words, size_t at, size_t end,
		    size_t period)
{
	uint32_t times = (uint32_t)((end - at) / period);

	if (queue_add(&table->queue, words[at], (uint32_t)at, times))
		return;
	take_queue(table, words);
	queue_add(&table->queue, words[at], (uint32_t)at, times);
}

/* ------------------------------------------------------------------ repetitions */

/* `two`: the words of two consecutive iterations. */
static void take_sites_again(struct access_table *table, const struct record_stretch *row,
			     const uint64_t *two, size_t period, uint64_t times)
{
	for (uint32_t number = row->first_site; number < row->first_site + row->nr_sites;
	     number++) {
		const struct record_site *site = record_site(number);
		uint64_t address = record_address(site, two);
		int64_t stride = (int64_t)(record_address(site, two + period) - address);

		if (number >= ACCESS_SITES) {
			lose(table, times);
		} else {
			touch_walk(table, number, address, stride, site->size, times);
			mark_lines(table, site, address, stride, site->size, times);
		}
	}
}

static bool is_plain(const uint64_t *words, size_t nr)
{
	for (size_t at = 0; at < nr; at += 1 + record_stretch(words[at])->words)
		if (!record_stretch(words[at])->plain)
			return false;
	return true;
}

/* By iteration: the accesses depend on more than the address. */
static void take_each(struct access_table *table, const uint64_t *two, size_t period,
		      uint64_t times)
{
	uint64_t *words = table->each;

	for (uint64_t i = 0; i < times && period <= ACCESS_PERIOD; i++) {
		for (size_t word = 0; word < period; word++)
			words[word] = two[word] + i * (two[period + word] - two[word]);
		for (size_t at = 0; at < period; at += 1 + record_stretch(words[at])->words)
			take_stretch(table, record_stretch(words[at]), words + at);
	}
}

void access_table_again(struct access_table *table, const uint64_t *two, size_t period,
			uint64_t times)
{
	if (!is_plain(two, period)) {
		take_each(table, two, period, times);
		return;
	}
	for (size_t at = 0; at < period; at += 1 + record_stretch(two[at])->words)
		take_sites_again(table, record_stretch(two[at]), two + at, period, times);
}

void access_table_words(struct access_table *table, const uint64_t *words, size_t nr)
{
	for (size_t at = 0, end; at < nr; at = end) {
		const struct record_stretch *row = record_stretch(words[at]);
		size_t period = 1 + row->words;

		for (end = at + period; end < nr && words[end] == words[at];)
			end += period;
		if (row->nr_sites || row->event == RECORD_RANGE)
			put_off(table, words, at, end, period);
	}
	take_queue(table, words);
}

void access_table_part(struct access_table *table, uint64_t before, uint64_t now)
{
	if (now != table->time)
		settle_all(table);
	table->before = before;
	table->time = now;
}

static void words_add(struct access_words *to, const struct access_words *more)
{
	to->recorded += more->recorded;
	to->counted += more->counted;
	to->stand_for += more->stand_for;
}

void access_table_note(struct access_table *table, uint64_t recorded, uint64_t counted)
{
	const struct access_words more = { recorded, counted, times(counted, weight_of(table)) };
	struct access_sum *head = sum_of(table, table->region, 0, ACCESS_ALL);

	if (!head)
		return;
	words_add(&head->now, &more);
	words_add(&head->under_way, &more);
}

uint64_t access_table_weighted(const struct access_table *table, uint64_t words)
{
	return times(words, weight_of(table));
}

void access_table_weigh(struct access_table *table, double weight)
{
	if (weight != weight_of(table))
		settle_all(table);
	table->weight = weight;
}

void access_table_enter(struct access_table *table, uint32_t region)
{
	settle_all(table);
	table->region = region;
}

struct access_sum *access_table_next(struct access_table *table, const struct access_sum *sum)
{
	return sum->next ? &table->sums[sum->next - 1] : NULL;
}

static struct access_sum *sum_at(struct access_table *table, uint32_t position)
{
	return position ? &table->sums[position - 1] : NULL;
}

static void add_outwards(struct access_table *table, struct access_sum *sum,
			 const struct access_counts *counts)
{
	for (; sum; sum = sum_at(table, sum->outer))
		access_counts_add(&sum->counts, counts);
}

static void add_up(struct access_table *table, struct access_sum *first)
{
	for (struct access_sum *sum = first; sum; sum = access_table_next(table, sum))
		sum->counts = (struct access_counts){ 0 };
	for (struct access_sum *sum = first; sum; sum = access_table_next(table, sum)) {
		add_outwards(table, sum, &sum->own);
		add_outwards(table, sum_at(table, sum->all), &sum->own);
		sum->own = (struct access_counts){ 0 };
	}
}

uint64_t access_table_under_way(struct access_table *table, uint32_t region)
{
	uint64_t values = 0;

	settle_all(table);
	for (struct access_sum *sum = sum_find(table, region, 0, ACCESS_ALL, &(uint32_t){ 0 }); sum;
	     sum = access_table_next(table, sum))
		values += sum->own.reads + sum->own.writes;
	return values;
}

void access_table_skip(struct access_table *table)
{
	struct access_sum *head = sum_of(table, table->region, 0, ACCESS_ALL);

	if (head)
		head->partly = true;
}

/* Ratio of recorded words to those that the counted ones represent; 0: none was counted. */
static double part_missing(const struct access_words *words)
{
	if (words->stand_for >= words->recorded)
		return 1;
	return words->stand_for ? (double)words->recorded / (double)words->stand_for : 0;
}

/*
 * What is counted in one part of an execution represents words that were skipped in others, too: the
 * last part gets what all of them miss.
 */
static void complete_sums(struct access_table *table, struct access_sum *first, bool ends)
{
	double factor;

	words_add(&first->parts, &first->now);
	factor = part_missing(&first->parts);
	first->estimated = first->parts.counted < first->parts.recorded;
	for (struct access_sum *sum = first; sum; sum = access_table_next(table, sum)) {
		if (!ends) {
			access_counts_add(&sum->own_parts, &sum->own);
			continue;
		}
		if (factor != 1) {
			counts_scale(&sum->own, factor);
			counts_scale(&sum->own_parts, factor - 1);
			access_counts_add(&sum->own, &sum->own_parts);
		}
		sum->own_parts = (struct access_counts){ 0 };
	}
	first->ended = first->now;
	first->now = (struct access_words){ 0 };
	if (ends)
		first->parts = (struct access_words){ 0 };
}

static void scale_rows(struct access_table *table, const struct access_sum *first, double factor)
{
	for (uint32_t position = first->rows; position && position != LAST_ROW && factor != 1;
	     position = table->next_under_way[position - 1]) {
		struct access_row *row = &table->under_way[position - 1];

		counts_scale(&row->counts, factor);
		row->with_stride = times(row->with_stride, factor);
	}
}

static void complete_rows(struct access_table *table, struct access_sum *first)
{
	scale_rows(table, first, part_missing(&first->under_way));
	first->under_way = (struct access_words){ 0 };
}

void access_table_scale(struct access_table *table, uint32_t region, double factor)
{
	struct access_sum *head = sum_of(table, region, 0, ACCESS_ALL);

	settle_all(table);
	if (!head)
		return;
	if (factor < 1) { /* of several executions, in parts */
		scale_rows(table, head, factor);
	} else {
		head->now.recorded = times(head->now.stand_for, factor);
		head->under_way.recorded = times(head->under_way.stand_for, factor);
	}
	head->parts = (struct access_words){ 0 };
	for (struct access_sum *sum = head; sum; sum = access_table_next(table, sum)) {
		if (factor < 1)
			counts_scale(&sum->own, factor);
		sum->own_parts = (struct access_counts){ 0 };
	}
}

static void forget(struct access_table *table, struct access_sum *head)
{
	struct access_row row;

	head->now = head->parts = head->under_way = (struct access_words){ 0 };
	while (take_under_way(table, head, &row))
		;
	for (struct access_sum *sum = head; sum; sum = access_table_next(table, sum))
		sum->own = sum->own_parts = (struct access_counts){ 0 };
}

void access_table_forget(struct access_table *table, uint32_t region)
{
	struct access_sum *head;

	settle_all(table);
	head = sum_find(table, region, 0, ACCESS_ALL, &(uint32_t){ 0 });
	if (!head)
		return;
	forget(table, head);
	head->partly = false;
}

/* Whether all words of the execution were skipped. */
static bool nothing_counted(const struct access_sum *first)
{
	return first->now.recorded + first->parts.recorded > 0 &&
	       !(first->now.stand_for + first->parts.stand_for > 0);
}

struct access_sum *access_table_end(struct access_table *table, uint32_t region,
				    uint32_t executions)
{
	struct access_sum *first;

	settle_all(table);
	table->execution += executions > 0;
	first = sum_of(table, region, 0, ACCESS_ALL);
	if (!first)
		return NULL;
	if (first->partly || (executions && nothing_counted(first))) {
		first->partly &= !executions; /* a part before the end is incomplete, too */
		forget(table, first);
		return NULL;
	}
	complete_sums(table, first, executions > 0);
	if (executions) {
		complete_rows(table, first);
		tell_rows(table, first);
	}
	__atomic_store_n(&first->ends, first->ends + executions, __ATOMIC_RELAXED);
	add_up(table, first);
	return first;
}

/* ------------------------------------------------------------------ renaming */

static void rename_rows(struct access_table *table, struct access_sum *from, uint32_t to)
{
	struct access_row row;

	while (take_under_way(table, from, &row)) {
		row.region = to;
		if (!add_under_way(table, &row))
			lose(table, row.counts.reads + row.counts.writes);
	}
}

static void rename_sums(struct access_table *table, struct access_sum *from, uint32_t to)
{
	for (struct access_sum *old = from; old; old = access_table_next(table, old)) {
		bool any = old->own.reads + old->own.writes > 0;
		struct access_sum *sum = any ? sum_of(table, to, old->loop, old->array) : NULL;

		if (sum)
			access_counts_add(&sum->own, &old->own);
		else
			lose(table, old->own.reads + old->own.writes);
		old->own = (struct access_counts){ 0 };
	}
}

void access_table_rename(struct access_table *table, uint32_t from, uint32_t to)
{
	struct access_sum *old, *new;

	settle_all(table);
	old = sum_find(table, from, 0, ACCESS_ALL, &(uint32_t){ 0 });
	if (!old)
		return;
	rename_rows(table, old, to);
	rename_sums(table, old, to);
	new = old->partly || old->now.recorded ? sum_of(table, to, 0, ACCESS_ALL) : NULL;
	if (new) {
		new->partly |= old->partly;
		words_add(&new->now, &old->now);
		words_add(&new->parts, &old->parts);
		words_add(&new->under_way, &old->under_way);
	}
	old->now = old->parts = old->under_way = (struct access_words){ 0 };
	old->partly = false;
}

void access_table_renew(struct access_table *table, uint32_t region, uint32_t recording)
{
	struct access_sum *head = sum_of(table, region, 0, ACCESS_ALL);

	if (!head || head->recording == recording)
		return;
	access_table_forget(table, region);
	for (uint32_t i = 0; i < table->nr_rows; i++)
		if (table->rows[i].region == region)
			table->rows[i] = empty_row(region, table->rows[i].site,
						   table->rows[i].array);
	__atomic_store_n(&head->ends, 0, __ATOMIC_RELAXED);
	__atomic_store_n(&head->recording, recording, __ATOMIC_RELAXED);
}

/* ------------------------------------------------------------------ reading */

static const struct access_sum *head_of(const struct access_table *table, uint32_t region)
{
	return sum_find(table, region, 0, ACCESS_ALL, &(uint32_t){ 0 });
}

static uint32_t ends_of(const struct access_table *table, uint32_t region)
{
	const struct access_sum *head = head_of(table, region);

	return head ? __atomic_load_n(&head->ends, __ATOMIC_RELAXED) : 0;
}

uint32_t access_table_recording(const struct access_table *table, uint32_t region)
{
	const struct access_sum *head = head_of(table, region);

	return head ? __atomic_load_n(&head->recording, __ATOMIC_RELAXED) : 0;
}

void access_table_each(const struct access_table *table,
		       void (*visit)(void *ctx, const struct access_row *row, uint32_t executions),
		       void *ctx)
{
	uint32_t nr = __atomic_load_n(&table->nr_rows, __ATOMIC_ACQUIRE);

	for (uint32_t i = 0; i < nr; i++)
		visit(ctx, &table->rows[i], ends_of(table, table->rows[i].region));
}
