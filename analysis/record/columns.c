/* SPDX-License-Identifier: Apache-2.0 */
/* Batches of measurements, column by column, as differences. */
#include "analysis/record/columns.h"

#include "analysis/record/word_coding.h"

#define RUN_MINIMUM 3u /* equal values in a row worth a run of their own */
/* control byte of words: the value before, so many times more */
#define REPEAT 0xffu
#define WORDS 0u /* how a column of doubles is written */
#define WHOLE 1u

enum column_kind {
	COLUMN_NEIGHBOUR, /* u32, difference to the row above */
	COLUMN_FORMER,    /* u64, difference to the row's former value */
	/* doubles, by how they are predicted */
	COLUMN_SUM,
	COLUMN_EXTREME,
	COLUMN_SQUARES,
	COLUMN_DOUBLE,
};

static const struct column {
	enum column_kind kind;
	size_t offset;
} column_list[] = {
	{ COLUMN_NEIGHBOUR, offsetof(struct run_measurement, row.region) },
	{ COLUMN_NEIGHBOUR, offsetof(struct run_measurement, row.thread) },
	{ COLUMN_NEIGHBOUR, offsetof(struct run_measurement, row.metric) },
	{ COLUMN_FORMER, offsetof(struct run_measurement, row.stat.count) },
	{ COLUMN_FORMER, offsetof(struct run_measurement, phases) },
	{ COLUMN_SUM, offsetof(struct run_measurement, row.stat.sum) },
	{ COLUMN_EXTREME, offsetof(struct run_measurement, row.stat.min) },
	{ COLUMN_EXTREME, offsetof(struct run_measurement, row.stat.max) },
	{ COLUMN_SQUARES, offsetof(struct run_measurement, row.stat.sum_squares) },
	{ COLUMN_DOUBLE, offsetof(struct run_measurement, observed_ns) },
};
#define NR_COLUMNS (sizeof(column_list) / sizeof(column_list[0]))

static const struct run_measurement nothing;

static inline uint64_t word_at(const struct run_measurement *row, size_t offset)
{
	uint64_t word;

	memcpy(&word, (const char *)row + offset, sizeof(word));
	return word;
}

static inline uint32_t number_at(const struct run_measurement *row, size_t offset)
{
	uint32_t number;

	memcpy(&number, (const char *)row + offset, sizeof(number));
	return number;
}

static inline const struct run_measurement *former_of(const struct run_measurement *former,
						      uint64_t number)
{
	return number < COLUMNS_FORMER ? &former[number] : &nothing;
}

/* True if the double of this word is a whole number that fits; -0.0 does not. */
static inline bool whole_of(uint64_t word, uint64_t *whole_out)
{
	double value = double_of_word(word);
	int64_t whole;

	if (!(value < 0x1p62 && value > -0x1p62))
		return false;
	whole = (int64_t)value;
	*whole_out = (uint64_t)whole;
	return word_of_double((double)whole) == word;
}

static inline uint64_t whole_or_0(uint64_t word)
{
	uint64_t whole;

	return whole_of(word, &whole) ? whole : 0;
}

/* a · b / c, rounded somehow; any overflow is the same for writer and reader. */
static inline uint64_t scaled(uint64_t a, uint64_t b, uint64_t c)
{
	return a / c * b + a % c * b / c;
}

/*
 * The whole number expected in a column; `row` holds the new count and sum already, `was` is the
 * former word there.
 */
static inline uint64_t expected(enum column_kind kind, const struct run_measurement *row,
				uint64_t was, uint64_t was_count, uint64_t was_sum)
{
	uint64_t new_count = row->row.stat.count - was_count, sum_before = whole_or_0(was_sum),
		 added;

	if (kind == COLUMN_DOUBLE || !row->row.stat.count)
		return was;
	if (kind == COLUMN_SUM)
		return was_count ? was + scaled(was, new_count, was_count) : was;
	added = whole_or_0(word_of_double(row->row.stat.sum)) - sum_before;
	if (kind == COLUMN_EXTREME)
		return was_count ? was : added / row->row.stat.count;
	return new_count ? was + scaled(added, added, new_count) : was;
}

static size_t run_length(const uint64_t *values, size_t nr)
{
	size_t length = 1;

	while (length < nr && values[length] == values[0])
		length++;
	return length;
}

/* (n << 1 | 1) value: n + 1 times this value; (n << 1) values: n + 1 of them. */
static void put_numbers(struct buffer *buffer, const uint64_t *values, size_t nr)
{
	size_t at = 0;

	while (at < nr) {
		size_t length = run_length(values + at, nr - at), end = at;

		if (length >= RUN_MINIMUM) {
			put_varint(buffer, (length - 1) << 1 | 1);
			put_varint(buffer, values[at]);
			at += length;
			continue;
		}
		for (; end < nr && length < RUN_MINIMUM; end += length)
			length = run_length(values + end, nr - end);
		if (length >= RUN_MINIMUM)
			end -= length;
		put_varint(buffer, (end - at - 1) << 1);
		for (; at < end; at++)
			put_varint(buffer, values[at]);
	}
}

static void get_numbers(struct cursor *cursor, uint64_t *values, size_t nr)
{
	size_t at = 0;

	while (at < nr && !cursor->bad) {
		uint64_t token = get_varint(cursor), length = (token >> 1) + 1;
		uint64_t value = token & 1 ? get_varint(cursor) : 0;

		if (length > nr - at) {
			cursor->bad = true;
			return;
		}
		for (; length; length--)
			values[at++] = token & 1 ? value : get_varint(cursor);
	}
}

static void put_words(struct buffer *buffer, const uint64_t *words, size_t nr)
{
	uint64_t before = 0;

	for (size_t at = 0; at < nr;) {
		size_t length = words[at] == before ? run_length(words + at, nr - at) : 0;

		if (length > 1) {
			put_byte(buffer, REPEAT);
			put_varint(buffer, length);
			at += length;
			continue;
		}
		before = words[at++];
		put_word(buffer, before);
	}
}

static void get_words(struct cursor *cursor, uint64_t *words, size_t nr)
{
	uint64_t before = 0;

	for (size_t at = 0; at < nr && !cursor->bad;) {
		uint8_t control = get_byte(cursor);

		if (control == REPEAT) {
			uint64_t length = get_varint(cursor);

			if (length > nr - at || !length)
				cursor->bad = true;
			for (; !cursor->bad && length; length--)
				words[at++] = before;
			continue;
		}
		before = words[at++] = get_word_of(cursor, control);
	}
}

/* Numbers of columns of u32 and u64. */
static void number_differences(const struct column *column, struct columns *columns, size_t nr,
			       const struct run_measurement *rows,
			       const struct run_measurement *former)
{
	uint32_t above = 0;

	for (size_t i = 0; i < nr; i++) {
		const struct run_measurement *row = &rows[columns->numbers[i]];

		if (column->kind == COLUMN_NEIGHBOUR) {
			columns->values[i] = zigzag(
				(int32_t)(number_at(row, column->offset) - above));
			above = number_at(row, column->offset);
		} else {
			uint64_t was = word_at(former_of(former, columns->numbers[i]),
					       column->offset);

			columns->values[i] = zigzag((int64_t)(word_at(row, column->offset) - was));
		}
	}
}

/* False: not all of these doubles, and of the former ones, are whole numbers. */
static bool whole_differences(const struct column *column, struct columns *columns, size_t nr,
			      const struct run_measurement *rows,
			      const struct run_measurement *former)
{
	for (size_t i = 0; i < nr; i++) {
		const struct run_measurement *row = &rows[columns->numbers[i]];
		uint64_t was, is;

		if (!whole_of(word_at(row, column->offset), &is) ||
		    !whole_of(word_at(former_of(former, columns->numbers[i]), column->offset),
			      &was))
			return false;
		columns->values[i] = zigzag(
			(int64_t)(is - expected(column->kind, row, was, columns->counts[i],
						columns->sums[i])));
	}
	return true;
}

static void column_put(const struct column *column, struct columns *columns, struct buffer *buffer,
		       size_t nr, const struct run_measurement *rows,
		       const struct run_measurement *former)
{
	if (column->kind < COLUMN_SUM) {
		number_differences(column, columns, nr, rows, former);
		put_numbers(buffer, columns->values, nr);
		return;
	}
	if (whole_differences(column, columns, nr, rows, former)) {
		put_byte(buffer, WHOLE);
		put_numbers(buffer, columns->values, nr);
		return;
	}
	for (size_t i = 0; i < nr; i++)
		columns->values[i] = word_at(&rows[columns->numbers[i]], column->offset) ^
				     word_at(former_of(former, columns->numbers[i]),
					     column->offset);
	put_byte(buffer, WORDS);
	put_words(buffer, columns->values, nr);
}

void columns_put(struct columns *columns, struct buffer *buffer, size_t nr,
		 const struct run_measurement *rows, struct run_measurement *former)
{
	put_varint(buffer, nr);
	for (size_t i = 0; i < nr; i++) {
		const struct run_measurement *was = former_of(former, columns->numbers[i]);

		columns->values[i] = columns->numbers[i] - (i ? columns->numbers[i - 1] + 1 : 0);
		columns->counts[i] = was->row.stat.count;
		columns->sums[i] = word_of_double(was->row.stat.sum);
	}
	put_numbers(buffer, columns->values, nr);
	for (size_t c = 0; c < NR_COLUMNS; c++)
		column_put(&column_list[c], columns, buffer, nr, rows, former);
	for (size_t i = 0; i < nr && columns->numbers[i] < COLUMNS_FORMER; i++)
		former[columns->numbers[i]] = rows[columns->numbers[i]];
}

size_t columns_begin(struct columns *columns, struct cursor *cursor)
{
	uint64_t nr = get_varint(cursor);

	if (nr > COLUMNS_ROWS)
		cursor->bad = true;
	if (cursor->bad)
		return 0;
	get_numbers(cursor, columns->numbers, nr);
	for (size_t i = 0; i < nr; i++) {
		if (columns->numbers[i] > UINT32_MAX)
			cursor->bad = true;
		columns->numbers[i] += i ? columns->numbers[i - 1] + 1 : 0;
	}
	return cursor->bad ? 0 : nr;
}

static void numbers_apply(const struct column *column, const struct columns *columns, size_t nr,
			  struct run_measurement *rows)
{
	uint32_t above = 0;

	for (size_t i = 0; i < nr; i++) {
		char *at = (char *)&rows[columns->numbers[i]] + column->offset;
		uint64_t word;

		if (column->kind == COLUMN_NEIGHBOUR) {
			above += (uint32_t)unzigzag(columns->values[i]);
			memcpy(at, &above, sizeof(above));
			continue;
		}
		memcpy(&word, at, sizeof(word));
		word += (uint64_t)unzigzag(columns->values[i]);
		memcpy(at, &word, sizeof(word));
	}
}

static void doubles_apply(const struct column *column, bool whole, const struct columns *columns,
			  size_t nr, struct run_measurement *rows)
{
	for (size_t i = 0; i < nr; i++) {
		struct run_measurement *row = &rows[columns->numbers[i]];
		uint64_t word = word_at(row, column->offset);

		if (whole) {
			uint64_t was = whole_or_0(word);

			word = expected(column->kind, row, was, columns->counts[i],
					columns->sums[i]);
			word = word_of_double(
				(double)(int64_t)(word + (uint64_t)unzigzag(columns->values[i])));
		} else {
			word ^= columns->values[i];
		}
		memcpy((char *)row + column->offset, &word, sizeof(word));
	}
}

static void column_get(const struct column *column, struct columns *columns, struct cursor *cursor,
		       size_t nr, struct run_measurement *rows)
{
	uint8_t how = column->kind < COLUMN_SUM ? WHOLE : get_byte(cursor);

	if (how == WHOLE)
		get_numbers(cursor, columns->values, nr);
	else if (how == WORDS)
		get_words(cursor, columns->values, nr);
	else
		cursor->bad = true;
	if (cursor->bad)
		return;
	if (column->kind < COLUMN_SUM)
		numbers_apply(column, columns, nr, rows);
	else
		doubles_apply(column, how == WHOLE, columns, nr, rows);
}

void columns_get(struct columns *columns, struct cursor *cursor, size_t nr,
		 struct run_measurement *rows)
{
	for (size_t i = 0; i < nr; i++) {
		struct run_measurement *row = &rows[columns->numbers[i]];

		if (columns->numbers[i] >= COLUMNS_FORMER)
			*row = nothing;
		columns->counts[i] = row->row.stat.count;
		columns->sums[i] = word_of_double(row->row.stat.sum);
	}
	for (size_t c = 0; c < NR_COLUMNS && !cursor->bad; c++)
		column_get(&column_list[c], columns, cursor, nr, rows);
}
