/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_BASE_LOG_H
#define MEMSEARCH_BASE_LOG_H

#include <stddef.h>

/*
 * Lines for the user, on stderr only: "memsearch: cannot open 'x.ms': permission
 * denied". Written with one write(2) each, without malloc or stdio, so that any
 * thread may call it; but not from a callback's hot path, because it is I/O.
 */
void log_warning(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* The same, followed by ": " and the text of errno, which is kept. */
void log_warning_errno(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* Only with MEMSEARCH_DEBUG=1. */
void log_debug(const char *format, ...) __attribute__((format(printf, 1, 2)));

/*
 * The name in names[0 … nr) closest to `wanted` (Damerau-Levenshtein), for "did you
 * mean"; NULL when none is near enough (more than a third of its letters differ).
 */
const char *log_nearest(const char *wanted, const char *const *names, size_t nr);

#endif
