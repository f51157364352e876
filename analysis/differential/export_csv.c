/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One row a value: run, its settings, where, which metric. Values are as measured: regions include
 * those inside of them as metrics.h says.
 */
#include <math.h>

#include "analysis/base/base_name.h"
#include "analysis/differential/export.h"
#include "analysis/differential/metrics.h"
#include "analysis/report/csv.h"
#include "analysis/report/text.h"

struct table_csv {
	struct text *out;
	const struct exports *exports;
	const char **settings;
	size_t nr;
};

static void write_head(const struct table_csv *csv)
{
	text_add(csv->out, EXPORT_CSV_BEGIN);
	for (size_t i = 0; i < csv->nr; i++)
		csv_string(csv->out, i == 0, csv->settings[i]);
	text_add(csv->out, ",path,region,data_structure,metric,rung,unit,value\n");
}

static void write_row(const struct table_csv *csv, size_t run, size_t bucket)
{
	const struct exports *exports = csv->exports;
	const struct profile *profile = exports->match->runs[run].profile;
	const struct bucket_key *key = &exports->buckets.keys[bucket];
	const struct compared_metric *metric = compared_metric(key->metric);
	const struct profile_place *place = export_place(exports, key->place);

	csv_number(csv->out, 1, (double)run + 1);
	csv_string(csv->out, 0, base_name(profile->program));
	for (size_t i = 0; i < csv->nr; i++)
		csv_string(csv->out, 0, profile_setting(profile, csv->settings[i]));
	csv_string(csv->out, 0, place->path);
	csv_string(csv->out, 0, place->words);
	csv_string(csv->out, 0, match_array_words(exports->match, key->array));
	csv_string(csv->out, 0, metric->name);
	csv_string(csv->out, 0, ms_rung_name(metric->rung));
	csv_string(csv->out, 0, metric->unit);
	csv_number(csv->out, 0, exports->buckets.values[bucket * exports->buckets.nr_runs + run]);
	text_add(csv->out, "\n");
}

const char *export_csv(struct text *out, struct exports *exports, size_t run)
{
	struct table_csv csv = { .out = out, .exports = exports };

	(void)run;
	csv.settings = export_settings(exports, &csv.nr);
	if (!csv.settings)
		return "out of memory";
	write_head(&csv);
	for (size_t i = 0; i < exports->match->nr_runs; i++)
		for (size_t k = 0; k < exports->buckets.nr; k++)
			if (!isnan(exports->buckets.values[k * exports->buckets.nr_runs + i]))
				write_row(&csv, i, k);
	return NULL;
}
