/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_DEBUGINFO_ASSIGNMENT_H
#define MEMSEARCH_DEBUGINFO_ASSIGNMENT_H

#include <stdbool.h>
#include <stddef.h>

#include "analysis/debuginfo/code_text.h"

/*
 * The variable to which a statement of the source assigns the memory that it allocates: debug
 * information has the line of the allocation, but not the variable.
 *
 *     double *r = new double[n];                                   r
 *     mesh->x[i] = (double *)xmalloc(n * sizeof(double));          mesh->x[i]
 *     posix_memalign((void **)&grid, 64, bytes);                   grid
 *     std::vector<double> v(n);        v.resize(n);                v
 *     VectorType v(n);     (where a constructor is called)         v
 *     Grid(int n) : n(n), v(n) {}      (vector<double> v)          v, a member
 *     Grid *g = new Grid(n);           (where its constructor is called)   g
 *     ALLOCATE(chunk%tiles(t)%density(nx, ny), STAT=error)         chunk%tiles(t)%density
 *
 *     double *u = malloc(n), *v = malloc(n);                       u and v, in this order
 *     struct grid g = { malloc(n), malloc(n) };                    g.u and g.v, by the struct's text
 *
 * Only the statement is parsed. Macros are not expanded:
 *
 *     double *x = NEW(double, n);      DECLARE_2D(x, double, n, n);                x
 */
struct arena;

#define ASSIGNMENT_MOST 8
struct assignment {
	/* as written, without blanks; NULL: none is named, or more than one */
	const char *variable;
	/* all that the statement allocates for, in source order */
	const char *variables[ASSIGNMENT_MOST];
	size_t nr_variables; /* 0: not all are known, or the statement branches */
	/* of the object that a constructor makes: its caller has the object's name */
	bool member;
	/* "new Grid(n)", where its constructor is called: the variable points to the object */
	bool to_object;
	/* "x = f(n)", where f is no constructor: the variable is no object whose method is called */
	bool result;
	/* the statement returns the memory: its caller has the name */
	bool returned;
	/* "*x = malloc(n)": if x is a parameter, the caller passes the variable's address */
	bool behind_pointer;
	/* "allocate(&mesh->x, n)": the first argument of the call with a "&"; NULL: none */
	const char *address_of;
};

/*
 * `text`: all of the source, 0 behind it; `line`: where the call is, from 1. `callee`: the function
 * called there, with or without what it is a member of; "" if that is an allocator: anything with
 * "alloc" in its name, new, and mmap. Strings in the arena.
 */
struct assignment assignment_find(struct arena *arena, const char *text,
				  enum source_language language, int line, const char *callee);

/* Where the last part of "std::vector<double>::resize" begins. */
const char *function_behind_scope(const char *function);

/* "this->pressure": where its name as a member begins. */
const char *variable_behind_this(const char *variable);

#endif
