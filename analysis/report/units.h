/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_REPORT_UNITS_H
#define MEMSEARCH_REPORT_UNITS_H

/*
 * Numbers as a person reads them: three digits and a unit of fitting size. Machines
 * get plain numbers, see json.h. A value that is not finite is printed as "unknown".
 */
struct arena;
struct text;

void units_time(struct text *text, double ns);     /* "12.3 ms" */
void units_count(struct text *text, double count); /* "812", "12.3 k" */
void units_bytes(struct text *text, double bytes); /* "64.0 KiB" */
void units_share(struct text *text, double share);
/* The same as strings in the arena; "": no memory. */
const char *units_time_text(struct arena *arena, double ns);
const char *units_bytes_text(struct arena *arena, double bytes);
const char *units_share_text(struct arena *arena, double share);
/* 0.312: "31 %"; below 10 % with one decimal */
void units_share_range(struct text *text, double low, double high); /* "6-34 %" */
/*
 * By the unit's name: ns, bytes, 1, exact (a count, all digits before the point), %, ratio; of any
 * other unit the number and the name.
 */
void units_value(struct text *text, double value, const char *unit);

#endif
