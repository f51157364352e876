/* SPDX-License-Identifier: Apache-2.0 */
/* The record's reader: applies whole entries in turn and stops at the first that is not. */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "analysis/base/arena.h"
#include "analysis/base/log.h"
#include "analysis/record/coding.h"
#include "analysis/record/columns.h"
#include "analysis/record/crc32c.h"
#include "analysis/record/fields.h"
#include "analysis/record/format.h"
#include "analysis/record/record.h"
#include "analysis/record/rows.h"
#include "analysis/record/run_check.h"

#define WINDOW_BYTES ((size_t)256 << 10)

/*
 * The file through a window that moves on, or bytes in memory. No mmap: the file may be on a
 * network and shrink.
 */
struct input {
	struct arena *arena;
	int fd; /* -1: memory, all of it in the window */
	const uint8_t *at, *end;
	uint8_t *window;
	size_t room;
	uint64_t left; /* bytes of the file behind the window */
	int cause;     /* errno of a failed read */
};

struct reader {
	struct row_reader rows;
	struct columns *columns;
	struct run *run;
	bool ended; /* the last entry was the end mark */
};

static uint64_t input_left(const struct input *input)
{
	return input->left + (uint64_t)(input->end - input->at);
}

static bool window_fill(struct input *input)
{
	size_t have = (size_t)(input->end - input->window);
	ssize_t nr;

	do
		nr = read(input->fd, input->window + have, input->room - have);
	while (nr < 0 && errno == EINTR);
	if (nr < 0)
		input->cause = errno;
	if (nr <= 0)
		return false;
	input->end += nr;
	input->left -= (uint64_t)nr < input->left ? (uint64_t)nr : input->left;
	return true;
}

/* The next `nr` bytes are in the window; false: there are not so many. */
static bool input_need(struct input *input, size_t nr)
{
	size_t have = (size_t)(input->end - input->at);

	if (have >= nr)
		return true;
	if (input->fd < 0 || nr > input_left(input))
		return false;
	if (nr > input->room || !input->window) {
		size_t room = nr > WINDOW_BYTES ? nr : WINDOW_BYTES;
		uint8_t *window = arena_alloc(input->arena, room);

		if (!window) {
			input->cause = ENOMEM;
			return false;
		}
		if (have)
			memcpy(window, input->at, have);
		input->window = window;
		input->room = room;
	} else {
		memmove(input->window, input->at, have);
	}
	input->at = input->window;
	input->end = input->window + have;
	while ((size_t)(input->end - input->at) < nr)
		if (!window_fill(input))
			return false;
	return true;
}

/*
 * Reserves memory for all rows if their number in the file is plausible; else grows as rows are
 * read.
 */
static bool table_room(struct reader *reader, const struct run_table *table, size_t needed,
		       uint64_t promised)
{
	struct run_table_view view = run_table_of(table, reader->run);
	size_t bytes = table->fields->bytes, room = *view.room ? *view.room * 2 : 8;
	void *items;

	if (needed <= *view.room)
		return true;
	if (promised > room)
		room = promised;
	if (room < needed)
		room = needed;
	items = arena_alloc(reader->rows.arena, room * bytes);
	if (!items) {
		reader->rows.out_of_memory = true;
		return false;
	}
	if (*view.nr)
		memcpy(items, *view.items, *view.nr * bytes);
	*view.items = items;
	*view.room = room;
	return true;
}

/* A wrong number of rows must not allocate memory: a row takes an eighth of a byte at least. */
static uint64_t promised_rows(struct cursor *cursor, uint64_t left)
{
	uint64_t rows = get_varint(cursor);

	return rows <= left * 8 + COLUMNS_ROWS ? rows : 0;
}

static void rows_apply(struct reader *reader, struct cursor *cursor, const struct run_table *table,
		       uint64_t left)
{
	struct run_table_view view = run_table_of(table, reader->run);
	uint64_t promised = promised_rows(cursor, left), number = 0;
	size_t bytes = table->fields->bytes;

	while (cursor->at < cursor->end && !cursor->bad) {
		uint64_t skip = get_varint(cursor), length = get_varint(cursor);
		struct cursor row;
		char *item;

		if (cursor->bad || length > (size_t)(cursor->end - cursor->at) ||
		    skip > *view.nr - number) {
			cursor->bad = true;
			return;
		}
		number += skip;
		if (!table_room(reader, table, number + 1, promised)) {
			cursor->bad = true;
			return;
		}
		row = (struct cursor){ cursor->at, cursor->at + length, false };
		item = (char *)*view.items + number * bytes;
		memset(item, 0, bytes);
		row_get(&reader->rows, &row, table->fields, item);
		if (number == *view.nr)
			*view.nr += 1;
		number++;
		cursor->bad = row.bad;
		cursor->at += length;
	}
}

static const struct run_table *table_of(uint64_t id)
{
	for (size_t i = 0; i < nr_run_tables; i++)
		if (run_tables[i].id == id)
			return &run_tables[i];
	return NULL;
}

static const struct field_names *metric_names(const struct run_table *table)
{
	for (size_t i = 0; i < table->fields->nr; i++)
		if (table->fields->list[i].type == FIELD_ENUM)
			return table->fields->list[i].names;
	return NULL;
}

static void measurements_apply(struct reader *reader, struct cursor *cursor, uint64_t left)
{
	const struct run_table *table = table_of(RECORD_MEASUREMENTS);
	struct run *run = reader->run;
	uint64_t promised = promised_rows(cursor, left);
	size_t nr, rows = run->nr_measurements;

	nr = columns_begin(reader->columns, cursor);
	for (size_t i = 0; i < nr; i++) {
		if (reader->columns->numbers[i] > rows) {
			cursor->bad = true;
			return;
		}
		rows += reader->columns->numbers[i] == rows;
	}
	if (cursor->bad || !table_room(reader, table, rows, promised)) {
		cursor->bad = true;
		return;
	}
	if (rows > run->nr_measurements)
		memset(run->measurements + run->nr_measurements, 0,
		       (rows - run->nr_measurements) * sizeof(*run->measurements));
	run->nr_measurements = rows;
	columns_get(reader->columns, cursor, nr, run->measurements);
	for (size_t i = 0; i < nr; i++) {
		struct ms_measurement *row = &run->measurements[reader->columns->numbers[i]].row;

		row->metric = names_map(&reader->rows, metric_names(table), row->metric);
	}
}

static void shrink_apply(struct reader *reader, struct cursor *cursor)
{
	const struct run_table *table = table_of(get_varint(cursor));
	uint64_t nr = get_varint(cursor);
	struct run_table_view view;

	if (!table || cursor->bad)
		return;
	view = run_table_of(table, reader->run);
	if (nr < *view.nr)
		*view.nr = nr;
}

static void head_apply(struct reader *reader, struct cursor *cursor)
{
	struct run head = *reader->run;

	for (size_t i = 0; i < run_fields.nr; i++)
		if (run_fields.list[i].type == FIELD_STRING)
			*(const char **)((char *)&head + run_fields.list[i].offset) = NULL;
	row_get(&reader->rows, cursor, &run_fields, &head);
	if (!cursor->bad)
		*reader->run = head;
}

/* False: the payload is not what its type says. */
static bool entry_apply(struct reader *reader, uint32_t type, struct cursor cursor, uint64_t left)
{
	const struct run_table *table = table_of(type);

	reader->ended = type == RECORD_END;
	if (type == RECORD_NAMES)
		names_get(&reader->rows, &cursor);
	else if (type == RECORD_STRINGS)
		strings_get(&reader->rows, &cursor);
	else if (type == RECORD_HEAD)
		head_apply(reader, &cursor);
	else if (type == RECORD_SHRINK)
		shrink_apply(reader, &cursor);
	else if (type == RECORD_MEASUREMENTS)
		measurements_apply(reader, &cursor, left);
	else if (table)
		rows_apply(reader, &cursor, table, left);
	return !cursor.bad;
}

/*
 * The next entry, which is taken by input->at = payload.end; false: the end, or no whole entry
 * there.
 */
static bool entry_next(struct input *input, uint32_t *type_out, struct cursor *payload_out)
{
	uint32_t length;

	if (!input_need(input, RECORD_ENTRY_BYTES))
		return false;
	length = load_u32(input->at);
	if (!input_need(input, (size_t)RECORD_ENTRY_BYTES + length))
		return false;
	*type_out = load_u32(input->at + 4);
	*payload_out = (struct cursor){ input->at + RECORD_ENTRY_BYTES,
					input->at + RECORD_ENTRY_BYTES + length, false };
	return crc32c_update(crc32c_update(0, input->at, 8), payload_out->at, length) ==
	       load_u32(input->at + 8);
}

/* Applies the next entry; false: the end, or no whole entry there. */
static bool entry_read(struct input *input, struct reader *reader)
{
	struct cursor payload;
	uint32_t type;

	if (!entry_next(input, &type, &payload) ||
	    !entry_apply(reader, type, payload, input_left(input)))
		return false;
	input->at = payload.end;
	return true;
}

static enum ms_status header_read(struct input *input, const char *name)
{
	const uint8_t *header;
	uint32_t version;
	size_t have = RECORD_HEADER_BYTES;

	if (have > input_left(input))
		have = (size_t)input_left(input);
	if (!input_need(input, have) && !input->cause)
		have = (size_t)(input->end - input->at); /* it shrinks while we read */

	header = input->at;
	if (input->cause)
		return MS_OK; /* said by the caller */
	if (!have) {
		log_warning("'%s' is empty: not a record", name);
		return MS_ERR_FORMAT;
	}
	if (memcmp(header, RECORD_MAGIC, have < 8 ? have : 8) != 0) {
		log_warning("'%s' is not a record", name);
		return MS_ERR_FORMAT;
	}
	if (have < RECORD_HEADER_BYTES) {
		log_warning(
			"the record '%s' was cut off within its first %d bytes: nothing can be read",
			name, RECORD_HEADER_BYTES);
		return MS_ERR_FORMAT;
	}
	if (crc32c_update(0, header, 28) != load_u32(header + 28)) {
		log_warning("the header of the record '%s' is damaged: nothing can be read", name);
		return MS_ERR_FORMAT;
	}
	version = load_u32(header + 8);
	if (version != RECORD_VERSION) {
		log_warning(
			"the record '%s' is of version %" PRIu32
			", this memsearch reads version %u: read it with the memsearch that wrote it",
			name, version, RECORD_VERSION);
		return MS_ERR_VERSION;
	}
	input->at += RECORD_HEADER_BYTES;
	return MS_OK;
}

/* All entries have been applied; is it a run? */
static enum ms_status run_read(const char *name, struct run *run)
{
	struct run_fault fault;
	size_t removed;

	if (!run_check(run, &removed, &fault)) {
		log_warning(
			"the record '%s' is invalid: %s %s; memsearch does not write such records: measure again",
			name, fault.where, fault.why);
		return MS_ERR_FORMAT;
	}
	if (removed && run->complete)
		log_warning(
			"%zu rows of the record '%s' mean nothing to this version of memsearch and are left out",
			removed, name);
	return MS_OK;
}

static enum ms_status input_read(struct input *input, const char *name, struct run *run,
				 uint64_t *bytes_ignored_out)
{
	struct reader reader = { .rows.arena = input->arena, .run = run };
	uint64_t bytes = input_left(input);
	enum ms_status status;

	memset(run, 0, sizeof(*run));
	run->phase.region = UINT32_MAX;
	status = header_read(input, name);
	if (status != MS_OK)
		return status;
	reader.columns = arena_alloc(input->arena, sizeof(*reader.columns));
	while (reader.columns && !input->cause && entry_read(input, &reader))
		;
	if (input->cause == ENOMEM || reader.rows.out_of_memory || !reader.columns) {
		log_warning("no memory to read the record '%s'", name);
		return MS_ERR_MEMORY;
	}
	if (input->cause) {
		errno = input->cause;
		log_warning_errno("cannot read '%s'", name);
		return MS_ERR_IO;
	}
	run->bytes_ignored = input_left(input);
	if (bytes_ignored_out)
		*bytes_ignored_out = run->bytes_ignored;
	run->complete = reader.ended && !run->bytes_ignored;
	if (!run->complete && !run->cost.record_bytes)
		run->cost.record_bytes = bytes; /* the writer notes it at the end only */
	return run_read(name, run);
}

enum ms_status record_parse(struct arena *arena, const char *name, const uint8_t *bytes, size_t nr,
			    struct run *run, uint64_t *bytes_ignored_out)
{
	struct input input = {
		.arena = arena, .fd = -1, .at = bytes, .end = nr ? bytes + nr : bytes
	};

	return input_read(&input, name, run, bytes_ignored_out);
}

enum ms_status record_read(struct arena *arena, const char *path, struct run *run,
			   uint64_t *bytes_ignored_out)
{
	struct input input = { .arena = arena,
			       .fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK) };
	enum ms_status result;
	struct stat status;

	if (input.fd < 0 || fstat(input.fd, &status)) {
		log_warning_errno("cannot open '%s'", path);
		result = errno == ENOENT ? MS_ERR_NOT_FOUND : MS_ERR_IO;
		if (input.fd >= 0)
			close(input.fd);
		return result;
	}
	input.left = (uint64_t)status.st_size;
	if (S_ISREG(status.st_mode)) {
		result = input_read(&input, path, run, bytes_ignored_out);
	} else {
		log_warning("'%s' is no file: not a record", path);
		result = MS_ERR_FORMAT;
	}
	close(input.fd);
	return result;
}

static enum ms_status read_traces(struct input *input,
				  bool (*visit)(void *ctx, const uint8_t *bytes, size_t nr),
				  void *ctx)
{
	struct cursor payload;
	uint32_t type;

	for (; entry_next(input, &type, &payload); input->at = payload.end) {
		size_t nr = (size_t)(payload.end - payload.at);
		uint8_t *bytes = type == RECORD_TRACE && nr ? arena_alloc(input->arena, nr) : NULL;

		if (type != RECORD_TRACE || !nr)
			continue;
		if (!bytes)
			return MS_ERR_MEMORY;
		memcpy(bytes, payload.at, nr);
		if (!visit(ctx, bytes, nr))
			break;
	}
	return input->cause ? MS_ERR_IO : MS_OK;
}

/* The file is open, and its header is read; or it is closed, and the cause logged. */
static enum ms_status input_open(struct input *input, struct arena *arena, const char *path)
{
	enum ms_status result = MS_ERR_IO;
	struct stat status;

	*input = (struct input){ .arena = arena,
				 .fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK) };
	if (input->fd < 0 || fstat(input->fd, &status)) {
		log_warning_errno("cannot open '%s'", path);
	} else {
		input->left = (uint64_t)status.st_size;
		result = header_read(input, path);
	}
	if (result != MS_OK && input->fd >= 0)
		close(input->fd);
	return result;
}

enum ms_status record_traces(struct arena *arena, const char *path,
			     bool (*visit)(void *ctx, const uint8_t *bytes, size_t nr), void *ctx)
{
	struct input input;
	enum ms_status result = input_open(&input, arena, path);

	if (result != MS_OK)
		return result;
	result = read_traces(&input, visit, ctx);
	close(input.fd);
	return result;
}

enum ms_status record_read_phase(struct arena *arena, const char *path, uint32_t number,
				 struct run *run)
{
	struct input input;
	enum ms_status result = input_open(&input, arena, path);
	struct cursor payload;
	uint32_t type;

	if (result != MS_OK)
		return result;
	result = MS_ERR_NOT_FOUND;
	for (; result == MS_ERR_NOT_FOUND && entry_next(&input, &type, &payload);
	     input.at = payload.end)
		if (type == RECORD_PHASE && payload.end - payload.at >= 4 &&
		    load_u32(payload.at) == number)
			result = record_parse(arena, path, payload.at + 4,
					      (size_t)(payload.end - payload.at) - 4, run, NULL);
	if (input.cause) {
		errno = input.cause;
		log_warning_errno("cannot read '%s'", path);
		result = MS_ERR_IO;
	}
	close(input.fd);
	return result;
}

/* Reads the first bytes of a record. False: it is none. */
static bool begin_of(const char *path, uint8_t *bytes, size_t nr)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	bool is;

	if (fd < 0)
		return false;
	is = read(fd, bytes, nr) == (ssize_t)nr && !memcmp(bytes, RECORD_MAGIC, 8);
	close(fd);
	return is;
}

bool record_is(const char *path)
{
	uint8_t magic[8];

	return begin_of(path, magic, sizeof(magic));
}

uint32_t record_writer(const char *path)
{
	uint8_t header[RECORD_HEADER_BYTES];

	return begin_of(path, header, sizeof(header)) ? load_u32(header + 12) : 0;
}
