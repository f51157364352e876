/* SPDX-License-Identifier: Apache-2.0 */
/* Which code runs as recording clones. */
#include "ompt_tool/recording/recording.h"

#include <errno.h>

#include "analysis/base/arena.h"
#include "analysis/base/guest_state.h"
#include "analysis/base/own_stack.h"
#include "analysis/debuginfo/source.h"
#include "analysis/record/run.h"
#include "analysis/search/database.h"
#include "memsearch/sensor.h"
#include "ompt_tool/accesses/accesses.h"
#include "ompt_tool/accesses/keeping.h"
#include "ompt_tool/accesses/simulated.h"
#include "ompt_tool/accesses/tracing.h"
#include "ompt_tool/arrays/heap.h"
#include "ompt_tool/clones/callee.h"
#include "ompt_tool/clones/clone.h"
#include "ompt_tool/clones/switching.h"
#include "ompt_tool/code/bounds.h"
#include "ompt_tool/events/body.h"
#include "ompt_tool/events/event.h"
#include "ompt_tool/events/events.h"
#include "ompt_tool/events/frame.h"
#include "ompt_tool/events/serial_code.h"
#include "ompt_tool/process/thread.h"
#include "ompt_tool/recording/first_execution.h"
#include "ompt_tool/session/harvest_loops.h"
#include "ompt_tool/recording/recorded_code.h"
#include "ompt_tool/recording/recording_obstacles.h"
#include "ompt_tool/recording/recording_serial.h"
#include "ompt_tool/regions/region_table.h"

#define PATIENCE 4                       /* executions for threads to go into clones by themselves, and for tasks to be clones */
#define FOLLOWS 16                       /* executions in a row in which functions are found that pointers lead to: a thread leaves its clone at the first */
#define PROBES_OF_TASKS (CLONE_ACCESSES | CLONE_FUNCTION)        /* a task says itself that it is a clone, see sensors/accesses.c */
#define BODIES_ON 64                     /* functions recorded at a time; one experiment is about one region and what is in it */

/* For threads that are still in the original of a region's body. */
struct wait {
	uint32_t unrecorded;             /* the region's, at the last boundary */
	uint32_t executions;             /* in a row in which it rose */
};

struct recording {
	struct arena *arena;
	struct region_table *regions;
	struct run *run;
	struct loops *loops;
	bool works, prepared;
	unsigned long long loaded;       /* modules at the last visit of the import tables */
	bool asked;                      /* accesses, of some region */
	uint64_t executions;             /* since it was prepared */
	uint32_t follows;                /* executions in a row in which functions called through pointers were found */
	const char *obstacle;            /* why nothing is recorded now; NULL: it may be */
	bool told_of_obstacle;
	struct wait *waits;              /* by region */
	size_t nr_waits, room_waits;
};

/* Functions that are redirected to clones now; read by every thread at every region. Atomic. */
static uint64_t on[BODIES_ON];           /* 0: not any more */
static uint32_t nr_on;

struct recording *recording_new(struct arena *arena, struct region_table *regions, struct run *run)
{
	struct recording *recording = arena_alloc(arena, sizeof(*recording));

	if (!recording)
		return NULL;
	*recording = (struct recording){ .arena = arena, .regions = regions, .run = run, .loops = loops_new(arena, run) };
	recording->works = recording->loops && sensors[MS_SENSOR_ACCESSES] && sensor_works(MS_SENSOR_ACCESSES);
	return recording;
}

static bool is_of_recording(uint32_t metric)
{
	return ms_metric_info(metric)->sensor == MS_SENSOR_ACCESSES || ms_metric_info(metric)->sensor == MS_SENSOR_SIMULATED;
}

static void mark(struct database *db, uint32_t region, enum ms_missing why)
{
	for (uint32_t metric = 0; metric < MS_METRICS; metric++)
		if (is_of_recording(metric))
			database_missing(db, region, metric, why);
}

void recording_mark(const struct recording *recording, struct database *whole, struct database *phase)
{
	for (uint32_t metric = 0; recording->works && metric < MS_METRICS; metric++) {
		if (simulated_lacks(metric))
			database_missing(phase, MS_REGION_NONE, metric, MS_MISSING_NOT_SUPPORTED);
		if (is_of_recording(metric) && database_missing_why(whole, MS_REGION_NONE, metric) == MS_PRESENT)
			database_missing(whole, MS_REGION_NONE, metric, MS_MISSING_NO_PHASE);
	}
}

/* ------------------------------------------------------------------ handing over */

static bool is_on(uint64_t function)
{
	uint32_t nr = __atomic_load_n(&nr_on, __ATOMIC_ACQUIRE);

	for (uint32_t i = 0; i < nr; i++)
		if (__atomic_load_n(&on[i], __ATOMIC_RELAXED) == function)
			return true;
	return false;
}

static uintptr_t clone_for(uint64_t function, enum switching_use use)
{
	if (!is_on(function))
		return 0;
	return use == SWITCHING_TASK ? clone_with(function, PROBES_OF_TASKS) : clone_of(function);
}

/* ------------------------------------------------------------------ selecting */

/* The parallel region or the task whose body the region's code is in; NULL: none. */
static struct region *holder_of(const struct recording *recording, struct region *region)
{
	while (region && region->kind != MS_PARALLEL_REGION && region->kind != MS_TASK_REGION && region->id != MS_REGION_USER)
		region = region_table_at(recording->regions, region->parent);
	return region && region->id != MS_REGION_USER ? region : NULL;
}

static bool add_body(struct recording *recording, uint64_t function, uint32_t probes)
{
	if (is_on(function))
		return true;
	if (nr_on == BODIES_ON || !recorded_code_clone(function, probes, true))
		return false;
	loops_update(recording->loops);
	__atomic_store_n(&on[nr_on], function, __ATOMIC_RELAXED);
	__atomic_store_n(&nr_on, nr_on + 1, __ATOMIC_RELEASE);
	return true;
}

/* All of its bodies, or none of what it accesses is known. */
static bool add_bodies(struct recording *recording, struct region *holder)
{
	uint32_t nr = holder ? region_bodies(holder) : 0;

	for (uint32_t i = 0; i < nr; i++)
		if (!add_body(recording, holder->bodies[i], holder->kind == MS_TASK_REGION ? PROBES_OF_TASKS : CLONE_ACCESSES))
			return false;
	return nr > 0;
}

static bool is_asked(const struct region *region)
{
	return region && !ms_region_kind_is_part(region->kind) && region->id != MS_REGION_USER && (region_requests(region) & ACCESSES_BIT);
}

static bool is_recorded(struct region *holder)
{
	uint32_t nr = region_bodies(holder);

	for (uint32_t i = 0; i < nr; i++)
		if (!is_on(holder->bodies[i]))
			return false;
	return nr > 0;
}

/* A region that began before bodies were tracked. Its team is the initial thread's present one. */
static void note_running(struct region *team)
{
	struct thread *self = event_initial();
	struct frame *frame = self && !self->task_running ? frame_team(self) : NULL;
	struct code_bounds bounds;
	uint64_t code;

	if (!frame || !team || frame->region != team->id || region_bodies(team))
		return;
	code = body_around();
	if (code && code_bounds_find(code - 1, &bounds) == CODE_BOUNDS_FOUND)
		region_note_body(team, bounds.start);
}

/* Tells the threads, who are in these regions or will be. */
static void choose(struct recording *recording)
{
	uint32_t choice = __atomic_load_n(&events.choices, __ATOMIC_RELAXED) + 1;

	for (uint32_t id = 0; id < region_table_count(recording->regions); id++) {
		struct region *region = region_table_at(recording->regions, id), *holder = is_asked(region) ? holder_of(recording, region) : NULL;

		if (holder && is_recorded(holder))
			__atomic_store_n(&holder->recorded, choice, __ATOMIC_RELAXED);
	}
	__atomic_store_n(&events.choices, choice, __ATOMIC_RELEASE);
}

/* Whose region is asked for. */
static void add_code(struct recording *recording, struct region *region)
{
	if (region->kind == MS_SERIAL_REGION) {
		recording_serial_prepare(recording->regions, region);
		loops_update(recording->loops);
		return;
	}
	note_running(holder_of(recording, region));
	add_bodies(recording, holder_of(recording, region));
}

static void note_obstacle(struct recording *recording, uintptr_t function)
{
	const struct run *run = recording->run;
	struct run_dropped dropped = {
		.what = "accesses to the program's data structures", .why = recording->obstacle, .topic = RUN_RECORDING,
	};

	if (function) {
		dropped.what = "accesses to the program's data structures, because of";
		dropped.code = modules_find(run->modules, run->nr_modules, function);
	}
	run_note_dropped(recording->run, recording->arena, dropped);
}

/* The program may change its mind, so it is looked for at each experiment. */
static void look_for_obstacles(struct recording *recording)
{
	uintptr_t function;

	recording->obstacle = recording->asked ? recording_obstacle(&function) : NULL;
	serial_code_allow(!recording->obstacle);
	if (recording->obstacle && !recording->told_of_obstacle)
		note_obstacle(recording, function);
	recording->told_of_obstacle |= recording->obstacle != NULL;
}

/* Any thread, in the middle of its code. */
static void leave(enum switching_stops stops)
{
	uint32_t nr = __atomic_load_n(&nr_on, __ATOMIC_ACQUIRE);

	if (stops == SWITCHING_ALL)
		__atomic_store_n(&nr_on, 0, __ATOMIC_RELEASE);
	for (uint32_t i = 0; stops == SWITCHING_LIBRARIES && i < nr; i++)
		if (!recorded_code_is_executables(on[i]))
			__atomic_store_n(&on[i], 0, __ATOMIC_RELAXED);
	events_left_clones();
}

/* ------------------------------------------------------------------ before a phase is known */

static struct recording *watching;       /* whose program has no phase yet */
static void (*before_first)(void);       /* called before the first clone is made; NULL: it was */

static void make_first(void *argument)
{
	uintptr_t function = *(const uintptr_t *)argument;
	struct thread_stretch stretch = thread_stretch_begin();
	uint64_t flags = float_flags(), cpu_ns, took_ns;
	bool made = false;

	if (before_first)
		before_first();
	before_first = NULL;
	cpu_ns = thread_cpu_ns();        /* what comes before is done in every program, if only at its end */
	watching->asked = true;
	look_for_obstacles(watching);
	if (!watching->obstacle) {
		clone_check();
		recorded_code_follow();          /* what earlier bursts called through pointers */
		made = add_body(watching, function, CLONE_ACCESSES);
		loops_rest(watching->loops);
	}
	watching->asked = false;
	took_ns = thread_stretch_end(events_self(), &stretch);
	__atomic_store_n(&events_self()->boundary_ns, events_self()->boundary_ns + took_ns, __ATOMIC_RELAXED);
	if (!first_execution_passes(thread_cpu_ns() - cpu_ns, made))
		__atomic_store_n(&nr_on, 0, __ATOMIC_RELEASE);
	float_flags_put_back(flags);
}

/* Before the runtime is entered. Bodies of earlier bursts run as originals again. */
static void record_first(const struct thread *self, uintptr_t function)
{
	int error = errno;

	if (!self->index && !self->depth)
		__atomic_store_n(&nr_on, 0, __ATOMIC_RELEASE);
	if (first_execution_wants(self, function))
		own_stack_call(make_first, &function);
	errno = error;
}

static void look_at_code(void *argument)
{
	struct thread_stretch stretch = thread_stretch_begin();
	struct thread *self = events_self();

	*(bool *)argument = clone_is_current();
	__atomic_store_n(&self->boundary_ns, self->boundary_ns + thread_stretch_end(self, &stretch), __ATOMIC_RELAXED);
}

/* Serial code between two regions may have changed code by calls that no guard sees: it runs as the original. */
static bool code_is_current(const struct thread *self)
{
	int error = errno;
	bool current = true;

	if (!self->worker && !self->depth)
		own_stack_call(look_at_code, &current);
	if (!current)
		leave(SWITCHING_ALL);
	errno = error;
	return current;
}

/* Any thread, about to enter the runtime. */
static uintptr_t translate(uintptr_t function, enum switching_use use)
{
	struct thread *self = events_self();
	uintptr_t clone;

	if (self && use == SWITCHING_BODY && first_execution_is_on())
		record_first(self, function);
	clone = self ? clone_for(function, use) : 0;
	if (clone && use == SWITCHING_BODY && !code_is_current(self))
		clone = 0;

	/* libomp makes its own threads cancellable at any instruction, and cancels none. */
	if (clone && !self->worker && recording_cancelled_anywhere())
		clone = 0;

	if (self && use == SWITCHING_BODY) {
		self->handed = function;
		self->handed_clone = clone != 0;
	}
	if (self && use == SWITCHING_TASK)
		self->handed_task = function;
	return clone ? clone : function;
}

/* Also for modules that came by dlopen meanwhile. Returns why nothing is exchanged; NULL: something is. */
static const char *hand_over(struct recording *recording)
{
	struct switching_status status;

	callee_look();
	recording->loaded = callee_loaded();
	switching_hand_over(translate, &status);
	return status.why;
}

static void hand_over_new(struct recording *recording)
{
	if (!callee_look() || callee_loaded() == recording->loaded)
		return;
	heap_update();                   /* first: redirections made here are permanent */
	hand_over(recording);
}

/* Returns why nothing can be recorded; NULL: something can. */
static const char *prepare(struct recording *recording)
{
	const char *why = NULL;

	if (recording->prepared) {
		hand_over_new(recording);
		return NULL;
	}
	switching_leaving(leave);
	why = hand_over(recording);
	recording->prepared = !why;
	return why;
}

/* What calls the runtime may come later, by dlopen. */
void recording_watch(struct recording *recording, double limit, void (*before)(void))
{
	if (!recording->works || !keeping_is_on() || simulated_has_machine() || prepare(recording))
		return;
	watching = recording;
	before_first = before;
	first_execution_start(recording->regions, limit);
}

void recording_prepare(struct recording *recording)
{
	const char *why;

	if (first_execution_is_on())
		__atomic_store_n(&nr_on, 0, __ATOMIC_RELEASE);
	first_execution_stop();
	why = recording->works ? prepare(recording) : NULL;
	recording->works &= !why;
	if (why)
		run_note_dropped(recording->run, recording->arena, (struct run_dropped){ .what = "accesses to the program's data structures", .why = why });
}

/* ------------------------------------------------------------------ choosing */

bool recording_select(struct recording *recording, bool asked)
{
	uint32_t nr_before = nr_on;
	const struct thread *self = events_self();

	if (!recording->prepared || (!asked && !recording->asked))
		return false;
	recording->asked = asked;
	look_for_obstacles(recording);
	if (asked)
		clone_check();
	__atomic_store_n(&nr_on, 0, __ATOMIC_RELEASE);
	for (uint32_t id = 0; !recording->obstacle && id < region_table_count(recording->regions); id++) {
		struct region *region = region_table_at(recording->regions, id);

		if (is_asked(region))
			add_code(recording, region);
	}
	if (asked)
		loops_update(recording->loops);
	loops_rest(recording->loops);
	if (asked)
		hand_over_new(recording);
	if (nr_on || nr_before)
		choose(recording);
	return self && self->handed && self->handed_clone != is_on(self->handed);
}

/* ------------------------------------------------------------------ what cannot be had */

static enum ms_missing why_missing(struct database *db, uint32_t region)
{
	return database_missing_why(db, region, MS_METRIC_READS);
}

/* Rows by instruction of a region without a value would be a part of its threads'. */
static void give_up(struct database *db, struct region *region, enum ms_missing why)
{
	if (!database_observed(db, region->id, MS_METRIC_READS))
		__atomic_fetch_add(&region->recordings, 1, __ATOMIC_RELAXED);
	mark(db, region->id, why);
}

/* If a construct has no values, its loops and data structures have none either, although some of its threads have. */
static void mark_parts(const struct recording *recording, struct database *db)
{
	for (uint32_t id = 0; id < region_table_count(recording->regions); id++) {
		const struct region *region = region_table_at(recording->regions, id), *construct = region;

		while (construct && ms_region_kind_is_part(construct->kind))
			construct = region_table_at(recording->regions, construct->parent);
		if (construct && why_missing(db, construct->id) != MS_PRESENT && why_missing(db, id) == MS_PRESENT)
			mark(db, id, why_missing(db, construct->id));
	}
}

/*
 * True: threads are known to have left out values of the region in the execution that ended, and may still do better. `follows`: they may have
 * left clones because of functions that are known now.
 */
static bool is_waited_for(struct recording *recording, const struct region *region, bool follows, bool *patient_out)
{
	uint32_t unrecorded = __atomic_load_n(&region->unrecorded, __ATOMIC_RELAXED);
	struct wait *wait;

	*patient_out = true;
	while (recording->nr_waits <= region->id) {
		if (!ARENA_GROW(recording->arena, recording->waits, recording->nr_waits, recording->room_waits))
			return false;
		recording->waits[recording->nr_waits++] = (struct wait){ 0 };
	}
	wait = &recording->waits[region->id];
	wait->executions = unrecorded == wait->unrecorded ? 0 : wait->executions + !follows;
	wait->unrecorded = unrecorded;
	*patient_out = wait->executions <= PATIENCE;
	return wait->executions && *patient_out;
}

/* Functions that are called through pointers are known when they have been called; after a while what is known must do. */
static bool is_following(struct recording *recording)
{
	bool new = recorded_code_follow();

	recording->follows = new ? recording->follows + 1 : 0;
	if (recording->follows > FOLLOWS)
		return false;
	for (uint32_t id = 0; new && id < region_table_count(recording->regions); id++)
		if (is_asked(region_table_at(recording->regions, id)))
			__atomic_fetch_add(&region_table_at(recording->regions, id)->recordings, 1, __ATOMIC_RELAXED);
	return new;
}

/* What is asked for and may be recorded. */
static bool may_be_recorded(const struct recording *recording, struct region *region)
{
	struct region *holder = is_asked(region) ? holder_of(recording, region) : NULL;

	return is_asked(region) && (region->kind == MS_SERIAL_REGION || (holder && is_recorded(holder)));
}

bool recording_settling(struct recording *recording, struct database *db)
{
	bool follows = false, settling = false, patient;

	if (recording->asked) {
		recording_serial_follow();
		settling = follows = is_following(recording);
		loops_update(recording->loops);
	}
	loops_rest(recording->loops);
	if (recording_used_up(recording))
		return true;
	for (uint32_t id = 0; recording->asked && id < region_table_count(recording->regions); id++) {
		struct region *region = region_table_at(recording->regions, id);

		if (!may_be_recorded(recording, region) || why_missing(db, id) != MS_PRESENT)
			continue;
		settling |= is_waited_for(recording, region, follows, &patient);
		if (!patient)
			give_up(db, region, MS_MISSING_NOT_RECORDED);
	}
	if (settling)
		tracing_put_off();
	return settling || simulated_is_warming();
}

bool recording_used_up(const struct recording *recording)
{
	return recording->asked && (accesses_used_up() || simulated_gave_up());
}

void recording_drop(const struct recording *recording, const struct database *db)
{
	for (uint32_t id = 0; id < region_table_count(recording->regions); id++) {
		struct region *region = region_table_at(recording->regions, id);

		if (is_asked(region) && !database_observed(db, id, MS_METRIC_READS))
			__atomic_fetch_add(&region->recordings, 1, __ATOMIC_RELAXED);
	}
}

/*
 * The values of the execution just stored are missing, not 0: those of other threads are too low, too. A stopped
 * recording may succeed later (MS_PRESENT).
 */
static void forget_simulated(struct database *db, enum ms_missing why)
{
	for (uint32_t metric = 0; metric < MS_METRICS; metric++) {
		if (ms_metric_info(metric)->sensor != MS_SENSOR_SIMULATED || database_missing_why(db, MS_REGION_NONE, metric) != MS_PRESENT)
			continue;
		database_forget(db, metric);
		database_missing(db, MS_REGION_NONE, metric, why);
	}
}

/* Where there was no room to look at the lines that threads share. */
static void check_lines(struct recording *recording, struct database *db)
{
	for (uint32_t id = 0; id < region_table_count(recording->regions); id++)
		if (accesses_not_looked_at(id)) {
			database_missing(db, id, MS_METRIC_FALSELY_SHARED, MS_MISSING_UNCOVERED);
			database_missing(db, id, MS_METRIC_TOUCHED_LINES, MS_MISSING_UNCOVERED);
		}
}

/* A body is known from the begin of its region, so every region has had an execution for that; or else from the stack. */
bool recording_check(struct recording *recording, struct database *db)
{
	uint32_t nr_before = nr_on;
	bool changed = false;

	if (!recording->prepared || ++recording->executions < 2 || !recording->asked)
		return false;
	for (uint32_t id = 0; id < region_table_count(recording->regions); id++) {
		struct region *region = region_table_at(recording->regions, id);
		struct region *holder = is_asked(region) ? holder_of(recording, region) : NULL;

		if (!is_asked(region) || why_missing(db, id) != MS_PRESENT)
			continue;
		if (!recording->obstacle && (region->kind == MS_SERIAL_REGION || (holder && (is_recorded(holder) || add_bodies(recording, holder)))))
			continue;
		mark(db, id, MS_MISSING_NOT_RECORDED);
		changed = true;
	}
	mark_parts(recording, db);
	check_lines(recording, db);
	if (simulated_uncovered() || simulated_gave_up())
		forget_simulated(db, simulated_uncovered() ? MS_MISSING_UNCOVERED : MS_PRESENT);
	if (nr_on != nr_before)
		choose(recording);
	return changed;
}

void recording_harvest(const struct recording *recording)
{
	loops_resolve(recording->loops);
}

void recording_forget(void)
{
	events_forget_serial();
	first_execution_forget();
	__atomic_store_n(&nr_on, 0, __ATOMIC_RELEASE);
}
