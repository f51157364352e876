/* SPDX-License-Identifier: Apache-2.0 */
/* Files at once, what is none, and how names end. */
#include "analysis/base/whole_file.h"

#include <errno.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "analysis/base/arena.h"
#include "analysis/base/suffix.h"
#include "tests/unit/test.h"

#define TEXT "one\ntwo"

static const char *new_folder(void)
{
	static char folder[64];

	snprintf(folder, sizeof(folder), "/tmp/memsearch-whole-%d", getpid());
	CHECK_THAT(mkdir(folder, 0700), ==, 0);
	return folder;
}

static int error_of(const char *path, size_t most)
{
	size_t length;

	errno = 0;
	return whole_file_read(arena_new(), path, most, &length) ? 0 : errno;
}

TEST(whole_file__is_read)
{
	const char *folder = new_folder(), *text;
	char path[128];
	size_t length = 0;
	FILE *file;

	snprintf(path, sizeof(path), "%s/it", folder);
	file = fopen(path, "w");
	CHECK(file && fputs(TEXT, file) >= 0 && fclose(file) == 0);
	text = whole_file_read(arena_new(), path, strlen(TEXT), &length);
	CHECK_INT(length, strlen(TEXT));
	CHECK_STR(text, TEXT);
	CHECK_INT(error_of(path, strlen(TEXT) - 1), EFBIG);
	CHECK(unlink(path) == 0 && rmdir(folder) == 0);
}

/* A pipe that nobody writes to would be waited for. */
TEST(whole_file__what_is_no_file)
{
	const char *folder = new_folder();
	char path[128];

	snprintf(path, sizeof(path), "%s/pipe", folder);
	CHECK_INT(error_of(path, 100), ENOENT);
	CHECK_INT(error_of(folder, 100), EISDIR);
	CHECK_THAT(mkfifo(path, 0600), ==, 0);
	CHECK_INT(error_of(path, 100), EINVAL);
	CHECK_INT(error_of("/dev/zero", 100), EINVAL);
	CHECK(unlink(path) == 0 && rmdir(folder) == 0);
}

TEST(whole_file__suffixes)
{
	CHECK(has_suffix("a.asl", ".asl"));
	CHECK(!has_suffix(".asl", ".asl") && !has_suffix("a.aslx", ".asl") &&
	      !has_suffix("asl", ".asl") && !has_suffix("", ".asl"));
}
