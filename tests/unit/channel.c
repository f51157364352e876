/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The files between `memsearch run` and the tool: what a value of the variable leads to, and what
 * it cannot lead to.
 */
#define _GNU_SOURCE
#include "analysis/base/channel.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/unit/test.h"

static void name(const struct channel *channel)
{
	char text[CHANNEL_TEXT_BYTES];

	channel_text(channel, text);
	setenv(CHANNEL_VARIABLE, text, 1);
}

TEST(channel__carries_lines)
{
	struct channel channel;
	char got[8] = "";
	int fd;

	CHECK(channel_make(&channel, true));
	name(&channel);
	for (int i = 0; i < 2; i++) {
		CHECK_THAT((fd = channel_open(CHANNEL_ATTACHED)), >=, 0);
		CHECK(channel_append(fd, "one", 3));
		close(fd);
	}
	CHECK_INT(pread(channel.files[CHANNEL_ATTACHED], got, sizeof(got), 0), 6);
	CHECK_STR(got, "oneone");
	CHECK_INT(pread(channel.files[CHANNEL_STATE], got, sizeof(got), 0), 0);
	channel_close(&channel);
	CHECK_INT(channel_open(CHANNEL_ATTACHED), -1);
}

TEST(channel__has_no_state_where_none_is_wanted)
{
	struct channel channel;

	unsetenv(CHANNEL_VARIABLE);
	CHECK(!channel_is_named() && channel_open(CHANNEL_STATE) < 0 && errno == ENOENT);
	CHECK(channel_make(&channel, false));
	name(&channel);
	CHECK(channel_is_named());
	CHECK(channel_open(CHANNEL_STATE) < 0 && errno == ENOENT);
	CHECK_THAT((close(channel_open(CHANNEL_ATTACHED))), ==, 0);
}

/* Files with names, and files in memory of others, stay as they are, whatever the variable says. */
TEST(channel__leads_to_no_other_file)
{
	char path[] = "/tmp/memsearch-channel-XXXXXX";
	struct channel channel, wrong;
	int named = mkstemp(path), foreign = memfd_create("memsearch run", 0), removed;

	CHECK(named >= 0 && foreign >= 0 && channel_make(&channel, true));
	for (int i = 0; i < 2; i++) {
		wrong = channel;
		wrong.files[CHANNEL_ATTACHED] = i ? named : foreign;
		name(&wrong);
		CHECK(channel_open(CHANNEL_ATTACHED) < 0 && errno == ESTALE);
	}
	wrong = channel;
	wrong.token[0] = wrong.token[0] == '0' ? '1' : '0';
	name(&wrong);
	CHECK_INT(channel_open(CHANNEL_ATTACHED), -1);
	removed = dup(named);
	unlink(path);
	wrong = channel;
	wrong.files[CHANNEL_ATTACHED] = removed;
	name(&wrong);
	CHECK_INT(channel_open(CHANNEL_ATTACHED), -1);
}

TEST(channel__texts_are_read_to_the_letter)
{
	static const char token[] = "0123456789abcdef0123456789abcdef";
	static const struct {
		const char *start, *end;
	} rows[] = {
		{ "", "" },
		{ "1.2.3.", "0" },
		{ "1.2.3.", " " },
		{ "0.2.3.", "" },
		{ "-1.2.3.", "" },
		{ "1.2.3./", "" },
		{ " 1.2.3.", "" },
		{ "01.2.3.", "" },
		{ "1.2.", "" },
		{ "/tmp/x.2.3.", "" },
		{ "99999999999.2.3.", "" },
		{ "1.2.3.ABC", "" },
	};
	struct channel channel;
	char text[128];

	snprintf(text, sizeof(text), "1.2.3.%s", token);
	CHECK(channel_parse(text, &channel));
	CHECK_INT(channel.files[CHANNEL_STATE], 3);
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		snprintf(text, sizeof(text), "%s%s%s", rows[i].start, token, rows[i].end);
		if (channel_parse(text, &channel))
			test_fail(__FILE__, __LINE__, "'%s' is taken", text);
	}
}

/* Beyond the program's limit the kernel would end it. */
TEST(channel__keeps_to_the_limit_of_file_size)
{
	struct rlimit limit, low;
	struct channel channel;

	CHECK(channel_make(&channel, false) && getrlimit(RLIMIT_FSIZE, &limit) == 0);
	low = (struct rlimit){ 4, limit.rlim_max };
	CHECK_INT(setrlimit(RLIMIT_FSIZE, &low), 0);
	CHECK(channel_append(channel.files[CHANNEL_ATTACHED], "four", 4));
	CHECK(!channel_append(channel.files[CHANNEL_ATTACHED], "x", 1) && errno == EFBIG);
	CHECK_INT(setrlimit(RLIMIT_FSIZE, &limit), 0);
}
