/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_DEBUGINFO_CXX_H
#define MEMSEARCH_DEBUGINFO_CXX_H

/*
 * A readable form of a C++ name: every lambda is "lambda"; default allocators, ABI tags, inline
 * namespaces and parameters of enclosing functions are removed. NULL: no memory.
 *     flow::each<main::{lambda(int)#2}> → flow::each<main::lambda>
 */
struct arena;

char *cxx_tidy(struct arena *arena, const char *name);

#endif
