/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_DIFFERENTIAL_PRINT_H
#define MEMSEARCH_DIFFERENTIAL_PRINT_H

#include <stdbool.h>
#include <stddef.h>

#include "analysis/differential/compare.h"
#include "analysis/differential/gate.h"
#include "analysis/differential/growth.h"
#include "analysis/differential/property_diff.h"
#include "analysis/differential/resources.h"
#include "analysis/differential/warnings.h"

/*
 * A comparison in words.
 *
 * To add a format: print_FORMAT.c with a diff_writer, and its row in print.c.
 */
struct arena;
struct text;

enum diff_by {
	DIFF_BY_REGION,
	DIFF_BY_ARRAY,
	DIFF_BY_LINE,
	DIFF_BY_INSTRUCTION,
	DIFF_BY_THREAD,
	DIFF_BY_CALLER,
	DIFF_BY_PROPERTY,
	DIFF_BY_CAUSE
};

struct diff_page {
	const struct comparison *comparison;
	const struct property_diff *properties;
	const char *const *columns;    /* names of the properties' columns */
	const struct growths *growths; /* of the ranked metric */
	const struct resources *resources;
	/* that the numbers of growths and resources are of … */
	const struct match *growth_match;
	const size_t *growth_columns; /* … and the column of each of its runs */
	const char *load;             /* "threads" */
	const struct warnings *warnings;
	const struct limit_result *limits;
	size_t nr_limits;
	enum diff_by by;
	const char *names[MATCH_SIDES]; /* of the sides: "16 threads" */
	const char *title;              /* "swim 512 100: 16 threads -> 32 threads" */
	uint32_t metric;                /* that buckets are ranked by */
	const char *function_why;
	size_t most; /* rows of a list; 0: all */
	bool all;    /* also unchanged, unknown and small buckets */
	bool brief;  /* without times and paths */
	/* of a source file, in the repository, or NULL; NULL: files have their names */
	const char *(*path)(struct arena *arena, const char *file);
};

typedef void diff_writer(struct text *out, const struct diff_page *page);
diff_writer diff_text, diff_json, diff_csv, diff_markdown, diff_github, diff_sarif;
/* NULL: no such format. */
diff_writer *diff_format(const char *name);

/* Whether a row is one of the list asked for. */
bool diff_is_listed(const struct diff_page *page, const struct difference *row);
/* "unew in the loop in calc3 (swim.c:153)"; in the arena of `out`. */
const char *diff_where(struct text *out, const struct diff_page *page,
		       const struct difference *row);
const char *diff_place(const struct comparison *comparison, uint32_t place); /* in words */
/* "No difference.", or that none is proven, where something is not known. */
const char *diff_nothing(const struct diff_page *page);
/* Whether the difference of a region is that of one inside of it, which is listed instead. */
bool diff_explains(const struct match *match, const struct difference *inner,
		   const struct difference *outer);
/*
 * One sentence on a limit: "l2_misses:calc2 > +5 %: exceeded: calc2 (swim.c:117), unew: 33 k -> 41
 * k (+24 %)".
 */
const char *diff_limit(struct text *out, const struct diff_page *page,
		       const struct limit_result *result);

#endif
