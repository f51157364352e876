/* SPDX-License-Identifier: Apache-2.0 */
/* Opens what a record keeps of the program's accesses. */
#include "analysis/cmds/record_trace.h"

#include "analysis/base/log.h"
#include "analysis/cmds/command.h"
#include "analysis/record/record.h"
#include "analysis/store/store.h"
#include "analysis/trace/trace_reader.h"

static bool add_piece(void *ctx, const uint8_t *bytes, size_t nr)
{
	trace_reader_add(ctx, bytes, nr);
	return true;
}

int trace_of_record(struct arena *arena, const char *path, const struct run *run,
		    struct trace_reader **reader_out)
{
	struct trace_reader *reader;

	*reader_out = NULL;
	if (!record_is(path)) {
		log_warning(store_is(path) ? "'%s' is a store: only records keep accesses"
					   : "'%s' is not a record of memsearch (.ms)",
			    path);
		return COMMAND_BAD_DATA;
	}
	reader = trace_reader_new(arena);
	if (!reader || record_traces(arena, path, add_piece, reader) != MS_OK) {
		trace_reader_free(reader);
		return COMMAND_BAD_DATA;
	}
	if (trace_reader_is_unreadable(reader)) {
		log_warning(
			"the accesses in the record '%s' are compressed with zstd, and this memsearch was built without it: install libzstd-dev and build again",
			path);
		trace_reader_free(reader);
		return COMMAND_BAD_DATA;
	}
	/* a run that was cut may have lasted longer */
	trace_reader_lasted(reader, run->complete ? run->cost.program_wall_ns : 0);
	*reader_out = reader;
	return COMMAND_GO_ON;
}
