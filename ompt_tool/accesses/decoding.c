/* SPDX-License-Identifier: Apache-2.0 */
/* Decodes words of clones into entries of traces and counts. */
#include "analysis/trace/expand.h"
#include "analysis/trace/stretch_rows.h"
#include "ompt_tool/accesses/decoding.h"

#include "ompt_tool/accesses/loop_regions.h"
#include "ompt_tool/accesses/tracing.h"
#include "ompt_tool/arrays/array.h"
#include "ompt_tool/clones/word_buffer.h"

/* words passed to a consumer together: they stay in the first-level cache */
#define PORTION 2048
#define PERIOD_MOST ((TRACE_ENTRY_MAX - 2) / 2)
_Static_assert(PERIOD_MOST <= ACCESS_PERIOD, "what is one entry of a trace can be counted");

static void place(void *ctx, uint64_t address, uint64_t since, uint64_t until,
		  struct array_place *out)
{
	(void)ctx;
	array_or_page_at(address, since, until, out);
}

static uint32_t joined(void *ctx, uint32_t number)
{
	(void)ctx;
	return loop_joined(number);
}

static uint32_t parent(void *ctx, uint32_t loop)
{
	(void)ctx;
	return loop_parent(loop);
}

const struct access_world decoding_world = { place, joined, parent, NULL };

/* ------------------------------------------------------------------ consumers */

static void count_part(struct decoding *decoding, uint64_t now)
{
	access_table_part(decoding->table, decoding->before, now);
}

static void count_words(struct decoding *decoding, const uint64_t *words, size_t nr)
{
	if (!decoding->passing)
		access_table_words(decoding->table, words, nr);
}

static void count_again(struct decoding *decoding, const uint64_t *two, size_t period,
			uint64_t times)
{
	if (!decoding->passing)
		access_table_again(decoding->table, two, period, times);
}

static void keep_part(struct decoding *decoding, uint64_t now)
{
	if (decoding->stream)
		trace_stream_part(decoding->stream, tracing_region(decoding->table->region),
				  decoding->before, now);
}

static void keep_words(struct decoding *decoding, const uint64_t *words, size_t nr)
{
	if (decoding->stream)
		trace_stream_words(decoding->stream, words, nr);
}

static void keep_again(struct decoding *decoding, const uint64_t *two, size_t period,
		       uint64_t times)
{
	if (decoding->stream)
		trace_stream_again(decoding->stream, two, period, times);
}

static struct page_counter *counter_of(const struct decoding *decoding)
{
	return decoding->pages && page_counts_are_on() ? decoding->pages : NULL;
}

static void place_part(struct decoding *decoding, uint64_t now)
{
	(void)now;
	if (counter_of(decoding))
		page_counter_part(decoding->pages, decoding->table->region);
}

static void place_words(struct decoding *decoding, const uint64_t *words, size_t nr)
{
	if (counter_of(decoding))
		page_counter_words(decoding->pages, words, nr);
}

static void place_again(struct decoding *decoding, const uint64_t *two, size_t period,
			uint64_t times)
{
	if (counter_of(decoding))
		page_counter_again(decoding->pages, two, period, times);
}

/*
 * The consumers of a thread's words: single words, and iterations whose words have constant
 * strides.
 */
static const struct consumer {
	/* announces words of the table's region, whose blocks lived between `before` and `now` */
	void (*part)(struct decoding *decoding, uint64_t now);
	void (*words)(struct decoding *decoding, const uint64_t *words, size_t nr);
	/* `two`: the words of the first two iterations */
	void (*again)(struct decoding *decoding, const uint64_t *two, size_t period,
		      uint64_t times);
} consumers[] = {
	{ keep_part, keep_words, keep_again },    /* the trace */
	{ count_part, count_words, count_again }, /* the table of counts */
	{ place_part, place_words, place_again }, /* the pages' nodes */
};
#define EACH_CONSUMER(consumer) \
	for (const struct consumer *consumer = consumers; \
	     consumer < consumers + sizeof(consumers) / sizeof(consumers[0]); consumer++)

/* Passes on the words before `at` unchanged. */
static void hand_on(struct decoding *decoding, const uint64_t *words, size_t at)
{
	size_t nr = at > decoding->done ? at - decoding->done : 0;

	EACH_CONSUMER(consumer)
	if (nr)
		consumer->words(decoding, words + decoding->done, nr);
	decoding->done = at;
}

static void hand_on_again(struct decoding *decoding, const uint64_t *two, size_t period,
			  uint64_t times)
{
	EACH_CONSUMER(consumer)
	consumer->again(decoding, two, period, times);
}

/* ------------------------------------------------------------------ words */

/*
 * Passes on the iterations of the counted loop that ends at the event `counted`, with its first
 * iteration if that is at `at`; otherwise the first iteration was passed on before. Returns the
 * number of words consumed.
 */
static size_t take_counted(struct decoding *decoding, const uint64_t *words, size_t at,
			   size_t counted)
{
	const struct record_stretch *event = record_stretch(words[counted]);
	const uint64_t *stretch = at < counted ? words + at : record_before(words, counted);
	size_t end = counted + 1 + event->words, period;
	uint64_t two[2 * (1 + RECORD_COUNTED_WORDS)];
	const struct record_counted *row = record_counted(event->subject);
	uint64_t times = stretch ? record_times(&words[counted], stretch) + (at < counted) : 0;

	hand_on(decoding, words, at);
	decoding->done = end;
	if (!times)
		return end - at;
	period = 1 + record_stretch(row->stretch)->words;
	record_go_on(row, stretch, at == counted, two);
	record_go_on(row, stretch, 1 + (at == counted), two + period);
	hand_on_again(decoding, two, period, times);
	return end - at;
}

/*
 * Position of the event that ends the counted loop whose first iteration is this stretch; 0: a
 * single iteration, or no counted loop.
 */
static size_t end_of_counted(const uint64_t *words, size_t nr, size_t at,
			     const struct record_stretch *row)
{
	size_t next = at + 1 + row->words;
	const struct record_stretch *event = row->counted && next < nr ? record_stretch(words[next])
								       : NULL;

	return event && event->event == RECORD_COUNTED && event->words < nr - next &&
			       record_counted(event->subject)->stretch == words[at]
		       ? next
		       : 0;
}

/* Number of words consumed; 0: not a valid record. */
static size_t take_next(struct decoding *decoding, const uint64_t *words, size_t nr, size_t at)
{
	const struct record_stretch *row = record_stretch(words[at]);
	struct repetition again;
	size_t end;

	if (!row || row->words >= nr - at)
		return 0;
	if (row->event == RECORD_COUNTED)
		return take_counted(decoding, words, at, at);
	end = end_of_counted(words, nr, at, row);
	if (end)
		return take_counted(decoding, words, at, end);
	if (repeats_find(&decoding->repeats, words, nr, at, &again) &&
	    again.period <= PERIOD_MOST) {
		hand_on(decoding, words, at);
		hand_on_again(decoding, words + at, again.period, again.times);
		decoding->done = at + again.period * again.times;
		return decoding->done - at;
	}
	return repeats_skip(&decoding->repeats, words, nr, at, 1 + row->words) - at;
}

void decode(struct decoding *decoding, const uint64_t *words, size_t nr)
{
	uint64_t now = array_time();
	size_t at, taken;

	EACH_CONSUMER(consumer)
	consumer->part(decoding, now);
	decoding->done = 0;
	repeats_begin(&decoding->repeats);
	for (at = 0; at < nr; at += taken) {
		taken = take_next(decoding, words, nr, at);
		if (!taken) { /* a signal handler wrote between them, see word_buffer.h */
			__atomic_store_n(&decoding->table->dropped, decoding->table->dropped + 1,
					 __ATOMIC_RELAXED);
			break;
		}
		if (at + taken - decoding->done >= PORTION)
			hand_on(decoding, words, at + taken);
	}
	hand_on(decoding, words, at);
	decoding->before = now;
}
