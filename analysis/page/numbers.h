/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_PAGE_NUMBERS_H
#define MEMSEARCH_PAGE_NUMBERS_H

/* Numbers of the page: four digits, which is more than a chart shows. */
struct json;
struct misses;

void page_number(struct json *json, const char *key, double value);
/*
 * Members of the open object: accesses, misses by level, page walks and cycles; none where nothing
 * was simulated.
 */
void page_misses(struct json *json, const struct misses *misses);

#endif
