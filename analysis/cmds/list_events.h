/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_CMDS_LIST_EVENTS_H
#define MEMSEARCH_CMDS_LIST_EVENTS_H

/* `memsearch list events`: which events of which CPU stand behind the portable metrics. */
struct arena;
struct command;
struct property_set;

/*
 * Prints all event tables (`name` NULL), what one has for each metric (`name` a table's), or what
 * all have for one metric (a metric's). `format`: "text", "json" or "csv", NULL: text. Returns the
 * exit code.
 */
int list_events(const struct command *self, struct arena *arena, const struct property_set *set,
		const char *name, const char *format);

#endif
