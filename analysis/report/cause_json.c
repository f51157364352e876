/* SPDX-License-Identifier: Apache-2.0 */
/* Writes causes into the report as JSON. */
#include "analysis/report/cause_json.h"

#include <math.h>
#include <string.h>

#include "analysis/report/array_names.h"
#include "analysis/report/calls.h"
#include "analysis/report/cause.h"
#include "analysis/report/finding.h"
#include "analysis/report/json.h"

static void line(struct json *json, const char *key, const struct source *source)
{
	if (!source || !source->line) {
		json_null(json, key);
		return;
	}
	json_open(json, key, '{');
	json_string(json, "file", source->file && *source->file ? source->file : NULL);
	json_number(json, "line", source->line);
	json_close(json);
}

static void arrays(struct json *json, struct arena *arena, const struct run *run,
		   const struct cause *cause)
{
	json_open(json, "data_structures", '[');
	for (size_t i = 0; i < cause->nr_arrays; i++)
		json_string(json, NULL,
			    arrays_name(arena, run, &run->arrays[cause->arrays[i].array]));
	json_close(json);
}

/* For programs: what to do, to which arrays, in which loops (innermost first). */
static void remedy(struct json *json, const struct run *run, const struct cause *cause,
		   const char *action)
{
	const struct source *loops[CAUSE_LOOPS];
	size_t nr = cause_loops(run, cause, loops, CAUSE_LOOPS);

	json_open(json, "remedy", '{');
	json_string(json, "action", action);
	json_open(json, "arrays", '[');
	for (size_t i = 0; i < cause->nr_arrays; i++)
		json_unsigned(json, NULL, cause->arrays[i].array);
	json_close(json);
	json_open(json, "loops", '[');
	for (size_t i = 0; i < nr; i++)
		line(json, NULL, loops[i]);
	json_close(json);
	json_close(json);
}

static void findings(struct json *json, const struct cause *cause)
{
	json_open(json, "findings", '[');
	for (size_t i = 0; i < cause->nr_nodes; i++)
		json_unsigned(json, NULL, cause->nodes[i]->id);
	json_close(json);
}

static void one(struct json *json, struct arena *arena, const struct run *run, size_t number,
		bool of_model, const struct cause *cause)
{
	struct cause_remedy what = cause_remedy_of(arena, run, cause);

	json_open(json, NULL, '{');
	json_unsigned(json, "run", number);
	json_string(json, "kind", cause_name(cause->kind));
	json_string(json, "property", cause->worst->property);
	json_string(json, "title", cause_title(arena, cause));
	json_string(json, "machine", of_model && run->modelled.name ? run->modelled.name : "host");
	json_open(json, "severity_interval", '[');
	json_number(json, NULL, cause->low);
	json_number(json, NULL, cause->high);
	json_close(json);
	json_string(json, "place", finding_place(arena, run, cause->region));
	line(json, "region", &run->regions[cause->region].source);
	line(json, "hot", cause_line(run, cause));
	arrays(json, arena, run, cause);
	json_string(json, "why", cause_why(arena, run, cause));
	json_string(json, "calls", calls_of_cause(arena, run, cause));
	json_string(json, "advice", what.text);
	remedy(json, run, cause, what.action);
	findings(json, cause);
	json_close(json);
}

void causes_json(struct json *json, struct arena *arena, const char *key,
		 const struct run *const *runs, size_t nr_runs)
{
	json_open(json, key, '[');
	for (size_t i = 0; i < nr_runs; i++)
		for (int of_model = 0; of_model < 2; of_model++) {
			const struct cause *causes;
			size_t nr = causes_of(arena, runs[i], of_model, &causes);

			for (size_t k = 0; k < nr; k++)
				one(json, arena, runs[i], i + 1, of_model, &causes[k]);
		}
	json_close(json);
}
