/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_MACHINE_MODEL_TEXT_H
#define MEMSEARCH_MACHINE_MODEL_TEXT_H

#include <stdbool.h>
#include <stddef.h>

#include "analysis/machine/model.h"

/*
 * Machine files: one modelled machine each, properties/machines/NAME.machine;
 * properties/machines/README.md describes them.
 *
 *     title   = "two sockets of …"
 *     clock   = 2.6 GHz
 *     l1.size = 48 KiB      "where this figure is from"
 *
 * No malloc, stdio or exit, but where a file names an XML of hwloc (topology.h). Everything lives in
 * the arena. One arena, one thread at a time.
 */
struct arena;

#define MODEL_SUFFIX ".machine"
#define MODEL_MISTAKES_MAX 20

struct model_mistake {
	int line; /* 0: of the file as a whole */
	const char *text;
};

struct model_note {
	const char *key; /* "l1.size" */
	int line;
	const char *source; /* the source of the figure; "": none is given */
};

struct model_file {
	const char *path;
	const char *title;              /* "": none */
	struct machine_model model;     /* only without mistakes */
	bool names_topology;            /* an XML of hwloc */
	const struct model_note *notes; /* of the figures it gives, in the order of the file */
	size_t nr_notes;
	/* by line, those of the whole file last; MODEL_MISTAKES_MAX at most */
	const struct model_mistake *mistakes;
	size_t nr_mistakes;
};

/*
 * NULL: no memory. A file that cannot be read is one with a mistake. A model without mistakes can
 * be simulated (model_check).
 */
const struct model_file *model_read(struct arena *arena, const char *path);
/*
 * The same in users' programs: hwloc's XML is not read, which is a mistake of a file that names one
 * (names_topology).
 */
const struct model_file *model_read_as_guest(struct arena *arena, const char *path);
/* The same from text in memory; `path` is its name, and the folder of hwloc's XML. */
const struct model_file *model_parse(struct arena *arena, const char *path, const char *text,
				     size_t length);
/* "x.machine:3: unknown figure 'l1.sise'; did you mean 'l1.size'?" */
const char *model_mistake_line(struct arena *arena, const struct model_file *file,
			       const struct model_mistake *mistake);
/* Prints them to stderr. True: there are some. */
bool model_tell_mistakes(struct arena *arena, const struct model_file *file);
/* The source of the figure in the file; NULL: no figure, or no source. */
const char *model_source_of(const struct model_file *file, const char *key);

#endif
