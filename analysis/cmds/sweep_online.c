/* SPDX-License-Identifier: Apache-2.0 */
/* Output of runs in which the number of threads varies, and the names of their records. */
#define _GNU_SOURCE
#include "analysis/cmds/sweep_online.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "analysis/base/arena.h"
#include "analysis/base/log.h"
#include "analysis/base/quiet_write.h"
#include "analysis/base/sort.h"
#include "analysis/sweep/plan.h"

static int most_first(const void *left, const void *right)
{
	uint32_t a = *(const uint32_t *)left, b = *(const uint32_t *)right;

	return (a < b) - (a > b);
}

const char *sweep_online_counts(struct arena *arena, const struct sweep_plan *plan)
{
	uint32_t *counts = arena_alloc(arena, plan->nr_threads * sizeof(*counts));
	const char *text = "";

	if (!counts)
		return NULL;
	memcpy(counts, plan->threads, plan->nr_threads * sizeof(*counts));
	sort(counts, plan->nr_threads, sizeof(*counts), most_first);
	for (size_t i = 0; i < plan->nr_threads && text; i++)
		text = arena_printf(arena, "%s%s%u", text, i ? "," : "", counts[i]);
	return text;
}

const char *sweep_online_record(struct arena *arena, const char *record, unsigned int threads)
{
	return arena_printf(arena, "%s.%u", record, threads);
}

int sweep_online_file(struct arena *arena, const char *folder)
{
	const char *path = arena_printf(arena, "%s/output", folder);
	int file = path ? open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600) : -1;

	if (file < 0)
		log_warning_errno("cannot keep a program's output in '%s'", folder);
	else
		unlink(path);
	return file;
}

void sweep_online_end_of(int file, char *out, size_t room)
{
	struct stat info;
	off_t from;
	ssize_t nr;

	if (fstat(file, &info) != 0)
		info.st_size = 0;
	from = info.st_size < (off_t)room ? 0 : info.st_size - (off_t)room + 1;
	nr = pread(file, out, room - 1, from);
	out[nr > 0 ? nr : 0] = '\0';
}

void sweep_online_show(int file)
{
	char bytes[65536];
	off_t at = 0;
	ssize_t nr;

	while ((nr = pread(file, bytes, sizeof(bytes), at)) > 0 &&
	       quiet_write(STDERR_FILENO, bytes, (size_t)nr) == nr)
		at += nr;
}

/* False: it cannot be read. */
static bool map(int file, struct output *out)
{
	struct stat info;
	void *bytes;

	*out = (struct output){ 0 };
	if (fstat(file, &info) != 0)
		return false;
	if (!info.st_size)
		return true;
	bytes = mmap(NULL, (size_t)info.st_size, PROT_READ, MAP_PRIVATE, file, 0);
	if (bytes == MAP_FAILED)
		return false;
	*out = (struct output){ bytes, (size_t)info.st_size };
	return true;
}

static void unmap(struct output *output)
{
	if (output->nr)
		munmap((void *)output->bytes, output->nr);
}

struct outputs_difference sweep_online_compare(struct arena *arena, const int alone[2], int varied)
{
	struct outputs_difference difference = { .wrong = "it cannot be read" };
	const int files[] = { alone[0], alone[1], varied };
	struct output outputs[3] = { 0 };
	bool readable = true;

	for (int i = 0; i < 3; i++)
		readable = map(files[i], &outputs[i]) && readable;
	if (readable)
		difference = outputs_compare(arena, outputs, &outputs[2]);
	for (int i = 0; i < 3; i++)
		unmap(&outputs[i]);
	return difference;
}
