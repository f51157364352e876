/* SPDX-License-Identifier: Apache-2.0 */
/* Parallel simulation: a pipeline of three stages over chunks of accesses. */
#include "analysis/simulator/stages.h"

#include <pthread.h>
#include <signal.h>
#include <string.h>

#include "analysis/base/own_memory.h"
#include "analysis/simulator/schedule.h"
#include "analysis/simulator/touched.h"

#define CHUNKS 4       /* in the pipeline */
#define ACCESSES 65536 /* per chunk; it is complete with as many */
#define STEPS 2048     /* per chunk, maximum */
#define RUNS 8192      /* stride runs per chunk, maximum */
#define RUNS_AHEAD 12  /* see step.known */
#define EVENTS 2046    /* per block of a queue */

struct events {
	struct events *next;
	uint64_t unused;
	struct outer_event all[EVENTS];
};

/* Events of one core in a chunk, from the second stage to the third. */
struct queue {
	struct events *first, *last; /* blocks after `last` are empty */
	uint32_t filled;             /* number of events before `last` */
};

/* Pages `first` to `last` are on the node. */
struct placement {
	uint64_t first, last;
	uint32_t node;
};

/* Consecutive steps of all cores: the unit of work of a stage. */
struct chunk {
	uint32_t nr_steps, nr_runs, accesses;
	uint32_t nr_placements, room_placements;
	struct placement *placements; /* applied before its events */
	uint32_t nr_cores;            /* cores with steps in it */
	uint8_t cores[SIMULATOR_MAX_THREADS];
	struct queue queues[SIMULATOR_MAX_THREADS]; /* by core */
	struct touched touched;
	struct step steps[STEPS];
	struct stride_run runs[RUNS];
};

/*
 * State of the pipeline. scheduled, run, finished: numbers of chunks that the stage has completed;
 * they only increase. All fields except `chunks` and `filling` are accessed with the lock held.
 */
struct stages {
	struct simulator *simulator;
	pthread_mutex_t lock;
	pthread_cond_t changed;
	uint32_t accesses; /* per chunk */
	uint64_t scheduled, run, finished;
	uint64_t by_cores;          /* of `run`: chunks with one thread per core */
	bool scheduling, finishing; /* a thread is in the first or third stage */
	bool open;                  /* helper threads may schedule */
	bool ended;                 /* the whole window is scheduled */
	bool stop;
	/*
	 * cores of the chunk that is simulated with one thread per core: all, begun and completed;
	 * else 0
	 */
	uint32_t to_run, taken, cores_run;
	uint64_t lost; /* dropped events; atomic */
	uint32_t helpers;
	pthread_t threads[SIMULATOR_MAX_THREADS + 1]; /* more would have no work */
	struct chunk *filling;                        /* by the first stage */
	struct chunk chunks[CHUNKS];
};

/* ------------------------------------------------------------------ first stage */

static bool has_room(const struct chunk *chunk, uint32_t most)
{
	return chunk->nr_steps < STEPS && chunk->accesses < most &&
	       !touched_is_full(&chunk->touched) &&
	       chunk->nr_runs + SIMULATOR_SLICE + RUNS_AHEAD <= RUNS;
}

static const struct stride_run *copy(struct chunk *chunk, const struct stride_run *runs,
				     uint32_t nr)
{
	struct stride_run *to = &chunk->runs[chunk->nr_runs];

	memcpy(to, runs, nr * sizeof(*to));
	chunk->nr_runs += nr;
	return to;
}

static void copy_single(struct chunk *chunk, struct step *step)
{
	step->known = step->known < step->accesses + RUNS_AHEAD ? step->known
								: step->accesses + RUNS_AHEAD;
	step->runs = copy(chunk, step->runs, step->known);
}

static void add_core(struct chunk *chunk, uint8_t core)
{
	for (uint32_t i = chunk->nr_cores; i--;)
		if (chunk->cores[i] == core)
			return;
	chunk->cores[chunk->nr_cores++] = core;
}

static bool take_step(void *ctx, const struct step *given)
{
	struct stages *stages = ctx;
	struct chunk *chunk = stages->filling;
	struct step *step = &chunk->steps[chunk->nr_steps++];

	*step = *given;
	chunk->accesses += step->accesses;
	add_core(chunk, step->core);
	if (stages->simulator->shared && stages->simulator->defers)
		touched_add(stages->simulator, &chunk->touched, step);
	if (step->single)
		copy_single(chunk, step);
	else if (step->begins)
		step->runs = copy(chunk, step->runs, step->runs->group ? step->runs->group : 1);
	return has_room(chunk, stages->accesses);
}

static void schedule_chunk(struct stages *stages)
{
	struct chunk *chunk = &stages->chunks[stages->scheduled % CHUNKS];
	bool more;

	stages->scheduling = true;
	pthread_mutex_unlock(&stages->lock);
	chunk->nr_steps = chunk->nr_runs = chunk->accesses = chunk->nr_placements =
		chunk->nr_cores = 0;
	touched_clear(&chunk->touched);
	stages->filling = chunk;
	more = schedule_run(stages->simulator, take_step, stages);
	stages->filling = NULL;
	pthread_mutex_lock(&stages->lock);
	stages->scheduling = false;
	stages->ended = !more;
	stages->scheduled++;
}

static bool more_placements(struct chunk *chunk)
{
	uint32_t room = chunk->room_placements ? chunk->room_placements * 2 : 64;
	struct placement *grown;

	if (chunk->nr_placements < chunk->room_placements)
		return true;
	grown = own_memory(room * sizeof(*grown), 0);
	if (!grown)
		return false;
	if (chunk->room_placements) {
		memcpy(grown, chunk->placements, chunk->nr_placements * sizeof(*grown));
		own_memory_give_back(chunk->placements, chunk->room_placements * sizeof(*grown));
	}
	chunk->placements = grown;
	chunk->room_placements = room;
	return true;
}

void stages_place(struct simulator *simulator, uint64_t first, uint64_t last, uint32_t node)
{
	struct chunk *chunk = simulator->stages ? simulator->stages->filling : NULL;

	if (!chunk) {
		stages_wait(simulator);
		pages_place(&simulator->pages, first, last, node, &simulator->outer.lost);
	} else if (more_placements(chunk)) {
		chunk->placements[chunk->nr_placements++] = (struct placement){ first, last, node };
	} else {
		simulator->uncounted++;
	}
}

/* ------------------------------------------------------------------ second stage */

static struct outer_event no_room; /* without memory for events */

static void begin_block(struct core *core, struct queue *queue, struct events *block)
{
	queue->last = block;
	core->event = block->all;
	core->events_end = block->all + EVENTS;
}

static void begin_queue(struct core *core, struct queue *queue)
{
	queue->filled = 0;
	if (!queue->first)
		queue->first = own_memory(sizeof(*queue->first), 0);
	if (queue->first)
		begin_block(core, queue, queue->first);
	else
		core->event = core->events_end = &no_room;
}

static uint32_t events_of(const struct core *core, const struct queue *queue)
{
	return queue->first ? queue->filled + (uint32_t)(core->event - queue->last->all) : 0;
}

bool stages_more_events(struct simulator *simulator, struct core *core)
{
	struct stages *stages = simulator->stages;
	struct queue *queue = &stages->chunks[stages->run % CHUNKS].queues[core->number];
	struct events *next = queue->first ? queue->last->next : NULL;

	if (queue->first && !next)
		next = queue->last->next = own_memory(sizeof(*next), 0);
	if (!next) {
		__atomic_add_fetch(&stages->lost, 1, __ATOMIC_RELAXED);
		return false;
	}
	queue->filled += EVENTS;
	begin_block(core, queue, next);
	return true;
}

/* Runs the steps of one core, or of all cores in their order. */
static void run_steps(struct simulator *simulator, struct chunk *chunk, const uint8_t *only)
{
	for (uint32_t i = 0; i < chunk->nr_steps; i++) {
		struct step *step = &chunk->steps[i];
		const struct core *core = &simulator->cores[step->core];
		const struct queue *queue = &chunk->queues[step->core];
		uint32_t before;

		if (only && *only != step->core)
			continue;
		before = simulator->defers ? events_of(core, queue) : 0;
		run_step(simulator, step);
		step->events = simulator->defers ? events_of(core, queue) - before : 0;
	}
}

/* Whether no core accesses a page that another core accesses, so that cores are independent. */
static bool is_private(struct simulator *simulator, const struct chunk *chunk)
{
	const struct touched *touched = &chunk->touched;
	uint32_t wider = touched_shift(simulator) - DIRECTORY_BLOCK_SHIFT;

	if (!simulator->shared || !simulator->defers || touched->several)
		return false;
	for (uint32_t i = 0; i < touched->nr; i++)
		for (uint64_t block = touched->pages[i].page << wider;
		     block < (touched->pages[i].page + 1) << wider; block++)
			if (!directory_make_alone(simulator, block, touched->pages[i].core))
				return false;
	return true;
}

/* Simulates a core that no thread has begun. False: there is none. */
static bool run_core(struct stages *stages)
{
	struct chunk *chunk = &stages->chunks[stages->run % CHUNKS];
	const uint8_t *core;

	if (stages->taken == stages->to_run)
		return false;
	core = &chunk->cores[stages->taken++];
	pthread_mutex_unlock(&stages->lock);
	run_steps(stages->simulator, chunk, core);
	pthread_mutex_lock(&stages->lock);
	stages->cores_run++;
	return true;
}

static bool help(struct stages *stages);

static void run_by_cores(struct stages *stages, const struct chunk *chunk)
{
	pthread_mutex_lock(&stages->lock);
	stages->taken = stages->cores_run = 0;
	stages->to_run = chunk->nr_cores;
	pthread_cond_broadcast(&stages->changed);
	while (stages->cores_run < stages->to_run)
		if (!run_core(stages) && !help(stages))
			pthread_cond_wait(&stages->changed, &stages->lock);
	stages->to_run = stages->taken = stages->cores_run = 0;
	pthread_mutex_unlock(&stages->lock);
}

/* Applies page placements in the stage that looks up pages' nodes, before its look-ups. */
static void place_pages(struct simulator *simulator, const struct chunk *chunk)
{
	for (uint32_t i = 0; i < chunk->nr_placements; i++)
		pages_place(&simulator->pages, chunk->placements[i].first,
			    chunk->placements[i].last, chunk->placements[i].node,
			    &simulator->outer.lost);
}

static void run_chunk(struct stages *stages)
{
	struct simulator *simulator = stages->simulator;
	struct chunk *chunk = &stages->chunks[stages->run % CHUNKS];

	pthread_mutex_unlock(&stages->lock);
	if (!simulator->defers)
		place_pages(simulator, chunk);
	for (uint32_t i = 0; simulator->defers && i < chunk->nr_cores; i++)
		begin_queue(&simulator->cores[chunk->cores[i]], &chunk->queues[chunk->cores[i]]);
	simulator->private = is_private(simulator, chunk);
	stages->by_cores += simulator->private;
	if (simulator->private && chunk->nr_cores > 1 && stages->helpers)
		run_by_cores(stages, chunk);
	else
		run_steps(simulator, chunk, NULL);
	simulator->private = false;
	simulator->lost += __atomic_exchange_n(&stages->lost, 0, __ATOMIC_RELAXED);
	for (uint32_t i = 0; i < chunk->nr_cores; i++)
		simulator->cores[chunk->cores[i]].event = NULL;
	pthread_mutex_lock(&stages->lock);
	stages->run++;
}

/* ------------------------------------------------------------------ third stage */

struct reader {
	const struct events *block;
	uint32_t at;
};

static void finish_step(struct simulator *simulator, struct reader *reader, uint32_t nr)
{
	while (nr) {
		uint32_t left = EVENTS - reader->at, now = nr < left ? nr : left;

		outer_run(simulator, &reader->block->all[reader->at], now, left);
		nr -= now;
		reader->at += now;
		if (reader->at < EVENTS)
			continue;
		reader->block = reader->block->next;
		reader->at = 0;
	}
}

static void finish_chunk(struct stages *stages)
{
	struct simulator *simulator = stages->simulator;
	struct chunk *chunk = &stages->chunks[stages->finished % CHUNKS];
	struct reader readers[SIMULATOR_MAX_THREADS];

	stages->finishing = true;
	pthread_mutex_unlock(&stages->lock);
	if (simulator->defers)
		place_pages(simulator, chunk);
	for (uint32_t i = 0; i < chunk->nr_cores; i++)
		readers[chunk->cores[i]] = (struct reader){ chunk->queues[chunk->cores[i]].first,
							    0 };
	for (uint32_t i = 0; i < chunk->nr_steps; i++)
		finish_step(simulator, &readers[chunk->steps[i].core], chunk->steps[i].events);
	pthread_mutex_lock(&stages->lock);
	stages->finishing = false;
	stages->finished++;
}

/* ------------------------------------------------------------------ threads */

static bool can_schedule(const struct stages *stages)
{
	return stages->open && !stages->scheduling && !stages->ended &&
	       stages->scheduled - stages->finished < (stages->helpers ? CHUNKS : 1);
}

static bool can_finish(const struct stages *stages)
{
	return !stages->finishing && stages->finished < stages->run;
}

/* Work of the first or third stage, or one core of the second. False: none. */
static bool help(struct stages *stages)
{
	bool is_short = stages->scheduled - stages->run < CHUNKS / 2;

	if (run_core(stages))
		is_short = false;
	else if (can_schedule(stages) && (is_short || !can_finish(stages)))
		schedule_chunk(stages);
	else if (can_finish(stages))
		finish_chunk(stages);
	else
		return false;
	pthread_cond_broadcast(&stages->changed);
	return true;
}

static void *run_helper(void *argument)
{
	struct stages *stages = argument;

	pthread_mutex_lock(&stages->lock);
	while (!stages->stop)
		if (!help(stages))
			pthread_cond_wait(&stages->changed, &stages->lock);
	pthread_mutex_unlock(&stages->lock);
	return NULL;
}

void stages_run(struct simulator *simulator)
{
	struct stages *stages = simulator->stages;

	pthread_mutex_lock(&stages->lock);
	stages->ended = false;
	stages->open = true;
	while (!stages->ended || stages->run < stages->scheduled) {
		if (stages->run == stages->scheduled) {
			if (!help(stages))
				pthread_cond_wait(&stages->changed, &stages->lock);
			continue;
		}
		run_chunk(stages);
		pthread_cond_broadcast(&stages->changed);
	}
	stages->open = false;
	pthread_mutex_unlock(&stages->lock);
}

void stages_wait(struct simulator *simulator)
{
	struct stages *stages = simulator->stages;

	if (!stages)
		return;
	pthread_mutex_lock(&stages->lock);
	while (stages->finished < stages->run)
		if (!help(stages))
			pthread_cond_wait(&stages->changed, &stages->lock);
	pthread_mutex_unlock(&stages->lock);
}

/* The program's own threads handle its signals. */
static void start_helpers(struct stages *stages, uint32_t nr)
{
	sigset_t all, before;

	sigfillset(&all);
	pthread_sigmask(SIG_BLOCK, &all, &before);
	while (stages->helpers < nr &&
	       !pthread_create(&stages->threads[stages->helpers], NULL, run_helper, stages))
		stages->helpers++;
	pthread_sigmask(SIG_SETMASK, &before, NULL);
}

static void free_blocks(struct events *block)
{
	while (block) {
		struct events *next = block->next;

		own_memory_give_back(block, sizeof(*block));
		block = next;
	}
}

static void release(struct stages *stages)
{
	for (uint32_t i = 0; i < CHUNKS; i++) {
		struct chunk *chunk = &stages->chunks[i];

		for (uint32_t core = 0; core < SIMULATOR_MAX_THREADS; core++)
			free_blocks(chunk->queues[core].first);
		if (chunk->room_placements)
			own_memory_give_back(chunk->placements,
					     chunk->room_placements * sizeof(*chunk->placements));
	}
	pthread_cond_destroy(&stages->changed);
	pthread_mutex_destroy(&stages->lock);
	own_memory_give_back(stages, sizeof(*stages));
}

struct stages *stages_new(struct simulator *simulator, uint32_t jobs)
{
	uint32_t most = simulator->threads + 1; /* further ones have no work */
	struct stages *stages = own_memory(sizeof(*stages), 0);

	if (!stages)
		return NULL;
	stages->simulator = simulator;
	stages->accesses = ACCESSES;
	pthread_mutex_init(&stages->lock, NULL);
	pthread_cond_init(&stages->changed, NULL);
	start_helpers(stages, jobs - 1 < most ? jobs - 1 : most);
	return stages;
}

void stages_cut(struct simulator *simulator, uint32_t accesses)
{
	if (simulator->stages)
		simulator->stages->accesses = accesses;
}

double stages_by_cores(struct simulator *simulator)
{
	const struct stages *stages = simulator->stages;

	stages_wait(simulator);
	return stages && stages->run ? (double)stages->by_cores / (double)stages->run : 0;
}

void stages_free(struct simulator *simulator)
{
	struct stages *stages = simulator->stages;

	if (!stages)
		return;
	pthread_mutex_lock(&stages->lock);
	stages->stop = true;
	pthread_cond_broadcast(&stages->changed);
	pthread_mutex_unlock(&stages->lock);
	for (uint32_t i = 0; i < stages->helpers; i++)
		pthread_join(stages->threads[i], NULL);
	release(stages);
}
