/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
/*
 * witness [-f FUNCTION] [-e NR [-o FIRST]] [-r RUNS] LIBRARY…: what clones record against what
 * valgrind's lackey lists for the originals, instruction by instruction, for every function of the
 * libraries, or those whose names match, or every NRth from number FIRST (0) on; each with as many
 * made up arguments as RUNS (1) says, where it accesses something. A line a function, separated by
 * tabs:
 *
 *     verdict  hash of the code  library  function  accesses compared  bytes  what is different, or
 *                                                                             why
 *
 * verdict  witnessed
 *          left     not compared, as no run of it returned or accessed anything, or it is not the
 *                   same code that runs in both
 *          refused, differs
 *
 * What valgrind lists otherwise than the CPU does it stands in unlike.h. Exit status 1: something
 * differs; 2: cannot be run.
 */
#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "analysis/trace/expand.h"
#include "analysis/trace/stretch_rows.h"
#include "tests/differential/followed.h"
#include "tests/differential/lackey.h"
#include "tests/differential/run.h"
#include "tests/differential/unlike.h"

enum { SEEDS = 16, MOST_ACCESSES = 200000, PROBES = CLONE_ACCESSES | CLONE_STACK };
enum verdict { WITNESSED, LEFT, REFUSED, DIFFERS };
static const char *const verdicts[] = { "witnessed", "left", "refused", "differs" };

static struct {
	const char *function;
	size_t every, first;
	unsigned int runs;
} options = { .every = 1, .runs = 1 };

/* In memory that children share. */
struct recorded {
	struct count count;
	struct places places;
};
static struct recorded *recorded;
static struct outcome *original, *cloned;
static struct places listed;

struct result {
	enum verdict verdict;
	uint64_t accesses, bytes;
	char text[200];
};

static void say(struct result *result, enum verdict verdict, const char *text)
{
	if (verdict >= result->verdict) {
		result->verdict = verdict;
		snprintf(result->text, sizeof(result->text), "%s", text);
	}
}

/* -- natively */

static void add_access(const struct record_site *site, const struct record_access *access)
{
	uint64_t step = site->access == CODE_ACCESS_REPEATED ? site->size : access->bytes;

	for (uint64_t at = 0; at < access->bytes || !at; at += step ? step : 1) {
		uintptr_t address = access->address + at;

		if (access->read)
			places_add(&recorded->places, site->address, address, step, false,
				   lackey_has(address));
		if (access->write)
			places_add(&recorded->places, site->address, address, step, true,
				   lackey_has(address));
	}
}

static void add_stretch(void *ctx, const struct record_stretch *stretch, const uint64_t *words)
{
	struct record_access accesses[64];

	(void)ctx;
	for (uint32_t i = 0; i < stretch->nr_sites; i++) {
		const struct record_site *site = record_site(stretch->first_site + i);
		size_t nr = record_expand(site, words, accesses, 64);

		for (size_t j = 0; j < nr; j++)
			add_access(site, &accesses[j]);
	}
}

/* A record_consume. */
static void add_stream(void *ctx, const uint64_t *words, size_t nr)
{
	count_stream(ctx, words, nr);
	if (!recorded->count.broken && recorded->count.nr <= MOST_ACCESSES)
		record_each(words, nr, add_stretch, NULL);
}

/* Why the clone's run says nothing; NULL: it does. */
static const char *run_natively(const struct function *function, const struct clone *clone,
				uint64_t seed)
{
	struct subject subject = {
		.function = function, .clone = clone, .consume = add_stream, .ctx = &recorded->count
	};

	run_once(&subject, seed, RUN_ORIGINAL, original);
	if (original->end != RUN_RETURNED)
		return "does not return";
	recorded->count = (struct count){ 0 };
	places_clear(&recorded->places);
	run_once(&subject, seed, RUN_CLONE, cloned);
	if (cloned->end != RUN_RETURNED)
		return "its clone does not return";
	if (recorded->count.events[RECORD_LEFT])
		return "control leaves the clone";
	if (recorded->count.nr > MOST_ACCESSES)
		return "accesses more than are compared";
	return recorded->count.nr ? NULL : "accesses nothing";
}

/* -- compared */

static void say_place(struct result *result, const struct place *have, const struct place *want)
{
	char text[200];

	snprintf(
		text, sizeof(text),
		"%s: read %lu times %lu bytes (%lx), not %lu %lu (%lx); wrote %lu times %lu bytes (%lx), not %lu %lu (%lx)",
		unlike_name(have->at ? have->at : want->at), (long)have->read.accesses,
		(long)have->read.nr, (long)have->read.addresses, (long)want->read.accesses,
		(long)want->read.nr, (long)want->read.addresses, (long)have->written.accesses,
		(long)have->written.nr, (long)have->written.addresses, (long)want->written.accesses,
		(long)want->written.nr, (long)want->written.addresses);
	say(result, DIFFERS, text);
}

/*
 * Every instruction of one table that is in the other or not. False: it is different, which has
 * been said.
 */
static bool compare_rows(struct result *result, const struct places *from)
{
	for (size_t i = 0; i < PLACES; i++) {
		struct place have = places_of(&recorded->places, from->rows[i].at),
			     want = places_of(&listed, from->rows[i].at);

		if (from->rows[i].at && !unlike_same(from->rows[i].at, have, want)) {
			say_place(result, &have, &want);
			return false;
		}
	}
	return true;
}

/* What is no fault of the recorder's, if something differs. */
static const char *why_not_alike(const struct lackey *lackey)
{
	if (lackey->x87)
		return "computes with 80 bits, of which valgrind has 64";
	return lackey->other_result ? "computes something else under valgrind" : NULL;
}

static const char *why_not_compared(const struct lackey *lackey)
{
	if (!lackey->returned)
		return "does not return under valgrind";
	if (lackey->system_call)
		return "asks the system";
	if (lackey->called_back)
		return "is reached from what is not cloned";
	return recorded->places.full || listed.full ? "has more instructions than are compared"
						    : NULL;
}

static void compare(struct result *result, const struct lackey *lackey)
{
	struct result found = { .verdict = WITNESSED };
	const char *why = why_not_compared(lackey);

	if (!why && (!compare_rows(&found, &recorded->places) || !compare_rows(&found, &listed)))
		why = why_not_alike(lackey);
	if (why) {
		say(result, LEFT, why);
		return;
	}
	say(result, found.verdict, found.text);
	result->accesses += recorded->count.nr;
	result->bytes += recorded->count.bytes;
}

static bool examine(const struct function *function, struct result *result)
{
	const struct clone *clone = followed_clone(function->start, PROBES);
	struct lackey lackey = { .places = &listed };
	const char *why = "does not return";
	unsigned int runs = 0;

	if (!clone) {
		say(result, REFUSED, followed_why_refused(function->start));
		return true;
	}
	for (uint64_t seed = 1; seed <= SEEDS && runs < options.runs; seed++) {
		why = run_natively(function, clone, seed);
		if (why)
			continue;
		runs++;
		lackey = (struct lackey){ .places = &listed };
		places_clear(&listed);
		if (!lackey_call(function, original->registers[ENTER_RAX], original->memory,
				 &lackey))
			return false;
		compare(result, &lackey);
	}
	if (!runs)
		say(result, LEFT, why);
	return true;
}

static bool print(const char *library, const struct function *function)
{
	struct result result = { .verdict = WITNESSED };
	bool is_done = examine(function, &result);

	if (!is_done)
		fprintf(stderr, "witness: valgrind ended in %s of %s\n", function->name, library);
	else
		printf("%s\t%016lx\t%s\t%s\t%lu\t%lu\t%s\n", verdicts[result.verdict],
		       (long)function->hash, library, function->name, (long)result.accesses,
		       (long)result.bytes, result.text);
	return is_done && result.verdict != DIFFERS;
}

/* Returns false: something differs. */
static bool witness_library(const char *library)
{
	struct functions all;
	const char *why;
	bool same = true;

	if (!functions_of(library, &all, &why)) {
		fprintf(stderr, "witness: %s: %s\n", library, why);
		return false;
	}
	for (size_t i = 0; i < all.nr; i++) /* which call each other by pointers */
		followed_clone(all.rows[i].start, PROBES);
	for (size_t i = options.first; i < all.nr; i += options.every)
		if (!options.function || !fnmatch(options.function, all.rows[i].name, 0))
			same &= print(library, &all.rows[i]);
	return same;
}

static bool read_options(int argc, char **argv)
{
	int option;

	while ((option = getopt(argc, argv, "e:f:o:r:")) != -1) {
		if (option == 'f')
			options.function = optarg;
		else if (option == 'e' && atoi(optarg) > 0)
			options.every = (size_t)atoi(optarg);
		else if (option == 'o' && atoi(optarg) >= 0)
			options.first = (size_t)atoi(optarg);
		else if (option == 'r' && atoi(optarg) > 0)
			options.runs = (unsigned int)atoi(optarg);
		else
			return false;
	}
	return optind < argc && options.first < options.every;
}

static const char *begin(char **libraries)
{
	void *shared = mmap(NULL, sizeof(*recorded), PROT_READ | PROT_WRITE,
			    MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	struct functions all;
	const char *why;

	recorded = shared == MAP_FAILED ? NULL : shared;
	steps_prepare();
	original = run_new(), cloned = run_new();
	if (!recorded || !original || !cloned || !prepare_map())
		return "no memory";
	for (char **library = libraries; *library; library++)
		if (!functions_of(*library, &all, &why))
			return why;
	return lackey_begin(libraries);
}

int main(int argc, char **argv)
{
	bool same = true;
	const char *why =
		!read_options(argc, argv)
			? "usage: witness [-f FUNCTION] [-e NR [-o FIRST]] [-r RUNS] LIBRARY..."
			: clone_unsupported();

	why = why ? why : begin(argv + optind);
	if (why) {
		fprintf(stderr, "witness: %s\n", why);
		return 2;
	}
	for (int i = optind; i < argc; i++)
		same &= witness_library(argv[i]);
	return !same;
}
