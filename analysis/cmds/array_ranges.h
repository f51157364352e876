/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_CMDS_ARRAY_RANGES_H
#define MEMSEARCH_CMDS_ARRAY_RANGES_H

#include <stdbool.h>

/* Ranges of arrays (counting/ranges.h), by the words of --range. */
struct arena;
struct command;
struct trace_reader;
struct run;

/* As `check` of struct command_option: whether each of a list is a range, of whatever array. */
bool array_ranges_check(const char *name, const char *list, char *error);

/*
 * Each range of the list becomes an array of the run, behind those that there are, whose `whole` is
 * the array it is a range of; the trace is divided likewise. Of arrays with one name it is of each
 * that it fits. The run's sources are resolved. COMMAND_GO_ON, or an exit code after saying what is
 * wrong.
 */
int array_ranges_divide(const struct command *command, struct arena *arena, const char *list,
			struct run *run, struct trace_reader *reader);

/*
 * What else is known of arrays is of all of them, not of ranges nor of the rest: it is missing in
 * their regions from now on. False: no memory.
 */
bool array_ranges_mark_missing(struct arena *arena, struct run *run);

#endif
