/* SPDX-License-Identifier: Apache-2.0 */
/* Reads what the tool left of the programs of one `memsearch run`. */
#include "analysis/cmds/images.h"

#include <dirent.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "analysis/base/arena.h"
#include "analysis/base/channel.h"
#include "analysis/base/log.h"
#include "analysis/record/record.h"
#include "analysis/report/text.h"

static const char *read_lines(struct arena *arena, int fd)
{
	struct text lines;
	char buffer[4096];
	off_t at = 0;
	ssize_t nr;

	text_init(&lines, arena);
	while ((nr = pread(fd, buffer, sizeof(buffer), at)) > 0) {
		text_add_bytes(&lines, buffer, (size_t)nr);
		at += nr;
	}
	return lines.bytes;
}

static bool has_room(struct images *images, struct arena *arena)
{
	images->nr_records = images->nr;
	return ARENA_GROW(arena, images->runs, images->nr, images->room) &&
	       ARENA_GROW(arena, images->records, images->nr_records, images->room_records);
}

static void add_image(struct images *images, struct arena *arena, const char *record)
{
	uint64_t ignored;

	images->failed |= !strcmp(record, CHANNEL_FAILED);
	if (!strcmp(record, CHANNEL_FAILED))
		return;
	images->attached = true;
	if (!*record || !has_room(images, arena))
		return;
	if (record_read(arena, record, &images->runs[images->nr], &ignored) != MS_OK) {
		log_warning("the record '%s' cannot be read, so there is nothing to print of it",
			    record);
		return;
	}
	images->records[images->nr++] = record;
}

void images_read(struct images *images, struct arena *arena, int attached)
{
	const char *lines = read_lines(arena, attached);

	*images = (struct images){ 0 };
	while (lines && *lines) {
		size_t nr = strcspn(lines, "\n");
		const char *line = arena_strndup(arena, lines, nr);

		if (line)
			add_image(images, arena, line);
		lines += nr + (lines[nr] == '\n');
	}
}

static void add_of_process(struct images *images, struct arena *arena, const char *record,
			   int process, uint64_t since_ns)
{
	uint64_t ignored;
	struct run run;

	if (record_writer(record) != (uint32_t)process ||
	    record_read(arena, record, &run, &ignored) != MS_OK || run.pid != (uint32_t)process ||
	    run.start_realtime_ns < since_ns || !has_room(images, arena))
		return;
	images->attached = images->printed = true;
	images->records[images->nr] = record;
	images->runs[images->nr++] = run;
}

/* As the tool names records: run_record.c, default_record. */
static bool is_default_name(const char *name)
{
	size_t length = strlen(name);

	return !strncmp(name, "memsearch-", strlen("memsearch-")) && length > 3 &&
	       !strcmp(name + length - 3, ".ms");
}

void images_find(struct images *images, struct arena *arena, const char *named, const char *folder,
		 int process, uint64_t since_ns)
{
	const struct dirent *entry;
	DIR *all;

	if (named && *named) {
		add_of_process(images, arena, named, process, since_ns);
		return;
	}
	all = opendir(folder);
	while (all && (entry = readdir(all))) {
		const char *path = is_default_name(entry->d_name)
					   ? arena_printf(arena, "%s/%s", folder, entry->d_name)
					   : NULL;

		if (path)
			add_of_process(images, arena, path, process, since_ns);
	}
	if (all)
		closedir(all);
}

/* The next program in the same process: exec skips the end of the one before. */
static const struct run *successor(const struct images *images, size_t which)
{
	for (size_t i = which + 1; i < images->nr; i++)
		if (images->runs[i].pid == images->runs[which].pid && images->runs[i].pid)
			return &images->runs[i];
	return NULL;
}

const char *images_why_incomplete(struct arena *arena, const struct images *images, size_t which)
{
	const struct run *run = &images->runs[which], *next = successor(images, which);
	const char *program = run->program ? run->program : "the program";

	if (next)
		return arena_printf(
			arena,
			"'%s' turned into '%s' (exec) before it ended; this is what had been found by then",
			program, next->program ? next->program : "another program");
	if (images->nr > 1)
		return arena_printf(
			arena,
			"'%s' ended without telling memsearch; this is what had been found by then",
			program);
	return "the program ended without telling memsearch; this is what had been found by then";
}
