/* SPDX-License-Identifier: Apache-2.0 */
/* Lines of an array's pages by the site of their first touch. */
#include "analysis/numa/sites.h"

#include <inttypes.h>
#include <string.h>

#include "analysis/base/arena.h"
#include "analysis/base/sort.h"
#include "analysis/numa/touched_pages.h"
#include "analysis/report/array_names.h"
#include "analysis/report/arrays.h"
#include "analysis/report/text.h"
#include "analysis/report/units.h"
#include "analysis/simulation/page_use.h"

#define NOTABLE 0.1 /* of the array's remote lines */
#define NAMED 3     /* sites in one sentence */
#define NEARLY_ALL 0.9

/* ------------------------------------------------------------------ counting */

static struct numa_site *site_of(struct numa_sites *of, const struct touch_group *group)
{
	size_t i = 0;

	while (i < of->nr && of->items[i].group != group)
		i++;
	if (i == of->nr)
		of->items[of->nr++] = (struct numa_site){ .group = group };
	return &of->items[i];
}

static void add_page(const struct page_uses *uses, const struct page_use *page,
		     struct numa_site *site)
{
	uint64_t lines = 0, remote = 0;

	for (uint32_t node = 0; node < uses->nodes; node++) {
		lines += page->lines[node];
		remote += node != page->home ? page->lines[node] : 0;
	}
	site->lines += lines;
	site->remote += remote;
	if (2 * remote < lines)
		return;
	if (page->offset < site->low || !site->high)
		site->low = page->offset;
	if (page->offset + uses->page_bytes > site->high)
		site->high = page->offset + uses->page_bytes;
	site->misplaced += remote;
}

static int by_remote(const void *left, const void *right)
{
	const struct numa_site *a = left, *b = right;

	if (a->remote != b->remote)
		return a->remote < b->remote ? 1 : -1;
	if (a->lines != b->lines)
		return a->lines < b->lines ? 1 : -1;
	return (a->low > b->low) - (a->low < b->low);
}

bool numa_sites(struct arena *arena, const struct arrays_view *view,
		const struct touched_pages *touched, const struct page_uses *uses, size_t first,
		size_t nr, struct numa_sites *out)
{
	uint32_t array = uses->rows[first].array, of = run_array_declared(view->run->arrays, array);
	size_t groups = view->first[of + 1] - view->first[of];
	const struct run_touch *last = NULL;
	struct numa_site *site = NULL;

	*out = (struct numa_sites){
		.view = view,
		.array = array,
		.items = arena_alloc(arena, (groups + 1) * sizeof(*out->items)),
	};
	for (size_t i = first; out->items && i < first + nr; i++) {
		const struct page_use *page = &uses->rows[i];
		const struct run_touch *touch = touched_pages_at(touched, array, page->address);

		if (!site || touch != last)
			site = site_of(out, touch ? arrays_group(view, touch) : NULL);
		last = touch;
		add_page(uses, page, site);
	}
	for (size_t i = 0; i < out->nr; i++)
		out->remote += out->items[i].remote;
	if (out->nr)
		sort(out->items, out->nr, sizeof(*out->items), by_remote);
	return out->items;
}

bool numa_site_is_misplaced(const struct numa_sites *of, const struct numa_site *site)
{
	return of->remote && (double)site->remote >= NOTABLE * (double)of->remote;
}

/* ------------------------------------------------------------------ in words */

/*
 * The misplaced pages are one part of the array, less than all: nearly all remote lines of the site
 * are theirs.
 */
static bool is_part(const struct run_array *array, const struct numa_site *site)
{
	return (double)site->misplaced >= NEARLY_ALL * (double)site->remote &&
	       (double)(site->high - site->low) < NEARLY_ALL * (double)array->bytes;
}

/* Elements of arrays with one dimension, else bytes. */
static const char *part_words(struct arena *arena, const struct numa_sites *of,
			      const struct numa_site *site)
{
	const struct run *run = of->view->run;
	const struct run_array *array = &run->arrays[of->array];
	const char *shape = array->shape ? array->shape : "";
	uint64_t high = site->high < array->bytes ? site->high : array->bytes,
		 element = array->element_bytes, one = *shape == '(';

	if (!element || array->whole || strchr(shape, ',') || strchr(shape, ':') ||
	    strstr(shape, "]["))
		return arena_printf(arena, "%s to %s of it",
				    units_bytes_text(arena, (double)site->low),
				    units_bytes_text(arena, (double)high));
	return arena_printf(arena, "%s%c%" PRIu64 ":%" PRIu64 "%c", arrays_name(arena, run, array),
			    one ? '(' : '[', site->low / element + one, (high - 1) / element + one,
			    one ? ')' : ']');
}

const char *numa_sites_misplaced(struct arena *arena, const struct numa_sites *of)
{
	size_t named = 0;
	struct text text;

	text_init(&text, arena);
	for (size_t i = 0; i < of->nr && named < NAMED; i++) {
		const struct numa_site *site = &of->items[i];
		const char *line = site->group && !site->group->before
					   ? arrays_line(arena, site->group)
					   : NULL;

		if (!line || !numa_site_is_misplaced(of, site))
			continue;
		text_printf(&text, "%s%s", named++ ? " and " : "", line);
		if (is_part(&of->view->run->arrays[of->array], site))
			text_printf(&text, " (%s)", part_words(arena, of, site));
	}
	return named ? text.bytes : NULL;
}

bool numa_sites_by_kernel(const struct numa_sites *of)
{
	return of->nr && numa_site_is_misplaced(of, &of->items[0]) && of->items[0].group &&
	       of->items[0].group->by_kernel;
}
