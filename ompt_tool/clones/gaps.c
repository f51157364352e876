/* SPDX-License-Identifier: Apache-2.0 */
/* Reads /proc/self/maps in pieces, without allocation. */
#include "ompt_tool/clones/gaps.h"

#include <fcntl.h>
#include <stdbool.h>
#include <unistd.h>

struct search {
	uintptr_t address, reach, best;
	size_t bytes;
	uintptr_t last_end;              /* of the mapping before */
};

/* mmap_min_addr is 64 KiB nearly everywhere. What lies above a mapping stays free for 64 MiB, as the heap grows there. */
enum { LOWEST = 64 << 10, HEAP_ROOM = 64 << 20, GUARD = 64 << 10 };
static const uintptr_t user_space_end = (uintptr_t)1 << 47;      /* vsyscall and the like lie above */

static uintptr_t distance(uintptr_t a, uintptr_t b) { return a < b ? b - a : a - b; }

static void offer(struct search *search, uintptr_t begin, uintptr_t end, uintptr_t at)
{
	at &= ~(uintptr_t)4095;
	if (at < begin || at > end || end - at < search->bytes)
		return;
	if (distance(at, search->address) >= search->reach || distance(at + search->bytes, search->address) >= search->reach)
		return;
	if (!search->best || distance(at, search->address) < distance(search->best, search->address))
		search->best = at;
}

/* In a gap: at its end, which lies below something that grows up; or at its begin, with room left. */
static void search_gap(struct search *search, uintptr_t begin, uintptr_t end)
{
	if (begin < LOWEST)
		begin = LOWEST;
	if (end < begin || end - begin < search->bytes + GUARD)
		return;
	offer(search, begin, end, end - GUARD - search->bytes);
	if (end - begin > HEAP_ROOM)
		offer(search, begin, end, begin + HEAP_ROOM + 4095);
}

static bool digit(char c, uintptr_t *value)
{
	unsigned int v = c >= '0' && c <= '9' ? (unsigned int)(c - '0') : c >= 'a' && c <= 'f' ? (unsigned int)(c - 'a') + 10 : 16;

	if (v < 16)
		*value = *value << 4 | v;
	return v < 16;
}

/* A line is "begin-end …"; the state goes on over the pieces that are read. */
struct line { uintptr_t begin, end; int field; };

static void read_character(struct search *search, struct line *line, char c)
{
	if (c == '\n') {
		if (line->begin < user_space_end) {
			search_gap(search, search->last_end, line->begin);
			search->last_end = line->end;
		}
		*line = (struct line){ 0 };
	} else if (line->field < 2 && !digit(c, line->field ? &line->end : &line->begin)) {
		line->field++;
	}
}

uintptr_t gaps_near(uintptr_t address, size_t bytes, uintptr_t reach)
{
	struct search search = { .address = address, .reach = reach, .bytes = bytes };
	struct line line = { 0 };
	char piece[4096];
	ssize_t nr;
	int fd = open("/proc/self/maps", O_RDONLY | O_CLOEXEC);

	if (fd < 0)
		return 0;
	while ((nr = read(fd, piece, sizeof(piece))) > 0)
		for (ssize_t i = 0; i < nr; i++)
			read_character(&search, &line, piece[i]);
	close(fd);
	search_gap(&search, search.last_end, user_space_end - (64 << 10));
	return nr < 0 ? 0 : search.best;
}
