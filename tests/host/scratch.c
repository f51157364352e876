/* SPDX-License-Identifier: Apache-2.0 */
/* A scratch folder for a test, and whole files. */
#define _GNU_SOURCE
#include "tests/host/scratch.h"

#include <fcntl.h>
#include <ftw.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

static char folder[512];
static pid_t owner;

static int remove_one(const char *path, const struct stat *status, int flag, struct FTW *ftw)
{
	(void)status, (void)flag, (void)ftw;
	return remove(path);
}

static void scratch_leave(void)
{
	if (getpid() == owner && chdir("/") == 0)
		nftw(folder, remove_one, 8, FTW_DEPTH | FTW_PHYS);
}

const char *scratch_enter(void)
{
	const char *parent = getenv("TMPDIR") ? getenv("TMPDIR") : "/tmp";
	bool again = owner == getpid();

	if (again)
		scratch_leave();
	snprintf(folder, sizeof(folder), "%s/memsearch-test-XXXXXX", parent);
	if (!mkdtemp(folder) || chdir(folder)) {
		perror(folder);
		exit(1);
	}
	owner = getpid();
	if (!again)
		atexit(scratch_leave);
	return folder;
}

void file_write(const char *path, const void *bytes, size_t nr)
{
	FILE *file = fopen(path, "w");

	if (!file || fwrite(bytes, 1, nr, file) != nr || fclose(file)) {
		perror(path);
		exit(1);
	}
}

uint8_t *file_read(const char *path, size_t *nr_out)
{
	FILE *file = fopen(path, "r");
	uint8_t *bytes = NULL;
	size_t nr = 0, some;

	if (!file)
		return NULL;
	do {
		bytes = realloc(bytes, nr + 65536);
		some = fread(bytes + nr, 1, 65536, file);
		nr += some;
	} while (some);
	fclose(file);
	*nr_out = nr;
	return bytes;
}
