/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
/*
 * differ [-m] [-f FUNCTION] [-s SEED] [-e NR [-o FIRST]] LIBRARY…: every function of the libraries,
 * or those whose names match, or every NRth from number FIRST (0) on, as compiled, step by step and
 * as a clone, from the same registers, stack and memory. A line a function, separated by tabs:
 *
 *     verdict  hash of the code  library  function  accesses compared  steps  what is different, or
 *                                                                             why
 *
 * verdict  same
 *          partly   the same results, but the clone recorded that control left it for the original,
 *                   by a jump through a table not
 *                   understood; or memcpy was called through a pointer and is no range
 *          fault    the same, but it ended in the same fault, or the process
 *          left     no two runs of the original are the same, or it does not end
 *          refused, differs
 *
 * Exit status 1: something differs, or a library cannot be opened.
 */
#include <dlfcn.h>
#include <fnmatch.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "ompt_tool/clones/callee.h"
#include "ompt_tool/clones/clone_calls.h"
#include "tests/differential/compare.h"
#include "tests/differential/followed.h"
#include "tests/differential/functions.h"

enum { BATCH = 64, SEEDS = 16, RUNS = 2 };
enum verdict { SAME, PARTLY, FAULT, LEFT, REFUSED, DIFFERS };
static const char *const verdicts[] = { "same", "partly", "fault", "left", "refused", "differs" };

static struct {
	const char *function;
	uint64_t seed;
	size_t every, first;
	bool missed;
} options = { .every = 1 };
static struct outcome *original, *stepped, *cloned;

struct result {
	enum verdict verdict;
	uint64_t accesses, steps;
	struct text text;
};

/* Shared with the process that works on a batch, which may die. */
struct progress {
	size_t at;
	bool differs;
};
static struct progress *progress;

static void say(struct result *result, enum verdict verdict, uint64_t seed, const struct text *text)
{
	if (verdict > result->verdict) {
		result->verdict = verdict;
		snprintf(result->text.at, sizeof(result->text.at), "seed %lu: %.180s", (long)seed,
			 text->at);
	}
}

/*
 * Control left the clone, which recorded that; or memcpy and its like were called through pointers,
 * which are not recognised.
 */
static bool is_known_gap(void)
{
	const struct count *have = &cloned->count, *want = &stepped->count;

	return have->events[RECORD_LEFT] ||
	       (have->nr == want->nr && have->addresses == want->addresses &&
		have->events[RECORD_RANGE] < want->events[RECORD_RANGE]);
}

/*
 * Whether another run of the original accesses the same: not with names made of the time, for
 * example.
 */
static bool steps_repeat(const struct subject *subject, uint64_t seed)
{
	struct text text;

	run_once(subject, seed, RUN_STEPS, original);
	return compare_counts(stepped, original, &text);
}

/* Neither of them returned. */
static void say_end(struct result *result, uint64_t seed)
{
	bool ended = original->end == RUN_DIED;
	struct text text;

	if (outcome_left_stack(original))
		snprintf(text.at, sizeof(text.at),
			 "it goes on with another stack, made up as all it gets");
	else if (ended && WIFEXITED(original->status))
		snprintf(text.at, sizeof(text.at), "it ends the process");
	else if (ended)
		snprintf(text.at, sizeof(text.at), "it does not end, killed by signal %d",
			 WTERMSIG(original->status));
	else
		snprintf(text.at, sizeof(text.at), "signal %d", original->signal);
	say(result, ended && !WIFEXITED(original->status) ? LEFT : FAULT, seed, &text);
}

/*
 * Functions may read what earlier calls have left on the stack below, and leave it in registers
 * that return nothing. Clones use the stack, too, as signal handlers may. What the original leaves
 * there when it finds something else below its stack is not compared.
 */
static bool differs_by_remains(const struct subject *subject, uint64_t seed, struct text *text)
{
	if (original->end != RUN_RETURNED || cloned->end != RUN_RETURNED)
		return false;
	run_once(subject, seed, RUN_SCRIBBLED, stepped);
	blank_undefined(original, stepped, cloned);
	run_once(subject, seed, RUN_STEPS, stepped);
	return compare_outcomes(original, cloned, text);
}

/* False, and said: it is not as the original. */
static bool is_alike(const struct subject *subject, uint64_t seed, enum run_how how,
		     struct result *result)
{
	struct text text = { "" }, again;

	run_once(subject, seed, how, cloned);
	if (compare_outcomes(original, cloned, &text) || differs_by_remains(subject, seed, &text))
		return true;
	run_once(subject, seed, RUN_ORIGINAL, cloned);
	/* the time of day goes on */
	say(result, compare_outcomes(original, cloned, &again) ? DIFFERS : LEFT, seed, &text);
	return false;
}

/* One seed, for which `original` has been run. */
static void compare_runs(const struct subject *subject, uint64_t seed, struct result *result)
{
	struct text text = { "" };

	if (original->end == RUN_DIED && !WIFEXITED(original->status)) {
		say_end(result, seed);
		return;
	}
	run_once(subject, seed, original->end == RUN_RETURNED ? RUN_STEPS : RUN_ORIGINAL, stepped);
	if (!compare_outcomes(original, stepped, &text)) {
		say(result, LEFT, seed, &text);
		return;
	}
	if (!is_alike(subject, seed, RUN_LEAVING, result) ||
	    !is_alike(subject, seed, RUN_CLONE, result))
		return;
	if (original->end != RUN_RETURNED) {
		say_end(result, seed);
		return;
	}
	if (stepped->why_not_counted)
		return;
	result->accesses += cloned->count.nr;
	result->steps += stepped->steps;
	if (!compare_counts(stepped, cloned, &text))
		say(result,
		    is_known_gap()                ? PARTLY
		    : steps_repeat(subject, seed) ? DIFFERS
						  : LEFT,
		    seed, &text);
}

/*
 * Seeds with which it returns, as far as some are found soon; else one with which it ends
 * otherwise.
 */
static void compare_seeds(struct subject *subject, const struct clone *clones[2],
			  struct result *result)
{
	unsigned int nr = 0, died = 0;
	uint64_t seed;

	for (seed = 1; seed <= SEEDS && nr < RUNS && died < 2; seed++) {
		subject->clone = clones[nr % 2];
		run_once(subject, seed, RUN_ORIGINAL, original);
		died += original->end == RUN_DIED;
		if (original->end != RUN_RETURNED)
			continue;
		compare_runs(subject, seed, result);
		nr++;
	}
	if (nr)
		return;
	run_once(subject, 1, RUN_ORIGINAL, original);
	compare_runs(subject, 1, result);
}

/* All runs of a function are on one CPU, whose number some tell. */
static void stay_on_cpu(bool stay)
{
	static cpu_set_t all;
	cpu_set_t one;

	if (!stay) {
		sched_setaffinity(0, sizeof(all), &all);
		return;
	}
	CPU_ZERO(&one);
	CPU_SET(sched_getcpu(), &one);
	if (!sched_getaffinity(0, sizeof(all), &all))
		sched_setaffinity(0, sizeof(one), &one);
}

static struct result examine(const struct function *function)
{
	const struct clone *clones[2] = { followed_clone(function->start, CLONE_ACCESSES),
					  followed_clone(function->start,
							 CLONE_ACCESSES | CLONE_STACK) };
	struct subject subject = { .function = function };
	struct result result = { .verdict = SAME };

	if (!clones[0] || !clones[1]) {
		result.verdict = REFUSED;
		snprintf(result.text.at, sizeof(result.text.at), "%s",
			 followed_why_refused(function->start));
	} else if (options.seed) {
		subject.clone = clones[0];
		run_once(&subject, options.seed, RUN_ORIGINAL, original);
		compare_runs(&subject, options.seed, &result);
		subject.clone = clones[1];
		compare_runs(&subject, options.seed, &result);
	} else {
		compare_seeds(&subject, clones, &result);
	}
	return result;
}

/* With -m: where calls leave the clones made so far, for the original. */
static void print_missed(void)
{
	const struct clone_missed *missed;
	size_t nr = clone_missed(&missed);

	for (size_t i = 0; i < nr; i++)
		fprintf(stderr, "differ: %s (+0x%lx) not followed in %u calls: %s\n",
			missed[i].name              ? missed[i].name
			: missed[i].through_pointer ? "pointer"
						    : "function",
			(long)(missed[i].target - callee_module(missed[i].target)), missed[i].calls,
			missed[i].why);
}

static void print(const char *library, const struct function *function, const struct result *result)
{
	printf("%s\t%016lx\t%s\t%s\t%lu\t%lu\t%s\n", verdicts[result->verdict],
	       (long)function->hash, library, function->name, (long)result->accesses,
	       (long)result->steps, result->text.at);
	fflush(stdout);
	progress->differs |= result->verdict == DIFFERS;
}

static void run_batch(const char *library, const struct functions *all, size_t end)
{
	for (; progress->at < end; progress->at++) {
		const struct function *function = &all->rows[progress->at];
		struct result result;

		if (progress->at % options.every != options.first ||
		    (options.function && fnmatch(options.function, function->name, 0)))
			continue;
		stay_on_cpu(true);
		result = examine(function);
		stay_on_cpu(false);
		print(library, function, &result);
	}
	if (options.missed)
		print_missed();
	fflush(stdout);
	_exit(0);
}

/*
 * Clones of a batch are made by a process of their own, so that none grows too large to be forked
 * quickly.
 */
static void run_library(const char *library)
{
	static const struct result dead = { .verdict = DIFFERS, .text = { "cloning died" } };
	struct functions all;
	const char *why;

	if (!functions_of(library, &all, &why)) {
		fprintf(stderr, "differ: %s: %s\n", library, why);
		_exit(1);
	}
	for (progress->at = 0; progress->at < all.nr;) {
		size_t end = progress->at + BATCH * options.every;
		int status = 0;
		pid_t child;

		end = end < all.nr ? end : all.nr;
		child = fork();
		if (child == 0)
			run_batch(library, &all, end);
		if (child < 0 || waitpid(child, &status, 0) != child)
			_exit(1);
		if (progress->at < end)
			print(library, &all.rows[progress->at++], &dead);
	}
	_exit(progress->differs);
}

static bool read_options(int argc, char **argv)
{
	int option;

	while ((option = getopt(argc, argv, "e:f:mo:s:")) != -1) {
		if (option == 'f')
			options.function = optarg;
		else if (option == 'm')
			options.missed = true;
		else if (option == 's')
			options.seed = strtoull(optarg, NULL, 0);
		else if (option == 'e' && atoi(optarg) > 0)
			options.every = (size_t)atoi(optarg);
		else if (option == 'o' && atoi(optarg) >= 0)
			options.first = (size_t)atoi(optarg);
		else
			return false;
	}
	return optind < argc && options.first < options.every;
}

static bool begin(void)
{
	void *shared = mmap(NULL, sizeof(*progress), PROT_READ | PROT_WRITE,
			    MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	progress = shared == MAP_FAILED ? NULL : shared;
	steps_prepare();
	original = run_new(), stepped = run_new(), cloned = run_new();
	return progress && original && stepped && cloned && prepare_map();
}

int main(int argc, char **argv)
{
	int failed = 0;

	if (!read_options(argc, argv) || clone_unsupported() || !begin()) {
		fprintf(stderr, "differ: %s\n",
			clone_unsupported()
				? clone_unsupported()
				: "usage: differ [-m] [-f FUNCTION] [-s SEED] [-e NR [-o FIRST]] LIBRARY...");
		return 2;
	}
	for (int i = optind; i < argc; i++) {
		int status = 0;
		pid_t child = fork();

		if (child == 0)
			run_library(argv[i]);
		failed |= child < 0 || waitpid(child, &status, 0) != child || status;
	}
	return failed;
}
