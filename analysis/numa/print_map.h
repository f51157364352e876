/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_NUMA_PRINT_MAP_H
#define MEMSEARCH_NUMA_PRINT_MAP_H

#include <stdint.h>

#include "analysis/numa/page_map.h"

/* Page maps as text and JSON, of modelled machines and of the one that the program ran on. */
struct json;
struct numa_options;
struct run;
struct text;

/* Columns before labels and behind them, of all that is printed of an array. */
#define NUMA_INDENT 5
#define NUMA_LABEL 12

void numa_print_row(struct text *out, const struct numa_options *options,
		    const struct numa_map *map, const char *label, enum numa_row row);
/* 'a' is 0, in the order of the array's touch groups; '+': there are more than letters. */
char numa_site_letter(uint32_t site);
/* "32 KiB a character" */
void numa_print_scale(struct text *out, const struct numa_map *map, uint64_t page_bytes);
/* "label  words", wrapped; nothing where `words` is NULL. */
void numa_print_item(struct text *out, const struct numa_options *options, const char *label,
		     const char *words);
/* Members of an array: id, name, kind, bytes. */
void numa_put_array(struct json *json, const struct run *run, uint32_t array);
/*
 * Member page_map. Blocks have the nodes that hold them; with users and first touches; or, instead of
 * these, the threads that wrote them, and their nodes.
 */
enum numa_map_of { NUMA_MAP_PLACED, NUMA_MAP_USED, NUMA_MAP_WRITTEN };
void numa_put_map(struct json *json, const struct numa_map *map, uint64_t page_bytes,
		  enum numa_map_of of);

#endif
