/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_REPORT_CSV_H
#define MEMSEARCH_REPORT_CSV_H

/*
 * Fields of comma separated values (RFC 4180, lines end with a newline). Of control characters in a
 * string newlines become blanks, others "?". `first`: no comma before it.
 */
struct text;

void csv_string(struct text *out, int first, const char *value); /* NULL: an empty field */
/* not finite: an empty field */
void csv_number(struct text *out, int first, double value);

#endif
