/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Small files with checksums: restart states and calibrations, changed word by word, with right
 * checksums. See tests/unit/fuzz.h.
 */
#include "analysis/search/state_text.h"

#include <fcntl.h>
#include <inttypes.h>
#include <sys/stat.h>
#include <unistd.h>

#include "analysis/bandwidth/bandwidth.h"
#include "analysis/base/channel.h"
#include "analysis/base/hash.h"
#include "analysis/record/run.h"
#include "analysis/search/carry.h"
#include "analysis/search/outcome.h"
#include "ompt_tool/session/restart.h"
#include "tests/host/scratch.h"
#include "tests/unit/fuzz.h"
#include "tests/unit/search.h"

#define TEXT_MOST 20000

static struct search_test half_way(void)
{
	struct search_test test = search_test(
		WAITS("Waiting", "KINDS USER_REGION, PARALLEL_REGION, DO_REGION;", "share > 10 %")
			WAITS("More", "KINDS DO_REGION; REFINES Waiting;", "share > 15 %"));

	test.waits[0] = test.waits[1] = test.waits[2] = 0.2;
	region(test.db, 1, 0, MS_PARALLEL_REGION);
	region(test.db, 2, 1, MS_DO_REGION);
	region(test.db, 3, 0, MS_PARALLEL_REGION);
	search_begin(&test);
	return test;
}

static const char *any_word(void)
{
	static const char *const words[] = {
		"0",
		"1",
		"2",
		"-1",
		"4294967295",
		"4294967296",
		"18446744073709551615",
		"ffffffffffffffff",
		"7ff0000000000000",
		"fff0000000000000",
		"7ff8000000000001",
		"bff0000000000000",
		"7fefffffffffffff",
		"1",
		"41cdcd6500000000",
		"Waiting",
		"More",
		"x\033[2J",
		"node",
		"row",
		"run",
		"evidence",
		"",
		" ",
		"\n",
		"%s%n",
		"99999999999999999999999999",
		"3e9",
		"3eb",
	};

	return words[pick(sizeof(words) / sizeof(words[0]))];
}

/* Some words of `text` become others, some lines go or come twice. */
static void change_words(const char *text, char *out)
{
	size_t length = 0;

	while (*text && length < TEXT_MOST - 200) {
		size_t nr = strcspn(text, " \n,");
		bool changed = pick(80) == 0;

		length += (size_t)snprintf(out + length, 200, "%.*s%c",
					   changed ? 150 : (int)(nr < 150 ? nr : 150),
					   changed ? any_word() : text, text[nr] ? text[nr] : '\n');
		text += nr + (text[nr] != '\0');
		if (pick(300) == 0) {
			const char *line = strchr(text, '\n');

			text = line ? line + 1 : text;
		}
	}
	out[length] = 0;
}

/* Counts and sums the lines before the last one anew. */
static void mend_state(char *text)
{
	char *end = strstr(text, "\nend ");
	uint64_t lines = 0;

	if (!end)
		return;
	*++end = 0;
	for (const char *at = text; *at; at++)
		lines += *at == '\n';
	sprintf(end, "end %" PRIu64 " %" PRIx64 "\n", lines - 1,
		hash_bytes(HASH_START, text, (size_t)(end - text)));
}

static char *saved_search(void)
{
	struct search_test test = half_way();

	for (int i = 0; i < 12; i++)
		search_execute(&test);
	return engine_save(test.engine, test.arena);
}

static char *saved_runs(void)
{
	static const struct ms_metric_set timed = { { 1ull << MS_METRIC_TIME |
						      1ull << MS_METRIC_BARRIER_WAIT } };
	struct search_test test = half_way();
	struct carry *carry = carry_new(test.arena);

	for (int run = 0; run < 4; run++) {
		CHECK_INT(carry_run(carry, 1e9 + run, &timed, 8), MS_OK);
		for (uint32_t id = 0; id < 4; id++) {
			struct ms_measurement measurement = {
				.region = id,
				.metric = id & 1 ? MS_METRIC_TIME : MS_METRIC_BARRIER_WAIT,
				.thread = id % 2
			};

			ms_stat_add(&measurement.stat, 1e8 * run);
			CHECK_INT(carry_row(carry, test.db, &measurement), MS_OK);
		}
	}
	return carry_save(carry, test.arena);
}

/* Verdicts are sane, whatever was carried. */
static void check_nodes(const struct engine *engine)
{
	for (uint32_t id = 0; id < engine_nodes(engine); id++) {
		const struct ms_verdict *verdict = &engine_node(engine, id)->verdict;

		if (engine_node(engine, id)->state == MS_NODE_TRUE &&
		    !(verdict->severity >= 0 && verdict->severity <= 1 &&
		      verdict->confidence >= 0 && verdict->confidence <= 1))
			abort();
	}
}

TEST(state_fuzz__restart_states)
{
	char *texts[2] = { saved_search(), saved_runs() };
	static char mutated[TEXT_MOST + 200];
	unsigned long loaded = 0;

	CHECK(texts[0] && texts[1]);
	fuzz_quiet();
	FUZZ_EACH(100)
	{
		struct search_test test = half_way();
		struct carry *carry = carry_new(test.arena);

		change_words(texts[pick(2)], mutated);
		if (pick(20))
			mend_state(mutated);
		if (carry_is(mutated)) {
			loaded += carry_load(carry, mutated) == MS_OK;
			carry_play(carry, test.db, test.engine);
			carry_save(carry, test.arena);
		} else {
			loaded += engine_load(test.engine, mutated) == MS_OK;
		}
		check_nodes(test.engine);
		for (int i = 0; i < 6; i++)
			search_execute(&test);
		engine_finish(test.engine);
		check_nodes(test.engine);
		engine_save(test.engine, test.arena);
		arena_free(test.arena);
	}
	CHECK(getenv("FUZZ_ONLY") || loaded > fuzz_inputs / 20);
	fuzz_tell("mutated restart states");
}

static void mend_check(char *text)
{
	char *end = strstr(text, "\ncheck ");

	if (end)
		sprintf(end + 1, "check %016" PRIx64 "\n",
			hash_bytes(HASH_START, text, (size_t)(end + 1 - text)));
}

TEST(state_fuzz__calibrations)
{
	static const struct bandwidth sample = { .single = 12345678901,
						 .all = 23456789012,
						 .single_spread = 0.0125,
						 .all_spread = 0.031,
						 .threads = 2,
						 .array_bytes = 134217728,
						 .caches = 34603008,
						 .measured = 1763622000 };
	static char mutated[TEXT_MOST + 200];
	struct arena *arena = arena_new();
	struct bandwidth_place place;
	unsigned long loaded = 0;
	uint8_t *text;
	size_t nr;

	CHECK_INT(setenv("XDG_CACHE_HOME", scratch_enter(), 1), 0);
	bandwidth_find(arena, NULL, &place);
	CHECK_INT(bandwidth_save(arena, &place, &sample), MS_OK);
	text = file_read(place.path, &nr);
	CHECK(text && (text = realloc(text, nr + 1)));
	text[nr] = 0;
	fuzz_quiet();
	FUZZ_EACH(300)
	{
		struct bandwidth bandwidth;
		FILE *file = fopen(place.path, "w");

		change_words((const char *)text, mutated);
		if (pick(10))
			mend_check(mutated);
		fputs(mutated, file);
		fclose(file);
		if (bandwidth_load(&place, &bandwidth) != MS_OK)
			continue;
		loaded++;
		if (!(bandwidth.single >= 1e6 && bandwidth.single <= 1e15 && bandwidth.all >= 1e6 &&
		      bandwidth.all <= 1e15 && bandwidth.threads && bandwidth.single_spread >= 0 &&
		      bandwidth.single_spread <= 1 && bandwidth.all_spread >= 0 &&
		      bandwidth.all_spread <= 1))
			abort();
	}
	CHECK(getenv("FUZZ_ONLY") || loaded > fuzz_inputs / 20);
	fuzz_tell("mutated calibrations");
	free(text);
}

/* Whoever sets the variable could hold the program up otherwise. */
TEST(state_fuzz__a_fifo_is_no_state)
{
	struct search_test test = half_way();
	char text[CHANNEL_TEXT_BYTES];
	int fd;

	scratch_enter();
	CHECK(mkfifo("fifo", 0600) == 0 && (fd = open("fifo", O_RDWR)) >= 0);
	snprintf(text, sizeof(text), "%d.%d.%d.%032d", (int)getpid(), fd, fd, 7);
	CHECK_INT(setenv(CHANNEL_VARIABLE, text, 1), 0);
	alarm(10);
	restart_load(test.engine, carry_new(test.arena), test.arena);
	CHECK_INT(engine_runs(test.engine), 0);
}
