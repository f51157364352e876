/* SPDX-License-Identifier: Apache-2.0 */
/*
 * In the place of copier.c: the functions' clones, with all probes. Preloaded with CLONER_REGIONS set it lets the
 * OpenMP runtime run clones of all functions it is handed, and what these call. At the end it tells how much was recorded.
 */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "ompt_tool/clones/clone.h"
#include "ompt_tool/clones/word_buffer.h"
#include "ompt_tool/clones/switching.h"
#include "throws.h"

#define BUFFER (64 << 10)
#define ALL (CLONE_ACCESSES | CLONE_FUNCTION | CLONE_LOOPS | CLONE_STACK)

static unsigned long recorded;           /* words, by the initial thread */
static unsigned long made;
static unsigned long refused;

static void count(void *ctx, const uint64_t *words, size_t nr)
{
	(void)ctx;
	(void)words;
	recorded += nr;
}

static const char *refusal(void)
{
	const struct clone_refusal *refusals;
	size_t nr = clone_refusals(&refusals);

	return nr ? refusals[nr - 1].why : "no reason given";
}

copier copy_functions __attribute__((visibility("default")));

const char *copy_functions(void *const *functions, unsigned long nr, void **copies)
{
	static const struct clone_options options = { .probes = ALL, .depth = 1 };

	if (!made && !record_thread_begin(BUFFER, count, NULL))
		return "no memory for records";
	for (unsigned long i = 0; i < nr; i++) {
		const struct clone *clone = clone_make((uintptr_t)functions[i], &options);

		if (!clone)
			return refusal();
		copies[i] = (void *)clone->code;
		made++;
	}
	return NULL;
}

/* Clones are made by the initial thread only; others find them. */
static uintptr_t translate(uintptr_t function, enum switching_use use)
{
	static const struct clone_options options = { .probes = ALL, .depth = 2, .runtime_calls_it = true };
	uintptr_t code = clone_of(function);

	(void)use;
	if (!code && gettid() == getpid()) {
		const struct clone *clone = clone_make(function, &options);

		code = clone ? clone->code : 0;
		made += clone != NULL;
		refused += clone == NULL;
		if (!clone)
			fprintf(stderr, "refused: %s\n", refusal());
	}
	return code ? code : function;
}

__attribute__((constructor)) static void begin(void)
{
	struct switching_status status;

	if (!getenv("CLONER_REGIONS"))
		return;
	if (!record_thread_begin(BUFFER, count, NULL) || !switching_redirect(translate, &status))
		fprintf(stderr, "nothing is handed over\n");
}

__attribute__((destructor)) static void end(void)
{
	record_flush();
	fprintf(stderr, "%lu clones made, %lu refused, %lu words recorded\n", made, refused, recorded);
}
