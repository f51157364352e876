/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_BASE_LOG_H
#define MEMSEARCH_BASE_LOG_H

#include <stdbool.h>
#include <stddef.h>

struct stat;

/*
 * Lines for the user, on stderr only: "memsearch: cannot open 'x.ms': permission denied". Control
 * characters become "?" (plain.h). Written with one write(2) each, without malloc or stdio, so that
 * any thread may call it; but not from a callback's hot path, because it is I/O.
 */
void log_warning(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* The same, followed by ": " and the text of errno, which is kept. */
void log_warning_errno(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* Text of any length, such as a report; false if not all of it could be written. */
bool log_text(const char *text, size_t length);
/*
 * Inside a user's program: remembers the file of descriptor 2. From then on all of the above is
 * dropped while descriptor 2 is another file, which the program opened. A broken pipe there never
 * kills the program.
 */
void log_begin(const struct stat *at_start);
/* Descriptor 2 is open, and still the same file. */
bool log_reaches_user(void);
/* Whether log_debug prints: only with MEMSEARCH_DEBUG=1. */
bool log_is_debug(void);
void log_debug(const char *format, ...) __attribute__((format(printf, 1, 2)));

/*
 * The name in names[0 … nr) closest to `wanted` (Damerau-Levenshtein), for "did you
 * mean"; NULL when none is near enough (more than a third of its letters differ).
 */
const char *log_nearest(const char *wanted, const char *const *names, size_t nr);

#endif
