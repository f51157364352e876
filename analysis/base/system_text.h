/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_BASE_SYSTEM_TEXT_H
#define MEMSEARCH_BASE_SYSTEM_TEXT_H

#include <stddef.h>
#include <stdint.h>

/* Small text files of the kernel (/proc, /sys). No stdio, no malloc: also inside programs. */
struct arena;

/*
 * The whole file, terminated, or as much as there is room for; "" where it cannot be read. Returns
 * its length; errno: 0, or why.
 */
size_t system_text_read(const char *path, char *buf, size_t room);
/*
 * The text behind `key` at the begin of a line, without white space and a colon between; NULL: no
 * such line. `text` may be NULL.
 */
const char *system_text_value(struct arena *arena, const char *text, const char *key);
/*
 * The kind of CPU by /proc/cpuinfo: "model name" on x86-64, "cpu" on POWER, two numbers on ARM; ""
 * where it has none of these.
 */
const char *system_text_cpu_model(struct arena *arena, const char *cpuinfo);
/* How many numbers a list like "0-3,8" holds; NULL: 0. */
uint64_t system_text_count(const char *list);

#endif
