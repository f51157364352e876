/* SPDX-License-Identifier: Apache-2.0 */
/* Begins and ends the bursts of traced accesses of a thread, and measures the time they recorded. */
#include "ompt_tool/accesses/thread_burst.h"

#include <string.h>

#include "analysis/base/hash.h"
#include "ompt_tool/accesses/accesses.h"
#include "ompt_tool/accesses/thread_bursts.h"
#include "ompt_tool/process/thread.h"
#include "ompt_tool/process/thread_times.h"
#include "ompt_tool/regions/region_table.h"

/*
 * Upper bound on the slowdown of recorded code by storing words; code that waits for memory or for
 * its own results is slowed down less.
 */
#define WORDS_TIMES_MOST 2

/*
 * CPU time of a burst for each construct and task that begins or ends in it, beside its words: the
 * buffer is flushed, on a separate stack with signals blocked (measured: 2.5 million such steps took
 * 5 s of CPU with two threads).
 */
#define STEP_NS 2000

/* A construct counts as recorded after this time, or at its end. */
#define ENOUGH_NS 500000

/* maximum number of bursts, of BURST_LEAST_NS each, of a thread without time left */
#define FOLLOWED_MOST 4

/*
 * Words of a burst, per thread: enough for random accesses (a word each) to pass through 256 MiB of
 * lines.
 */
#define WORDS_MOST ((uint64_t)4 << 20)

/*
 * A page fault takes 0.5 us on bare machines, and up to 8 us in virtual ones if two threads fault
 * at the same time (measured). If faults take at least one part in FAULTY_PARTS of a burst's time,
 * the burst is slower than the code after it.
 */
#define FAULT_NS 500
#define FAULTY_PARTS 20

/*
 * `pace` belongs to `number`: changed in serial code, and copied by each thread when it begins the
 * region. number, left, taken: atomic.
 */
static struct {
	uint32_t number;
	uint32_t left;        /* see thread_bursts_left */
	uint32_t taken;       /* how often times were taken for a trace */
	uint64_t most_cpu_ns; /* of the thread whose bursts took most; atomic */
	struct burst_pace pace;
	uint64_t ns[MS_REGION_MAX]; /* by region; atomic, as any thread adds to it */
	/*
	 * constructs some of whose words were recorded at another speed, or in no known time; atomic
	 */
	bool uneven[MS_REGION_MAX];
	/* by place, see place_of: `number` when a thread recorded it last; atomic */
	uint32_t recorded[BURST_PLACES];
} bursts;

static uint64_t later(uint64_t a, uint64_t b)
{
	return a > b ? a : b;
}

/* ------------------------------------------------------------------ on regions */

void thread_bursts_allow(double left_ns, double limit)
{
	double thousandths = limit * 1000;

	__atomic_store_n(&bursts.left, 0, __ATOMIC_RELAXED);
	__atomic_store_n(&bursts.most_cpu_ns, 0, __ATOMIC_RELAXED);
	bursts.pace = (struct burst_pace){ .begun_ns = thread_clock_ns(),
					   .left_ns = left_ns > 0 ? (uint64_t)left_ns : 0,
					   .limit = thousandths < BURST_LIMIT_MOST
							    ? (uint32_t)thousandths
							    : BURST_LIMIT_MOST };
	__atomic_fetch_add(&bursts.number, 1, __ATOMIC_RELEASE);
}

uint32_t thread_bursts_left(void)
{
	return __atomic_load_n(&bursts.left, __ATOMIC_RELAXED);
}

static void note_left(void)
{
	__atomic_fetch_add(&bursts.left, 1, __ATOMIC_RELAXED);
}

uint64_t thread_bursts_take(uint32_t region, bool *uneven_out)
{
	uint64_t ns = region < MS_REGION_MAX
			      ? __atomic_exchange_n(&bursts.ns[region], 0, __ATOMIC_RELAXED)
			      : 0;

	if (ns)
		__atomic_fetch_add(&bursts.taken, 1, __ATOMIC_RELAXED);
	*uneven_out = region < MS_REGION_MAX &&
		      __atomic_exchange_n(&bursts.uneven[region], false, __ATOMIC_RELAXED);
	return ns;
}

/* Not below 0: the time may have been taken for a trace already. */
static void take_back_time(uint32_t region, uint64_t noted_ns)
{
	uint64_t *ns = region < MS_REGION_MAX ? &bursts.ns[region] : NULL,
		 before = ns ? __atomic_load_n(ns, __ATOMIC_RELAXED) : 0;

	while (ns &&
	       !__atomic_compare_exchange_n(ns, &before, before > noted_ns ? before - noted_ns : 0,
					    false, __ATOMIC_RELAXED, __ATOMIC_RELAXED))
		;
}

/* Whether the thread has recorded a burst of the region that is executed. */
static bool is_of_current_region(const struct thread_burst *burst)
{
	return burst->number == __atomic_load_n(&bursts.number, __ATOMIC_RELAXED);
}

uint64_t thread_burst_cpu_ns(const struct thread_burst *burst)
{
	return is_of_current_region(burst) ? __atomic_load_n(&burst->cpu_ns, __ATOMIC_RELAXED) : 0;
}

/* ------------------------------------------------------------------ begin */

void thread_burst_init(struct thread_burst *burst)
{
	*burst = (struct thread_burst){ .region = MS_REGION_NONE, .place = MS_REGION_NONE };
}

/*
 * Returns the number of words of slow bursts that the burst beginning in the region repeats in the
 * same trace.
 */
static uint64_t repeat_slow(struct thread_burst *burst, uint32_t region)
{
	struct slow_burst slow = burst->slow;

	burst->slow = (struct slow_burst){ 0 };
	if (!slow.region || slow.region != region ||
	    slow.taken != __atomic_load_n(&bursts.taken, __ATOMIC_RELAXED))
		return 0;
	take_back_time(region, slow.noted_ns);
	return slow.words;
}

/* The region continues after its values were taken: with what is left of its time. */
static void continue_region(struct thread_burst *burst, const struct thread_burst *before)
{
	burst->cpu_ns = before->cpu_ns;
	burst->cpu_most_ns = before->cpu_ns +
			     burst_pace_ns(&burst->pace, burst->begin_ns, before->cpu_ns);
	if (before->region != MS_REGION_NONE)
		burst->cpu_most_ns = later(burst->cpu_most_ns, before->cpu_most_ns);
	burst->ended_ns = before->ended_ns;
	burst->due_ns = before->due_ns;
	burst->spare_clones = before->spare_clones;
	burst->followed = before->followed;
	memcpy(burst->recorded, before->recorded, sizeof(burst->recorded));
}

void thread_burst_begin(struct thread_burst *burst, struct thread *self, uint32_t region)
{
	struct thread_burst before = *burst;
	uint64_t now_ns = thread_clock_ns(), slow_words = repeat_slow(burst, region);

	*burst = (struct thread_burst){ .self = self,
					.number = __atomic_load_n(&bursts.number, __ATOMIC_ACQUIRE),
					.pace = bursts.pace,
					.region = region,
					.place = region,
					.words_most = WORDS_MOST,
					.cpu_most_ns = burst_pace_ns(&bursts.pace, now_ns, 0),
					.begin_ns = now_ns,
					.since_ns = now_ns,
					.begin_cost_ns = self->cost_ns,
					.begin_waits_ns = self->waits_ns,
					.begin_faults = thread_page_faults(),
					.slow_words = slow_words };
	if (before.self == self && before.number == burst->number)
		continue_region(burst, &before);
}

bool thread_burst_is_active(const struct thread_burst *burst)
{
	return burst->region != MS_REGION_NONE && is_of_current_region(burst);
}

bool thread_burst_is_over(const struct thread_burst *burst)
{
	return !thread_burst_is_active(burst) || burst->words >= burst->words_most ||
	       burst->cpu_ns >= burst->cpu_most_ns;
}

/* ------------------------------------------------------------------ time */

/* Originals record nothing, so their time does not count. */
static uint32_t place_recorded(const struct thread_burst *burst)
{
	return burst->place < MS_REGION_MAX && (!burst->task || burst->task->code == TASK_CLONE)
		       ? burst->place
		       : MS_REGION_NONE;
}

static uint64_t less(uint64_t a, uint64_t b)
{
	return a > b ? a - b : 0;
}

/* When the thread began to wait in the region's own code; 0: it does not, or it is unknown. */
static uint64_t waits_since(const struct thread *self)
{
	const struct frame *top = self->depth ? &self->frames[self->depth - 1] : NULL;

	return top && (top->type == FRAME_BARRIER || top->type == FRAME_TASKWAIT) && !top->stopped
		       ? top->begin_ns
		       : 0;
}

/* Since begin_ns. A wait in which tasks are executed is added up in parts, until it ends. */
static uint64_t take_waits(struct thread_burst *burst, uint64_t now_ns)
{
	uint64_t since_ns = waits_since(burst->self), ended_ns = burst->self->waits_ns,
		 ns = less(less(ended_ns, burst->begin_waits_ns), burst->open_wait_ns);

	if (ended_ns != burst->begin_waits_ns)
		burst->open_wait_ns = 0;
	if (since_ns) {
		ns += less(now_ns, later(since_ns, burst->begin_ns));
		burst->open_wait_ns += less(now_ns, later(since_ns, burst->begin_ns));
	}
	return ns;
}

/* The program's own time since the last call of note_time; the region's own without waits. */
static uint64_t own_ns(struct thread_burst *burst, uint64_t now_ns)
{
	uint64_t cost_ns = less(burst->self->cost_ns, burst->begin_cost_ns),
		 waits_ns = burst->task ? 0 : take_waits(burst, now_ns),
		 recorded_ns = less(now_ns - burst->begin_ns,
				    less(cost_ns, burst->words_ns) + waits_ns),
		 least_ns = recorded_ns / WORDS_TIMES_MOST, ns = less(recorded_ns, burst->words_ns);

	return ns > least_ns ? ns : least_ns;
}

static void continue_at(struct thread_burst *burst, uint64_t now_ns)
{
	burst->begin_ns = now_ns;
	burst->begin_cost_ns = burst->self->cost_ns;
	burst->begin_waits_ns = burst->self->waits_ns;
	burst->words_ns = 0;
}

static uint32_t place_of(uint64_t code)
{
	return (uint32_t)(hash_word(code) % BURST_PLACES);
}

static bool is_recorded(const struct thread_burst *burst, uint32_t place)
{
	return burst->recorded[place / 64] >> place % 64 & 1;
}

static void note_tried(struct thread_burst *burst, uint32_t place)
{
	burst->recorded[place / 64] |= UINT64_C(1) << place % 64;
}

static void note_recorded(struct thread_burst *burst, uint32_t place)
{
	__atomic_store_n(&bursts.recorded[place], burst->number, __ATOMIC_RELAXED);
	note_tried(burst, place);
}

static void note_construct(struct thread_burst *burst, uint32_t id)
{
	const struct region *region = region_table_at(accesses_regions(), id);

	if (region)
		note_recorded(burst, place_of(region->construct));
}

static void note_uneven(uint32_t construct)
{
	__atomic_store_n(&bursts.uneven[construct], true, __ATOMIC_RELAXED);
}

static void add_to_construct(struct thread_burst *burst, uint32_t construct, uint64_t ns)
{
	uint32_t i = 0;

	while (i < burst->nr_constructs && burst->constructs[i].region != construct)
		i++;
	__atomic_fetch_add(&bursts.ns[construct], ns, __ATOMIC_RELAXED);
	if (i == BURST_CONSTRUCTS) {
		note_uneven(construct); /* as this burst may be */
		return;
	}
	if (i == burst->nr_constructs) {
		burst->constructs[i].region = construct;
		burst->constructs[burst->nr_constructs++].ns = 0;
	}
	burst->constructs[i].ns += ns;
	if (burst->constructs[i].ns >= ENOUGH_NS)
		note_construct(burst, construct);
}

static void add_to_region(struct thread_burst *burst, uint64_t ns)
{
	if (burst->region >= MS_REGION_MAX)
		return;
	__atomic_fetch_add(&bursts.ns[burst->region], ns, __ATOMIC_RELAXED);
	burst->noted_ns += ns;
	burst->part_ns += ns;
	if (burst->place != burst->region)
		add_to_construct(burst, burst->place, ns);
}

/*
 * Adds the time since the last call to the region or the task, so that a phase boundary need not
 * query other threads.
 */
static void note_time(struct thread_burst *burst)
{
	uint64_t now_ns = thread_clock_ns(), ns = own_ns(burst, now_ns);
	uint32_t place = place_recorded(burst);

	if (ns && place != MS_REGION_NONE && burst->task) {
		__atomic_fetch_add(&bursts.ns[place], ns, __ATOMIC_RELAXED);
		burst->tasks_ns += ns;
	} else if (ns && place != MS_REGION_NONE) {
		add_to_region(burst, ns);
	}
	continue_at(burst, now_ns);
}

static void note(struct thread_burst *burst)
{
	note_time(burst);
	burst->faults += thread_page_faults() - burst->begin_faults;
}

void thread_burst_pass_time(struct thread_burst *burst)
{
	continue_at(burst, thread_clock_ns());
}

void thread_burst_charge(struct thread_burst *burst, double ns)
{
	burst->words_ns += (uint64_t)ns;
}

static void add_cpu(struct thread_burst *burst, uint64_t ns)
{
	uint64_t most_ns = __atomic_load_n(&bursts.most_cpu_ns, __ATOMIC_RELAXED);

	__atomic_store_n(&burst->cpu_ns, burst->cpu_ns + ns, __ATOMIC_RELAXED);
	while (burst->cpu_ns > most_ns && is_of_current_region(burst) &&
	       !__atomic_compare_exchange_n(&bursts.most_cpu_ns, &most_ns, burst->cpu_ns, false,
					    __ATOMIC_RELAXED, __ATOMIC_RELAXED))
		;
}

void thread_burst_take(struct thread_burst *burst, uint64_t nr)
{
	burst->begin_cpu_ns = thread_cpu_ns();
	note(burst);
	burst->words += nr;
}

void thread_burst_taken(struct thread_burst *burst, double ns)
{
	burst->begin_faults = thread_page_faults();
	add_cpu(burst, thread_cpu_ns() - burst->begin_cpu_ns + (uint64_t)ns);
}

uint64_t thread_burst_part_ns(struct thread_burst *burst)
{
	uint64_t ns = burst->part_ns;

	burst->part_ns = 0;
	return ns;
}

bool thread_burst_step(struct thread_burst *burst)
{
	if (!thread_burst_is_active(burst))
		return false;
	add_cpu(burst, STEP_NS);
	return burst->cpu_ns >= burst->cpu_most_ns;
}

/* ------------------------------------------------------------------ place */

struct task_run *thread_burst_task(struct thread *self)
{
	struct task_run *task = self->nr_tasks ? &self->tasks[self->nr_tasks - 1] : NULL;

	return task && task->depth <= self->depth ? task : NULL;
}

static void place_at(struct thread_burst *burst, uint32_t place, const struct task_run *task)
{
	burst->place = place;
	burst->task = task;
}

static bool has_ended(const struct frame *frame)
{
	return frame->sensor_state[MS_SENSOR_ACCESSES][ACCESS_STATE_ENDED];
}

static bool waits(const struct thread *self, const struct task_run *task)
{
	const struct frame *top = self->depth > task->depth ? &self->frames[self->depth - 1] : NULL;

	return top && top->type == FRAME_TASKWAIT && !has_ended(top);
}

/* In its clone, and before the barrier that closes the region. */
static bool is_in_region(const struct thread *self)
{
	return self->depth && self->frames[0].in_clone == FRAME_IN_CLONE &&
	       !has_ended(&self->frames[0]);
}

/* The work directly in the region's body that the thread is in, or the region. */
static uint32_t construct_of(const struct thread *self, uint32_t region)
{
	for (uint32_t depth = 1; depth < self->depth; depth++) {
		const struct frame *frame = &self->frames[depth];

		if (frame->type == FRAME_PARALLEL)
			break;
		if (frame->type == FRAME_WORK && !has_ended(frame))
			return frame->region;
	}
	return region;
}

static void move_in_region(struct thread_burst *burst)
{
	uint32_t place = construct_of(burst->self, burst->region);

	if (place == burst->region && burst->place < MS_REGION_MAX && !burst->task)
		note_construct(burst, burst->place);
	place_at(burst, place, NULL);
}

/*
 * The region's own code counts until the thread's part ends, or its burst: after that it runs as the
 * original, and further bursts are of tasks alone, until one begins with a construct.
 */
void thread_burst_move(struct thread_burst *burst)
{
	struct thread *self = burst->self;
	const struct task_run *task = thread_burst_task(self);

	note_time(burst);
	if (task)
		place_at(burst,
			 !waits(self, task) && task->requests & ACCESSES_BIT ? task->region
									     : MS_REGION_NONE,
			 task);
	else if (is_in_region(self))
		move_in_region(burst);
	else
		place_at(burst, MS_REGION_NONE, NULL);
}

void thread_burst_wait(struct thread_burst *burst)
{
	if (thread_burst_is_active(burst))
		note_time(burst);
	place_at(burst, MS_REGION_NONE, NULL);
}

/* ------------------------------------------------------------------ end */

/*
 * Adds the estimated time of slow bursts' words: as if recorded at the speed of this burst. In
 * integers, as in burst_pace.h.
 */
static void note_slow_words(struct thread_burst *burst)
{
	uint64_t ns = burst->words ? burst->noted_ns * burst->slow_words / burst->words : 0;

	if (!ns || burst->region >= MS_REGION_MAX)
		return;
	__atomic_fetch_add(&bursts.ns[burst->region], ns, __ATOMIC_RELAXED);
	burst->noted_ns += ns;
	burst->slow_words = 0;
}

/* Without recorded code the faults are those of originals. */
static bool is_slow(const struct thread_burst *burst)
{
	return burst->region < MS_REGION_MAX && burst->noted_ns + burst->tasks_ns &&
	       burst->faults * FAULT_NS * FAULTY_PARTS > burst->noted_ns + burst->tasks_ns;
}

/* Words of a burst may have another speed, or stand beside words of slow bursts. */
static void end_constructs(struct thread_burst *burst, bool even)
{
	for (uint32_t i = 0; !even && i < burst->nr_constructs; i++)
		note_uneven(burst->constructs[i].region);
	burst->nr_constructs = 0;
}

/* Adds what the burst has recorded so far. */
static void note_all(struct thread_burst *burst)
{
	bool even;

	note(burst);
	even = !burst->slow_words && !is_slow(burst);
	note_slow_words(burst);
	end_constructs(burst, even);
}

void thread_burst_end_part(struct thread_burst *burst)
{
	if (!thread_burst_is_active(burst))
		return;
	note_all(burst);
	burst->begin_faults = thread_page_faults();
}

static void forget(struct thread_burst *burst)
{
	burst->region = MS_REGION_NONE;
	burst->ended_ns = thread_clock_ns();
	place_at(burst, MS_REGION_NONE, NULL);
}

void thread_burst_end(struct thread_burst *burst)
{
	if (burst->region == MS_REGION_NONE)
		return;
	note_all(burst);
	if (is_slow(burst)) {
		note_left();
		if (!burst->tasks_ns && !burst->ended_ns) /* the first one, of the region alone */
			burst->slow = (struct slow_burst){
				.region = burst->region,
				.taken = __atomic_load_n(&bursts.taken, __ATOMIC_RELAXED),
				.words = burst->words + burst->slow_words,
				.noted_ns = burst->noted_ns,
			};
	}
	forget(burst);
}

void thread_burst_drop(struct thread_burst *burst)
{
	take_back_time(burst->region, burst->noted_ns);
	end_constructs(burst, false);
	note_left();
	forget(burst);
}

bool thread_burst_forget(struct thread_burst *burst)
{
	bool was_open = burst->region != MS_REGION_NONE;

	if (was_open)
		forget(burst);
	return was_open;
}

/* ------------------------------------------------------------------ further bursts */

/* For at most that CPU time. */
static void begin_next(struct thread_burst *burst, uint64_t most_ns)
{
	burst->due_ns = 0;
	burst->region = burst->self->frames[0].region;
	burst->cpu_most_ns = burst->cpu_ns + most_ns;
	burst->words_most = burst->words + WORDS_MOST;
	burst->begin_faults = thread_page_faults();
	burst->faults = burst->noted_ns = burst->tasks_ns = burst->slow_words = 0;
	burst->nr_constructs = 0;
	burst->open_wait_ns = burst->part_ns = 0;
	burst->since_ns = thread_clock_ns();
	continue_at(burst, burst->since_ns);
}

bool thread_burst_resume(struct thread_burst *burst)
{
	uint64_t now_ns = burst->self ? burst->self->task_resumed_ns : 0, ns;

	if (!burst->self || !is_of_current_region(burst) ||
	    !burst_pace_is_due(&burst->pace, now_ns, burst->ended_ns))
		return false;
	ns = burst_pace_ns(&burst->pace, now_ns, burst->cpu_ns);
	if (ns)
		begin_next(burst, ns);
	return ns;
}

/* In this execution of the region by any thread. */
static bool is_recorded_by_any(const struct thread_burst *burst, uint32_t place)
{
	return __atomic_load_n(&bursts.recorded[place], __ATOMIC_RELAXED) == burst->number;
}

static uint64_t most_ns_here(const struct thread_burst *burst, uint64_t now_ns)
{
	return burst_pace_ns(&burst->pace, now_ns,
			     __atomic_load_n(&bursts.most_cpu_ns, __ATOMIC_RELAXED));
}

/*
 * What one thread records the others do, too, or they would seem to access nothing there: so all
 * have the time of the one whose bursts took most, or the least burst.
 */
static bool has_time(const struct thread_burst *burst, uint32_t place, uint64_t now_ns)
{
	if (!is_recorded(burst, place) && is_recorded_by_any(burst, place) &&
	    burst->followed < FOLLOWED_MOST)
		return true;
	return most_ns_here(burst, now_ns) &&
	       (!is_recorded(burst, place) ||
		burst_pace_is_due(&burst->pace, now_ns, later(burst->ended_ns, burst->tried_ns)));
}

void thread_burst_renew(struct thread_burst *burst, uint64_t code)
{
	uint32_t place = place_of(code);
	uint64_t now_ns = thread_clock_ns(),
		 ns = is_recorded(burst, place) ? 0 : most_ns_here(burst, now_ns);

	if (!ns)
		return;
	note_recorded(burst, place);
	burst->since_ns = now_ns;
	burst->cpu_most_ns = later(burst->cpu_most_ns, burst->cpu_ns + ns);
	burst->words_most = burst->words + WORDS_MOST;
}

bool thread_burst_is_due(struct thread_burst *burst, uint64_t code)
{
	uint32_t place = place_of(code);
	uint64_t now_ns;

	if (!burst->self || !is_of_current_region(burst))
		return false;
	now_ns = thread_clock_ns();
	if (!has_time(burst, place, now_ns))
		return false;
	note_tried(burst, place);
	burst->due_place = place;
	burst->tried_ns = now_ns;
	return true;
}

void thread_burst_resume_here(struct thread_burst *burst)
{
	uint64_t ns = most_ns_here(burst, thread_clock_ns());

	note_recorded(burst, burst->due_place);
	burst->followed += !ns;
	begin_next(burst, ns ? ns : BURST_LEAST_NS);
}

/*
 * Whether a burst is due, and tasks that the thread creates are to be clones for it. If it executes
 * none of them for long, the burst is put off.
 */
static bool is_due(struct thread_burst *burst, uint64_t now_ns)
{
	if (!burst_pace_is_due(&burst->pace, now_ns, burst->ended_ns) ||
	    !burst_pace_ns(&burst->pace, now_ns, burst->cpu_ns))
		return false;
	if (!burst->due_ns)
		burst->due_ns = now_ns;
	if (!burst_pace_is_over_due(&burst->pace, now_ns, burst->due_ns))
		return true;
	burst->ended_ns = now_ns;
	burst->due_ns = 0;
	return false;
}

bool thread_burst_takes_tasks(struct thread_burst *burst)
{
	uint64_t now_ns;

	if (!is_of_current_region(burst))
		return false;
	now_ns = thread_clock_ns();
	if (is_due(burst, now_ns))
		return true;
	if (burst->spare_clones >= burst_pace_spare_clones(&burst->pace, now_ns))
		return false;
	burst->spare_clones++;
	return true;
}
