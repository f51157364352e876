/* SPDX-License-Identifier: Apache-2.0 */
/* How many lines there is room for. */
#include "ompt_tool/accesses/pace.h"

#define LOOKS 32                         /* in the time that there is: each counts the words that are left */
#define LEAST_DONE (1.0 / 32)            /* less says nothing of the whole */
#define SURELY 1.25                      /* tolerated excess over the budget: during the simulation the program earns nothing, but it will continue */

void pace_begin(struct pace *pace, uint64_t words, uint64_t now_ns)
{
	pace->words = words;
	pace->spent_ns = pace->as_now_ns = 0;
	pace->looked_ns = now_ns;
}

bool pace_is_due(const struct pace *pace, uint64_t now_ns)
{
	return (double)(now_ns - pace->looked_ns) > pace->room_ns / LOOKS;
}

static double thinner(const struct pace *pace, uint32_t from, uint32_t to)
{
	return pace->lines_share(to) / pace->lines_share(from);
}

static uint32_t next(uint32_t one_in)
{
	return one_in > 1 ? 2 * one_in : 4;
}

/* To end the first one, or at its end for the second one, if both take that. */
static bool has_room(const struct pace *pace, double done, double each_ns)
{
	double left_ns = pace->room_ns - pace->spent_ns + pace->spare_ns;

	if (done < 1)
		return done < PACE_TO_TELL || (1 - done) * each_ns <= SURELY * left_ns;
	return each_ns <= left_ns;
}

uint32_t pace_look(struct pace *pace, uint32_t one_in, uint64_t words_left, uint64_t now_ns)
{
	double elapsed_ns = (double)(now_ns - pace->looked_ns), done = pace->words ? 1 - (double)words_left / (double)pace->words : 1, each_ns;
	uint32_t fewer = one_in;

	pace->looked_ns = now_ns;
	pace->spent_ns += elapsed_ns;
	pace->as_now_ns += elapsed_ns;
	if (done < LEAST_DONE)
		return one_in;
	each_ns = pace->as_now_ns / done;
	while ((2 - done) * each_ns * thinner(pace, one_in, fewer) > pace->room_ns - pace->spent_ns && fewer < pace->sparsest)
		fewer = next(fewer);
	if (!has_room(pace, done, each_ns * thinner(pace, one_in, fewer)))
		return 0;
	pace->as_now_ns *= thinner(pace, one_in, fewer);
	return fewer;
}
