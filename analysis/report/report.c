/* SPDX-License-Identifier: Apache-2.0 */
/* The formats of the report, and the order of its findings. */
#include "analysis/report/report.h"

#include <math.h>
#include <string.h>

#include "analysis/base/arena.h"
#include "analysis/report/finding.h"
#include "memsearch/host.h"

static void write_text(struct text *out, const struct run *const *runs, size_t nr_runs,
		       const struct report_options *options)
{
	bool is_long = options->verbose || options->all || options->tree || options->most ||
		       options->severity_rate;

	(is_long ? report_text : report_answer)(out, runs, nr_runs, options);
}

static const struct {
	const char *name;
	report_writer *write;
} formats[] = {
	{ "text", write_text },      { "json", report_json },   { "csv", report_csv },
	{ "github", report_github }, { "sarif", report_sarif },
};

report_writer *report_format(const char *name)
{
	for (size_t i = 0; i < sizeof(formats) / sizeof(*formats); i++)
		if (!strcmp(formats[i].name, name))
			return formats[i].write;
	return NULL;
}

void report_options_init(struct report_options *options)
{
	*options = (struct report_options){ .size = sizeof(*options), .width = 100 };
}
