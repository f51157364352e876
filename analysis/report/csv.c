/* SPDX-License-Identifier: Apache-2.0 */
/* Fields of comma separated values. */
#include "analysis/report/csv.h"

#include <math.h>
#include <string.h>

#include "analysis/report/text.h"

void csv_string(struct text *out, int first, const char *value)
{
	if (!first)
		text_add(out, ",");
	if (!value)
		return;
	if (!value[strcspn(value, "\",\r\n")]) {
		text_add_plain(out, value);
		return;
	}
	text_add(out, "\"");
	while (*value) {
		size_t nr = strcspn(value, "\"\n");

		text_printf(out, "%.*s", (int)nr, value);
		if (value[nr] == '"')
			text_add(out, "\"\"");
		else if (value[nr])
			text_add(out, " ");
		value += nr + (value[nr] != '\0');
	}
	text_add(out, "\"");
}

void csv_number(struct text *out, int first, double value)
{
	if (!first)
		text_add(out, ",");
	if (isfinite(value))
		text_printf(out, value == floor(value) && fabs(value) < 1e15 ? "%.0f" : "%.9g",
			    value);
}
