/* SPDX-License-Identifier: Apache-2.0 */
/* Reads what the tool left of the programs of one `memsearch run`. */
#include "analysis/cmds/images.h"

#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "analysis/base/arena.h"
#include "analysis/base/log.h"
#include "analysis/record/record.h"
#include "analysis/report/text.h"
#include "ompt_tool/options.h"

static const char *read_lines(struct arena *arena, const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	struct text lines;
	char buffer[4096];
	ssize_t nr;

	if (fd < 0)
		return NULL;
	text_init(&lines, arena);
	while ((nr = read(fd, buffer, sizeof(buffer))) > 0)
		text_add_bytes(&lines, buffer, (size_t)nr);
	close(fd);
	return lines.bytes;
}

static void add_image(struct images *images, struct arena *arena, const char *record)
{
	uint64_t ignored;

	images->failed |= !strcmp(record, OPTIONS_ATTACH_FAILED);
	if (!strcmp(record, OPTIONS_ATTACH_FAILED))
		return;
	images->attached = true;
	if (!*record || !ARENA_GROW(arena, images->runs, images->nr, images->room))
		return;
	if (record_read(arena, record, &images->runs[images->nr], &ignored) == MS_OK)
		images->nr++;
	else
		log_warning("the record '%s' cannot be read, so there is nothing to print of it", record);
}

void images_read(struct images *images, struct arena *arena, const char *attach_file)
{
	const char *lines = read_lines(arena, attach_file);

	*images = (struct images){ 0 };
	while (lines && *lines) {
		size_t nr = strcspn(lines, "\n");
		const char *line = arena_strndup(arena, lines, nr);

		if (line)
			add_image(images, arena, line);
		lines += nr + (lines[nr] == '\n');
	}
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
		return arena_printf(arena, "'%s' turned into '%s' (exec) before it ended; this is what had been found by then", program,
				    next->program ? next->program : "another program");
	if (images->nr > 1)
		return arena_printf(arena, "'%s' ended without telling memsearch; this is what had been found by then", program);
	return "the program ended without telling memsearch; this is what had been found by then";
}
