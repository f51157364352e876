/* SPDX-License-Identifier: Apache-2.0 */
/* Measures the memory bandwidth of one thread, and of one thread per CPU. */
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <time.h>

#include "analysis/bandwidth/bandwidth.h"
#include "analysis/bandwidth/sizes.h"

#define REPETITIONS_MAX 1000
#define REPETITIONS_MIN 3
#define SINGLE_SHARE 0.3 /* of the time: one thread alone */
#define CACHES_TIMES 4   /* size of the arrays in caches, as STREAM demands */

/*
 * Bytes read from memory per step of a loop: of two arrays, or one, and of the line to be written.
 */
static const double bytes_per_step[] = { 3 * sizeof(double), 2 * sizeof(double) };
#define KERNELS 2

struct team;

struct worker {
	struct team *team;
	pthread_t thread;
	int cpu;
	double *a, *b, *c;
	size_t nr;         /* elements of each array */
	double begin, end; /* of its part of the last loop, seconds */
	bool failed;
};

struct team {
	struct worker *workers;
	uint32_t nr;
	pthread_mutex_t gate; /* held until all threads have been started */
	bool closed;          /* not all could be */
	pthread_barrier_t barrier;
	double seconds;
	double rates[REPETITIONS_MAX]; /* bytes/s of the better loop, by repetition */
	size_t nr_rates;
	_Atomic bool done;
};

static double now(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

/* ------------------------------------------------------------------ the loops */

static void triad(double *restrict a, const double *restrict b, const double *restrict c, size_t nr)
{
	for (size_t i = 0; i < nr; i++)
		a[i] = b[i] + 3.0 * c[i];
}

/* Not a plain copy, which the compiler would make a call that writes past the caches. */
static void scale(double *restrict a, const double *restrict b, size_t nr)
{
	for (size_t i = 0; i < nr; i++)
		a[i] = 3.0 * b[i];
}

static void step(struct worker *self, int kernel)
{
	if (kernel == 0)
		triad(self->a, self->b, self->c, self->nr);
	else
		scale(self->a, self->b, self->nr);
}

static double elements(const struct team *team)
{
	double nr = 0;

	for (uint32_t i = 0; i < team->nr; i++)
		nr += (double)team->workers[i].nr;
	return nr;
}

/*
 * One loop on all threads, from the first begin to the last end: a thread that is scheduled
 * late after the barrier must not shorten the time of the others.
 */
static double timed(struct worker *self, int kernel)
{
	const struct team *team = self->team;
	double begin, end;

	pthread_barrier_wait(&self->team->barrier);
	self->begin = now();
	step(self, kernel);
	self->end = now();
	pthread_barrier_wait(&self->team->barrier);
	begin = team->workers[0].begin;
	end = team->workers[0].end;
	for (uint32_t i = 1; i < team->nr; i++) {
		begin = team->workers[i].begin < begin ? team->workers[i].begin : begin;
		end = team->workers[i].end > end ? team->workers[i].end : end;
	}
	return end - begin;
}

/* b = 1, c = 2: the last loop was a scale, a = 3. */
static bool is_right(const struct worker *self)
{
	for (size_t i = 0; i < self->nr; i += self->nr / 64 + 1)
		if (self->a[i] < 3 || self->a[i] > 3)
			return false;
	return self->nr > 0;
}

static void repeat(struct worker *self)
{
	struct team *team = self->team;
	bool first = self == &team->workers[0];
	double begin = now();

	while (!team->done) {
		double best = 0;

		for (int kernel = 0; kernel < KERNELS; kernel++) {
			double time = timed(self, kernel),
			       rate = time > 0 ? bytes_per_step[kernel] * elements(team) / time : 0;

			best = rate > best ? rate : best; /* the same on all threads */
		}
		if (first) {
			team->rates[team->nr_rates++] = best;
			team->done = team->nr_rates == REPETITIONS_MAX ||
				     (now() - begin > team->seconds &&
				      team->nr_rates >= REPETITIONS_MIN);
		}
		pthread_barrier_wait(&team->barrier); /* all see the same `done` */
	}
	self->failed |= !is_right(self);
}

/* ------------------------------------------------------------------ a team */

/* First touch after binding: pages lie on the node of this CPU. */
static void touch(struct worker *self)
{
	cpu_set_t *set = CPU_ALLOC((size_t)self->cpu + 1);
	size_t bytes = CPU_ALLOC_SIZE((size_t)self->cpu + 1);

	if (set) {
		CPU_ZERO_S(bytes, set);
		CPU_SET_S((size_t)self->cpu, bytes, set);
		pthread_setaffinity_np(pthread_self(), bytes, set);
	}
	CPU_FREE(set);
	for (size_t i = 0; i < self->nr; i++) {
		self->a[i] = 0;
		self->b[i] = 1;
		self->c[i] = 2;
	}
}

static void *work(void *argument)
{
	struct worker *self = argument;
	bool closed;

	pthread_mutex_lock(&self->team->gate);
	closed = self->team->closed;
	pthread_mutex_unlock(&self->team->gate);
	if (!closed) {
		touch(self);
		repeat(self);
	}
	return NULL;
}

static bool map_arrays(struct worker *worker, size_t bytes)
{
	double **arrays[] = { &worker->a, &worker->b, &worker->c };

	worker->nr = bytes / sizeof(double);
	for (int i = 0; i < 3; i++) {
		void *block = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
				   MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

		if (block == MAP_FAILED)
			return false;
		/* without huge pages TLB misses cost a little */
		madvise(block, bytes, MADV_HUGEPAGE);
		*arrays[i] = block;
	}
	return true;
}

static void unmap_arrays(struct worker *worker)
{
	double *arrays[] = { worker->a, worker->b, worker->c };

	for (int i = 0; i < 3; i++)
		if (arrays[i])
			munmap(arrays[i], worker->nr * sizeof(double));
}

static enum ms_status join_all(struct team *team)
{
	enum ms_status status = MS_OK;

	for (uint32_t i = 0; i < team->nr; i++) {
		pthread_join(team->workers[i].thread, NULL);
		status = team->workers[i].failed ? MS_ERR_UNSUPPORTED : status;
	}
	return status;
}

/* No thread passes the gate before all have arrived, or could not be started. */
static enum ms_status run_team(struct team *team)
{
	enum ms_status status;
	int error = pthread_barrier_init(&team->barrier, NULL, team->nr);
	uint32_t nr = 0;

	if (error)
		return MS_ERR_MEMORY;
	pthread_mutex_lock(&team->gate);
	while (!error && nr < team->nr) {
		error = pthread_create(&team->workers[nr].thread, NULL, work, &team->workers[nr]);
		nr += !error;
	}
	team->nr = nr;
	team->closed = error != 0;
	pthread_mutex_unlock(&team->gate);
	status = join_all(team);
	pthread_barrier_destroy(&team->barrier);
	errno = error;
	return error ? MS_ERR_IO : status;
}

static int compare(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

/* The best repetition: other programs can only slow down a repetition. */
static enum ms_status summarise(struct team *team, double *best_out, double *spread_out)
{
	size_t nr = team->nr_rates;

	qsort(team->rates, nr, sizeof(team->rates[0]), compare);
	*best_out = nr ? team->rates[nr - 1] : 0;
	*spread_out = *best_out > 0 ? (*best_out - team->rates[nr / 2]) / *best_out : 0;
	return *best_out > 0 ? MS_OK : MS_ERR_UNSUPPORTED;
}

/* `bytes` of one array of each thread. */
static enum ms_status measure_team(const int *cpus, uint32_t nr, size_t bytes, double seconds,
				   double *best_out, double *spread_out)
{
	struct team team = { .nr = nr, .seconds = seconds, .gate = PTHREAD_MUTEX_INITIALIZER };
	struct worker *workers = calloc(nr, sizeof(*workers));
	enum ms_status status = workers ? MS_OK : MS_ERR_MEMORY;

	team.workers = workers;
	for (uint32_t i = 0; i < nr && status == MS_OK; i++) {
		workers[i].team = &team;
		workers[i].cpu = cpus[i];
		status = map_arrays(&workers[i], bytes) ? MS_OK : MS_ERR_MEMORY;
	}
	if (status == MS_OK)
		status = run_team(&team);
	if (status == MS_OK)
		status = summarise(&team, best_out, spread_out);
	for (uint32_t i = 0; i < nr && workers; i++)
		unmap_arrays(&workers[i]);
	free(workers);
	return status;
}

/* ------------------------------------------------------------------ the whole */

/* Rounded to whole pages of 2 MiB, at least one. */
static size_t array_bytes(uint64_t caches, uint64_t memory, uint32_t nr, bool *small)
{
	uint64_t wanted = CACHES_TIMES * caches / nr, room = memory / 3 / nr, huge = 2u << 20;

	*small |= room < wanted;
	wanted = room < wanted ? room : wanted;
	return (size_t)(wanted < huge ? huge : (wanted + huge - 1) / huge * huge);
}

enum ms_status bandwidth_measure(double seconds, struct bandwidth *out)
{
	struct bandwidth_sizes sizes;
	enum ms_status status = bandwidth_sizes_find(&sizes);
	size_t bytes;

	*out = (struct bandwidth){ .threads = sizes.nr_cpus,
				   .caches = sizes.all_levels,
				   .measured = (uint64_t)time(NULL) };
	if (status != MS_OK)
		return status;
	bytes = array_bytes(sizes.cache, sizes.memory, 1, &out->small);
	status = measure_team(sizes.cpus, 1, bytes, seconds * SINGLE_SHARE, &out->single,
			      &out->single_spread);
	if (status == MS_OK) {
		bytes = array_bytes(sizes.caches, sizes.memory, sizes.nr_cpus, &out->small);
		status = measure_team(sizes.cpus, sizes.nr_cpus, bytes,
				      seconds * (1 - SINGLE_SHARE), &out->all, &out->all_spread);
		out->array_bytes = (uint64_t)bytes * sizes.nr_cpus;
	}
	if (status == MS_OK)
		bandwidth_latency(&sizes, out);
	bandwidth_sizes_release(&sizes);
	return status;
}
