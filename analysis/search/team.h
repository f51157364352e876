/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_SEARCH_TEAM_H
#define MEMSEARCH_SEARCH_TEAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * The threads seen in one region, ascending, and the slot each has in the columns
 * of that region. A team of threads 0 … nr-1, which nearly all are, needs no memory.
 */
struct arena;

struct team {
	uint32_t nr;
	uint32_t *threads, *slots; /* sorted by thread; NULL: thread and slot are the index */
	size_t room;
};

/* Index of the thread in the team, or where it would have to be inserted. */
bool team_find(const struct team *team, uint32_t thread, uint32_t *index_out);
/* false: no memory */
bool team_slot_make(struct arena *arena, struct team *team, uint32_t thread, uint32_t *slot_out);

static inline uint32_t team_thread(const struct team *team, uint32_t index)
{
	return team->threads ? team->threads[index] : index;
}

static inline uint32_t team_slot(const struct team *team, uint32_t index)
{
	return team->slots ? team->slots[index] : index;
}

#endif
