/* SPDX-License-Identifier: Apache-2.0 */
#include "analysis/cmds/machine_file.h"

#include <inttypes.h>
#include <string.h>

#include "analysis/machine/figure.h"
#include "analysis/machine/model_check.h"
#include "analysis/machine/model_text.h"
#include "analysis/report/text.h"

/* Machine files have no escapes: a quote would end the text. */
static void add_quoted(struct text *out, const char *words)
{
	text_add(out, "\"");
	for (; *words; words++) {
		char letter[2] = { *words == '"' ? '\'' : *words, '\0' };

		text_add_plain(out, letter);
	}
	text_add(out, "\"");
}

static void add_source(struct text *out, const struct model_file *file, const char *key)
{
	const char *source = model_source_of(file, key);

	if (source && *source) {
		text_add(out, "    ");
		add_quoted(out, source);
	}
	text_add(out, "\n");
}

/* In whole units, so that nothing is rounded. */
static void add_figure(struct text *out, const struct model_file *file, const struct figure *figure)
{
	uint64_t value = figure_get(figure, &file->model);
	const char *unit = figure_unit(figure);

	if (!figure_applies(figure, &file->model) || figure_is_none(figure, &file->model))
		return;
	text_printf(out, "%s = ", figure->key);
	if (figure->kind == FIGURE_WORD)
		text_add_plain(out, figure_text(out->arena, figure, &file->model));
	else if (!strcmp(unit, "1"))
		text_printf(out, "%" PRIu64, value);
	else
		text_printf(out, "%" PRIu64 " %s", value, unit);
	add_source(out, file, figure->key);
}

static void add_distances(struct text *out, const struct model_file *file)
{
	const struct machine_model *model = &file->model;

	for (uint32_t i = 0; i < model->nodes && model_has_distances(model); i++) {
		text_printf(out, "distances.%" PRIu32 " =", i);
		for (uint32_t j = 0; j < model->nodes; j++)
			text_printf(out, " %" PRIu32, model->distances[i][j]);
		text_add(out, " cycles");
		add_source(out, file, "distances.0");
	}
}

void machine_file_print(struct text *out, const struct model_file *file)
{
	const struct figure *all;
	size_t nr = figures(&all);

	text_add(out, "title  = ");
	add_quoted(out, file->title);
	text_add(out, "\nsource = ");
	add_quoted(out, file->model.source);
	text_add(out, "\n\n");
	for (size_t i = 0; i < nr; i++)
		add_figure(out, file, &all[i]);
	add_distances(out, file);
}
