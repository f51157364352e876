/* SPDX-License-Identifier: Apache-2.0 */
/* Numbers with units of fitting size. */
#include "analysis/report/units.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

#include "analysis/report/text.h"

struct scale {
	double least; /* used from this value on */
	double divisor;
	const char *unit;
};

static const struct scale times[] = {
	{ 1e9, 1e9, " s" },
	{ 1e6, 1e6, " ms" },
	{ 1e3, 1e3, " us" },
	{ 0, 1, " ns" },
};
static const struct scale counts[] = {
	{ 1e10, 1e9, " G" },
	{ 1e7, 1e6, " M" },
	{ 1e4, 1e3, " k" },
	{ 0, 1, "" },
};
static const struct scale sizes[] = {
	{ 0x1p40, 0x1p40, " TiB" }, { 0x1p30, 0x1p30, " GiB" }, { 0x1p20, 0x1p20, " MiB" },
	{ 0x1p10, 0x1p10, " KiB" }, { 0, 1, " bytes" },
};
static const struct scale bandwidths[] = {
	{ 1, 1, " GB/s" },
	{ 1e-3, 1e-3, " MB/s" },
	{ 0, 1e-6, " kB/s" },
};

/* Three digits; whole numbers stay whole. */
static void add_number(struct text *text, double value)
{
	double size = fabs(value);

	if (value == floor(value) && size < 1e6)
		text_printf(text, "%.0f", value);
	else if (size < 0.995)
		text_printf(text, "%.2g", value);
	else
		text_printf(text, "%.*f", size < 9.995 ? 2 : size < 99.95 ? 1 : 0, value);
}

static void add_scaled(struct text *text, double value, const struct scale *scale)
{
	if (!isfinite(value)) {
		text_add(text, "unknown");
		return;
	}
	while (fabs(value) < scale->least)
		scale++;
	add_number(text, value / scale->divisor);
	text_add_plain(text, scale->unit);
}

void units_time(struct text *text, double ns)
{
	add_scaled(text, ns, times);
}

void units_count(struct text *text, double count)
{
	add_scaled(text, count, counts);
}

void units_bytes(struct text *text, double bytes)
{
	add_scaled(text, bytes, sizes);
}

static void add_bandwidth(struct text *text, double bytes_per_ns)
{
	add_scaled(text, bytes_per_ns, bandwidths);
}

void units_share(struct text *text, double share)
{
	double percent = 100 * share;

	if (!isfinite(share))
		text_add(text, "unknown");
	else if (percent != 0 && fabs(percent) < 0.05)
		text_add(text, "less than 0.1 %");
	else if (fabs(percent) < 9.95 && percent != 0)
		text_printf(text, "%.1f %%", percent);
	else
		text_printf(text, "%.0f %%", percent);
}

static void add_bound(struct text *text, double percent)
{
	if (fabs(percent) < 0.05 || fabs(percent) >= 9.95)
		text_printf(text, "%.0f", percent);
	else
		text_printf(text, "%.1f", percent);
}

void units_share_range(struct text *text, double low, double high)
{
	add_bound(text, 100 * low);
	text_add(text, "-");
	add_bound(text, 100 * high);
	text_add(text, " %");
}

static void add_ratio(struct text *text, double ratio)
{
	if (isfinite(ratio))
		add_number(text, ratio);
	else
		text_add(text, "unknown");
}

static void add_percent(struct text *text, double percent)
{
	units_share(text, percent / 100);
}

static void add_exact(struct text *text, double count)
{
	if (isfinite(count))
		text_printf(text, fabs(count) < 1000 ? "%.4g" : "%.0f", count);
	else
		text_add(text, "unknown");
}

void units_value(struct text *text, double value, const char *unit)
{
	static const struct {
		const char *unit;
		void (*add)(struct text *text, double value);
	} known[] = {
		{ "ns", units_time },   { "bytes", units_bytes },      { "1", units_count },
		{ "exact", add_exact }, { "", units_count },           { "%", add_percent },
		{ "ratio", add_ratio }, { "bytes/ns", add_bandwidth },
	};

	for (size_t i = 0; i < sizeof(known) / sizeof(*known); i++)
		if (!strcmp(unit ? unit : "", known[i].unit)) {
			known[i].add(text, value);
			return;
		}
	units_count(text, value);
	text_add(text, " ");
	text_add_plain(text, unit);
}

const char *units_time_text(struct arena *arena, double ns)
{
	struct text text;

	text_init(&text, arena);
	units_time(&text, ns);
	return text.bytes ? text.bytes : "";
}

const char *units_bytes_text(struct arena *arena, double bytes)
{
	struct text text;

	text_init(&text, arena);
	units_bytes(&text, bytes);
	return text.bytes ? text.bytes : "";
}

const char *units_share_text(struct arena *arena, double share)
{
	struct text text;

	text_init(&text, arena);
	units_share(&text, share);
	return text.bytes ? text.bytes : "";
}
