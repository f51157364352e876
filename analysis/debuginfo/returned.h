/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_DEBUGINFO_RETURNED_H
#define MEMSEARCH_DEBUGINFO_RETURNED_H

#include <stdbool.h>

/*
 * Whether a C or C++ function that returns a pointer returns the memory that it assigns to
 * `variable`: false only where all that it returns is other memory that it allocates:
 *
 *     float **clusters = malloc(n), *sums = malloc(m);   …   return clusters;
 *
 * `text`: all of the source; `line`: where the function is declared, from 1. True also where the
 * function's end is not found.
 */
bool returned_by_function(const char *text, int line, const char *variable);

#endif
