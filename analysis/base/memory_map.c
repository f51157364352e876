/* SPDX-License-Identifier: Apache-2.0 */
/* /proc/self/maps, a character at a time (proc_pid_maps(5)): its lines have no longest length. */
#include "analysis/base/memory_map.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stddef.h>
#include <sys/mman.h>
#include <unistd.h>

#define READ_BYTES 4096 /* the kernel gives a page at a time */

/* "low-high rwxp offset device inode   name" */
enum field {
	FIELD_LOW,
	FIELD_HIGH,
	FIELD_RIGHTS,
	FIELD_OFFSET,
	FIELD_DEVICE,
	FIELD_INODE,
	FIELD_NAME
};

/* A line so far. */
struct line {
	struct memory_mapping mapping;
	enum field field;
	size_t name_bytes;
	char name[PATH_MAX];
};

static void line_begin(struct line *line)
{
	line->mapping = (struct memory_mapping){ .name = line->name };
	line->field = FIELD_LOW;
	line->name_bytes = 0;
}

static unsigned int digit(char c)
{
	return c >= 'a' ? (unsigned int)(c - 'a') + 10 : (unsigned int)(c - '0');
}

static void take_right(struct memory_mapping *mapping, char c)
{
	mapping->protection |= c == 'r'   ? PROT_READ
			       : c == 'w' ? PROT_WRITE
			       : c == 'x' ? PROT_EXEC
					  : 0;
	mapping->is_private |= c == 'p';
}

/* Blanks stand before a name, and may stand in it. */
static void take_name(struct line *line, char c)
{
	if ((line->name_bytes || c != ' ') && line->name_bytes < sizeof(line->name) - 1)
		line->name[line->name_bytes++] = c;
}

static void line_take(struct line *line, char c)
{
	struct memory_mapping *mapping = &line->mapping;

	if (line->field == FIELD_NAME)
		take_name(line, c);
	else if (c == ' ' || (c == '-' && line->field == FIELD_LOW))
		line->field++;
	else if (line->field == FIELD_LOW)
		mapping->low = mapping->low << 4 | digit(c);
	else if (line->field == FIELD_HIGH)
		mapping->high = mapping->high << 4 | digit(c);
	else if (line->field == FIELD_RIGHTS)
		take_right(mapping, c);
	else if (line->field == FIELD_INODE)
		mapping->inode = mapping->inode * 10 + digit(c);
}

static int visit_all(int fd, bool (*visit)(void *ctx, const struct memory_mapping *mapping),
		     void *ctx)
{
	struct line line;
	char text[READ_BYTES];
	ssize_t got;

	line_begin(&line);
	while ((got = read(fd, text, sizeof(text))) > 0) {
		for (ssize_t i = 0; i < got; i++) {
			if (text[i] != '\n') {
				line_take(&line, text[i]);
				continue;
			}
			line.name[line.name_bytes] = '\0';
			if (!visit(ctx, &line.mapping))
				return 0;
			line_begin(&line);
		}
	}
	return got < 0 ? errno : 0;
}

int memory_map_visit(bool (*visit)(void *ctx, const struct memory_mapping *mapping), void *ctx)
{
	int saved = errno, fd = open("/proc/self/maps", O_RDONLY | O_CLOEXEC);
	int error = fd < 0 ? errno : visit_all(fd, visit, ctx);

	if (fd >= 0)
		close(fd);
	errno = saved;
	return error;
}
