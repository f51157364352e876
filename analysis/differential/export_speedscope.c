/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One run for speedscope (https://www.speedscope.app/file-format-schema.json of its sources): an
 * evented profile for each thread, of a mean execution of the phase.
 */
#include "analysis/base/arena.h"
#include "analysis/base/base_name.h"
#include "analysis/differential/export.h"
#include "analysis/differential/timeline.h"
#include "analysis/report/json.h"
#include "analysis/report/text.h"

static void write_frames(struct json *json, const struct exports *exports)
{
	json_open(json, "frames", '[');
	for (uint32_t node = 0; node < exports->tree.nr; node++) {
		const struct profile_place *place = export_place(exports,
								 exports->tree.nodes[node].place);

		json_open(json, NULL, '{');
		json_string(json, "name", exports->names[node]);
		if (place && *place->file)
			json_string(json, "file", place->file);
		if (place && place->line > 0)
			json_unsigned(json, "line", (uint64_t)place->line);
		json_close(json);
	}
	json_close(json);
}

static void write_thread(struct json *json, struct arena *arena, const struct timeline *timeline)
{
	json_open(json, NULL, '{');
	json_string(json, "type", "evented");
	json_string(json, "name", arena_printf(arena, "thread %u", timeline->thread));
	json_string(json, "unit", "nanoseconds");
	json_unsigned(json, "startValue", 0);
	json_number(json, "endValue", timeline->end_ns);
	json_open(json, "events", '[');
	for (size_t i = 0; i < timeline->nr; i++) {
		json_open(json, NULL, '{');
		json_string(json, "type", timeline->events[i].begin ? "O" : "C");
		json_unsigned(json, "frame", timeline->events[i].node);
		json_number(json, "at", timeline->events[i].at_ns);
		json_close(json);
	}
	json_close(json);
	json_close(json);
}

const char *export_speedscope(struct text *out, struct exports *exports, size_t run)
{
	struct timeline timeline;
	struct json json;

	if (!timeline_of(exports, run, &timeline))
		return "out of memory";
	if (!timeline.nr_times)
		return EXPORT_NO_TIMES;
	json_init(&json, out);
	json_open(&json, NULL, '{');
	json_string(&json, "exporter", "memsearch " MEMSEARCH_VERSION);
	json_string(&json, "$schema", "https://www.speedscope.app/file-format-schema.json");
	json_string(&json, "name",
		    arena_printf(exports->arena, "%s: a mean execution of the phase",
				 base_name(exports->match->runs[run].profile->program)));
	json_unsigned(&json, "activeProfileIndex", 0);
	json_open(&json, "shared", '{');
	write_frames(&json, exports);
	json_close(&json);
	json_open(&json, "profiles", '[');
	while (timeline_next(exports, &timeline))
		write_thread(&json, exports->arena, &timeline);
	json_close(&json);
	json_close(&json);
	return NULL;
}
