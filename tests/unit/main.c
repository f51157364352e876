/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Runs the tests of one unit test program, each in its own fork: "ok", "FAIL", "skip", one line
 * each.
 */
#include "tests/unit/test.h"

#include <stdarg.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#define SKIPPED 77
#define SECONDS_EACH 120

extern const struct test __start_unit_tests[], __stop_unit_tests[];

long test_resident_kib(void)
{
	FILE *file = fopen("/proc/self/statm", "r");
	long pages = 0;

	CHECK(file && fscanf(file, "%*d %ld", &pages) == 1);
	fclose(file);
	return pages * sysconf(_SC_PAGESIZE) / 1024;
}

void test_fail(const char *file, int line, const char *format, ...)
{
	va_list args;

	printf("%s:%d: ", file, line);
	va_start(args, format);
	vprintf(format, args);
	va_end(args);
	printf("\n");
	fflush(stdout);
	_exit(1);
}

void test_skip(const char *format, ...)
{
	va_list args;

	printf("reason: ");
	va_start(args, format);
	vprintf(format, args);
	va_end(args);
	printf("\n");
	fflush(stdout);
	_exit(SKIPPED);
}

static struct at_end {
	void (*release)(void *);
	void *of;
	struct at_end *before;
} *last_at_end;

void test_at_end(void (*release)(void *), void *of)
{
	struct at_end *added = malloc(sizeof(*added));

	CHECK(added != NULL);
	*added = (struct at_end){ release, of, last_at_end };
	last_at_end = added;
}

static void release_all(void)
{
	while (last_at_end) {
		struct at_end *last = last_at_end;

		last_at_end = last->before;
		last->release(last->of);
		free(last);
	}
}

static int run_one(const struct test *test)
{
	int status = 0;
	pid_t child;

	fflush(stdout);
	child = fork();
	if (child < 0)
		return 1;
	if (child == 0) {
		alarm(SECONDS_EACH);
		test->run();
		release_all();
		fflush(stdout);
		exit(0); /* through exit handlers, so that sanitizers can report */
	}
	if (waitpid(child, &status, 0) < 0)
		return 1;
	if (WIFEXITED(status))
		return WEXITSTATUS(status);
	printf("died of signal %d\n", WTERMSIG(status));
	return 1;
}

int main(int argc, char **argv)
{
	int failed = 0;

	for (const struct test *test = __start_unit_tests; test < __stop_unit_tests; test++) {
		int result;

		if (argc > 1 && !strstr(test->name, argv[1]))
			continue;
		result = run_one(test);
		printf("%s %s\n",
		       result == 0         ? "ok  "
		       : result == SKIPPED ? "skip"
					   : "FAIL",
		       test->name);
		failed |= result != 0 && result != SKIPPED;
	}
	return failed;
}
