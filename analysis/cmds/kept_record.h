/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_CMDS_KEPT_RECORD_H
#define MEMSEARCH_CMDS_KEPT_RECORD_H

/*
 * The executions that the record at `path` keeps (analysis/trace/kept.h), maybe none; the caller gives them to kept_free. COMMAND_GO_ON, or an exit code
 * after a message.
 */
struct arena;
struct kept;

int kept_of_record(struct arena *arena, const char *path, struct kept **kept_out);

#endif
