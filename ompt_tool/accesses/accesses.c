/* SPDX-License-Identifier: Apache-2.0 */
/* Sensor: counts every memory access of recorded code by region, data structure and instruction. */
#include "analysis/trace/expand.h"
#include "ompt_tool/accesses/accesses.h"

#include <stdio.h>

#include "analysis/base/memory_left.h"
#include "analysis/base/own_stack.h"
#include "analysis/trace/stretch_rows.h"
#include "memsearch/sensor.h"
#include "ompt_tool/accesses/bursts.h"
#include "ompt_tool/accesses/callbacks.h"
#include "ompt_tool/accesses/decoding.h"
#include "ompt_tool/accesses/keeping.h"
#include "ompt_tool/accesses/loop_regions.h"
#include "ompt_tool/accesses/loop_times.h"
#include "ompt_tool/accesses/sharing.h"
#include "ompt_tool/accesses/thread_burst.h"
#include "ompt_tool/accesses/thread_bursts.h"
#include "ompt_tool/accesses/tracing.h"
#include "ompt_tool/arrays/array.h"
#include "ompt_tool/clones/clone.h"
#include "ompt_tool/clones/word_buffer.h"
#include "ompt_tool/measurements/summary.h"
#include "ompt_tool/process/thread.h"
#include "ompt_tool/regions/region_table.h"

/* fits into the second-level cache together with the tables that decoding reads */
#define BUFFER_BYTES (256 * 1024)

/*
 * Cost of storing a word, in the program's code, for the budget: 0.1 ns with free registers, 0.3
 * without (bench/clones.sh, geometric means).
 */
#define WORD_NS 0.2

/* State of the sensor in one thread, in memory that is zeroed in a forked child. */
struct accesses {
	bool alive;
	struct thread *self;
	/* innermost construct that requests accesses; NULL: none, or a task in it is executed … */
	const struct frame *frame;
	struct task_run *task; /* … this one */
	/* current serial stretch, if accesses may be requested for it */
	const struct frame *serial;
	/* created at its first recorded construct; NULL: not yet, or no address space */
	struct sharing *sharing;
	bool tried_sharing;
	/* line marking of `frame` begins with the next words, as the frame was incomplete at its begin */
	bool lines_due;
	uint64_t spent_ns; /* time spent of the allowance … */
	uint32_t allowed;  /* … with this number */
	uint32_t
		part_of; /* number of the execution in which the thread's part of the region began */
	uint64_t kept_ns; /* time left at the begin of `bursts` that the next execution may use */
	struct bursts bursts;      /* selects the words to count */
	struct thread_burst burst; /* current burst of traced words */
	/* words recorded in this execution so far, and in the last execution that had any */
	uint64_t words, words_before;
	bool words_missing;    /* in this execution the thread also executed original code */
	uint64_t waits_before; /* waits of the thread (thread.h) at the begin of the execution */
	/* words of this execution whose lines were marked, and their cost … */
	uint64_t lined_words, lined_ns;
	/* … and the cost of all words estimated from these; 0: all were marked; atomic */
	uint64_t whole_ns;
	/* numbers of the executions that `words` and `bursts` belong to … */
	uint32_t words_of, bursts_of;
	uint32_t bursts_allowed; /* … and number of the allowance that `bursts` uses */
	struct decoding decoding;
	struct access_table table;
};

static struct region_table *regions;

/* Sums over all threads, by region; atomic. */
static struct {
	struct accesses_sharing sums;    /* regions of kind DATA_STRUCTURE */
	uint64_t not_looked_at;          /* data structures and constructs */
	struct accesses_counted counted; /* constructs */
} shared[MS_REGION_MAX];
/*
 * See accesses_allow; each field is atomic. A thread that reads an old number charges an old
 * allowance, which has no effect.
 */
static struct {
	uint64_t ns;
	/* number of the allowance, and of the last one that was used up */
	uint32_t number, used_up;
} allowance = { .ns = UINT64_MAX, .number = 1 };

/* See accesses_pace; each field is atomic. */
static struct {
	/* begin of the current execution, usual and longest duration; 0: unknown */
	uint64_t begun_ns, usual_ns, longest_ns;
	uint32_t number;
} pace = { .number = 1 };
static bool passing, inside_region; /* each atomic; see accesses_pass_over */
static bool trace_alone;            /* atomic; see accesses_trace_alone */

static bool is_trace_alone(void)
{
	return __atomic_load_n(&trace_alone, __ATOMIC_RELAXED);
}

static struct accesses *accesses_of(const struct thread *thread)
{
	return __atomic_load_n(&thread->sensor[MS_SENSOR_ACCESSES], __ATOMIC_ACQUIRE);
}

/* ------------------------------------------------------------------ marking lines */

/* NULL: serial code, whose frame is not on the thread's stack of frames. */
static const struct frame *team_of(const struct thread *self, const struct frame *frame)
{
	if (frame->type == FRAME_SERIAL)
		return NULL;
	while (frame > self->frames && frame->type != FRAME_PARALLEL)
		frame--;
	return frame->type == FRAME_PARALLEL ? frame : NULL;
}

/*
 * Created on demand: it takes much address space, and threads without recorded code do not need it.
 */
static struct sharing *sharing_of(struct accesses *accesses)
{
	if (accesses->tried_sharing)
		return accesses->sharing;
	accesses->tried_sharing = true;
	accesses->sharing = thread_memory(sizeof(*accesses->sharing));
	if (accesses->sharing)
		sharing_init(accesses->sharing);
	return accesses->sharing;
}

/* A construct continues after a part, see region_parts.c. */
static void begin_lines(struct accesses *accesses, const struct thread *self,
			const struct frame *frame)
{
	const struct frame *team = team_of(self, frame);
	struct sharing_key key = { .region = frame->region };

	if (!frame->outside)
		tracing_construct_begin(self, frame, team);
	if (is_trace_alone())
		return;
	if (!team || frame->outside || !sharing_of(accesses) ||
	    (frame->in_parts && sharing_lines(accesses->sharing, frame)))
		return;
	key.team = team->parallel;
	key.sequence = team->sequence;
	sharing_begin(accesses->sharing, frame, key,
		      __atomic_load_n(&team->parallel->threads, __ATOMIC_RELAXED));
}

static void begin_lines_due(struct accesses *accesses)
{
	if (!accesses->frame || !accesses->lines_due)
		return;
	accesses->lines_due = false;
	begin_lines(accesses, accesses->self, accesses->frame);
	accesses->table.lines = accesses->sharing
					? sharing_lines(accesses->sharing, accesses->frame)
					: NULL;
}

/* ------------------------------------------------------------------ recording */

static void begin_execution(void)
{
	__atomic_store_n(&pace.begun_ns, thread_clock_ns(), __ATOMIC_RELAXED);
	__atomic_fetch_add(&pace.number, 1, __ATOMIC_RELEASE);
}

static uint64_t whole_ns(double ns)
{
	return ns > 0 ? (uint64_t)ns : 0;
}

void accesses_pace(double usual_ns, double longest_ns)
{
	__atomic_store_n(&pace.usual_ns, whole_ns(usual_ns), __ATOMIC_RELAXED);
	__atomic_store_n(&pace.longest_ns, whole_ns(longest_ns), __ATOMIC_RELAXED);
}

void accesses_allow(double ns)
{
	__atomic_store_n(&allowance.ns,
			 ns < 0                   ? 0
			 : ns < (double)INT64_MAX ? (uint64_t)ns
						  : UINT64_MAX,
			 __ATOMIC_RELAXED);
	/* in this order: who sees the execution begun plans it with the new allowance, see weigh */
	__atomic_fetch_add(&allowance.number, 1, __ATOMIC_RELEASE);
	begin_execution();
}

uint64_t accesses_left_ns(const struct thread *thread)
{
	const struct accesses *accesses = accesses_of(thread);
	uint64_t allowed_ns = __atomic_load_n(&allowance.ns, __ATOMIC_RELAXED);
	bool has_spent = accesses &&
			 accesses->allowed == __atomic_load_n(&allowance.number, __ATOMIC_RELAXED);
	uint64_t spent_ns = has_spent ? accesses->spent_ns : 0;

	return allowed_ns == UINT64_MAX ? UINT64_MAX
	       : spent_ns < allowed_ns  ? allowed_ns - spent_ns
					: 0;
}

bool accesses_used_up(void)
{
	return __atomic_load_n(&allowance.used_up, __ATOMIC_RELAXED) ==
	       __atomic_load_n(&allowance.number, __ATOMIC_RELAXED);
}

void accesses_pass_over(bool pass, bool inside)
{
	__atomic_store_n(&inside_region, inside, __ATOMIC_RELAXED);
	begin_execution();
	__atomic_store_n(&passing, pass, __ATOMIC_RELAXED);
}

static bool is_passing(void)
{
	return __atomic_load_n(&passing, __ATOMIC_RELAXED);
}

static bool is_outermost_team(const struct thread *self, const struct frame *frame)
{
	return frame == self->frames && frame->type == FRAME_PARALLEL;
}

/* At the begin of a part, not of a piece of one (ompt_tool/events/region_parts.c). */
static void note_part(struct accesses *accesses, const struct frame *frame)
{
	if (is_outermost_team(accesses->self, frame) && !frame->in_parts)
		accesses->part_of = __atomic_load_n(&pace.number, __ATOMIC_ACQUIRE);
}

/* Not where the thread's part is one of the next execution, which is not discarded. */
static bool is_passed_over(const struct accesses *accesses)
{
	bool later = accesses->self->index && __atomic_load_n(&inside_region, __ATOMIC_RELAXED) &&
		     accesses->part_of == __atomic_load_n(&pace.number, __ATOMIC_RELAXED);

	return is_passing() && !later;
}

static void use_up(uint32_t number)
{
	uint32_t last = __atomic_load_n(&allowance.used_up, __ATOMIC_RELAXED);

	while ((int32_t)(number - last) > 0 &&
	       !__atomic_compare_exchange_n(&allowance.used_up, &last, number, false,
					    __ATOMIC_RELAXED, __ATOMIC_RELAXED))
		;
}

static void spend(struct accesses *accesses, uint64_t ns)
{
	uint32_t number = __atomic_load_n(&allowance.number, __ATOMIC_ACQUIRE);

	accesses->spent_ns = (accesses->allowed == number ? accesses->spent_ns : 0) + ns;
	accesses->allowed = number;
	/* skipped words are not limited, nor the few that represent them */
	if (accesses->spent_ns > __atomic_load_n(&allowance.ns, __ATOMIC_RELAXED) &&
	    !accesses->bursts.passing && !accesses->bursts.forced)
		use_up(number);
}

void accesses_charge(const struct thread *initial, uint64_t ns)
{
	if (accesses_of(initial))
		spend(accesses_of(initial), ns);
}

static void cost(struct accesses *accesses, uint64_t ns)
{
	struct thread *self = accesses->self;

	__atomic_store_n(&self->cost_ns, self->cost_ns + ns, __ATOMIC_RELAXED);
	spend(accesses, ns);
}

/*
 * Tool work that is timed in full, wherever it happens: its time is excluded from the time of the
 * callback around it. Spells may nest.
 */
struct spell {
	uint64_t begin_ns, timed_ns;
};

static struct spell spell_begin(const struct accesses *accesses)
{
	return (struct spell){ thread_clock_ns(), accesses->self->timed_ns };
}

static void spell_end(struct accesses *accesses, const struct spell *spell)
{
	struct thread *self = accesses->self;
	uint64_t elapsed_ns = thread_clock_ns() - spell->begin_ns,
		 inner_ns = self->timed_ns - spell->timed_ns;
	uint64_t own_ns = elapsed_ns > inner_ns ? elapsed_ns - inner_ns : 0;

	self->timed_ns += own_ns;
	cost(accesses, own_ns);
}

/* A timed step of a thread's recording. */
struct step {
	void (*take)(struct accesses *accesses, void *of);
	struct accesses *accesses;
	void *of;
};

static void run_step(void *argument)
{
	const struct step *step = argument;
	struct spell spell = spell_begin(step->accesses);

	step->take(step->accesses, step->of);
	spell_end(step->accesses, &spell);
}

static bool is_alive(const struct accesses *accesses)
{
	return accesses && accesses->alive;
}

/* Runs a step on a separate stack, which is large enough for counting. */
static void take_step(struct accesses *accesses, void (*take)(struct accesses *accesses, void *of),
		      void *of)
{
	if (is_alive(accesses))
		own_stack_call(run_step, &(struct step){ take, accesses, of });
}

/*
 * Runs a step on the program's stack: mostly nothing was recorded before, and words that were are
 * counted on a separate stack anyway.
 */
static void take_small_step(struct accesses *accesses,
			    void (*take)(struct accesses *accesses, void *of), void *of)
{
	if (is_alive(accesses))
		run_step(&(struct step){ take, accesses, of });
}

/*
 * A task runs as a clone if its first recorded event is the entry into its function: clones of
 * tasks have that event (recording.c), and originals call no clones. A task that runs inside its
 * creator's code records if its creator does.
 */
static void look_at_code(struct task_run *task, const uint64_t *words, size_t nr)
{
	const struct record_stretch *first = nr ? record_stretch(words[0]) : NULL;
	bool entry = first && first->event == RECORD_FUNCTION_ENTRY;

	if (first && task->code < TASK_CLONE)
		task->code = entry || task->code == TASK_IN_CREATOR ? TASK_CLONE : TASK_ORIGINAL;
}

static bool asks(uint32_t requests)
{
	return requests & ACCESSES_BIT;
}

/* Words outside of requesting regions are dropped, and those of incomplete constructs. */
static bool is_wanted(const struct accesses *accesses)
{
	if (accesses->task)
		return asks(accesses->task->requests) && accesses->task->code == TASK_CLONE;
	/* after a burst that has ended threads may return to clones that they have not left yet */
	if (is_trace_alone() && accesses->self->frames[0].in_clone != FRAME_IN_CLONE)
		return false;
	return accesses->frame && !accesses->frame->outside;
}

/* Since the execution began, without the thread's waits. */
static double elapsed_ns(const struct accesses *accesses)
{
	return (double)(thread_clock_ns() - __atomic_load_n(&pace.begun_ns, __ATOMIC_RELAXED)) -
	       (double)(accesses->self->waits_ns - accesses->waits_before);
}

/*
 * Recorded code takes up to four times as long (a table look-up code). A longer execution does other
 * work than those measured before, for example a sort in one of many steps, and does not count for
 * them. Making clones may take OTHER_NS.
 */
#define OTHER_NS 5e7

static bool is_other(const struct accesses *accesses)
{
	double longest_ns = (double)__atomic_load_n(&pace.longest_ns, __ATOMIC_RELAXED),
	       allowed_ns = (double)__atomic_load_n(&allowance.ns, __ATOMIC_RELAXED),
	       ns = elapsed_ns(accesses);

	return longest_ns > 0 && ns > ACCESSES_OTHER_TIMES * longest_ns &&
	       ns > longest_ns + allowed_ns + OTHER_NS;
}

/* assumed slowdown of recorded code, in addition to the accounted costs */
#define CLONE_TIMES 1.5

/*
 * Progress of the execution, 0 … 1: the larger of two estimates, by words relative to the previous
 * execution (which may have recorded other regions), and by elapsed relative to usual time.
 */
static double progress_of(const struct accesses *accesses, uint64_t spent_ns)
{
	double usual_ns = CLONE_TIMES * (double)__atomic_load_n(&pace.usual_ns, __ATOMIC_RELAXED);
	double in_time = usual_ns > 0 ? (elapsed_ns(accesses) - (double)spent_ns) / usual_ns : 0;
	double in_words = 0, progress;

	if (accesses->words_before >= BURST_WORDS)
		in_words = (double)accesses->words / (double)accesses->words_before;
	progress = in_words > in_time ? in_words : in_time;
	return progress < 0 ? 0 : progress < 1 ? progress : 1;
}

/* Counts all recorded words, whether they are processed or not. */
static void note_words(struct accesses *accesses, uint64_t nr)
{
	uint32_t number = __atomic_load_n(&pace.number, __ATOMIC_ACQUIRE);

	if (accesses->words_of != number) {
		accesses->words_before = accesses->words_missing ? 0 : accesses->words;
		accesses->words = 0;
		accesses->words_missing = false;
		accesses->waits_before = accesses->self->waits_ns;
	}
	accesses->words_of = number;
	accesses->words += nr;
}

static void stop_tracing(struct accesses *accesses, uint64_t words)
{
	trace_stream_lose(accesses->decoding.stream, words);
	accesses->decoding.stream = NULL;
}

/*
 * Notes the cost of the words before these while their lines were marked, and extrapolates it to
 * all words, unless they were too few: the first ones pay for memory that is used for the first
 * time.
 */
static void note_price(struct accesses *accesses, uint64_t nr, uint64_t spent_ns)
{
	uint64_t whole_ns = 0;

	if (accesses->bursts.without_lines && accesses->lined_words >= BURST_WORDS) {
		whole_ns = (uint64_t)((double)accesses->lined_ns * (double)accesses->words /
				      (double)accesses->lined_words);
	} else if (!accesses->bursts.without_lines) {
		accesses->lined_ns = spent_ns;
		accesses->lined_words = accesses->words - nr;
	}
	__atomic_store_n(&accesses->whole_ns, whole_ns, __ATOMIC_RELAXED);
}

static double weigh(struct accesses *accesses, uint64_t nr)
{
	uint32_t number = __atomic_load_n(&pace.number, __ATOMIC_ACQUIRE),
		 allowed = __atomic_load_n(&allowance.number, __ATOMIC_ACQUIRE);
	uint64_t left_ns = accesses_left_ns(accesses->self), spent_ns;
	double weight;

	if (accesses->bursts_of != number) {
		accesses->bursts_allowed = allowed;
		accesses->kept_ns = is_passing() && left_ns < UINT64_MAX ? left_ns / 2 : 0;
		bursts_begin(&accesses->bursts, left_ns - accesses->kept_ns);
	}
	accesses->bursts_of = number;
	spent_ns = accesses->bursts.all_ns + accesses->kept_ns;
	spent_ns = spent_ns > left_ns ? spent_ns - left_ns : 0;
	note_price(accesses, nr, spent_ns);
	weight = bursts_next(&accesses->bursts, nr, spent_ns, progress_of(accesses, spent_ns));
	if (accesses->decoding.stream && accesses->bursts.without_trace)
		stop_tracing(accesses, nr);
	return weight;
}

/*
 * Words are skipped by choice, not for lack of budget: the region is not marked as unrecorded, and
 * a repetition would not help.
 */
static bool is_passing_over(const struct accesses *accesses)
{
	return accesses->bursts.passing && accesses->bursts.all_ns;
}

/*
 * Lines are compared only if all words are counted: sharing requires all accesses of all threads.
 */
static void count(struct accesses *accesses, const uint64_t *words, size_t nr)
{
	double weight = weigh(accesses, nr);

	if (weight != 1 || accesses->bursts.without_lines)
		accesses->table.lines = NULL;
	if (weight > 0) {
		access_table_weigh(&accesses->table, weight);
		access_table_note(&accesses->table, nr, nr);
		decode(&accesses->decoding, words, nr);
	} else if (!accesses->bursts.all_ns) {
		use_up(accesses->bursts_allowed);
		access_table_skip(&accesses->table);
	} else {
		access_table_note(&accesses->table, nr, 0);
		if (accesses->decoding.stream) {
			accesses->decoding.passing = true;
			decode(&accesses->decoding, words, nr);
			accesses->decoding.passing = false;
		}
	}
}

/* ------------------------------------------------------------------ bursts */

void accesses_trace_alone(bool on)
{
	__atomic_store_n(&trace_alone, on, __ATOMIC_RELAXED);
	tracing_enable(on);
	accesses_burst_begins(0, 0);
}

void accesses_burst_begins(double left_ns, double limit)
{
	thread_bursts_allow(left_ns, limit);
}

double accesses_burst_ends(bool *left_out)
{
	uint64_t most_ns = 0;

	for (const struct thread *thread = thread_next(NULL); thread;
	     thread = thread_next(thread)) {
		const struct accesses *accesses = accesses_of(thread);
		uint64_t cpu_ns = accesses ? thread_burst_cpu_ns(&accesses->burst) : 0;

		most_ns = cpu_ns > most_ns ? cpu_ns : most_ns;
	}
	*left_out = thread_bursts_left() > 0;
	accesses_burst_begins(0, 0);
	return (double)most_ns;
}

/* Not if the region continues after an interruption (region_parts.c). */
static void begin_burst(struct accesses *accesses, const struct frame *frame)
{
	if (!is_outermost_team(accesses->self, frame) || frame->outside || frame->in_parts)
		return;
	thread_burst_begin(&accesses->burst, accesses->self, frame->region);
	record_resume();
}

static bool is_between_bursts(const struct accesses *accesses)
{
	return is_trace_alone() && !thread_burst_is_active(&accesses->burst);
}

/*
 * Nothing is followed of the thread until its next burst, so that constructs and tasks cost next to
 * nothing.
 */
static void forget_place(struct accesses *accesses)
{
	accesses->frame = NULL;
	accesses->task = NULL;
}

void accesses_leave_clones(struct thread *self)
{
	for (uint32_t i = 0; i < self->depth; i++)
		self->frames[i].in_clone = 0;
	for (uint32_t i = 0; i < self->nr_tasks; i++)
		self->tasks[i].code = TASK_ORIGINAL;
	record_leave();
}

/* The thread had to leave its clones before a call. */
static void leave_burst(struct accesses *accesses)
{
	thread_burst_drop(&accesses->burst);
	forget_place(accesses);
}

static void end_burst(struct accesses *accesses)
{
	thread_burst_end(&accesses->burst);
	forget_place(accesses);
	accesses_leave_clones(accesses->self);
}

/* A construct or task begins or ends. */
static void note_step(struct accesses *accesses)
{
	if (is_trace_alone() && thread_burst_step(&accesses->burst))
		end_burst(accesses);
}

/* For burst_weights.h. */
static void mark_burst(struct accesses *accesses)
{
	uint64_t ns = thread_burst_part_ns(&accesses->burst);

	if (ns)
		trace_stream_burst(accesses->decoding.stream, accesses->burst.since_ns, ns);
}

/* Decodes words of a burst into the trace. */
static void record_burst(struct accesses *accesses, const uint64_t *words, size_t nr)
{
	if (thread_burst_is_over(&accesses->burst) ||
	    !trace_stream_is_open(accesses->decoding.stream)) {
		thread_burst_pass_time(&accesses->burst);
		end_burst(accesses);
		return;
	}
	thread_burst_take(&accesses->burst, nr);
	mark_burst(accesses);
	accesses->decoding.passing = true;
	decode(&accesses->decoding, words, nr);
	accesses->decoding.passing = false;
	thread_burst_taken(&accesses->burst, WORD_NS * (double)nr);
}

/* A task begins, while the region's last burst on this thread is over: begins another, if it is due. */
static bool resume_burst(struct accesses *accesses)
{
	const struct task_run *task = thread_burst_task(accesses->self);

	if (!task || !asks(task->requests) || !trace_stream_is_open(tracing_stream(accesses->self)))
		return false;
	return thread_burst_resume(&accesses->burst);
}

bool accesses_records_tasks(const struct thread *self)
{
	struct accesses *accesses = accesses_of(self);

	if (!is_alive(accesses) || !is_between_bursts(accesses))
		return is_alive(accesses) || !is_trace_alone();
	return thread_burst_takes_tasks(&accesses->burst);
}

struct words {
	const uint64_t *words;
	size_t nr;
};

static void take_words(struct accesses *accesses, void *of)
{
	const uint64_t *words = ((const struct words *)of)->words;
	size_t nr = ((const struct words *)of)->nr;
	uint32_t number = __atomic_load_n(&allowance.number, __ATOMIC_ACQUIRE);

	begin_lines_due(accesses);
	if (accesses->task)
		look_at_code(accesses->task, words, nr);
	accesses->decoding.stream = tracing_stream(accesses->self);
	if (is_trace_alone()) {
		cost(accesses, (uint64_t)(WORD_NS * (double)nr));
		thread_burst_charge(&accesses->burst, WORD_NS * (double)nr);
		if (!is_between_bursts(accesses) && is_wanted(accesses))
			record_burst(accesses, words, nr);
		else
			accesses_leave_clones(accesses->self);
		return;
	}
	/* steps were found meanwhile, in which nothing limits what it records of a burst */
	if (thread_burst_forget(&accesses->burst)) {
		forget_place(accesses);
		accesses_leave_clones(accesses->self);
		return;
	}
	if (is_wanted(accesses))
		note_words(accesses, nr);
	if (is_passing())
		accesses->decoding.stream = NULL; /* the trace is discarded, too */
	if (is_other(accesses))
		use_up(number);
	if (is_wanted(accesses) && (accesses_used_up() || is_passed_over(accesses))) {
		access_table_skip(&accesses->table);
	} else if (is_wanted(accesses)) {
		count(accesses, words, nr);
	}
	cost(accesses, (uint64_t)(WORD_NS * (double)nr));
	if (accesses_used_up())
		accesses_leave_clones(accesses->self);
}

static void consume(void *ctx, const uint64_t *words, size_t nr)
{
	struct accesses *accesses = ctx;

	if (loop_times_take(accesses->self, words, nr))
		return;
	take_step(accesses, take_words, &(struct words){ words, nr });
}

/*
 * Finds the innermost construct that requests accesses, or the task inside of it; none in a team
 * whose region does not request them.
 */
static void look_around(struct accesses *accesses)
{
	struct thread *self = accesses->self;
	struct task_run *task = thread_burst_task(self);
	uint32_t depth = self->depth;

	accesses->frame = NULL;
	accesses->task = NULL;
	for (; depth > (task ? task->depth : 0); depth--) {
		const struct frame *frame = &self->frames[depth - 1];

		if (asks(frame->requests) &&
		    !frame->sensor_state[MS_SENSOR_ACCESSES][ACCESS_STATE_ENDED])
			accesses->frame = frame;
		if (accesses->frame || (frame->type == FRAME_PARALLEL && !frame->stopped))
			return;
	}
	accesses->task = task;
	accesses->frame = task ? NULL : accesses->serial;
}

static uint32_t region_around(const struct accesses *accesses)
{
	if (accesses->frame)
		return accesses->frame->region;
	return accesses->task && asks(accesses->task->requests) ? accesses->task->region
								: MS_REGION_NONE;
}

/*
 * Later words belong to the thread's present construct. Lines are not compared in tasks, which any
 * thread may execute.
 */
static void enter(struct accesses *accesses)
{
	record_flush();
	bursts_enter(&accesses->bursts);
	if (is_trace_alone() && thread_burst_is_active(&accesses->burst))
		thread_burst_move(&accesses->burst);
	look_around(accesses);
	access_table_enter(&accesses->table, region_around(accesses));
	accesses->lines_due = false;
	accesses->table.lines = accesses->sharing && accesses->frame
					? sharing_lines(accesses->sharing, accesses->frame)
					: NULL;
}

/* Its end had no event: frames of a stopped part, or of an older epoch. */
static void end_stale(struct accesses *accesses, uint32_t region)
{
	accesses->frame = NULL;
	accesses->table.lines = NULL;
	record_flush();
	access_table_forget(&accesses->table, region);
}

/* ------------------------------------------------------------------ what lines are shared */

/* The sum of a construct is the row without an array: it is stored in the construct's metric. */
static void note_shared(uint32_t region, const struct compared_array *row)
{
	if (region >= MS_REGION_MAX)
		return;
	if (!row)
		__atomic_fetch_add(&shared[region].not_looked_at, 1, __ATOMIC_RELAXED);
	if (!row || row->array == ARRAY_NONE)
		return;
	__atomic_fetch_add(&shared[region].sums.lines, row->lines, __ATOMIC_RELAXED);
	__atomic_fetch_add(&shared[region].sums.same_lines, row->same_lines, __ATOMIC_RELAXED);
	__atomic_fetch_add(&shared[region].sums.executions, row->executions, __ATOMIC_RELAXED);
	__atomic_fetch_add(&shared[region].sums.accesses, row->accesses, __ATOMIC_RELAXED);
	__atomic_fetch_add(&shared[region].sums.threads, row->accesses > 0, __ATOMIC_RELAXED);
	watchpoints_suspect(region_table_at(regions, region)->parent, region, &row->suspect);
}

static void add_shared(void *ctx, uint32_t region, const struct compared_array *row)
{
	struct thread *self = ctx;

	note_shared(region, row);
	if (!row)
		return;
	summary_add(self->summary, region, MS_METRIC_FALSELY_SHARED, (double)row->accesses);
	if (row->array == ARRAY_NONE)
		summary_add(self->summary, region, MS_METRIC_TOUCHED_LINES, (double)row->touched);
}

static void end_lines(struct accesses *accesses, const struct frame *frame, bool whole)
{
	if (!accesses->sharing || !frame->executions)
		return;
	accesses->table.lines = NULL;
	sharing_end(accesses->sharing, frame, whole);
	sharing_collect(accesses->sharing, add_shared, accesses->self);
}

struct fold {
	uint32_t thread;
	void (*emit)(void *ctx, const struct ms_measurement *row);
	void *ctx;
};

static void emit_value(const struct fold *fold, uint32_t region, enum ms_metric metric,
		       double value)
{
	struct ms_measurement measurement = { .region = region,
					      .thread = fold->thread,
					      .metric = metric };

	ms_stat_add(&measurement.stat, value);
	fold->emit(fold->ctx, &measurement);
}

static void emit_shared(void *ctx, uint32_t region, const struct compared_array *row)
{
	const struct fold *fold = ctx;

	note_shared(region, row);
	if (!row)
		return;
	emit_value(fold, region, MS_METRIC_FALSELY_SHARED, (double)row->accesses);
	if (row->array == ARRAY_NONE)
		emit_value(fold, region, MS_METRIC_TOUCHED_LINES, (double)row->touched);
}

/*
 * The thread that ended last compared for all; the other threads may not execute this code again.
 */
void accesses_fold_lines(struct thread *thread,
			 void (*emit)(void *ctx, const struct ms_measurement *row), void *ctx)
{
	struct accesses *accesses = accesses_of(thread);
	struct fold fold = { thread->index, emit, ctx };

	if (!thread->index)
		keeping_fold(thread);
	if (accesses && accesses->sharing)
		sharing_collect(accesses->sharing, emit_shared, &fold);
}

/* ------------------------------------------------------------------ regions */

/* The stretch had no end event: its region stays unknown. */
static void forget_serial(struct accesses *accesses)
{
	access_table_forget(&accesses->table, MS_REGION_NONE);
	if (tracing_stream(accesses->self))
		tracing_serial_ends(MS_REGION_NONE);
}

/*
 * A serial stretch has no region before its end: until then its accesses are counted under
 * MS_REGION_NONE.
 */
static void begin_serial(struct accesses *accesses, const struct frame *frame)
{
	if (accesses->serial) /* the end of the previous one had no event */
		forget_serial(accesses);
	accesses->serial = frame;
}

static uint32_t requests_of(uint32_t id)
{
	struct region *region = region_table_at(regions, id);

	return region ? region_requests(region) : 0;
}

static uint32_t recording_of(uint32_t id)
{
	struct region *region = region_table_at(regions, id);

	return region ? __atomic_load_n(&region->recordings, __ATOMIC_RELAXED) : 0;
}

static void begin_construct(struct accesses *accesses, void *of)
{
	struct frame *frame = of;

	if (!is_trace_alone())
		thread_burst_forget(&accesses->burst); /* its clone is that of this recording */
	if ((accesses->frame == frame || accesses->task) && !frame->in_parts)
		end_stale(accesses, accesses->frame ? accesses->table.region : frame->region);
	begin_lines_due(accesses);
	note_part(accesses, frame);
	record_flush(); /* before the burst may end */
	note_step(accesses);
	if (is_trace_alone())
		begin_burst(accesses, frame);
	else
		record_resume();
	if (frame->type == FRAME_SERIAL)
		begin_serial(accesses, frame);
	else
		access_table_renew(&accesses->table, frame->region, recording_of(frame->region));
	enter(accesses);
	if (accesses->frame == frame) {
		accesses->table.lines = NULL;
		accesses->lines_due = true;
	} else { /* it continues, and a region inside of it does */
		begin_lines(accesses, accesses->self, frame);
	}
}

/* No burst is active, and this construct begins none. */
static bool is_passed(const struct thread *self, const struct frame *frame)
{
	const struct accesses *accesses = accesses_of(self);

	return is_alive(accesses) && is_between_bursts(accesses) &&
	       (!is_outermost_team(self, frame) || frame->outside);
}

void accesses_region_begin(struct thread *self, struct frame *frame)
{
	frame->sensor_state[MS_SENSOR_ACCESSES][ACCESS_STATE_ENDED] = 0;
	frame->sensor_state[MS_SENSOR_ACCESSES][ACCESS_STATE_TRACED] = is_trace_alone();
	/* a region that continues after an interruption is what it was */
	if (!frame->in_parts)
		frame->sensor_state[MS_SENSOR_ACCESSES][ACCESS_STATE_PASSED] = is_passed(self,
											 frame);
	if (!frame->sensor_state[MS_SENSOR_ACCESSES][ACCESS_STATE_PASSED])
		take_small_step(accesses_of(self), begin_construct, frame);
	tracing_region_begin(self, frame);
}

static void add(struct thread *self, uint32_t region, const struct access_counts *counts)
{
	const struct {
		enum ms_metric metric;
		uint64_t value;
	} values[] = {
		{ MS_METRIC_READS, counts->reads },
		{ MS_METRIC_WRITES, counts->writes },
		{ MS_METRIC_READ_BYTES, counts->read_bytes },
		{ MS_METRIC_WRITTEN_BYTES, counts->written_bytes },
		{ MS_METRIC_STRIDED, counts->strided },
		{ MS_METRIC_CONTIGUOUS, counts->contiguous },
		{ MS_METRIC_ATOMICS, counts->atomics },
	};

	for (size_t i = 0; i < sizeof(values) / sizeof(values[0]); i++)
		summary_add(self->summary, region, values[i].metric, (double)values[i].value);
}

/* ------------------------------------------------------------------ regions below the construct */

/* A loop with this part of a construct's accesses is reported as the construct. */
#define OWN_SHARE 0.9

static uint64_t values_of(const struct access_sum *sum)
{
	return sum->counts.reads + sum->counts.writes;
}

static bool is_nothing(const struct access_sum *sum)
{
	return !values_of(sum);
}

static bool is_outermost(uint32_t construct, uint32_t loop)
{
	uint32_t outer = loop_parent(loop);

	return loop && !loop_is_around(regions, construct, loop) &&
	       (!outer || loop_is_around(regions, construct, outer));
}

/*
 * Finds the construct's own loop among the sums at a region's end: the only outermost loop of a
 * work-shared loop's code, or else the loop with OWN_SHARE of the accesses. Loops of called
 * functions do not count.
 */
static uint32_t own_loop(struct accesses *accesses, const struct access_sum *first)
{
	bool work_shared = region_table_at(regions, first->region)->kind == MS_DO_REGION;
	uint64_t all = values_of(first);
	const struct access_sum *most = NULL;
	uint32_t nr = 0;

	for (struct access_sum *sum = access_table_next(&accesses->table, first); sum;
	     sum = access_table_next(&accesses->table, sum)) {
		if (sum->array != ACCESS_ALL || is_nothing(sum) ||
		    !is_outermost(first->region, sum->loop))
			continue;
		if (!loop_may_be_own(regions, first->region, sum->loop)) {
			all -= values_of(sum);
			continue;
		}
		nr++;
		if (!most || values_of(sum) > values_of(most))
			most = sum;
	}
	return most && ((work_shared && nr == 1) ||
			(double)values_of(most) >= OWN_SHARE * (double)all)
		       ? most->loop
		       : LOOP_OWN_NONE;
}

/* Decided by the first execution with any accesses; loop regions created afterwards stay. */
static void tell_own_loop(struct accesses *accesses, const struct access_sum *first)
{
	struct region *region = region_table_at(regions, first->region);
	uint32_t not_told = 0;

	if (region && !is_nothing(first) && !__atomic_load_n(&region->own_loop, __ATOMIC_RELAXED))
		__atomic_compare_exchange_n(&region->own_loop, &not_told, own_loop(accesses, first),
					    false, __ATOMIC_RELAXED, __ATOMIC_RELAXED);
}

/* Region of a sum; MS_REGION_NONE: its address is in no array, or its loop is no region. */
static uint32_t place_of(const struct access_sum *sum)
{
	uint32_t region = sum->loop ? loop_region(regions, sum->region, sum->loop) : sum->region;

	if (region == MS_REGION_NONE || sum->array == ACCESS_ALL)
		return region;
	if (sum->array == ARRAY_NONE)
		return MS_REGION_NONE;
	return region_table_get(regions, MS_DATA_STRUCTURE, (uint64_t)sum->array + 1, region,
				&(bool){ false });
}

static uint32_t keep_place(uint32_t region)
{
	return region == MS_REGION_NONE ? MS_REGION_NONE : region + 1;
}

/* Lines are not compared in tasks. */
static void meet(struct accesses *accesses, const struct frame *frame, const struct access_sum *sum)
{
	if (!frame)
		note_shared(sum->place - 1, NULL);
	else if (accesses->sharing)
		sharing_met(accesses->sharing, frame, sum->array, sum->place - 1);
}

/*
 * Emits the sums: the construct has a value for each of its executions, its data structures and
 * loops only if they have accesses. Lines belong to the construct alone.
 */
static void hand_out_sums(struct accesses *accesses, const struct frame *frame,
			  struct access_sum *first)
{
	tell_own_loop(accesses, first);
	for (struct access_sum *sum = first; sum; sum = access_table_next(&accesses->table, sum)) {
		if (sum != first && is_nothing(sum))
			continue;
		if (!sum->place)
			sum->place = keep_place(place_of(sum));
		if (sum->place == MS_REGION_NONE)
			continue;
		add(accesses->self, sum->place - 1, &sum->counts);
		if (!sum->loop && sum->array != ACCESS_ALL)
			meet(accesses, frame, sum);
	}
}

/*
 * The code of the execution ran outside of clones, entirely or in part (`partly`), or not all
 * accesses were counted: its accesses are unknown.
 */
static void leave_out(struct accesses *accesses, uint32_t id, bool partly)
{
	struct region *region = region_table_at(regions, id);

	if (region)
		__atomic_fetch_add(&region->unrecorded, 1, __ATOMIC_RELAXED);
	if (partly)
		access_table_forget(&accesses->table, id);
}

static void note_counted(const struct accesses *accesses, uint32_t region,
			 const struct access_words *words)
{
	struct accesses_counted *to = region < MS_REGION_MAX ? &shared[region].counted : NULL;

	if (!to)
		return;
	__atomic_fetch_add(&to->recorded, words->recorded, __ATOMIC_RELAXED);
	__atomic_fetch_add(&to->counted, words->counted, __ATOMIC_RELAXED);
	if (!accesses->bursts.without_lines)
		__atomic_fetch_add(&to->lined, words->counted, __ATOMIC_RELAXED);
}

enum handed { HANDED_NOTHING, HANDED_ESTIMATES, HANDED_ALL };

/*
 * Ends a region's counts and emits them. `frame` NULL: a task. HANDED_NOTHING: something was
 * skipped, or a table was full.
 */
static enum handed hand_out(struct accesses *accesses, const struct frame *frame, uint32_t region,
			    uint32_t executions)
{
	struct access_sum *first = access_table_end(&accesses->table, region, executions);

	if (!first)
		return HANDED_NOTHING;
	note_counted(accesses, region, &first->ended);
	hand_out_sums(accesses, frame, first);
	return first->estimated ? HANDED_ESTIMATES : HANDED_ALL;
}

static void end_serial(struct accesses *accesses, const struct frame *frame)
{
	access_table_renew(&accesses->table, frame->region, recording_of(frame->region));
	if (frame->outside)
		access_table_forget(&accesses->table, MS_REGION_NONE);
	else
		access_table_rename(&accesses->table, MS_REGION_NONE, frame->region);
	if (tracing_stream(accesses->self))
		tracing_serial_ends(frame->outside ? MS_REGION_NONE : frame->region);
	accesses->serial = NULL;
}

static void end_construct(struct accesses *accesses, void *of)
{
	const struct frame *frame = of;
	bool traced = frame->sensor_state[MS_SENSOR_ACCESSES][ACCESS_STATE_TRACED];
	enum handed handed;

	begin_lines_due(accesses);
	accesses->words_missing |= frame->outside == FRAME_LEFT ||
				   (frame->outside && is_outermost_team(accesses->self, frame));
	record_flush();
	/* constructs that began after the end of the burst are not in the trace */
	if (!traced || !frame->outside)
		tracing_construct_end(accesses->self, frame);
	if (frame == accesses->serial)
		end_serial(accesses, frame);
	if (traced) {
		if (is_outermost_team(accesses->self, frame) && frame->outside == FRAME_LEFT)
			leave_burst(accesses);
		else if (is_outermost_team(accesses->self, frame) && frame->executions)
			thread_burst_end_part(&accesses->burst);
		else
			note_step(accesses);
		enter(accesses);
		return;
	}
	handed = frame->outside ? HANDED_NOTHING
				: hand_out(accesses, frame, frame->region, frame->executions);
	if (handed == HANDED_NOTHING &&
	    (frame->outside || !(is_passing_over(accesses) || is_passed_over(accesses))))
		leave_out(accesses, frame->region, frame->outside == FRAME_LEFT);
	end_lines(accesses, frame, handed == HANDED_ALL && !accesses->bursts.without_lines);
	enter(accesses);
}

/* A thread without this sensor takes part: the counts of the region are incomplete. */
static void note_uncovered(const struct thread *self, uint32_t id)
{
	struct region *region = is_alive(accesses_of(self)) ? NULL : region_table_at(regions, id);

	if (region)
		__atomic_fetch_add(&region->unrecorded, 1, __ATOMIC_RELAXED);
}

void accesses_region_end(struct thread *self, struct frame *frame)
{
	frame->sensor_state[MS_SENSOR_ACCESSES][ACCESS_STATE_ENDED] = 1;
	note_uncovered(self, frame->region);
	if (!frame->sensor_state[MS_SENSOR_ACCESSES][ACCESS_STATE_PASSED])
		take_step(accesses_of(self), end_construct, frame);
	tracing_region_end(self, frame);
}

void accesses_region_drop(struct thread *self, struct frame *frame)
{
	struct accesses *accesses = accesses_of(self);

	if (!is_alive(accesses) || accesses->serial != frame)
		return;
	record_flush();
	forget_serial(accesses);
	accesses->serial = NULL;
	enter(accesses);
}

/* Of one that ran as an original, or was not asked about, nothing is in the trace. */
static void end_task_of_burst(struct accesses *accesses, const struct task_run *run)
{
	thread_burst_wait(&accesses->burst);
	if (run->code == TASK_CLONE && asks(run->requests))
		tracing_task_end(accesses->self, run->region, false);
	note_step(accesses);
}

/* Also called for a part of an untied task: its parts on other threads are unknown. */
static void end_task(struct accesses *accesses, void *of)
{
	struct task_run *run = of;

	record_flush();
	if (accesses->task == run)
		accesses->task = NULL;
	if (is_trace_alone()) {
		end_task_of_burst(accesses, run);
		return;
	}
	tracing_task_end(accesses->self, run->region,
			 !asks(run->requests) || run->code != TASK_CLONE);
	if (asks(run->requests) && run->code == TASK_CLONE &&
	    hand_out(accesses, NULL, run->region, 1))
		return;
	if (asks(run->requests) || asks(requests_of(run->region)))
		leave_out(accesses, run->region, asks(run->requests));
}

void accesses_task_end(struct thread *self, struct task_run *run)
{
	if (!is_alive(accesses_of(self)) || is_between_bursts(accesses_of(self)))
		return;
	take_step(accesses_of(self), end_task, run);
}

static bool is_in_clone(const struct accesses *accesses)
{
	const struct frame *top = accesses->self->depth
					  ? &accesses->self->frames[accesses->self->depth - 1]
					  : NULL;
	const struct frame *team = top ? team_of(accesses->self, top) : NULL;

	if (accesses->task)
		return accesses->task->code == TASK_CLONE;
	return team ? team->in_clone == FRAME_IN_CLONE
		    : accesses->serial && accesses->serial->in_clone;
}

void accesses_moved(struct thread *self)
{
	struct task_run *last = self->nr_tasks ? &self->tasks[self->nr_tasks - 1] : NULL;
	struct accesses *accesses = accesses_of(self);

	if (!is_alive(accesses))
		return;
	if (is_between_bursts(accesses) && !resume_burst(accesses)) {
		if (last)
			last->called = 0;
		return;
	}
	/* it may have left the code before, which was not to be recorded */
	if (!is_trace_alone() && last && asks(last->requests))
		thread_burst_forget(&accesses->burst);
	if (is_trace_alone() || (last && asks(last->requests)))
		record_resume();
	record_flush();
	begin_lines_due(accesses);
	if (last && last->called)
		last->code = is_in_clone(accesses) ? TASK_IN_CREATOR : TASK_UNSEEN;
	if (last)
		last->called = 0;
	if (last && asks(last->requests))
		access_table_renew(&accesses->table, last->region, recording_of(last->region));
	note_step(accesses);
	enter(accesses);
}

bool accesses_due(struct thread *self, uint64_t code)
{
	struct accesses *accesses = accesses_of(self);

	if (!is_alive(accesses) || !is_trace_alone() || thread_burst_task(self) ||
	    !trace_stream_is_open(tracing_stream(self)))
		return false;
	if (is_between_bursts(accesses))
		return thread_burst_is_due(&accesses->burst, code);
	thread_burst_renew(&accesses->burst, code);
	return false;
}

/* The team's frame, if it continued between bursts after its values were taken. */
static void begin_passed(struct accesses *accesses, struct frame *team)
{
	if (!team->sensor_state[MS_SENSOR_ACCESSES][ACCESS_STATE_PASSED])
		return;
	team->sensor_state[MS_SENSOR_ACCESSES][ACCESS_STATE_PASSED] = 0;
	access_table_renew(&accesses->table, team->region, recording_of(team->region));
	begin_lines(accesses, accesses->self, team);
}

void accesses_resumed(struct thread *self)
{
	struct accesses *accesses = accesses_of(self);

	thread_burst_resume_here(&accesses->burst);
	record_resume();
	begin_passed(accesses, &self->frames[0]);
	enter(accesses);
}

/* ------------------------------------------------------------------ threads */

bool accesses_begin_thread(struct thread *self)
{
	struct accesses *accesses = accesses_of(self) ? accesses_of(self)
						      : thread_memory(sizeof(*accesses));

	if (!accesses || !record_thread_begin(BUFFER_BYTES, consume, accesses))
		return false;
	accesses->table.region = MS_REGION_NONE;
	accesses->table.world = &decoding_world;
	accesses->decoding.table = &accesses->table;
	if (page_counts_are_on() && !accesses->decoding.pages)
		accesses->decoding.pages = thread_memory(sizeof(*accesses->decoding.pages));
	accesses->frame = accesses->serial = NULL;
	accesses->task = NULL;
	thread_burst_init(&accesses->burst);
	accesses->self = self;
	accesses->alive = true;
	tracing_begin_thread(self);
	__atomic_store_n(&self->sensor[MS_SENSOR_ACCESSES], accesses, __ATOMIC_RELEASE);
	return true;
}

void accesses_end_thread(struct thread *self)
{
	struct accesses *accesses = accesses_of(self);

	if (!accesses || !accesses->alive)
		return;
	record_thread_end();
	accesses->alive = false;
}

/* ------------------------------------------------------------------ reading */

struct visit {
	const struct access_table *table;
	void (*visit)(void *ctx, const struct access_row *row, uint32_t executions);
	void *ctx;
};

static void visit_recent(void *ctx, const struct access_row *row, uint32_t executions)
{
	struct visit *visit = ctx;

	if (access_table_recording(visit->table, row->region) == recording_of(row->region))
		visit->visit(visit->ctx, row, executions);
}

void accesses_each(const struct thread *thread,
		   void (*visit)(void *ctx, const struct access_row *row, uint32_t executions),
		   void *ctx)
{
	const struct accesses *accesses = accesses_of(thread);

	if (accesses)
		access_table_each(&accesses->table, visit_recent,
				  &(struct visit){ &accesses->table, visit, ctx });
}

uint64_t accesses_dropped(const struct thread *thread)
{
	const struct accesses *accesses = accesses_of(thread);

	return accesses ? __atomic_load_n(&accesses->table.dropped, __ATOMIC_RELAXED) : 0;
}

uint64_t accesses_too_long(const struct thread *thread)
{
	const struct accesses *accesses = accesses_of(thread);

	return accesses ? __atomic_load_n(&accesses->table.too_long, __ATOMIC_RELAXED) : 0;
}

uint64_t accesses_not_compared(const struct thread *thread)
{
	const struct accesses *accesses = accesses_of(thread);

	return accesses && accesses->sharing ? sharing_given_up(accesses->sharing) : 0;
}

struct accesses_sharing accesses_sharing(uint32_t region)
{
	struct accesses_sharing sums = { 0 };

	if (region >= MS_REGION_MAX)
		return sums;
	sums.lines = __atomic_load_n(&shared[region].sums.lines, __ATOMIC_RELAXED);
	sums.same_lines = __atomic_load_n(&shared[region].sums.same_lines, __ATOMIC_RELAXED);
	sums.executions = __atomic_load_n(&shared[region].sums.executions, __ATOMIC_RELAXED);
	sums.accesses = __atomic_load_n(&shared[region].sums.accesses, __ATOMIC_RELAXED);
	sums.threads = __atomic_load_n(&shared[region].sums.threads, __ATOMIC_RELAXED);
	return sums;
}

struct accesses_counted accesses_counted(uint32_t region)
{
	const struct accesses_counted *of = region < MS_REGION_MAX ? &shared[region].counted : NULL;

	if (!of)
		return (struct accesses_counted){ 0 };
	return (struct accesses_counted){
		__atomic_load_n(&of->recorded, __ATOMIC_RELAXED),
		__atomic_load_n(&of->counted, __ATOMIC_RELAXED),
		__atomic_load_n(&of->lined, __ATOMIC_RELAXED),
	};
}

double accesses_whole_ns(void)
{
	uint64_t most = 0;

	for (const struct thread *thread = thread_next(NULL); thread;
	     thread = thread_next(thread)) {
		uint64_t whole_ns = accesses_of(thread)
					    ? __atomic_load_n(&accesses_of(thread)->whole_ns,
							      __ATOMIC_RELAXED)
					    : 0;

		most = whole_ns > most ? whole_ns : most;
	}
	return (double)most;
}

uint64_t accesses_not_looked_at(uint32_t region)
{
	return region < MS_REGION_MAX
		       ? __atomic_load_n(&shared[region].not_looked_at, __ATOMIC_RELAXED)
		       : 0;
}

/* ------------------------------------------------------------------ probe */

#define CALIBRATION 64 /* values that are read and written */

/* ThreadSanitizer's instrumentation uses the return address. */
#if defined(__has_attribute) && __has_attribute(disable_sanitizer_instrumentation)
__attribute__((disable_sanitizer_instrumentation))
#endif
__attribute__((noinline)) static void
calibrate(volatile double *values)
{
	for (int i = 0; i < CALIBRATION; i++)
		values[i] = values[i] + 1;
}

static void count_sites(void *ctx, const struct record_stretch *row, const uint64_t *stretch)
{
	uint64_t *accesses = ctx;

	(void)stretch;
	*accesses += row->nr_sites;
}

static void count_words(void *ctx, const uint64_t *words, size_t nr)
{
	record_each(words, nr, count_sites, ctx);
}

/*
 * Clones and runs a function of memsearch: the clone must record the accesses that are known to
 * occur, and return the same result as the original.
 */
static const char *try_clone(void)
{
	struct clone_options options = { .probes = CLONE_ACCESSES, .runtime_calls_it = true };
	const struct clone *clone = clone_make((uintptr_t)calibrate, &options);
	double values[CALIBRATION] = { 0 };
	const struct clone_refusal *refusals;
	uint64_t accesses = 0;
	size_t nr;

	if (!clone) {
		nr = clone_refusals(&refusals);
		return nr ? refusals[nr - 1].why : "a function of memsearch's own cannot be copied";
	}
	if (!record_thread_begin(BUFFER_BYTES, count_words, &accesses))
		return "no memory for a buffer";
	((void (*)(volatile double *))clone->code)(values);
	record_thread_end();
	for (int i = 0; i < CALIBRATION; i++)
		if (values[i] != 1)
			return "a copied function gave another result than its original";
	return accesses < 2 * CALIBRATION ? "a copied function recorded too little" : NULL;
}

/*
 * Recording takes tens of megabytes, which the program may need if memory is limited. NULL: there
 * is enough.
 */
static const char *too_little_memory(void)
{
	static char why[160];
	struct memory_left touch = memory_left_to_touch(""), map = memory_left_to_map(),
			   left = touch.bytes < map.bytes ? touch : map;

	if (left.bytes >= MEMORY_TO_RECORD_MIN)
		return NULL;
	snprintf(why, sizeof(why), "%s leaves %zu MB, too little for recording beside the program",
		 memory_limit_name(left.by), left.bytes >> 20);
	return why;
}

static bool works; /* the probe's result */

bool accesses_work(void)
{
	return works;
}

void accesses_probe(struct sensor_status *status)
{
	const char *why = clone_unsupported();

	if (!why)
		why = too_little_memory();
	if (!why)
		why = try_clone();
	works = status->works = !why;
	status->why = why ? MS_MISSING_NOT_SUPPORTED : MS_PRESENT;
	snprintf(status->text, sizeof(status->text), "%s", why ? why : "");
}

void accesses_enable(struct thread *thread, bool on)
{
	if (!thread->index)
		tracing_enable(on && keeping_is_on());
}

void accesses_configure(struct region_table *table)
{
	regions = table;
}
struct region_table *accesses_regions(void)
{
	return regions;
}
