/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_ARRAYS_HEAP_TABLES_H
#define MEMSEARCH_ARRAYS_HEAP_TABLES_H

#include "ompt_tool/code/slots.h"

struct heap_interposer;

/*
 * Without preload: makes the loaded files' calls to malloc and the like go to libmemsearch.so's, in
 * the program's files and in the libraries that allocate for it. Again after dlopen. Stays to the
 * end, as blocks come and go until then. Returns how many entries were changed now, none without
 * callers, and how many of all could not be. One thread.
 */
struct slots_changed heap_tables_change(const struct heap_interposer *interposer);

#endif
