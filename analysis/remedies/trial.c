/* SPDX-License-Identifier: Apache-2.0 */
/* Simulations of remedies in processes of their own. */
#include "analysis/remedies/trial.h"

#include <errno.h>
#include <math.h>
#include <sys/wait.h>
#include <unistd.h>

#include "analysis/base/arena.h"
#include "analysis/base/sort.h"
#include "analysis/base/transfer.h"
#include "analysis/record/run.h"
#include "analysis/remedies/remedy.h"
#include "analysis/simulation/range_requests.h"
#include "analysis/simulation/simulate.h"
#include "analysis/trace/trace_reader.h"
#include "memsearch/metric.h"

/* ------------------------------------------------------------------ results */

static double *sum_in(struct trial_result *result, uint32_t metric)
{
	switch (metric) {
	case MS_METRIC_SIM_STALL_CYCLES: return &result->stall_ns;
	case MS_METRIC_SIM_DRAM_REMOTE: return &result->remote;
	case MS_METRIC_SIM_DRAM_LOCAL: return &result->lines;
	case MS_METRIC_SIM_L3D_MISSES: return &result->missed;
	case MS_METRIC_SIM_TLB_WALKS: return &result->walks;
	default: return NULL;
	}
}

struct trial_result trial_result_of(struct arena *arena, const struct run *run, size_t nr_regions,
				    double hz)
{
	struct trial_result result = { .by_region = arena_alloc(arena, (nr_regions + 1) *
									       sizeof(double)) };
	double ns = hz > 0 ? 1e9 / hz : 1;

	for (size_t i = 0; result.by_region && i <= nr_regions; i++)
		result.by_region[i] = 0;
	for (size_t i = 0; result.by_region && i < run->nr_measurements; i++) {
		const struct ms_measurement *row = &run->measurements[i].row;
		double *sum = row->region == MS_REGION_USER ? sum_in(&result, row->metric) : NULL;

		if (sum)
			*sum += row->stat.sum;
		if (row->metric == MS_METRIC_SIM_STALL_CYCLES && row->region < nr_regions)
			result.by_region[row->region] += ns * row->stat.sum;
	}
	result.stall_ns *= ns;
	result.lines += result.remote;
	return result;
}

/* ------------------------------------------------------------------ processes */

struct running {
	pid_t child; /* 0: none */
	int fd;
	size_t trial;
};

struct trying {
	struct arena *arena;
	const struct requests_source *source;
	struct trials *trials;
	size_t nr_regions, next, finished;
};

/* In the child: the result through the pipe. Exit status: enum simulate_status. */
static int simulate_child(const struct trying *trying, const struct remedy *remedy, int fd)
{
	size_t bytes = trying->nr_regions * sizeof(double);
	struct run *run = trying->source->run;
	struct trial_result result;
	struct simulate_result simulated = { .status = SIMULATE_NO_MEMORY };

	if (trace_reader_in_child(trying->source->reader))
		simulated = simulate(
			trying->arena, run, trying->source->reader, &remedy->model,
			&remedy->placement,
			&(struct simulate_how){ .jobs = 1, .one = true, .waits = true });
	if (simulated.status != SIMULATE_DONE)
		return (int)simulated.status;
	result = trial_result_of(trying->arena, run, trying->nr_regions, remedy->model.hz);
	if (!result.by_region || transfer_write(fd, &result, sizeof(result)) < sizeof(result) ||
	    transfer_write(fd, result.by_region, bytes) < bytes)
		return SIMULATE_NO_MEMORY;
	return SIMULATE_DONE;
}

static void start(struct trying *trying, struct running *out)
{
	struct trial *trial = &trying->trials->items[trying->next];
	int ends[2];

	*out = (struct running){ .trial = trying->next++ };
	if (trial->remedy->refused || pipe(ends)) {
		trial->why = trial->remedy->refused ? trial->remedy->refused
						    : "no process could be started";
		trying->finished++;
		return;
	}
	out->fd = ends[0];
	out->child = fork();
	if (!out->child) {
		close(ends[0]);
		_exit(simulate_child(trying, trial->remedy, ends[1]));
	}
	close(ends[1]);
	if (out->child > 0)
		return;
	close(ends[0]);
	out->child = 0;
	trial->why = "no process could be started";
	trying->finished++;
}

static const char *why_not(int status)
{
	if (WIFEXITED(status) && WEXITSTATUS(status) == SIMULATE_FEW_CORES)
		return "the machine has fewer cores than threads were recorded";
	return WIFEXITED(status) ? "no memory, or its trace is damaged"
				 : "its simulation was ended by a signal";
}

static void finish(struct trying *trying, struct running *running)
{
	struct trial *trial = &trying->trials->items[running->trial];
	size_t bytes = trying->nr_regions * sizeof(double);
	double *by_region = arena_alloc(trying->arena, bytes + sizeof(*by_region));
	int status = 0;

	trial->done = by_region &&
		      transfer_read(running->fd, &trial->result, sizeof(trial->result)) ==
			      sizeof(trial->result) &&
		      transfer_read(running->fd, by_region, bytes) == bytes;
	trial->result.by_region = by_region;
	close(running->fd);
	while (waitpid(running->child, &status, 0) < 0 && errno == EINTR)
		;
	if (!trial->done)
		trial->why = why_not(status);
	running->child = 0;
	trying->finished++;
}

/* The first that was started is waited for: they take about the same time. */
static void run_all(struct trying *trying, uint32_t jobs, void (*progress)(void *ctx, double part),
		    void *ctx)
{
	struct running *running = arena_alloc(trying->arena, jobs * sizeof(*running));
	size_t begun = 0, ended = 0;

	while (running && (ended < begun || trying->next < trying->trials->nr)) {
		if (trying->next < trying->trials->nr && begun - ended < jobs) {
			start(trying, &running[begun++ % jobs]);
			continue;
		}
		if (running[ended % jobs].child)
			finish(trying, &running[ended % jobs]);
		ended++;
		if (progress)
			progress(ctx, (double)trying->finished / (double)trying->trials->nr);
	}
}

/* ------------------------------------------------------------------ gains */

static bool is_construct(const struct run_region *region)
{
	return !ms_region_kind_is_part(region->kind) && region->kind != MS_USER_REGION;
}

/* The construct whose stalls shrink most; the innermost of those that shrink equally. */
static void find_region(const struct run *run, const struct trials *trials, struct trial *trial,
			size_t nr_regions)
{
	double most = 0;

	trial->region = MS_REGION_NONE;
	for (uint32_t i = 0; i < nr_regions; i++) {
		double before = trials->before.by_region[i],
		       less = before - trial->result.by_region[i];

		if (!is_construct(&run->regions[i]) || !(before > 0) || less <= 0 ||
		    less < 0.99 * most)
			continue;
		most = less > most ? less : most;
		trial->region = i;
		trial->region_gain = less / before;
	}
}

/*
 * Gains of one percent are alike: then the order of REMEDY_LIST, in which changes of the program
 * come before those of where it runs.
 */
static int by_gain(const void *a, const void *b)
{
	const struct trial *left = a, *right = b;
	double differences[] = {
		(double)right->done - (double)left->done,
		round(100 * right->gain) - round(100 * left->gain),
		(double)left->remedy->kind - (double)right->remedy->kind,
		right->gain - left->gain,
		(double)left->remedy->array - (double)right->remedy->array,
	};

	for (size_t i = 0; i < sizeof(differences) / sizeof(*differences); i++)
		if (differences[i] < 0 || differences[i] > 0)
			return differences[i] < 0 ? -1 : 1;
	return (left->remedy > right->remedy) - (left->remedy < right->remedy);
}

static void set_gains(const struct trying *trying)
{
	struct trials *trials = trying->trials;

	for (size_t i = 0; i < trials->nr; i++) {
		struct trial *trial = &trials->items[i];

		trial->region = MS_REGION_NONE;
		if (!trial->done)
			continue;
		trial->gain = trials->before.stall_ns > 0
				      ? 1 - trial->result.stall_ns / trials->before.stall_ns
				      : 0;
		find_region(trying->source->run, trials, trial, trying->nr_regions);
	}
	if (trials->nr)
		sort(trials->items, trials->nr, sizeof(*trials->items), by_gain);
}

const struct trials *trials_run(struct arena *arena, const struct requests_source *source,
				const struct remedy *remedies, size_t nr,
				void (*progress)(void *ctx, double part), void *ctx)
{
	struct trials *trials = arena_alloc(arena, sizeof(*trials));
	struct trying trying = { .arena = arena,
				 .source = source,
				 .trials = trials,
				 .nr_regions = source->run->nr_regions };

	if (!trials)
		return NULL;
	*trials = (struct trials){ .before = trial_result_of(arena, source->run, trying.nr_regions,
							     source->model->hz),
				   .nr = nr };
	trials->items = arena_alloc(arena, (nr + 1) * sizeof(*trials->items));
	if (!trials->items || !trials->before.by_region)
		return NULL;
	for (size_t i = 0; i < nr; i++)
		trials->items[i] = (struct trial){ .remedy = &remedies[i] };
	run_all(&trying, source->jobs ? source->jobs : 1, progress, ctx);
	set_gains(&trying);
	return trials;
}
