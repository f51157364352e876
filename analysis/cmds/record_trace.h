/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_CMDS_RECORD_TRACE_H
#define MEMSEARCH_CMDS_RECORD_TRACE_H

/*
 * The executions that the record at `path`, of this run, keeps (analysis/trace/trace_pieces.h), maybe
 * none; the caller gives them to trace_reader_free. COMMAND_GO_ON, or an exit code after a message.
 */
struct arena;
struct run;
struct trace_reader;

int trace_of_record(struct arena *arena, const char *path, const struct run *run,
		    struct trace_reader **reader_out);

#endif
