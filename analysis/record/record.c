/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The record's writer: what is new or changed since the last update becomes entries, appended in
 * one write.
 */
#include "analysis/record/record.h"

#include <string.h>
#include <time.h>
#include <unistd.h>

#include "analysis/base/arena.h"
#include "analysis/base/log.h"
#include "analysis/record/coding.h"
#include "analysis/record/columns.h"
#include "analysis/record/content_hash.h"
#include "analysis/record/crc32c.h"
#include "analysis/record/fields.h"
#include "analysis/record/file.h"
#include "analysis/record/format.h"
#include "analysis/record/rows.h"

/* entries are closed above it: a torn one loses little */
#define PAYLOAD_BYTES ((size_t)64 << 10)
/* an update larger than this takes several writes, to bound our memory */
#define WRITE_BYTES ((size_t)1 << 20)
#define TABLES_MAX 24

/* what was written last of each row */
struct marks {
	uint64_t *hashes;
	size_t nr, room;
};

struct record {
	struct arena *arena;
	struct record_file file;
	struct buffer out;          /* whole entries, for the next write */
	struct buffer payload, row; /* of the entry being made, of the row being made */
	struct string_numbers strings;
	uint64_t head_hash;
	struct marks marks[TABLES_MAX];
	struct columns *columns;
	struct run_measurement *former;
	bool in_memory; /* there is no file: all entries stay in `out` */
};

static bool has_memory(const struct record *record)
{
	return !record->out.failed && !record->payload.failed && !record->row.failed &&
	       !record->strings.failed;
}

static enum ms_status out_of_memory(struct record *record)
{
	log_warning("no memory for the record '%s': it ends with what was written before",
		    record->file.path);
	record->file.failed = true;
	return MS_ERR_MEMORY;
}

static enum ms_status flush(struct record *record)
{
	enum ms_status status;

	if (record->file.failed)
		return MS_ERR_IO;
	if (!has_memory(record))
		return out_of_memory(record);
	if (!record->out.nr)
		return MS_OK;
	status = record_file_append(&record->file, record->out.bytes, record->out.nr);
	record->out.nr = 0;
	return status;
}

static void emit(struct record *record, uint32_t type, struct buffer *payload)
{
	uint8_t head[RECORD_ENTRY_BYTES];

	store_u32(head, (uint32_t)payload->nr);
	store_u32(head + 4, type);
	store_u32(head + 8, crc32c_update(crc32c_update(0, head, 8), payload->bytes, payload->nr));
	if (!record->in_memory && record->out.nr + sizeof(head) + payload->nr > WRITE_BYTES)
		flush(record);
	put_bytes(&record->out, head, sizeof(head));
	put_bytes(&record->out, payload->bytes, payload->nr);
	payload->nr = 0;
}

/* Rows refer to strings, which therefore come first. */
static void emit_rows(struct record *record, uint32_t type)
{
	if (record->strings.fresh.nr)
		emit(record, RECORD_STRINGS, &record->strings.fresh);
	emit(record, type, &record->payload);
}

static void head_update(struct record *record, const struct run *run)
{
	uint64_t hash;

	row_put(&record->payload, &record->strings, &run_fields, run);
	hash = content_hash(record->payload.bytes, record->payload.nr);
	if (hash != record->head_hash)
		emit_rows(record, RECORD_HEAD);
	record->head_hash = hash;
	record->payload.nr = 0;
}

/* Marks for `nr` rows; the reader gets the number if it is smaller than before. */
static bool marks_prepare(struct record *record, const struct run_table *table, struct marks *marks,
			  size_t nr)
{
	if (nr < marks->nr) {
		put_varint(&record->payload, table->id);
		put_varint(&record->payload, nr);
		emit(record, RECORD_SHRINK, &record->payload);
		marks->nr = nr;
	}
	if (nr > marks->room) {
		size_t room = nr + nr / 2 + 64;
		uint64_t *hashes = arena_alloc(record->arena, room * sizeof(*hashes));

		if (!hashes)
			return false;
		if (marks->nr)
			memcpy(hashes, marks->hashes, marks->nr * sizeof(*hashes));
		marks->hashes = hashes;
		marks->room = room;
	}
	return true;
}

/* True if row number `i` is not what was written last. */
static bool mark(struct marks *marks, size_t i, const void *bytes, size_t nr)
{
	uint64_t hash = content_hash(bytes, nr);

	if (i < marks->nr && marks->hashes[i] == hash)
		return false;
	marks->hashes[i] = hash;
	if (i >= marks->nr)
		marks->nr = i + 1;
	return true;
}

static void rows_update(struct record *record, const struct run_table *table, struct marks *marks,
			const char *items, size_t nr)
{
	size_t next = 0; /* the reader's position within the entry */

	for (size_t i = 0; i < nr; i++) {
		record->row.nr = 0;
		row_put(&record->row, &record->strings, table->fields,
			items + i * table->fields->bytes);
		if (!mark(marks, i, record->row.bytes, record->row.nr))
			continue;
		if (!record->payload.nr) {
			put_varint(&record->payload, nr);
			next = 0;
		}
		put_varint(&record->payload, i - next);
		put_varint(&record->payload, record->row.nr);
		put_bytes(&record->payload, record->row.bytes, record->row.nr);
		next = i + 1;
		if (record->payload.nr > PAYLOAD_BYTES)
			emit_rows(record, table->id);
	}
	if (record->payload.nr)
		emit_rows(record, table->id);
}

static bool columns_prepare(struct record *record, size_t nr)
{
	if (record->columns)
		return true;
	record->former = arena_alloc(record->arena, COLUMNS_FORMER * sizeof(*record->former));
	record->columns = record->former ? arena_alloc(record->arena, sizeof(*record->columns))
					 : NULL;
	return record->columns || !nr;
}

static void columns_emit(struct record *record, const struct run *run, size_t nr)
{
	put_varint(&record->payload, run->nr_measurements);
	columns_put(record->columns, &record->payload, nr, run->measurements, record->former);
	emit(record, RECORD_MEASUREMENTS, &record->payload);
}

static bool measurements_update(struct record *record, const struct run *run, struct marks *marks,
				size_t nr_before)
{
	size_t nr = 0, forget = run->nr_measurements;

	if (!columns_prepare(record, run->nr_measurements))
		return false;
	for (; forget < nr_before && forget < COLUMNS_FORMER; forget++)
		memset(&record->former[forget], 0, sizeof(*record->former));
	for (size_t i = 0; i < run->nr_measurements; i++) {
		if (!mark(marks, i, &run->measurements[i], sizeof(run->measurements[i])))
			continue;
		record->columns->numbers[nr++] = i;
		if (nr == COLUMNS_ROWS) {
			columns_emit(record, run, nr);
			nr = 0;
		}
	}
	if (nr)
		columns_emit(record, run, nr);
	return true;
}

static bool table_update(struct record *record, const struct run_table *table, struct marks *marks,
			 const struct run *run)
{
	struct run_table_view view = run_table_of(table, run);
	size_t nr_before = marks->nr;

	if (!*view.nr && !nr_before)
		return true;
	if (!marks_prepare(record, table, marks, *view.nr))
		return false;
	if (table->id == RECORD_MEASUREMENTS)
		return measurements_update(record, run, marks, nr_before);
	rows_update(record, table, marks, *view.items, *view.nr);
	return true;
}

static void run_update(struct record *record, const struct run *run)
{
	head_update(record, run);
	for (size_t i = 0; i < nr_run_tables; i++)
		if (!table_update(record, &run_tables[i], &record->marks[i], run))
			record->out.failed = true;
}

enum ms_status record_update(struct record *record, const struct run *run)
{
	if (record->file.failed)
		return MS_ERR_IO;
	run_update(record, run);
	return flush(record);
}

enum ms_status record_trace(struct record *record, const uint8_t *bytes, size_t nr)
{
	if (record->file.failed)
		return MS_ERR_IO;
	put_bytes(&record->payload, bytes, nr);
	emit(record, RECORD_TRACE, &record->payload);
	return record->out.nr > PAYLOAD_BYTES ? flush(record) : MS_OK;
}

enum ms_status record_phase(struct record *record, uint32_t number, const struct run *run)
{
	const uint8_t *bytes;
	uint8_t prefix[4];
	size_t nr;

	if (record->file.failed)
		return MS_ERR_IO;
	if (record_format(record->arena, run, &bytes, &nr) != MS_OK)
		return MS_ERR_MEMORY;
	store_u32(prefix, number);
	put_bytes(&record->payload, prefix, sizeof(prefix));
	put_bytes(&record->payload, bytes, nr);
	emit(record, RECORD_PHASE, &record->payload);
	return flush(record);
}

enum ms_status record_close(struct record *record, const struct run *run)
{
	enum ms_status status = MS_ERR_IO;

	if (!record->file.failed) {
		run_update(record, run);
		emit(record, RECORD_END, &record->payload);
		status = flush(record);
	}
	record_file_close(&record->file);
	return status;
}

void record_abandon(struct record *record)
{
	record_file_close(&record->file);
}

uint64_t record_bytes(const struct record *record)
{
	return record->file.bytes;
}

static void header_make(uint8_t header[RECORD_HEADER_BYTES])
{
	struct timespec now;

	clock_gettime(CLOCK_REALTIME, &now);
	memcpy(header, RECORD_MAGIC, 8);
	store_u32(header + 8, RECORD_VERSION);
	store_u32(header + 12, (uint32_t)getpid());
	store_u64(header + 16, (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec);
	store_u32(header + 24, record_host_number());
	store_u32(header + 28, crc32c_update(0, header, 28));
}

static bool buffers_init(struct record *record)
{
	record->out.arena = record->payload.arena = record->row.arena = record->arena;
	record->strings.arena = record->strings.fresh.arena = record->arena;
	return buffer_need(&record->out, WRITE_BYTES + 2 * PAYLOAD_BYTES) &&
	       buffer_need(&record->payload, 2 * PAYLOAD_BYTES) &&
	       buffer_need(&record->row, 4096) && buffer_need(&record->strings.fresh, 4096);
}

/* What the first write carries beside the first update. */
static void names_emit(struct record *record)
{
	for (size_t i = 0; i < nr_field_name_lists; i++) {
		names_put(&record->payload, field_name_lists[i]);
		emit(record, RECORD_NAMES, &record->payload);
	}
}

static struct record *record_begin(struct arena *arena, const char *path, bool replace,
				   const char **path_out)
{
	struct record *record = arena_alloc(arena, sizeof(*record));
	uint8_t header[RECORD_HEADER_BYTES];

	if (!record)
		return NULL;
	record->arena = arena;
	if (!buffers_init(record)) {
		log_warning("no memory for the record '%s'", path);
		return NULL;
	}
	header_make(header);
	if (record_file_create(&record->file, arena, path, replace, header, sizeof(header)) !=
	    MS_OK)
		return NULL;
	names_emit(record);
	if (path_out)
		*path_out = record->file.path;
	return record;
}

struct record *record_create(struct arena *arena, const char *path, const char **path_out)
{
	return record_begin(arena, path, false, path_out);
}

struct record *record_replace(struct arena *arena, const char *path, const char **path_out)
{
	return record_begin(arena, path, true, path_out);
}

enum ms_status record_format(struct arena *arena, const struct run *run, const uint8_t **bytes_out,
			     size_t *nr_out)
{
	struct record record = { .arena = arena, .in_memory = true };
	uint8_t header[RECORD_HEADER_BYTES];

	if (!buffers_init(&record))
		return MS_ERR_MEMORY;
	header_make(header);
	put_bytes(&record.out, header, sizeof(header));
	names_emit(&record);
	run_update(&record, run);
	emit(&record, RECORD_END, &record.payload);
	*bytes_out = record.out.bytes;
	*nr_out = record.out.nr;
	return has_memory(&record) ? MS_OK : MS_ERR_MEMORY;
}
