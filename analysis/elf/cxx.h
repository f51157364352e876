/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_DEBUGINFO_CXX_H
#define MEMSEARCH_DEBUGINFO_CXX_H

/*
 * A readable form of a C++ name: lambdas are "lambda" whatever compilers call them, and what
 * nobody wrote goes (default allocators, ABI tags and inline namespaces, parameters of
 * functions around). NULL: no memory.
 *     flow::each<main::{lambda(int)#2}> → flow::each<main::lambda>
 */
struct arena;

char *cxx_tidy(struct arena *arena, const char *name);

#endif
