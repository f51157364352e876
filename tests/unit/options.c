/* SPDX-License-Identifier: Apache-2.0 */
/* Options: defaults, parsing, warnings about variables that mean nothing. */
#include "analysis/options/options.h"
#include "tests/unit/test.h"

#include <fcntl.h>
#include <unistd.h>

/* stderr of `options_from_environment` with one variable. */
static const char *warning(struct options *options, char *variable)
{
	static char text[1000];
	char *environment[] = { "PATH=/bin", variable, NULL };
	int pipe_fds[2], saved = dup(2);
	ssize_t length;

	CHECK_THAT(pipe(pipe_fds), ==, 0);
	dup2(pipe_fds[1], 2);
	options_from_environment(options, environment);
	dup2(saved, 2);
	close(pipe_fds[1]);
	length = read(pipe_fds[0], text, sizeof(text) - 1);
	text[length > 0 ? length : 0] = '\0';
	close(pipe_fds[0]);
	return text;
}

TEST(options__defaults)
{
	struct options options;

	CHECK_STR(warning(&options, "HOME=/"), "");
	CHECK_STR(options.strategy, "property_refine");
	CHECK_STR(options.measure, "search");
	CHECK_NEAR(options.overhead, 0.05, 1e-12);
	CHECK_NEAR(options.sampling_rate, 1000, 0);
	CHECK(!options.quiet && !options.debug);
}

TEST(options__values)
{
	struct options options;
	char error[160] = "";

	warning(&options, "HOME=/");
	static const struct {
		int line;
		const char *name, *value;
		bool good;
	} rows[] = {
		{ __LINE__, "overhead", "2%", true },
		{ __LINE__, "overhead", "10000%", true },
		{ __LINE__, "overhead", "0.5", true },
		{ __LINE__, "overhead", "5", false },
		{ __LINE__, "overhead", "-1%", false },
		{ __LINE__, "overhead", "", false },
		{ __LINE__, "overhead", "1%x", false },
		{ __LINE__, "overhead", "nan", false },
		{ __LINE__, "overhead", "1.01", false },
		{ __LINE__, "deep-threshold", "40%", true },
		{ __LINE__, "deep-threshold", "1", true },
		{ __LINE__, "deep-threshold", "0", false },
		{ __LINE__, "deep-threshold", "101%", false },
		{ __LINE__, "overhead", "10001%", false },
		{ __LINE__, "quiet", "1", true },
		{ __LINE__, "quiet", "yes", true },
		{ __LINE__, "quiet", "maybe", false },
		{ __LINE__, "quiet", "", false },
		{ __LINE__, "jobs", "0", true },
		{ __LINE__, "jobs", "16", true },
		{ __LINE__, "jobs", "-1", false },
		{ __LINE__, "jobs", "1.5", false },
		{ __LINE__, "jobs", "5000", false },
		{ __LINE__, "restarts", "3", true },
		{ __LINE__, "restarts", "three", false },
		{ __LINE__, "restarts", "inf", false },
		{ __LINE__, "restarts", "3 ", false },
		{ __LINE__, "sampling-rate", "4000", true },
		{ __LINE__, "sampling-rate", "4001", false },
		{ __LINE__, "sampling-rate", "0", false },
		{ __LINE__, "measure", "all", true },
		{ __LINE__, "counters", "papi", true },
		{ __LINE__, "counters", "none", true },
		{ __LINE__, "counters", "pap", false },
		{ __LINE__, "counters", "auto, perf", false },
		{ __LINE__, "counters", "", false },
		{ __LINE__, "event", "", true },
		{ __LINE__, "event", "perf::PAGE-FAULTS,skx::L1D:REPLACEMENT", true },
		{ __LINE__, "event", "a,,b", false },
		{ __LINE__, "event", "a,", false },
		{ __LINE__, "event", "a b", false },
		{ __LINE__, "event", "1,2,3,4,5,6,7,8", true },
		{ __LINE__, "event", "1,2,3,4,5,6,7,8,9", false },
		{ __LINE__, "follow", "libblas,liblapack.so.3", true },
		{ __LINE__, "follow", "", true },
		{ __LINE__, "follow", "libm", true },
		{ __LINE__, "follow", "libc", false },
		{ __LINE__, "follow", "libblas,libc.so.6", false },
		{ __LINE__, "follow", "libomp", false },
		{ __LINE__, "follow", "libgomp.so.1", false },
		{ __LINE__, "follow", "ld-linux-x86-64.so.2", false },
		{ __LINE__, "follow", "libblas,,libm", false },
		{ __LINE__, "measure", "everything", false },
		{ __LINE__, "nonsense", "1", false },
	};
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct options before = options;
		bool good;

		error[0] = '\0';
		good = options_set(&options, rows[i].name, rows[i].value, error);
		if (good != rows[i].good)
			test_fail(__FILE__, rows[i].line, "%s=%s", rows[i].name, rows[i].value);
		if (!good && (!error[0] || memcmp(&before, &options, sizeof(options))))
			test_fail(__FILE__, rows[i].line, "%s=%s: no reason, or changed",
				  rows[i].name, rows[i].value);
	}
	CHECK_NEAR(options.overhead, 0.5, 0);
	CHECK(options.quiet);
}

TEST(options__when_an_agent_may_attach)
{
	struct options options = { 0 };
	char error[160];

	CHECK(options_set(&options, "agent", "wait", error));
	CHECK_STR(options.agent, "wait");
	CHECK(!options_set(&options, "agent", "yes", error));
	CHECK_HAS(error, "no, allow, wait");
	CHECK_STR(options.agent, "wait");
	CHECK(options_set(&options, "agent-wait", "10", error));
	CHECK_NEAR(options.agent_wait, 10, 0);
	CHECK(!options_set(&options, "agent-wait", "-1", error));
	CHECK(!options_set(&options, "agent-wait", "nan", error));
	CHECK_STR(options_default("agent"), "no");
}

TEST(options__environment)
{
	struct options options;
	char variable[] = "MEMSEARCH_OUTPUT=a=b.ms";

	CHECK_STR(warning(&options, variable), "");
	memset(strchr(variable, '='), 'x', 5);
	/* a copy: the program may change its environment */
	CHECK_STR(options.output, "a=b.ms");
	CHECK_STR(warning(&options, "MEMSEARCH_SAMPLING_RATE=50"), "");
	CHECK_NEAR(options.sampling_rate, 50, 0);
	CHECK_STR(warning(&options, "MEMSEARCH__PRIVATE=1"), "");
}

TEST(options__unknown_variable_names_the_nearest)
{
	struct options options;

	CHECK_STR(
		warning(&options, "MEMSEARCH_OVERHAED=5%"),
		"memsearch: unknown variable MEMSEARCH_OVERHAED is ignored (did you mean MEMSEARCH_OVERHEAD?)\n");
	CHECK_STR(
		warning(&options, "MEMSEARCH_ZZZZZZZZZZZZZZZZZZZZZZZZ=1"),
		"memsearch: unknown variable MEMSEARCH_ZZZZZZZZZZZZZZZZZZZZZZZZ is ignored (see `memsearch help run`)\n");
	CHECK_STR(
		warning(&options, "MEMSEARCH_QUIET=perhaps"),
		"memsearch: MEMSEARCH_QUIET is ignored: 'perhaps' is neither yes nor no: write 1 or 0\n");
	CHECK(!options.quiet);
}

TEST(options__rows_are_complete)
{
	CHECK_THAT(nr_option_rows, >=, 10);
	for (unsigned int i = 0; i < nr_option_rows; i++) {
		CHECK(option_rows[i].name[0] && option_rows[i].help[0]);
		CHECK_THAT(option_rows[i].flag, ==, !option_rows[i].metavariable[0]);
	}
}
