/* SPDX-License-Identifier: Apache-2.0 */
/* Prints the doctor's results: the answer, what is missing and how to fix it, then the rest. */
#include "analysis/cmds/doctor.h"

#include <string.h>

#include "analysis/base/arena.h"
#include "analysis/report/json.h"
#include "analysis/report/table.h"
#include "analysis/report/text.h"

#define WIDTH 100
#define TEXT_COLUMN 18 /* of what is the case, after the name */
/* if more metrics lack one thing their number is printed; the names follow below */
#define METRICS_NAMED 2
#define NR(array) (sizeof(array) / sizeof(*(array)))

static const char *const topics[DOCTOR_TOPICS] = {
	[DOCTOR_SENSOR] = "sensor",   [DOCTOR_METRIC] = "metric",   [DOCTOR_PROGRAM] = "program",
	[DOCTOR_SETUP] = "set-up",    [DOCTOR_MACHINE] = "machine", [DOCTOR_LIMIT] = "limit",
	[DOCTOR_RUNTIME] = "runtime",
};

static const char *const headings[DOCTOR_TOPICS] = {
	[DOCTOR_SENSOR] = "Sensors",          [DOCTOR_METRIC] = "Metrics",
	[DOCTOR_PROGRAM] = "The program",     [DOCTOR_SETUP] = "What that means",
	[DOCTOR_MACHINE] = "The machine",     [DOCTOR_LIMIT] = "Limits",
	[DOCTOR_RUNTIME] = "OpenMP runtimes",
};

static const char *const states[] = {
	[DOCTOR_FACT] = "fact",           [DOCTOR_WORKS] = "works",
	[DOCTOR_LIMITED] = "limited",     [DOCTOR_UNKNOWN] = "unknown",
	[DOCTOR_FAILS] = "does not work",
};

/* -- text */

static bool is_problem(const struct doctor_row *row)
{
	return row->state >= DOCTOR_LIMITED;
}

static bool same(const char *a, const char *b)
{
	return a && b && !strcmp(a, b);
}

/* One command fixes both, they have one reason, or they are the same fact. */
static bool is_same_problem(const struct doctor_row *row, const struct doctor_row *other)
{
	return is_problem(row) && is_problem(other) &&
	       (same(row->command, other->command) || same(row->text, other->text) ||
		same(row->name, other->name));
}

static const struct doctor_row *first_of_problem(const struct doctor *doctor,
						 const struct doctor_row *row)
{
	for (const struct doctor_row *other = doctor->rows; other < row; other++)
		if (is_same_problem(other, row))
			return other;
	return row;
}

/*
 * "samples, faults": all that has the problem of `first`; metrics, which mostly are many, by their
 * number, and only where alone.
 */
static const char *names_of_problem(const struct doctor *doctor, const struct doctor_row *first)
{
	const char *names = first->name;
	unsigned int nr = 1;

	for (const struct doctor_row *row = first + 1; row < doctor->rows + doctor->nr; row++) {
		if (!is_same_problem(first, row) || same(row->name, first->name) ||
		    (row->topic == DOCTOR_METRIC && first->topic != DOCTOR_METRIC))
			continue;
		names = arena_printf(doctor->arena, "%s, %s", names, row->name);
		nr++;
	}
	return first->topic == DOCTOR_METRIC && nr > METRICS_NAMED
		       ? arena_printf(doctor->arena, "%u metrics", nr)
		       : names;
}

/*
 * The first row with the problem of `first` that has a command or an advice; `first` if none has.
 */
static const struct doctor_row *mend_of_problem(const struct doctor *doctor,
						const struct doctor_row *first)
{
	for (const struct doctor_row *row = first; row < doctor->rows + doctor->nr; row++)
		if ((row == first || is_same_problem(first, row)) && (row->command || row->advice))
			return row;
	return first;
}

/* The name, and at TEXT_COLUMN what is to be said of it. */
static void text_row(struct text *out, const char *name, const char *text)
{
	size_t start = out->length;

	text_add(out, "  ");
	text_wrap(out, name, 2, WIDTH);
	if (out->length - start + 2 > TEXT_COLUMN)
		text_printf(out, "\n%*s", TEXT_COLUMN, "");
	else
		text_printf(out, "%*s", (int)(TEXT_COLUMN - (out->length - start)), "");
	text_wrap(out, text, TEXT_COLUMN, WIDTH);
	text_add(out, "\n");
}

/* Never broken: it is to be copied. */
static void text_command(struct text *out, int column, const char *command)
{
	text_printf(out, "%*s$ ", column, "");
	text_add_plain(out, command);
	text_add(out, "\n");
}

static void text_problem(struct text *out, const struct doctor *doctor,
			 const struct doctor_row *row)
{
	const struct doctor_row *mend = mend_of_problem(doctor, row);

	text_row(out, names_of_problem(doctor, row), row->text ? row->text : "");
	if (mend->command) {
		text_command(out, TEXT_COLUMN, mend->command);
	} else if (mend->advice) {
		text_printf(out, "%*s", TEXT_COLUMN, "");
		text_wrap(out, arena_printf(doctor->arena, "To do: %s.", mend->advice), TEXT_COLUMN,
			  WIDTH);
		text_add(out, "\n");
	}
}

/* What does not work at all first. */
static void text_problems(struct text *out, const struct doctor *doctor)
{
	static const enum doctor_state order[] = { DOCTOR_FAILS, DOCTOR_LIMITED, DOCTOR_UNKNOWN };
	bool any = false;

	for (size_t i = 0; i < NR(order); i++)
		for (const struct doctor_row *row = doctor->rows; row < doctor->rows + doctor->nr;
		     row++) {
			if (row->state != order[i] || first_of_problem(doctor, row) != row)
				continue;
			if (!any)
				text_add(out, "\nWhat is missing, and how to fix it\n");
			any = true;
			text_problem(out, doctor, row);
		}
}

/* Metrics of one state share a row. */
static void text_metrics(struct text *out, const struct doctor *doctor)
{
	static const enum doctor_state order[] = { DOCTOR_WORKS, DOCTOR_LIMITED, DOCTOR_FAILS };

	for (size_t i = 0; i < NR(order); i++) {
		const char *names = NULL;

		for (size_t j = 0; j < doctor->nr; j++)
			if (doctor->rows[j].topic == DOCTOR_METRIC &&
			    doctor->rows[j].state == order[i])
				names = names ? arena_printf(doctor->arena, "%s, %s", names,
							     doctor->rows[j].name)
					      : doctor->rows[j].name;
		if (names)
			text_row(out,
				 order[i] == DOCTOR_WORKS     ? "work"
				 : order[i] == DOCTOR_LIMITED ? "limited"
							      : "do not work",
				 names);
	}
}

/* What a sensor gives; where it is limited, or does not work, that was said above. */
static const char *sensor_text(const struct doctor *doctor, const struct doctor_row *row)
{
	if (is_problem(row))
		return row->state == DOCTOR_FAILS ? "does not work, see above"
						  : "limited, see above";
	return arena_printf(doctor->arena, "works: %s", row->text);
}

static void text_topic(struct text *out, const struct doctor *doctor, enum doctor_topic topic)
{
	bool any = false;

	for (size_t i = 0; i < doctor->nr; i++) {
		const struct doctor_row *row = &doctor->rows[i];

		/* Other problems were said above. */
		if (row->topic != topic ||
		    (is_problem(row) && topic != DOCTOR_SENSOR && topic != DOCTOR_METRIC))
			continue;
		if (!any)
			text_printf(out, "\n%s\n", headings[topic]);
		any = true;
		if (topic == DOCTOR_METRIC) {
			text_metrics(out, doctor);
			return;
		}
		text_row(out, row->name,
			 topic == DOCTOR_SENSOR ? sensor_text(doctor, row) : row->text);
	}
}

static void print_text(struct text *out, const struct doctor *doctor)
{
	text_wrap(out, doctor->answer, 0, WIDTH);
	text_add(out, "\n");
	for (size_t i = 0; i < NR(doctor->commands); i++)
		if (doctor->commands[i])
			text_command(out, 2, doctor->commands[i]);
	text_problems(out, doctor);
	for (int topic = 0; topic < DOCTOR_TOPICS; topic++)
		text_topic(out, doctor, (enum doctor_topic)topic);
}

/* -- for machines */

static void print_json(struct text *out, const struct doctor *doctor)
{
	struct json json;

	json_init(&json, out);
	json_open(&json, NULL, '{');
	json_string(&json, "schema", "memsearch-doctor-1");
	json_string(&json, "subject", doctor->subject);
	json_string(&json, "answer", doctor->answer);
	json_open(&json, "commands", '[');
	for (size_t i = 0; i < NR(doctor->commands); i++)
		if (doctor->commands[i])
			json_string(&json, NULL, doctor->commands[i]);
	json_close(&json);
	json_open(&json, "rows", '[');
	for (size_t i = 0; i < doctor->nr; i++) {
		json_open(&json, NULL, '{');
		json_string(&json, "topic", topics[doctor->rows[i].topic]);
		json_string(&json, "name", doctor->rows[i].name);
		json_string(&json, "state", states[doctor->rows[i].state]);
		json_string(&json, "text", doctor->rows[i].text);
		json_string(&json, "command", doctor->rows[i].command);
		json_string(&json, "advice", doctor->rows[i].advice);
		json_close(&json);
	}
	json_close(&json);
	json_close(&json);
}

static void print_csv(struct text *out, const struct doctor *doctor)
{
	static const struct table_column columns[] = {
		{ "topic", NULL }, { "name", NULL },    { "state", NULL },
		{ "text", NULL },  { "command", NULL }, { "advice", NULL },
	};
	struct table table;

	table_init(&table, doctor->arena, "rows", columns, NR(columns));
	for (size_t i = 0; i < doctor->nr; i++) {
		table_string(&table, topics[doctor->rows[i].topic]);
		table_string(&table, doctor->rows[i].name);
		table_string(&table, states[doctor->rows[i].state]);
		table_string(&table, doctor->rows[i].text);
		table_string(&table, doctor->rows[i].command);
		table_string(&table, doctor->rows[i].advice);
	}
	table_print(out, &table, "csv");
}

void doctor_print(struct text *out, const struct doctor *doctor, const char *format)
{
	if (!strcmp(format, "json"))
		print_json(out, doctor);
	else if (!strcmp(format, "csv"))
		print_csv(out, doctor);
	else
		print_text(out, doctor);
}
