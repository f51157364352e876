/* SPDX-License-Identifier: Apache-2.0 */
/* The text of --interval. */
#include "analysis/options/triggers.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "memsearch/metric.h"

#define FROM "from:"

static bool refuse(char *error, const char *why, const char *text, size_t length)
{
	snprintf(error, TRIGGER_ERROR_BYTES, "'%.*s' %s", (int)(length < 80 ? length : 80), text,
		 why);
	return false;
}

/* MS_METRICS: there is none of that name. */
static uint32_t metric_named(const char *name, size_t length)
{
	uint32_t metric = 0;

	while (metric < MS_METRICS && (strlen(ms_metric_info(metric)->name) != length ||
				       strncmp(ms_metric_info(metric)->name, name, length) != 0))
		metric++;
	return metric;
}

/* A decimal number, whatever the program's locale is; false: it is none, or negative. */
static bool number_parse(const char *text, double *out)
{
	size_t digits = strspn(text, "0123456789"), length = strspn(text, "0123456789.eE");
	double value = 0, scale = 1;

	if (!digits || text[length])
		return false;
	for (; digits; digits--)
		value = 10 * value + (*text++ - '0');
	if (*text == '.')
		for (text++; *text >= '0' && *text <= '9'; text++)
			value += (scale /= 10) * (*text - '0');
	if (*text == 'e' || *text == 'E') {
		size_t power = strspn(text + 1, "0123456789");
		long times = power && power < 4 ? strtol(text + 1, NULL, 10) : -1;

		if (times < 0 || text[1 + power])
			return false;
		for (; times; times--)
			value *= 10;
		text += 1 + power;
	}
	*out = value;
	return !*text && value < 1e300;
}

static bool parse_above(const char *text, size_t length, struct trigger *out, char *error)
{
	size_t name = strcspn(text, ">");
	char number[TRIGGER_NAME_BYTES];

	out->kind = MS_INTERVAL_WHILE_ABOVE;
	out->metric = metric_named(text, name);
	if (out->metric == MS_METRICS)
		return refuse(error, "is no metric of `memsearch list metrics`", text, name);
	if (ms_metric_info(out->metric)->gauge)
		return refuse(error, "is a state, not a sum over the execution", text, name);
	memcpy(number, text + name + 1, length - name - 1);
	number[length - name - 1] = 0;
	if (!number_parse(number, &out->threshold))
		return refuse(error, "has no number behind '>'", text, length);
	return true;
}

bool trigger_parse(const char *text, size_t length, struct trigger *out, char *error)
{
	size_t from = strlen(FROM);

	*out = (struct trigger){ .kind = MS_INTERVAL_FROM_CALL };
	if (length >= TRIGGER_NAME_BYTES)
		return refuse(error, "is too long", text, length);
	if (length > from && !strncmp(text, FROM, from)) {
		memcpy(out->name, text + from, length - from);
		return true;
	}
	memcpy(out->name, text, length);
	if (memchr(text, '>', length))
		return parse_above(out->name, length, out, error);
	return refuse(error, "is neither from:FUNCTION nor METRIC>NUMBER", text, length);
}

size_t triggers_parse(const char *list, struct trigger *out, size_t room, bool *bad_out,
		      char *error)
{
	size_t nr = 0;

	*bad_out = false;
	for (const char *at = list; *at && nr < room;) {
		size_t length = strcspn(at, ",");

		if (length && trigger_parse(at, length, &out[nr], error))
			nr++;
		else if (length)
			*bad_out = true;
		at += length + (at[length] == ',');
	}
	return nr;
}
