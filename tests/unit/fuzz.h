/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_TESTS_UNIT_FUZZ_H
#define MEMSEARCH_TESTS_UNIT_FUZZ_H

/*
 * Loops of fuzz tests: each input is made from its number alone, has 10 seconds of CPU time (a
 * minute in all, as others may be at work), and is named when it crashes or hangs.
 *     FUZZ=20000    the number of inputs instead of the sample of `make test` (bench/fuzz.sh)
 *     FUZZ_STORES=2000  the same of stores, which take longer
 *     FUZZ_FROM=15000   from this one on, so that several processes share them
 *     FUZZ_ONLY=17  this one only
 * A test writes: FUZZ_EACH(200) { … pick(…) … }
 */
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <unistd.h>

#include "tests/unit/pick.h"
#include "tests/unit/test.h"

#define FUZZ_SECONDS 10
#define FUZZ_SECONDS_IN_ALL 60

static unsigned long fuzz_number, fuzz_inputs; /* of this input; how many there were */
static int fuzz_out = -1;                      /* stdout, whatever the commands' own is */

/* Sanitizers have it. */
extern void __sanitizer_set_death_callback(void (*callback)(void)) __attribute__((weak));
extern void __sanitizer_set_report_fd(void *fd) __attribute__((weak));

static void fuzz_name_input(void)
{
	char line[80];
	int nr = snprintf(line, sizeof(line), "input FUZZ_ONLY=%lu\n", fuzz_number);

	if (write(fuzz_out, line, (size_t)nr) < 0)
		return;
}

static void fuzz_died(int number)
{
	fuzz_name_input();
	signal(number, SIG_DFL);
	raise(number);
}

static inline unsigned long fuzz_number_of(const char *name, unsigned long otherwise)
{
	const char *value = getenv(name);

	return value ? strtoul(value, NULL, 10) : otherwise;
}

/* Quiets stdout and stderr, which commands write to; sanitizers keep their own. */
static inline void fuzz_quiet(void)
{
	fuzz_out = dup(STDOUT_FILENO);
	if (getenv("FUZZ_ONLY"))
		return;
	if (__sanitizer_set_report_fd)
		__sanitizer_set_report_fd((void *)(intptr_t)dup(STDERR_FILENO));
	CHECK(freopen("/dev/null", "w", stdout) && freopen("/dev/null", "w", stderr));
}

static inline unsigned long fuzz_first(void)
{
	if (fuzz_out < 0)
		fuzz_out = dup(STDOUT_FILENO);
	signal(SIGALRM, fuzz_died);
	signal(SIGPROF, fuzz_died);
	signal(SIGABRT, fuzz_died);
	if (!SANITIZED)
		signal(SIGSEGV, fuzz_died);
	if (__sanitizer_set_death_callback)
		__sanitizer_set_death_callback(fuzz_name_input);
	return fuzz_number_of("FUZZ_ONLY", fuzz_number_of("FUZZ_FROM", 0));
}

/* Arms the alarm and the random numbers of input `number`; false: that was the last one. */
static inline int fuzz_next(unsigned long number, unsigned long sample, const char *variable)
{
	unsigned long end = getenv("FUZZ_ONLY") ? fuzz_number_of("FUZZ_ONLY", 0) + 1
						: fuzz_number_of(variable, sample);

	fuzz_number = number;
	fuzz_inputs += number < end;
	pick_state = (number + 1) * 0x9e3779b97f4a7c15u;
	for (int i = 0; i < 4; i++)
		pick(2);
	setitimer(ITIMER_PROF,
		  &(struct itimerval){ .it_value.tv_sec = number < end ? FUZZ_SECONDS : 0 }, NULL);
	alarm(FUZZ_SECONDS_IN_ALL);
	if (number >= end)
		dup2(fuzz_out, STDOUT_FILENO); /* what fails from now on is seen */
	return number < end;
}

#define FUZZ_EACH_OF(sample, variable) \
	for (unsigned long fuzz_at = fuzz_first(); fuzz_next(fuzz_at, (sample), (variable)); \
	     fuzz_at++)
#define FUZZ_EACH(sample) FUZZ_EACH_OF(sample, "FUZZ")

/* In its end a test tells how many there were. */
static inline void fuzz_tell(const char *what)
{
	char line[120];
	int nr = snprintf(line, sizeof(line), "%lu %s\n", fuzz_inputs, what);

	if (write(fuzz_out, line, (size_t)nr) < 0)
		return;
}

#endif
