/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_RECORD_ROWS_H
#define MEMSEARCH_RECORD_ROWS_H

#include "analysis/base/index_table.h"
#include "analysis/record/coding.h"
#include "analysis/record/fields.h"

/*
 * One struct as bytes, field by field as fields.h lists them, and back. Strings are
 * replaced by their numbers; the writer numbers each text once, the reader keeps them
 * in that order. Enumerations are numbers that the record's NAMES entries explain.
 */
/* writer: text → number, by 64-bit hash */
struct string_numbers {
	struct arena *arena;
	struct index_table index;
	struct buffer fresh; /* length and bytes of those not yet written */
	bool failed;
};

/* reader: number → text */
struct string_list {
	const char **texts;
	size_t nr, room;
};

/* reader: the writer's number of an enumerator → ours */
struct value_map {
	uint32_t *values;
	size_t nr;
};

#define ROWS_NAME_LISTS 8 /* ids of field_names are below */

struct row_reader {
	struct arena *arena;
	struct string_list strings;
	struct value_map maps[ROWS_NAME_LISTS];
	bool out_of_memory;
};

void row_put(struct buffer *buffer, struct string_numbers *strings, const struct fields *fields,
	     const void *row);
/* Fills *row (zeroed) from the whole of `cursor`; check cursor->bad. */
void row_get(struct row_reader *reader, struct cursor *cursor, const struct fields *fields,
	     void *row);

/* Payloads of STRINGS and NAMES. */
void strings_get(struct row_reader *reader, struct cursor *cursor);
void names_put(struct buffer *buffer, const struct field_names *names);
void names_get(struct row_reader *reader, struct cursor *cursor);
uint32_t names_map(const struct row_reader *reader, const struct field_names *names,
		   uint64_t value);

#endif
