/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_CMDS_RUN_CHECKS_H
#define MEMSEARCH_CMDS_RUN_CHECKS_H

#include <stdbool.h>

#include "analysis/options/options.h"

/*
 * What `memsearch run` can know to be wrong of its options before the program starts: names of
 * strategies, machines and events, files of properties, the place of the record. `options`: of the
 * command line and the environment together, parsed. COMMAND_GO_ON, or COMMAND_USAGE after one
 * message with the nearest name. To add one: a function in run_checks.c and its row.
 */
struct arena;
struct command;

/* For the `check` of an option that has the name and the values of one of a run. */
bool run_check_option(const char *name, const char *value, char *error);

int run_checks(const struct command *self, struct arena *arena, const struct options *options);

#endif
