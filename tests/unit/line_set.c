/* SPDX-License-Identifier: Apache-2.0 */
/* Lines touched by walks, against marking every byte of every access. */
#include "analysis/counting/line_set.h"

#include <stdlib.h>
#include <string.h>

#include "tests/unit/pick.h"
#include "tests/unit/test.h"

#define SPACE (6 * LINE_PIECE)
#define LOW 0x7f0000000000ull
#define LINES (SPACE / LINE_BYTES)

static struct {
	uint16_t touched[LINES], written[LINES];
	uint64_t count[LINES];
} naive;

static struct line_set *new_set(struct line_pool *pool)
{
	struct line_set *set = calloc(1, sizeof(*set));

	CHECK(set != NULL);
	set->pool = pool ? pool : calloc(1, sizeof(*pool));
	CHECK(set->pool != NULL);
	return set;
}

static void free_set(struct line_set *set)
{
	free(set->pool);
	free(set);
}

static void naive_access(uint64_t address, uint64_t bytes, uint64_t count, bool write)
{
	uint64_t offset = address - LOW;

	CHECK_THAT(offset + bytes, <=, SPACE);
	for (uint64_t i = offset; i < offset + bytes; i++) {
		uint16_t word = (uint16_t)(1u << i % LINE_BYTES / LINE_WORD);

		naive.touched[i / LINE_BYTES] |= word;
		naive.written[i / LINE_BYTES] |= write ? word : 0;
	}
	naive.count[offset / LINE_BYTES] += count;
}

static uint64_t size_of(int64_t stride)
{
	return (uint64_t)(stride < 0 ? -stride : stride);
}

/* Strides and sizes as programs have them, and others. */
static struct line_walk random_walk(void)
{
	static const int64_t strides[] = { 0,  1,  2,  4,  8,  16,  32,  64,
					   12, 24, 40, 48, 80, 128, 192, 4096 };
	static const uint64_t sizes[] = { 1, 2, 4, 8, 16, 32, 64, 10, 24, 100 };
	struct line_walk walk = { .stride = strides[pick(sizeof(strides) / sizeof(*strides))],
				  .bytes = sizes[pick(sizeof(sizes) / sizeof(*sizes))],
				  .times = 1 + pick(pick(4) ? 40 : 4000),
				  .weight = 1 + (uint32_t)pick(2),
				  .write = pick(2) };
	uint64_t way;

	while ((way = (walk.times - 1) * size_of(walk.stride) + walk.bytes) > SPACE)
		walk.times /= 2;
	walk.address = LOW + pick(SPACE - way + 1);
	if (pick(3))
		walk.address &= ~(uint64_t)7;
	if (pick(2) && walk.stride) {
		walk.address += (walk.times - 1) * size_of(walk.stride);
		walk.stride = -walk.stride;
	}
	return walk;
}

static void naive_walk(const struct line_walk *walk)
{
	for (uint64_t i = 0; i < walk->times; i++)
		naive_access(walk->address + i * (uint64_t)walk->stride, walk->bytes, walk->weight,
			     walk->write);
}

static const struct line_piece *piece_of(const struct line_set *set, uint64_t address)
{
	const struct line_piece *piece = set->sorted;

	while (piece && address - piece->address >= LINE_PIECE)
		piece = piece->after;
	return piece;
}

static uint64_t compare(struct line_set *set)
{
	uint64_t marked = 0;

	CHECK_INT(set->lost, 0);
	line_set_close(set);
	for (uint32_t line = 0; line < LINES; line++) {
		const struct line_piece *piece = piece_of(set, LOW + (uint64_t)line * LINE_BYTES);
		uint32_t at = line % LINE_PIECE_LINES;

		CHECK_INT(piece ? line_touched(piece->lines[at]) : 0, naive.touched[line]);
		CHECK_INT(piece ? line_written(piece->lines[at]) : 0, naive.written[line]);
		CHECK_INT(piece ? line_accesses(piece->lines[at]) : 0, naive.count[line]);
		CHECK(!naive.written[line] || piece->is_written);
		marked += naive.touched[line] != 0;
	}
	return marked;
}

TEST(line_set__walks_mark_what_their_accesses_touch)
{
	struct line_set *set = new_set(NULL);
	uint64_t marked = 0;

	for (int round = 0; round < 300; round++) {
		memset(&naive, 0, sizeof(naive));
		for (uint64_t i = pick(12); i < 12; i++) {
			struct line_walk walk = random_walk();

			naive_walk(&walk);
			line_set_walk(set, &walk);
		}
		marked += compare(set);
		line_set_clear(set);
	}
	CHECK_THAT(marked, >, 100000);
	free_set(set);
}

/* By words of 8 bytes, of which the last may be a part. */
TEST(line_set__ranges)
{
	struct line_set *set = new_set(NULL);

	memset(&naive, 0, sizeof(naive));
	for (int i = 0; i < 200; i++) {
		uint64_t bytes = 1 + pick(3000), address = LOW + pick(SPACE - bytes + 1);
		bool write = pick(2);

		for (uint64_t at = 0; at < bytes; at += 8)
			naive_access(address + at, bytes - at < 8 ? bytes - at : 8, 1, write);
		line_set_range(set, address, bytes, write);
	}
	CHECK_THAT(compare(set), >, 100);
	free_set(set);
}

TEST(line_set__counts_to_a_bound)
{
	struct line_set *set = new_set(NULL);
	struct line_walk walk = { .address = LOW, .bytes = 8, .times = 1000000000, .weight = 1 };

	memset(&naive, 0, sizeof(naive));
	naive.touched[0] = 3;
	for (int i = 1; i < 8; i++) {
		line_set_walk(set, &walk);
		naive.count[0] = i < 5 ? (uint64_t)i * 1000000000 : UINT32_MAX;
		CHECK_INT(compare(set), 1);
	}
	free_set(set);
}

/* Accesses of many lines at once stop at the most that a line can say, too. */
TEST(line_set__counts_of_walks_do_not_overflow)
{
	/* each line alike, and lines apart */
	static const int64_t strides[] = { LINE_BYTES, 2 * LINE_BYTES };

	for (size_t i = 0; i < sizeof(strides) / sizeof(strides[0]); i++) {
		struct line_set *set = new_set(NULL);
		struct line_walk walk = { .address = LOW,
					  .bytes = 8,
					  .times = 20,
					  .stride = strides[i],
					  .weight = 1u << 31,
					  .write = true };

		for (int times = 0; times < 3; times++)
			line_set_walk(set, &walk);
		line_set_close(set);
		for (int at = 0; at < 20; at++) {
			uint64_t line = set->sorted->lines[at * strides[i] / LINE_BYTES];

			CHECK_INT(line_accesses(line), UINT32_MAX);
			CHECK(line_touched(line) == 3 && line_written(line) == 3);
		}
		free_set(set);
	}
}

static void touch(struct line_set *set, uint64_t address)
{
	line_set_walk(set, &(struct line_walk){
				   .address = address, .bytes = 8, .times = 1, .weight = 1 });
}

TEST(line_set__says_what_found_no_room)
{
	struct line_set *set = new_set(NULL), *other = new_set(set->pool);
	uint64_t i;

	touch(other, LOW);
	for (i = 0; i < LINE_PIECES - 1; i++)
		touch(set, LOW + i * LINE_PIECE);
	CHECK_INT(set->lost, 0);
	touch(set, LOW + i * LINE_PIECE);
	line_set_walk(set, &(struct line_walk){ .address = LOW + (i + 1) * LINE_PIECE,
						.bytes = 8,
						.times = 800,
						.stride = 8,
						.weight = 2 });
	CHECK_INT(set->lost, 1601);
	line_set_clear(set);
	CHECK_INT(set->lost, 0);
	line_set_close(set);
	line_set_close(other);
	CHECK(!set->sorted && !piece_of(set, LOW) && piece_of(other, LOW));
	for (i = 0; i < LINE_PIECES - 1; i++)
		/* what was given back is used again, and empty */
		touch(set, LOW + i * LINE_PIECE);
	CHECK_INT(set->lost, 0);
	line_set_close(set);
	for (const struct line_piece *piece = set->sorted; piece; piece = piece->after, i--)
		CHECK(piece->lines[0] == (1ull << 32 | 3) && !piece->lines[1] &&
		      !piece->is_written);
	CHECK_INT(i, 0);
	free(other);
	free_set(set);
}

/* Of several sets, touched in any order, each piece once, and those of one address side by side. */
TEST(line_set__order_of_pieces)
{
	enum { SETS = 5, PLACES = 300 };
	struct line_order order = { 0 };
	struct line_set *sets[SETS];
	uint32_t want[PLACES] = { 0 }, have[PLACES] = { 0 };
	uint64_t last = 0, nr = 0;

	for (int i = 0; i < SETS; i++) {
		sets[i] = new_set(NULL);
		for (int times = 0; times < 200; times++) {
			uint64_t place = pick(PLACES);

			touch(sets[i], LOW + place * LINE_PIECE + 8 * pick(100));
			want[place] |= 1u << i;
		}
		line_set_close(sets[i]);
		line_order_add(&order, sets[i]->sorted);
	}
	for (const struct line_piece *piece = line_order_all(&order); piece;
	     piece = piece->after, nr++) {
		uint32_t set = 0;

		while (sets[set] != piece->set)
			set++;
		CHECK(piece->address >= last &&
		      !(have[(piece->address - LOW) / LINE_PIECE] & 1u << set));
		have[(piece->address - LOW) / LINE_PIECE] |= 1u << set;
		last = piece->address;
	}
	CHECK(nr > PLACES && !memcmp(have, want, sizeof(want)));
	for (int i = 0; i < SETS; i++)
		free_set(sets[i]);
}
