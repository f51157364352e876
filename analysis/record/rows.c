/* SPDX-License-Identifier: Apache-2.0 */
/* Structs as bytes and back, driven by their lists of fields. */
#include "analysis/record/rows.h"

#include "analysis/record/content_hash.h"
#include "analysis/record/word_coding.h"

/* Number + 1 of a text, 0 for NULL. A new one goes to `fresh`. */
static uint32_t string_number(struct string_numbers *strings, const char *text)
{
	struct index_slot *slot;
	size_t length;
	uint64_t hash;

	if (!text)
		return 0;
	if (!index_reserve(&strings->index, strings->arena)) {
		strings->failed = true;
		return 0;
	}
	length = strlen(text);
	hash = content_hash(text, length);
	slot = index_first(&strings->index, hash);
	if (!slot->row) {
		index_enter(&strings->index, slot, hash, (uint32_t)strings->index.nr);
		put_varint(&strings->fresh, length);
		put_bytes(&strings->fresh, text, length);
		strings->failed |= strings->fresh.failed;
	}
	return slot->row;
}

static void array_put(struct buffer *buffer, struct string_numbers *strings,
		      const struct field *field, const char *row)
{
	size_t nr = *(const size_t *)(row + field->count_offset);
	const char *items = *(const char *const *)(row + field->offset);

	put_varint(buffer, items ? nr : 0);
	for (size_t i = 0; items && i < nr; i++)
		row_put(buffer, strings, field->of, items + i * field->of->bytes);
}

static void field_put(struct buffer *buffer, struct string_numbers *strings,
		      const struct field *field, const char *row)
{
	const void *at = row + field->offset;

	switch (field->type) {
	case FIELD_STRING:
		put_varint(buffer, string_number(strings, *(const char *const *)at));
		break;
	case FIELD_BOOL: put_varint(buffer, *(const bool *)at); break;
	case FIELD_INT: put_varint(buffer, zigzag(*(const int *)at)); break;
	case FIELD_U32: /* + 1, because "none" and "all" are UINT32_MAX */
		put_varint(buffer, *(const uint32_t *)at + 1u);
		break;
	case FIELD_U64: put_varint(buffer, *(const uint64_t *)at); break;
	case FIELD_DOUBLE: put_word(buffer, word_of_double(*(const double *)at)); break;
	case FIELD_ENUM: /* what has no name gets a number that has none either */
		put_varint(buffer, *(const uint32_t *)at < field->names->nr ? *(const uint32_t *)at
									    : field->names->nr);
		break;
	case FIELD_STRUCT: row_put(buffer, strings, field->of, at); break;
	case FIELD_ARRAY: array_put(buffer, strings, field, row); break;
	}
}

void row_put(struct buffer *buffer, struct string_numbers *strings, const struct fields *fields,
	     const void *row)
{
	for (size_t i = 0; i < fields->nr; i++)
		field_put(buffer, strings, &fields->list[i], row);
}

static const char *string_get(struct row_reader *reader, struct cursor *cursor)
{
	uint64_t number = get_varint(cursor);

	if (number > reader->strings.nr)
		cursor->bad = true;
	return number && !cursor->bad ? reader->strings.texts[number - 1] : NULL;
}

/* A number that does not fit where it belongs makes the entry a bad one. */
static uint64_t get_at_most(struct cursor *cursor, uint64_t most)
{
	uint64_t value = get_varint(cursor);

	cursor->bad |= value > most;
	return value;
}

static int get_int(struct cursor *cursor)
{
	int64_t value = unzigzag(get_varint(cursor));

	cursor->bad |= value < INT32_MIN || value > INT32_MAX;
	return (int)value;
}

static void fields_get(struct row_reader *reader, struct cursor *cursor,
		       const struct fields *fields, char *row, bool may_end);

static void array_get(struct row_reader *reader, struct cursor *cursor, const struct field *field,
		      char *row)
{
	uint64_t nr = get_varint(cursor);
	size_t *count = (size_t *)(row + field->count_offset);
	char *items;

	if (!nr)
		return;
	if (nr > (size_t)(cursor->end - cursor->at) || (*count && *count != nr)) {
		/* every item takes a byte at least; arrays that share a count agree */
		cursor->bad = true;
		return;
	}
	items = arena_alloc(reader->arena, nr * field->of->bytes);
	if (!items) {
		reader->out_of_memory = cursor->bad = true;
		return;
	}
	*count = nr;
	*(char **)(row + field->offset) = items;
	for (size_t i = 0; i < nr && !cursor->bad; i++)
		fields_get(reader, cursor, field->of, items + i * field->of->bytes, false);
}

static void field_get(struct row_reader *reader, struct cursor *cursor, const struct field *field,
		      char *row)
{
	void *at = row + field->offset;

	switch (field->type) {
	case FIELD_STRING: *(const char **)at = string_get(reader, cursor); break;
	case FIELD_BOOL: *(bool *)at = get_varint(cursor) != 0; break;
	case FIELD_INT: *(int *)at = get_int(cursor); break;
	case FIELD_U32: *(uint32_t *)at = (uint32_t)get_at_most(cursor, UINT32_MAX) - 1u; break;
	case FIELD_U64: *(uint64_t *)at = get_varint(cursor); break;
	case FIELD_DOUBLE: *(double *)at = double_of_word(get_word(cursor)); break;
	case FIELD_ENUM:
		*(uint32_t *)at = names_map(reader, field->names, get_varint(cursor));
		break;
	case FIELD_STRUCT: fields_get(reader, cursor, field->of, at, false); break;
	case FIELD_ARRAY: array_get(reader, cursor, field, row); break;
	}
}

/* `may_end`: a row of an older writer, which had fewer fields. */
static void fields_get(struct row_reader *reader, struct cursor *cursor,
		       const struct fields *fields, char *row, bool may_end)
{
	for (size_t i = 0; i < fields->nr && !cursor->bad; i++) {
		if (may_end && cursor->at == cursor->end)
			return;
		field_get(reader, cursor, &fields->list[i], row);
	}
}

void row_get(struct row_reader *reader, struct cursor *cursor, const struct fields *fields,
	     void *row)
{
	fields_get(reader, cursor, fields, row, true);
}

static const char *text_get(struct row_reader *reader, struct cursor *cursor)
{
	uint64_t length = get_varint(cursor);
	const char *text;

	if (cursor->bad || length > (size_t)(cursor->end - cursor->at)) {
		cursor->bad = true;
		return NULL;
	}
	text = arena_strndup(reader->arena, (const char *)cursor->at, length);
	if (!text)
		reader->out_of_memory = cursor->bad = true;
	cursor->at += length;
	return text;
}

void strings_get(struct row_reader *reader, struct cursor *cursor)
{
	struct string_list *list = &reader->strings;

	while (cursor->at < cursor->end && !cursor->bad) {
		const char *text = text_get(reader, cursor);

		if (!text)
			return;
		if (!ARENA_GROW(reader->arena, list->texts, list->nr, list->room)) {
			reader->out_of_memory = cursor->bad = true;
			return;
		}
		list->texts[list->nr++] = text;
	}
}

void names_put(struct buffer *buffer, const struct field_names *names)
{
	put_varint(buffer, names->id);
	put_varint(buffer, names->nr);
	for (uint32_t value = 0; value < names->nr; value++) {
		const char *name = names->name(value);

		put_varint(buffer, strlen(name));
		put_bytes(buffer, name, strlen(name));
	}
}

static const struct field_names *names_of(uint64_t id)
{
	for (size_t i = 0; i < nr_field_name_lists; i++)
		if (field_name_lists[i]->id == id)
			return field_name_lists[i];
	return NULL;
}

void names_get(struct row_reader *reader, struct cursor *cursor)
{
	uint64_t id = get_varint(cursor), nr = get_varint(cursor);
	const struct field_names *names = names_of(id);
	uint32_t *values;

	/* a list of a later version: no row that we read refers to it */
	if (cursor->bad || !names)
		return;
	if (nr > (size_t)(cursor->end - cursor->at)) {
		cursor->bad = true;
		return;
	}
	values = arena_alloc(reader->arena, nr * sizeof(*values));
	if (!values) {
		reader->out_of_memory = cursor->bad = true;
		return;
	}
	for (size_t i = 0; i < nr && !cursor->bad; i++)
		values[i] = field_names_value(names, text_get(reader, cursor));
	reader->maps[id] = (struct value_map){ values, cursor->bad ? 0 : nr };
}

uint32_t names_map(const struct row_reader *reader, const struct field_names *names, uint64_t value)
{
	const struct value_map *map = &reader->maps[names->id];

	return value < map->nr ? map->values[value] : names->fallback;
}
