/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_REPORT_OTHER_PHASES_H
#define MEMSEARCH_REPORT_OTHER_PHASES_H

/* The phases of a program that the run's results are not of (record_phase). */
struct json;
struct run;
struct text;

/* A paragraph for each, with the command that prints its results. */
void other_phases_text(struct text *out, const struct run *run, int width);
/* Member "other_phases"; nothing where there are none. */
void other_phases_json(struct json *json, const struct run *run);
/* Wall time of their steps in all, in ns. */
double other_phases_ns(const struct run *run);

#endif
