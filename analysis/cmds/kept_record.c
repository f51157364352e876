/* SPDX-License-Identifier: Apache-2.0 */
/* Opens what a record keeps of the program's accesses. */
#include "analysis/cmds/kept_record.h"

#include "analysis/base/log.h"
#include "analysis/cmds/command.h"
#include "analysis/record/record.h"
#include "analysis/trace/kept.h"

static bool add_piece(void *ctx, const uint8_t *bytes, size_t nr)
{
	kept_add(ctx, bytes, nr);
	return true;
}

int kept_of_record(struct arena *arena, const char *path, struct kept **kept_out)
{
	struct kept *kept;

	*kept_out = NULL;
	if (!record_is(path)) {
		log_warning("'%s' is a store: only records keep accesses", path);
		return COMMAND_BAD_DATA;
	}
	kept = kept_new(arena);
	if (!kept || record_traces(arena, path, add_piece, kept) != MS_OK) {
		kept_free(kept);
		return COMMAND_BAD_DATA;
	}
	if (kept_is_unreadable(kept)) {
		log_warning("the accesses in the record '%s' are compressed with zstd, and this memsearch was built without it: install libzstd-dev and build again", path);
		kept_free(kept);
		return COMMAND_BAD_DATA;
	}
	*kept_out = kept;
	return COMMAND_GO_ON;
}
