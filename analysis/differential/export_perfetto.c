/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One run in the Trace Event Format (Google, "Trace Event Format", 2016), which Perfetto's and
 * Chrome's viewers read: a track for each thread, of a mean execution of the phase.
 */
#include "analysis/base/arena.h"
#include "analysis/base/base_name.h"
#include "analysis/differential/export.h"
#include "analysis/differential/timeline.h"
#include "analysis/report/json.h"
#include "analysis/report/text.h"

#define PROCESS 1

static void write_name(struct json *json, const char *what, uint32_t thread, const char *name)
{
	json_open(json, NULL, '{');
	json_string(json, "ph", "M");
	json_string(json, "name", what);
	json_unsigned(json, "pid", PROCESS);
	json_unsigned(json, "tid", thread);
	json_open(json, "args", '{');
	json_string(json, "name", name);
	json_close(json);
	json_close(json);
}

static void write_event(struct json *json, const struct exports *exports, uint32_t thread,
			const struct timeline_event *event)
{
	const struct profile_place *place = export_place(exports,
							 exports->tree.nodes[event->node].place);

	json_open(json, NULL, '{');
	json_string(json, "ph", event->begin ? "B" : "E");
	json_unsigned(json, "pid", PROCESS);
	json_unsigned(json, "tid", thread);
	json_number(json, "ts", event->at_ns * 1e-3); /* us */
	if (event->begin) {
		json_string(json, "name", exports->names[event->node]);
		json_string(json, "cat", "region");
	}
	if (event->begin && place && *place->file) {
		json_open(json, "args", '{');
		json_string(json, "file", place->file);
		json_unsigned(json, "line", place->line > 0 ? (uint64_t)place->line : 0);
		json_close(json);
	}
	json_close(json);
}

const char *export_perfetto(struct text *out, struct exports *exports, size_t run)
{
	struct timeline timeline;
	struct json json;

	if (!timeline_of(exports, run, &timeline))
		return "out of memory";
	if (!timeline.nr_times)
		return EXPORT_NO_TIMES;
	json_init(&json, out);
	json_open(&json, NULL, '{');
	json_string(&json, "displayTimeUnit", "ns");
	json_open(&json, "otherData", '{');
	json_string(&json, "exporter", "memsearch " MEMSEARCH_VERSION);
	json_string(&json, "shown", "a mean execution of the phase");
	json_close(&json);
	json_open(&json, "traceEvents", '[');
	write_name(&json, "process_name", 0, base_name(exports->match->runs[run].profile->program));
	while (timeline_next(exports, &timeline)) {
		uint32_t thread = timeline.thread;

		write_name(&json, "thread_name", thread,
			   arena_printf(exports->arena, "thread %u", thread));
		for (size_t i = 0; i < timeline.nr; i++)
			write_event(&json, exports, thread, &timeline.events[i]);
	}
	json_close(&json);
	json_close(&json);
	return NULL;
}
