/* SPDX-License-Identifier: Apache-2.0 */
/* Sensor: accesses to words of suspected cache lines, counted by hardware breakpoints. */
#include "ompt_tool/accesses/watchpoints.h"

#include <errno.h>
#include <linux/hw_breakpoint.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "analysis/counting/comparison.h"
#include "memsearch/sensor.h"
#include "ompt_tool/measurements/summary.h"
#include "ompt_tool/process/thread.h"
#include "ompt_tool/sampling/kernel_event.h"
#include "ompt_tool/sampling/privilege.h"

#define WORD 4 /* bytes: the granularity at which recorded code compares lines (line_set.h) */
/* accesses that must be counted, and as many that must not */
#define CALIBRATION 3

/*
 * A suspect: written by the thread that compares lines, guarded by `turn` (a sequence lock); read
 * by threads that begin a construct. Each word is atomic.
 */
static struct suspect {
	uint32_t turn; /* odd: it is being written */
	uint32_t construct, region;
	struct line_suspect is;
} suspects[WATCHPOINTS_SUSPECTS];
/* allocated suspects, of which the last may not be written yet; atomic */
static uint32_t nr_suspects;

/* One thread's. */
struct watch {
	bool alive; /* false in a fork's child, and after the thread's end */
	uint32_t executions;
	const struct frame *frame; /* whose words are watched now; NULL: none */
	uint32_t region;
	int fds[2];
	uint64_t ids[2];
};

/* ------------------------------------------------------------------ suspects */

static uint32_t load(const uint32_t *word)
{
	return __atomic_load_n(word, __ATOMIC_RELAXED);
}
static void store(uint32_t *word, uint32_t value)
{
	__atomic_store_n(word, value, __ATOMIC_RELAXED);
}
static uint64_t load_long(const uint64_t *word)
{
	return __atomic_load_n(word, __ATOMIC_RELAXED);
}
static void store_long(uint64_t *word, uint64_t value)
{
	__atomic_store_n(word, value, __ATOMIC_RELAXED);
}

static struct suspect suspect_read(const struct suspect *from)
{
	return (struct suspect){
		.construct = load(&from->construct),
		.region = load(&from->region),
		.is = { { load_long(&from->is.words[0]), load_long(&from->is.words[1]) },
			load_long(&from->is.accesses),
			__atomic_load_n(&from->is.writes_second, __ATOMIC_RELAXED) },
	};
}

static void suspect_write(struct suspect *to, uint32_t construct, uint32_t region,
			  const struct line_suspect *is)
{
	store(&to->construct, construct);
	store(&to->region, region);
	store_long(&to->is.words[0], is->words[0]);
	store_long(&to->is.words[1], is->words[1]);
	store_long(&to->is.accesses, is->accesses);
	__atomic_store_n(&to->is.writes_second, is->writes_second, __ATOMIC_RELAXED);
}

static struct suspect *suspect_place(uint32_t region)
{
	uint32_t nr = __atomic_load_n(&nr_suspects, __ATOMIC_ACQUIRE);

	for (uint32_t i = 0; i < nr && i < WATCHPOINTS_SUSPECTS; i++)
		if (load(&suspects[i].region) == region)
			return &suspects[i];
	nr = __atomic_fetch_add(&nr_suspects, 1, __ATOMIC_ACQ_REL);
	if (nr < WATCHPOINTS_SUSPECTS)
		return &suspects[nr];
	__atomic_store_n(&nr_suspects, WATCHPOINTS_SUSPECTS, __ATOMIC_RELEASE);
	return NULL;
}

void watchpoints_suspect(uint32_t construct, uint32_t region, const struct line_suspect *suspect)
{
	struct suspect *place = suspect->accesses ? suspect_place(region) : NULL;
	uint32_t turn = place ? __atomic_load_n(&place->turn, __ATOMIC_ACQUIRE) : 1;

	if (turn & 1 || load_long(&place->is.accesses) >= suspect->accesses ||
	    !__atomic_compare_exchange_n(&place->turn, &turn, turn + 1, false, __ATOMIC_ACQ_REL,
					 __ATOMIC_ACQUIRE))
		return;
	suspect_write(place, construct, region, suspect);
	__atomic_store_n(&place->turn, turn + 2, __ATOMIC_RELEASE);
}

/* Several suspects of one construct alternate between its executions. */
static bool suspect_of(uint32_t construct, uint32_t execution, struct suspect *out)
{
	uint32_t nr = __atomic_load_n(&nr_suspects, __ATOMIC_ACQUIRE), found = 0;
	const struct suspect *of[WATCHPOINTS_SUSPECTS];
	uint32_t turn;

	for (uint32_t i = 0; i < nr && i < WATCHPOINTS_SUSPECTS; i++)
		if (load(&suspects[i].construct) == construct &&
		    load_long(&suspects[i].is.accesses))
			of[found++] = &suspects[i];
	if (!found)
		return false;
	turn = __atomic_load_n(&of[execution % found]->turn, __ATOMIC_ACQUIRE);
	*out = suspect_read(of[execution % found]);
	__atomic_thread_fence(__ATOMIC_ACQUIRE);
	return !(turn & 1) &&
	       turn == __atomic_load_n(&of[execution % found]->turn, __ATOMIC_RELAXED);
}

/* ---------------------------------------------------------------- breakpoints */

/*
 * Each hit is an overflow; PERF_EVENT_IOC_REFRESH sets the number of overflows until the kernel
 * disables the event.
 */
static int open_word(uint64_t address, uint32_t type, uint64_t hits, uint64_t *id_out)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_BREAKPOINT,
		.size = sizeof(attr),
		.bp_type = type,
		.bp_addr = address,
		.bp_len = WORD,
		.sample_period = 1,
		.sample_type = PERF_SAMPLE_IP,
		.disabled = 1,
		.exclude_kernel = 1,
		.exclude_hv = 1,
	};
	int fd = kernel_event_keep(
		(int)syscall(SYS_perf_event_open, &attr, 0, -1, -1, PERF_FLAG_FD_CLOEXEC), id_out);

	if (fd < 0 || !ioctl(fd, PERF_EVENT_IOC_REFRESH, hits))
		return fd;
	close(fd);
	return -1;
}

static void close_word(int fd, uint64_t id)
{
	if (kernel_event_is(fd, id))
		close(fd);
}

/* False: the program has closed the descriptor. */
static bool read_word(int fd, uint64_t id, uint64_t *hits_out)
{
	return kernel_event_is(fd, id) &&
	       read(fd, hits_out, sizeof(*hits_out)) == sizeof(*hits_out);
}

static bool arm(struct watch *watch, const struct line_suspect *suspect)
{
	watch->fds[0] = open_word(suspect->words[0], HW_BREAKPOINT_W, WATCHPOINTS_HITS,
				  &watch->ids[0]);
	if (watch->fds[0] < 0)
		return false;
	watch->fds[1] = open_word(suspect->words[1],
				  suspect->writes_second ? HW_BREAKPOINT_W : HW_BREAKPOINT_RW,
				  WATCHPOINTS_HITS, &watch->ids[1]);
	if (watch->fds[1] >= 0)
		return true;
	close_word(watch->fds[0], watch->ids[0]);
	return false;
}

/* ------------------------------------------------------------------- threads */

static struct watch *watch_of(const struct thread *thread)
{
	return thread->sensor[MS_SENSOR_WATCHPOINTS];
}

static bool begin_thread(struct thread *self)
{
	struct watch *watch = watch_of(self) ? watch_of(self) : thread_memory(sizeof(*watch));

	if (!watch)
		return false;
	watch->frame = NULL;
	watch->alive = true;
	__atomic_store_n(&self->sensor[MS_SENSOR_WATCHPOINTS], watch, __ATOMIC_RELEASE);
	return true;
}

static void let_go(struct watch *watch)
{
	if (!watch->frame)
		return;
	close_word(watch->fds[0], watch->ids[0]);
	close_word(watch->fds[1], watch->ids[1]);
	watch->frame = NULL;
}

static void end_thread(struct thread *self)
{
	struct watch *watch = watch_of(self);

	if (!watch || !watch->alive)
		return;
	let_go(watch);
	watch->alive = false;
}

/* If the frame is already in use, its previous construct had no end event. */
static void region_begin(struct thread *self, struct frame *frame)
{
	struct watch *watch = watch_of(self);
	struct suspect suspect;

	if (!watch || !watch->alive)
		return;
	if (watch->frame == frame)
		let_go(watch);
	if (watch->frame || watch->executions >= WATCHPOINTS_EXECUTIONS ||
	    !suspect_of(frame->region, watch->executions, &suspect))
		return;
	watch->executions++;
	if (!arm(watch, &suspect.is))
		return;
	watch->frame = frame;
	watch->region = suspect.region;
}

static void region_end(struct thread *self, struct frame *frame)
{
	struct watch *watch = watch_of(self);
	uint64_t hits[2];

	if (!watch || !watch->alive || watch->frame != frame)
		return;
	if (read_word(watch->fds[0], watch->ids[0], &hits[0]) &&
	    read_word(watch->fds[1], watch->ids[1], &hits[1])) {
		summary_add(self->summary, watch->region, MS_METRIC_WATCHED_FIRST, (double)hits[0]);
		summary_add(self->summary, watch->region, MS_METRIC_WATCHED_SECOND,
			    (double)hits[1]);
	}
	let_go(watch);
}

/* --------------------------------------------------------------------- probe */

/*
 * Two words of one line: writes to the watched word must be counted, writes to its neighbour must
 * not.
 */
static bool counts_rightly(void)
{
	static volatile uint32_t words[2] __attribute__((aligned(64)));
	uint64_t id, hits = 0;
	int fd = open_word((uintptr_t)&words[0], HW_BREAKPOINT_W, WATCHPOINTS_HITS, &id);
	bool read;

	if (fd < 0)
		return false;
	for (uint32_t i = 0; i < CALIBRATION; i++)
		words[0] = words[1] = i;
	read = read_word(fd, id, &hits);
	close_word(fd, id);
	errno = 0;
	return read && hits == CALIBRATION;
}

static void probe(struct sensor_status *status)
{
	*status = (struct sensor_status){ .works = true };
	errno = 0;
	if (counts_rightly())
		return;
	if (errno) {
		privilege_open_refused(errno, status);
		return;
	}
	*status = (struct sensor_status){ .why = MS_MISSING_BROKEN };
	snprintf(status->text, sizeof(status->text),
		 "hardware breakpoints open but do not count what they watch");
}

const struct sensor sensor_watchpoints = {
	.id = MS_SENSOR_WATCHPOINTS,
	/* two while a line is watched: if none are free, nothing is watched */
	.descriptors = 0,
	.probe = probe,
	.thread_begin = begin_thread,
	.thread_end = end_thread,
	.region_begin = region_begin,
	.region_end = region_end,
};
