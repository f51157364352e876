/* SPDX-License-Identifier: Apache-2.0 */
/* When walks of a group enter lines. */
#include "ompt_tool/simulator/schedule.h"

#define PATIENCE 256                     /* rounds, at most */

/*
 * A walk, whichever way it goes, as if it went up: `offset` is how far the end of its first access that is behind lies in its line, seen from
 * behind. Lines are counted as it comes to them, from 0 on; that it goes down only changes which of two lines is the lower one.
 */
struct course {
	uint64_t address;                /* of round 0 */
	uint64_t stride, step;           /* step: its amount */
	uint32_t offset, bytes;
	uint32_t line;                   /* the next one that it enters */
	uint32_t round;                  /* in which it does; UINT32_MAX: never */
	bool down, write;
};

struct making {
	struct schedule *schedule;
	uint64_t line;                   /* bytes */
	uint32_t shift;
	struct course courses[UINT8_MAX];
};

static struct course course_of(const struct simulator_walk *walk, uint64_t from, uint64_t line)
{
	uint64_t address = walk_address(walk, from), last = address + walk->bytes - 1;
	bool down = walk->stride < 0;

	return (struct course){
		.address = address, .stride = (uint64_t)walk->stride, .step = walk_step(walk),
		.offset = (uint32_t)(down ? line - 1 - last % line : address % line), .bytes = walk->bytes, .down = down, .write = walk->write,
	};
}

/* Of steps shorter than a line: the round in which it uses this line first, which is not that of round 0. */
static uint32_t enters_in(const struct making *making, const struct course *course, uint32_t line)
{
	uint32_t step = (uint32_t)course->step;

	return step ? (line * (uint32_t)making->line - course->offset - course->bytes + step) / step : UINT32_MAX;
}

/* The one in which it does so last. */
static uint32_t leaves_in(const struct making *making, const struct course *course, uint32_t line)
{
	uint32_t step = (uint32_t)course->step;

	return step ? ((line + 1) * (uint32_t)making->line - 1 - course->offset) / step : making->schedule->rounds;
}

static int32_t time_of(const struct making *making, uint32_t round, uint32_t number)
{
	return (int32_t)round * making->schedule->turn + (int32_t)number * making->schedule->tick;
}

static int32_t last_use(const struct making *making, uint32_t number, uint32_t line)
{
	return time_of(making, leaves_in(making, &making->courses[number], line), number);
}

/* Of the line where the access begins. */
static struct schedule_entry *add(struct making *making, uint32_t round, uint32_t number)
{
	struct schedule *schedule = making->schedule;
	const struct course *course = &making->courses[number];
	struct schedule_entry *entry = &schedule->entries[schedule->end++];

	*entry = (struct schedule_entry){
		.line = (course->address + course->stride * round) >> making->shift, .on = (uint64_t)((int64_t)(course->stride * schedule->period) >> making->shift),
		.time = time_of(making, round, number), .walk = (uint8_t)number, .write = course->write,
	};
	return entry;
}

/* All lines that an access uses, be it the walk's first one, or one of a walk that uses other lines each time. */
static void enter_all(struct making *making, uint32_t round, uint32_t number)
{
	struct course *course = &making->courses[number];
	struct schedule_entry *entry = add(making, round, number);

	entry->both = entry->line != (course->address + course->stride * round + course->bytes - 1) >> making->shift;
	if (course->step >= making->line) {
		entry->last = entry->second = entry->time;
		course->round = round + 1;
		return;
	}
	entry->last = last_use(making, number, course->down && entry->both);
	entry->second = entry->both ? last_use(making, number, !course->down) : 0;
	course->line = 1 + entry->both;
	course->round = enters_in(making, course, course->line);
}

/* The next line; the one that the access may use as well was used before. */
static void enter_next(struct making *making, uint32_t round, uint32_t number)
{
	struct course *course = &making->courses[number];
	struct schedule_entry *entry = add(making, round, number);

	if (!course->down && course->offset + course->step * round < course->line * making->line)
		entry->line++;
	entry->last = last_use(making, number, course->line);
	course->round = enters_in(making, course, ++course->line);
}

/* False: there is no room for all of them; who runs it leaves them out. */
static bool add_round(struct making *making, uint32_t round)
{
	struct schedule *schedule = making->schedule;

	for (uint32_t i = 0; i < schedule->nr; i++) {
		if (making->courses[i].round != round)
			continue;
		if (schedule->end == SCHEDULE_ENTRIES)
			return false;
		if (making->courses[i].step < making->line)
			enter_next(making, round, i);
		else
			enter_all(making, round, i);
	}
	return true;
}

static uint32_t period_of(uint64_t stride, uint64_t line)
{
	return stride % line ? (uint32_t)(line >> __builtin_ctzll(stride)) : 1;
}

void schedule_make(struct schedule *schedule, const struct simulator_walk *walks, uint32_t nr, uint64_t from, uint32_t rounds, uint32_t shift, int32_t tick)
{
	struct making making;            /* courses are set as they are needed */

	making.schedule = schedule;
	making.line = 1ull << shift;
	making.shift = shift;
	schedule->nr = nr;
	schedule->rounds = rounds;
	schedule->tick = tick;
	schedule->turn = tick * (int32_t)nr;
	schedule->period = 1;
	schedule->end = 0;
	for (uint32_t i = 0; i < nr; i++) {
		uint32_t period = period_of((uint64_t)walks[i].stride, making.line);

		making.courses[i] = course_of(&walks[i], from, making.line);
		schedule->period = period > schedule->period ? period : schedule->period;
	}
	for (uint32_t i = 0; i < nr; i++)
		enter_all(&making, 0, i);
	schedule->first = schedule->end;
	for (uint32_t round = 1; round <= schedule->period && round < rounds; round++)
		if (!add_round(&making, round)) {
			schedule->rounds = round;
			break;
		}
}

bool schedule_takes(const struct simulator_walk *walk, uint32_t shift)
{
	return !walk->non_temporal && walk->bytes <= 1u << shift && !walk_goes_round(walk);
}

uint32_t schedule_patience(uint32_t before, uint64_t rounds)
{
	uint32_t patience = rounds < 2 * SCHEDULE_FEW_ROUNDS ? 2 * before : 1;

	return patience < PATIENCE ? patience : PATIENCE;
}
