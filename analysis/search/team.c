/* SPDX-License-Identifier: Apache-2.0 */
/* The threads seen in one region. */
#include "analysis/search/team.h"

#include <string.h>

#include "analysis/base/arena.h"
#include "analysis/base/bisect.h"

bool team_find(const struct team *team, uint32_t thread, uint32_t *index_out)
{
	size_t low;

	if (!team->threads) {
		*index_out = thread < team->nr ? thread : team->nr;
		return thread < team->nr;
	}
	low = BISECT(i, team->nr, team->threads[i] < thread);
	*index_out = (uint32_t)low;
	return low < team->nr && team->threads[low] == thread;
}

static bool team_reserve(struct arena *arena, struct team *team, size_t room)
{
	uint32_t *threads = arena_alloc(arena, room * sizeof(*threads));
	uint32_t *slots = arena_alloc(arena, room * sizeof(*slots));

	if (!threads || !slots)
		return false;
	for (uint32_t i = 0; i < team->nr; i++) {
		threads[i] = team_thread(team, i);
		slots[i] = team_slot(team, i);
	}
	team->threads = threads;
	team->slots = slots;
	team->room = room;
	return true;
}

bool team_slot_make(struct arena *arena, struct team *team, uint32_t thread, uint32_t *slot_out)
{
	uint32_t index;

	if (team_find(team, thread, &index)) {
		*slot_out = team_slot(team, index);
		return true;
	}
	*slot_out = team->nr;
	if (!team->threads && thread == team->nr) {
		team->nr++;
		return true;
	}
	if ((!team->threads || team->nr == team->room) &&
	    !team_reserve(arena, team, team->nr < 4 ? 8 : (size_t)team->nr * 2))
		return false;
	memmove(&team->threads[index + 1], &team->threads[index],
		(team->nr - index) * sizeof(*team->threads));
	memmove(&team->slots[index + 1], &team->slots[index],
		(team->nr - index) * sizeof(*team->slots));
	team->threads[index] = thread;
	team->slots[index] = team->nr++;
	return true;
}
