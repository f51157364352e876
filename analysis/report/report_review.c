/* SPDX-License-Identifier: Apache-2.0 */
/* The causes of a run as messages at source lines: SARIF and annotations of GitHub (review.h). */
#include <ctype.h>
#include <math.h>
#include <string.h>

#include "analysis/base/arena.h"
#include "analysis/properties/property.h"
#include "analysis/report/cause.h"
#include "analysis/report/finding.h"
#include "analysis/report/report.h"
#include "analysis/report/review.h"
#include "analysis/report/text.h"
#include "analysis/report/units.h"

/* an error from here on; a warning from the next, as in the text's colours */
#define SEVERE_SHARE 0.2
#define NOTABLE_SHARE 0.05

struct builder {
	struct arena *arena;
	const struct report_options *options;
	struct review_rule *rules;
	size_t nr_rules, room_rules;
	struct review_message *messages;
	size_t nr, room;
};

/*
 * The property's text for any run: "<region>" for "{region}", and [optional parts] without
 * brackets.
 */
static void add_template(struct text *out, const char *template)
{
	for (; template && *template; template ++) {
		if (*template == '{')
			text_add(out, "<");
		else if (*template == '}')
			text_add(out, ">");
		else if (!strchr("[]", *template) && !(*template == '%' && template[1] == '}'))
			text_add_bytes(out, template, 1);
	}
}

static const char *help_of(const struct builder *builder, const char *name)
{
	const struct property_set *set = builder->options->properties;
	const struct property *property = set ? property_set_find(set, name) : NULL;
	struct text text;

	text_init(&text, builder->arena);
	if (property) {
		add_template(&text, property_explanation(property));
		text_add(&text, " ");
		add_template(&text, property_advice(property));
		text_add(&text, " ");
	}
	text_printf(&text, "`memsearch properties %s` prints its definition.", name);
	return text.bytes;
}

static size_t rule_of(struct builder *builder, const struct cause *cause)
{
	const char *id = cause->worst->property ? cause->worst->property : "unknown";

	for (size_t i = 0; i < builder->nr_rules; i++)
		if (!strcmp(builder->rules[i].id, id))
			return i;
	if (!ARENA_GROW(builder->arena, builder->rules, builder->nr_rules, builder->room_rules))
		return 0;
	builder->rules[builder->nr_rules] = (struct review_rule){
		id, finding_title(builder->arena, cause->worst), help_of(builder, id)
	};
	return builder->nr_rules++;
}

static enum review_level level_of(const struct cause *cause)
{
	double gain = cause_worth(cause);

	return gain >= SEVERE_SHARE    ? REVIEW_ERROR
	       : gain >= NOTABLE_SHARE ? REVIEW_WARNING
				       : REVIEW_NOTE;
}

static void add_share(struct text *text, double low, double high)
{
	if (high - low < (high < 0.1 ? 0.002 : 0.02))
		units_share(text, high);
	else
		units_share_range(text, low, high);
}

/* "temp: strided access, 20-30 % of the time on xeon-2s: why. Try: remedy" */
static const char *words_of(const struct builder *builder, const struct run *run,
			    const struct cause *cause, bool of_model)
{
	const char *arrays = cause_arrays(builder->arena, run, cause),
		   *why = cause_why(builder->arena, run, cause);
	const char *remedy = cause_remedy(builder->arena, run, cause);
	struct text text;

	text_init(&text, builder->arena);
	text_printf(&text, "%s%s%s, ", arrays ? arrays : "", arrays ? ": " : "",
		    cause_title(builder->arena, cause));
	add_share(&text, cause->low, cause->high);
	text_add(&text, " of the time");
	if (of_model && run->modelled.name)
		text_printf(&text, " on %s", run->modelled.name);
	if (why && *why)
		text_printf(&text, ": %s", why);
	if (remedy && *remedy)
		text_printf(&text, "%s %s%s",
			    text.length && text.bytes[text.length - 1] == '.' ? "" : ".",
			    isupper((unsigned char)*remedy) ? "" : "Try: ", remedy);
	return text.bytes;
}

/* Property, function and arrays: what stays the same when lines are added above. */
static const char *identity_of(const struct builder *builder, const struct run *run,
			       const struct cause *cause, const struct source *line)
{
	const char *arrays = cause_arrays(builder->arena, run, cause);

	return arena_printf(builder->arena, "%s:%s:%s",
			    cause->worst->property ? cause->worst->property : "",
			    line && line->function ? line->function : "", arrays ? arrays : "");
}

static void add_cause(struct builder *builder, const struct run *run, const struct cause *cause,
		      bool of_model)
{
	const struct source *line = cause_line(run, cause);
	bool known = line && line->line > 0 && line->file && *line->file;
	const char *path = known && builder->options->path
				   ? builder->options->path(builder->arena, line->file)
				   : NULL;
	size_t rule = rule_of(builder, cause);

	if (!builder->nr_rules ||
	    !ARENA_GROW(builder->arena, builder->messages, builder->nr, builder->room))
		return;
	builder->messages[builder->nr++] = (struct review_message){
		.rule = rule,
		.level = level_of(cause),
		.path = path    ? path
			: known ? line->file
				: NULL,
		.line = known ? (unsigned int)line->line : 0,
		.function = known && line->function && *line->function ? line->function : NULL,
		.identity = identity_of(builder, run, cause, line),
		.rank = 100 * fmin(1, fmax(0, cause_worth(cause))),
		.text = words_of(builder, run, cause, of_model),
	};
}

static struct review review_of(struct text *out, const struct run *const *runs, size_t nr_runs,
			       const struct report_options *options)
{
	struct builder builder = { .arena = out->arena, .options = options };

	for (size_t i = 0; i < nr_runs; i++)
		for (int of_model = 0; of_model < 2; of_model++) {
			const struct cause *causes;
			size_t nr = causes_of(out->arena, runs[i], of_model, &causes);

			for (size_t k = 0; k < nr; k++)
				add_cause(&builder, runs[i], &causes[k], of_model);
		}
	return (struct review){ builder.rules, builder.nr_rules, builder.messages, builder.nr };
}

void report_sarif(struct text *out, const struct run *const *runs, size_t nr_runs,
		  const struct report_options *options)
{
	struct review review = review_of(out, runs, nr_runs, options);

	review_sarif(out, &review);
}

void report_github(struct text *out, const struct run *const *runs, size_t nr_runs,
		   const struct report_options *options)
{
	struct review review = review_of(out, runs, nr_runs, options);

	review_github(out, &review);
}
