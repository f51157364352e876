/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_PAGE_PAGE_H
#define MEMSEARCH_PAGE_PAGE_H

#include <stddef.h>

#include "analysis/report/report.h"

/*
 * The report as one HTML page that needs no other file and no network: page.html with page.css and
 * page.js in it, the report as text, and the data as JSON, which the script draws. The files are
 * compiled in (embedded_files.c).
 *
 * To add a section: its data in data.c, its heading in page.html, its function in page.js.
 */
struct page_uses;
struct text;

struct page_options {
	struct report_options report;
	const struct page_uses *uses; /* pages of the modelled machine; NULL: none */
	const char *record;           /* file of the runs, as the user named it */
};

/* A page is not larger: rows that cost least are left out, and the page says how many. */
#define PAGE_BYTES_MOST (2u << 20)
#define PAGE_BEGIN "<!DOCTYPE html>\n<!-- memsearch report -->\n" /* of every page */

void page_write(struct text *out, const struct run *const *runs, size_t nr_runs,
		const struct page_options *options);

#endif
