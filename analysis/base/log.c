/* SPDX-License-Identifier: Apache-2.0 */
/* Lines for the user on stderr, and the nearest known name. */
#define _GNU_SOURCE /* secure_getenv */
#include "analysis/base/log.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "analysis/base/plain.h"
#include "analysis/base/transfer.h"

#define LINE_BYTES 1024
#define NAME_BYTES 64 /* longer names are never "near" */

static struct stat stderr_at_start;
static bool has_start;

void log_begin(const struct stat *at_start)
{
	stderr_at_start = *at_start;
	has_start = true;
}

static bool is_stderr(void)
{
	struct stat now;

	return !has_start || (!fstat(STDERR_FILENO, &now) && now.st_dev == stderr_at_start.st_dev &&
			      now.st_ino == stderr_at_start.st_ino);
}

bool log_reaches_user(void)
{
	struct stat now;

	return fstat(STDERR_FILENO, &now) == 0 && is_stderr();
}

bool log_text(const char *text, size_t length)
{
	return is_stderr() && transfer_write(STDERR_FILENO, text, length) == length;
}

static void write_line(const char *cause, const char *format, va_list args)
{
	char line[LINE_BYTES];
	int length = snprintf(line, sizeof(line), "memsearch: ");
	int more = vsnprintf(line + length, sizeof(line) - (size_t)length - 1, format, args);

	if (more > 0)
		length += more;
	if (length > LINE_BYTES - 2)
		length = LINE_BYTES - 2;
	if (cause && length < LINE_BYTES - 2) {
		more = snprintf(line + length, sizeof(line) - (size_t)length - 1, ": %s", cause);
		length += more;
		if (length > LINE_BYTES - 2)
			length = LINE_BYTES - 2;
	}
	plain_bytes(line, (size_t)length);
	line[length++] = '\n';
	log_text(line, (size_t)length); /* a failure cannot be reported */
}

void log_warning(const char *format, ...)
{
	int saved = errno;
	va_list args;

	va_start(args, format);
	write_line(NULL, format, args);
	va_end(args);
	errno = saved;
}

void log_warning_errno(const char *format, ...)
{
	int saved = errno;
	va_list args;

	va_start(args, format);
	write_line(strerror(saved), format, args);
	va_end(args);
	errno = saved;
}

bool log_is_debug(void)
{
	static int enabled = -1;

	if (__atomic_load_n(&enabled, __ATOMIC_RELAXED) < 0) {
		const char *value = secure_getenv("MEMSEARCH_DEBUG");

		__atomic_store_n(&enabled, value && strcmp(value, "0") != 0, __ATOMIC_RELAXED);
	}
	return __atomic_load_n(&enabled, __ATOMIC_RELAXED);
}

void log_debug(const char *format, ...)
{
	va_list args;

	if (!log_is_debug())
		return;
	va_start(args, format);
	write_line(NULL, format, args);
	va_end(args);
}

static size_t least(size_t a, size_t b)
{
	return a < b ? a : b;
}

/* Optimal string alignment distance: insert, delete, replace, swap neighbours. */
static size_t distance(const char *a, const char *b)
{
	size_t rows[3][NAME_BYTES + 1];
	size_t na = strlen(a), nb = strlen(b);

	for (size_t j = 0; j <= nb; j++)
		rows[0][j] = j;
	for (size_t i = 1; i <= na; i++) {
		size_t *row = rows[i % 3], *above = rows[(i + 2) % 3], *above2 = rows[(i + 1) % 3];

		row[0] = i;
		for (size_t j = 1; j <= nb; j++) {
			row[j] = least(above[j - 1] + (a[i - 1] != b[j - 1]),
				       least(above[j], row[j - 1]) + 1);
			if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
				row[j] = least(row[j], above2[j - 2] + 1);
		}
	}
	return rows[na % 3][nb];
}

const char *log_nearest(const char *wanted, const char *const *names, size_t nr)
{
	size_t best = strlen(wanted) / 3 + 1;
	const char *nearest = NULL;

	if (strlen(wanted) >= NAME_BYTES)
		return NULL;
	for (size_t i = 0; i < nr; i++) {
		size_t far = strlen(names[i]) < NAME_BYTES ? distance(wanted, names[i])
							   : NAME_BYTES;

		if (far < best || (far == best && !nearest)) {
			best = far;
			nearest = names[i];
		}
	}
	return nearest;
}
