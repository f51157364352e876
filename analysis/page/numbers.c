/* SPDX-License-Identifier: Apache-2.0 */
/* Numbers of the page. */
#include "analysis/page/numbers.h"

#include <math.h>

#include "analysis/report/json.h"
#include "analysis/report/misses.h"

#define DIGITS 4

void page_number(struct json *json, const char *key, double value)
{
	double scale = isfinite(value) && fabs(value) > 0
			       ? pow(10, DIGITS - 1 - floor(log10(fabs(value))))
			       : 1;

	json_number(json, key, round(value * scale) / scale);
}

void page_misses(struct json *json, const struct misses *misses)
{
	static const char *const levels[] = { "l1", "l2", "l3" };

	if (!(misses_accesses(misses) > 0))
		return;
	page_number(json, "accesses", misses_accesses(misses));
	for (int i = 0; i < 3; i++)
		if (isfinite(misses->missed[i]))
			page_number(json, levels[i], misses->missed[i]);
	page_number(json, "walks", misses->page_walks);
	page_number(json, "cycles", misses->cycles);
	page_number(json, "memory", misses->local + misses->remote);
	page_number(json, "remote", misses->remote);
}
