/* SPDX-License-Identifier: Apache-2.0 */
/* Finds loops in a record whose words have constant strides. */
#include "analysis/trace/stretch_rows.h"
#include "ompt_tool/accesses/access_repeats.h"

#include "ompt_tool/clones/word_buffer.h"

#define TIMES_MIN 4 /* fewer are counted as fast one by one */
#define AT_ONCE 16

void repeats_begin(struct repeats *repeats)
{
	repeats->broken = 0;
}

/* Change of the word's stride between the last two periods; 0: constant. */
static uint64_t bend(const uint64_t *word, size_t period)
{
	return (word[0] - word[-(ptrdiff_t)period]) -
	       (word[-(ptrdiff_t)period] - word[-2 * (ptrdiff_t)period]);
}

/*
 * Advances `i` by AT_ONCE words at a time while all strides are constant: the compiler vectorises
 * this loop.
 */
static inline __attribute__((always_inline)) size_t go_on_at_once(const uint64_t *words, size_t nr,
								  size_t i, size_t period)
{
	for (; i + AT_ONCE <= nr; i += AT_ONCE) {
		uint64_t bends = 0;

		for (size_t j = 0; j < AT_ONCE; j++)
			bends |= bend(&words[i + j], period);
		if (bends)
			break;
	}
	return i;
}

#ifdef __x86_64__
static __attribute__((target("avx2"))) size_t go_on_by_vectors(const uint64_t *words, size_t nr,
							       size_t i, size_t period)
{
	return go_on_at_once(words, nr, i, period);
}

static size_t go_on_far(const uint64_t *words, size_t nr, size_t i, size_t period)
{
	return __builtin_cpu_supports("avx2") ? go_on_by_vectors(words, nr, i, period)
					      : go_on_at_once(words, nr, i, period);
}
#else
static size_t go_on_far(const uint64_t *words, size_t nr, size_t i, size_t period)
{
	return go_on_at_once(words, nr, i, period);
}
#endif

/*
 * Position of the first word whose stride changes. If the strides are not constant at all, that
 * mostly shows in the first period.
 */
static size_t end_of(const uint64_t *words, size_t nr, size_t at, size_t period)
{
	size_t i = at + period, second = i + period < nr ? i + period : nr;

	while (i < second && !bend(&words[i], period))
		i++;
	if (i == second)
		i = go_on_far(words, nr, i, period);
	while (i < nr && !bend(&words[i], period))
		i++;
	return i;
}

/*
 * Whether the period consists of whole stretches with the same headers as the period before, none
 * of them twice (each was seen last one period ago), and none that ends a counted loop. Accesses of
 * one site must be counted in their order.
 */
static bool is_whole(const struct repeats *repeats, const uint64_t *words, size_t nr, size_t at,
		     size_t period)
{
	size_t i = at + 1 + record_stretch(words[at])->words;

	while (i < at + period && i < nr) {
		const struct record_stretch *row = record_stretch(words[i]);

		if (!row || row->event == RECORD_COUNTED || words[i] != words[i - period] ||
		    repeats->seen[words[i] % REPEATS_SEEN] != i - period)
			return false;
		i += 1 + row->words;
	}
	return i == at + period;
}

/* Sets the last positions of the stretches to those in the last period. */
static void go_on(struct repeats *repeats, const uint64_t *words, size_t at,
		  const struct repetition *repetition)
{
	size_t last = at + (repetition->times - 1) * repetition->period;

	for (size_t i = last; i < last + repetition->period;
	     i += 1 + record_stretch(words[i])->words)
		repeats->seen[words[i] % REPEATS_SEEN] = (uint32_t)i;
}

/* Whether the word whose stride changed last time changes it again. */
static bool is_bent(const struct repeats *repeats, const uint64_t *words, size_t nr, size_t at,
		    size_t period)
{
	size_t word = repeats->bent[words[at] % REPEATS_SEEN], i = at + period + word;

	return word && word < period && i < nr && bend(&words[i], period);
}

static void note_bent(struct repeats *repeats, uint64_t header, size_t word)
{
	if (word && word <= UINT16_MAX)
		repeats->bent[header % REPEATS_SEEN] = (uint16_t)word;
}

/*
 * Repetition from `at` on; a period precedes `second`. False: too few repetitions, the caller
 * counts them one by one.
 */
static bool find_from(struct repeats *repeats, const uint64_t *words, size_t nr, size_t at,
		      size_t second, struct repetition *out)
{
	size_t end = end_of(words, nr, second, out->period);

	out->times = (end - at) / out->period;
	if (out->times < TIMES_MIN) {
		repeats->broken = end;
		note_bent(repeats, words[at], end < nr ? (end - second) % out->period : 0);
		return false;
	}
	go_on(repeats, words, at, out);
	return true;
}

/* A loop of a single stretch, which repeats immediately: found from its first iteration on. */
static bool find_alone(struct repeats *repeats, const uint64_t *words, size_t nr, size_t at,
		       struct repetition *out)
{
	size_t second = at + out->period;

	if (second + out->period <= repeats->broken ||
	    is_bent(repeats, words, nr, second, out->period))
		return false;
	return find_from(repeats, words, nr, at, second, out);
}

bool repeats_find(struct repeats *repeats, const uint64_t *words, size_t nr, size_t at,
		  struct repetition *out)
{
	size_t before = repeats->seen[words[at] % REPEATS_SEEN],
	       alone = 1 + record_stretch(words[at])->words;

	repeats->seen[words[at] % REPEATS_SEEN] = (uint32_t)at;
	if (alone < nr - at && words[at + alone] == words[at]) {
		out->period = alone;
		return find_alone(repeats, words, nr, at, out);
	}
	if (before >= at || words[before] != words[at])
		return false;
	out->period = at - before;
	if (at + out->period <= repeats->broken)
		return false;
	if (is_bent(repeats, words, nr, at, out->period) ||
	    !is_whole(repeats, words, nr, at, out->period))
		return false;
	return find_from(repeats, words, nr, at, at, out);
}

size_t repeats_skip(struct repeats *repeats, const uint64_t *words, size_t nr, size_t at,
		    size_t period)
{
	size_t next = at + period, word = repeats->bent[words[at] % REPEATS_SEEN];

	if (word && word < period)
		while (next + 2 * period + word < nr && words[next] == words[at] &&
		       words[next + period] == words[at] &&
		       bend(&words[next + 2 * period + word], period))
			next += period;
	repeats->seen[words[at] % REPEATS_SEEN] = (uint32_t)(next - period);
	return next;
}
