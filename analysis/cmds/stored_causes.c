/* SPDX-License-Identifier: Apache-2.0 */
#include "analysis/cmds/stored_causes.h"

#include "analysis/base/arena.h"
#include "analysis/report/cause.h"
#include "analysis/report/finding.h"

static struct store_cause stored(struct arena *arena, const struct run *run,
				 const struct cause *cause, const char *machine)
{
	const struct source *line = cause_line(run, cause);
	struct cause_remedy remedy = cause_remedy_of(arena, run, cause);

	return (struct store_cause){
		.machine = machine,
		.kind = cause_name(cause->kind),
		.property = cause->worst->property,
		.title = cause_title(arena, cause),
		.arrays = cause_arrays(arena, run, cause),
		.place = finding_place(arena, run, cause->region),
		.file = line && line->line > 0 ? line->file : NULL,
		.line = line && line->line > 0 ? (uint32_t)line->line : 0,
		.low = cause->low,
		.high = cause->high,
		.why = cause_why(arena, run, cause),
		.remedy = remedy.text,
		.action = remedy.action,
	};
}

bool stored_causes(struct arena *arena, const struct run *run, struct store_causes *out)
{
	const struct cause *causes[2];
	size_t nr[2];

	*out = (struct store_causes){ 0 };
	for (int of_model = 0; of_model < 2; of_model++)
		nr[of_model] = causes_of(arena, run, of_model, &causes[of_model]);
	out->list = arena_alloc(arena, (nr[0] + nr[1] + 1) * sizeof(*out->list));
	if (!out->list)
		return false;
	for (int of_model = 0; of_model < 2; of_model++)
		for (size_t i = 0; i < nr[of_model]; i++)
			out->list[out->nr++] = stored(arena, run, &causes[of_model][i],
						      of_model ? run->modelled.name : "host");
	return true;
}
