/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_ARRAYS_HEAP_TABLES_H
#define MEMSEARCH_ARRAYS_HEAP_TABLES_H

#include "ompt_tool/code/slots.h"

struct heap_interposer;

/*
 * Without preload: redirects the calls to malloc and similar functions in the program's modules and
 * in libraries that allocate for it to libmemsearch.so's functions. Call again after dlopen.
 * Permanent, because blocks are allocated and freed until the end. Returns the number of entries
 * changed now (0: no callers), and of those that could not be changed. One thread.
 */
struct slots_changed heap_tables_change(const struct heap_interposer *interposer);

#endif
