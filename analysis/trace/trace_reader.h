/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_TRACE_TRACE_READER_H
#define MEMSEARCH_TRACE_TRACE_READER_H

#include "analysis/trace/trace_pieces.h"

struct trace_reader;

/* NULL: no memory. In the arena, except memory that trace_reader_free frees. */
struct trace_reader *trace_reader_new(struct arena *arena);
void trace_reader_free(struct trace_reader *reader);
/*
 * Adds the next piece of a record, whose bytes must stay. False: damaged; its execution is skipped.
 */
bool trace_reader_add(struct trace_reader *reader, const uint8_t *bytes, size_t nr);

/*
 * Time of the whole program; without it, or 0: unknown. An execution with more accesses than a
 * thread had time for is damaged, as one with more than can be simulated.
 */
void trace_reader_lasted(struct trace_reader *reader, double ns);

/* Call first in a fork's child, where tables of blocks are empty. False: no memory. */
bool trace_reader_in_child(struct trace_reader *reader);

/* A piece is compressed, which this build cannot read. */
bool trace_reader_is_unreadable(const struct trace_reader *reader);

/* The number of complete executions. */
size_t trace_reader_executions(const struct trace_reader *reader);
const struct traced_execution *trace_reader_execution(const struct trace_reader *reader,
						      size_t number);
/* Drops executions that consist of bursts. */
void trace_reader_drop_bursts(struct trace_reader *reader);
/* Drops executions of an earlier phase: of the first `nr` those that do not consist of bursts. */
void trace_reader_drop_before(struct trace_reader *reader, uint64_t nr);
/* Drops executions of a later phase: of those behind the first `nr`. Before the above. */
void trace_reader_drop_after(struct trace_reader *reader, uint64_t nr);
/* The run's region of a TRACE_PART; MS_REGION_NONE: unknown. */
uint32_t trace_reader_region(const struct traced_execution *of, uint32_t region);
/* Begun streams that each execution fits into. NULL: no memory, or too large. */
struct trace_streams *trace_reader_streams(const struct trace_reader *reader);
/*
 * The block that contained the address at a time in [since, until], else its page. False: in no
 * block.
 */
bool trace_reader_place(const struct trace_reader *reader, size_t number, uint64_t address,
			uint64_t since, uint64_t until, struct array_place *out);
/* Bytes of the array's largest block in any execution; 0: none. */
uint64_t trace_reader_block_bytes(const struct trace_reader *reader, uint32_t array);
/* From now on trace_reader_narrow narrows places to these parts, which the caller owns. */
void trace_reader_divide(struct trace_reader *reader, const struct array_parts *parts);
/* The same for cuts at addresses, within these parts. */
void trace_reader_cut(struct trace_reader *reader, const struct address_cuts *cuts);
void trace_reader_narrow(const struct trace_reader *reader, uint64_t address,
			 struct array_place *place);
/* Blocks of the array or part in any execution, at most `room`; returns their number. */
size_t trace_reader_blocks_of(const struct trace_reader *reader, uint32_t array,
			      struct traced_range *out, size_t room);
/* The last version of natural loops ([0]: none); regions at the end of the execution. */
size_t trace_reader_loops(const struct trace_reader *reader, const struct traced_loop **out);
size_t trace_reader_regions(const struct trace_reader *reader, size_t number,
			    const struct traced_construct **out);
/*
 * Decodes the execution into empty streams and its first touches into page_touches.h. `wants`,
 * unless NULL, is called for each entry with its region as in TRACE_PART and its accesses per
 * iteration, and may select the first iterations, or none. It may write other entries into the
 * thread's stream, which lie before this one, and TRACE_PART again behind them
 * (trace_reader_part). False: damaged, or no space.
 */
typedef void trace_reader_wants(void *ctx, uint32_t thread, uint32_t region, uint64_t accesses,
				uint64_t *times);
/* The words of the thread's last TRACE_PART. */
struct traced_part {
	uint64_t region, before, now;
};
struct traced_part trace_reader_part(const struct trace_reader *reader, uint32_t thread);
bool trace_reader_play(struct trace_reader *reader, size_t number, struct trace_streams *streams,
		       trace_reader_wants *wants, void *ctx);
/* The code address of a site in streams; 0: no such site. */
uint64_t trace_reader_site(const struct trace_reader *reader, uint32_t site, uint32_t *number_out);
/* How many numbers there are. */
uint32_t trace_reader_sites(const struct trace_reader *reader);

#endif
