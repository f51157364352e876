/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_TESTS_UNIT_JSON_VALUE_H
#define MEMSEARCH_TESTS_UNIT_JSON_VALUE_H

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/base/arena.h"
#include "tests/unit/test.h"

/*
 * A strict reader of JSON and a check against the part of JSON Schema that our schema uses (type,
 * enum, required, properties, additionalProperties, items, minimum, maximum, $ref within the schema;
 * any other word in a schema is an error of the test). Not the writer's code, so that both would have to be wrong in
 * the same way. Memory comes from an arena that nobody frees: tests run in forks.
 */
enum json_type { JSON_NULL, JSON_BOOLEAN, JSON_NUMBER, JSON_STRING, JSON_ARRAY, JSON_OBJECT };

struct json_value {
	enum json_type type;
	bool integer;  /* a number written without fraction or exponent */
	double number; /* also 0 or 1 of a boolean */
	char *string;
	char *key; /* as member of an object */
	struct json_value *first, *next;
};

struct json_reader {
	const char *at;
	const char *error; /* first one, NULL: none */
};

static inline void *json_alloc(size_t bytes)
{
	static struct arena *arena;
	void *memory;

	arena = arena ? arena : arena_new();
	memory = arena ? arena_alloc(arena, bytes) : NULL;
	if (!memory)
		test_fail(__FILE__, __LINE__, "out of memory");
	return memory;
}

static inline struct json_value *json_read_value(struct json_reader *reader);

static inline void json_blank(struct json_reader *reader)
{
	reader->at += strspn(reader->at, " \t\r\n");
}

static inline bool json_take(struct json_reader *reader, const char *word)
{
	if (strncmp(reader->at, word, strlen(word)) != 0)
		return false;
	reader->at += strlen(word);
	return true;
}

static inline void json_fail(struct json_reader *reader, const char *error)
{
	if (!reader->error)
		reader->error = error;
}

/* Keeps \u escapes below 128 only: nothing else is written by us. */
static inline char json_escaped(struct json_reader *reader)
{
	static const char from[] = "\"\\/bfnrt", to[] = "\"\\/\b\f\n\r\t";
	char digits[5] = "";
	const char *known;

	if (*reader->at == 'u' && strlen(reader->at) > 4) {
		memcpy(digits, reader->at + 1, 4);
		reader->at += 5;
		return (char)strtol(digits, NULL, 16);
	}
	known = *reader->at ? strchr(from, *reader->at) : NULL;
	if (!known) {
		json_fail(reader, "unknown escape");
		return 0;
	}
	reader->at++;
	return to[known - from];
}

/* Bytes from `at`, behind a string's first quote, to its last one: not fewer than its characters. */
static inline size_t json_string_bytes(const char *at)
{
	size_t nr = 0;

	while (at[nr] && at[nr] != '"')
		nr += at[nr] == '\\' && at[nr + 1] ? 2 : 1;
	return nr;
}

static inline char *json_read_string(struct json_reader *reader)
{
	char *string = json_alloc(json_string_bytes(reader->at + (*reader->at != 0)) + 1);
	size_t nr = 0;

	if (!json_take(reader, "\"")) {
		json_fail(reader, "string expected");
		return string;
	}
	while (*reader->at && *reader->at != '"' && !reader->error) {
		if ((unsigned char)*reader->at < 0x20)
			json_fail(reader, "raw control character in a string");
		string[nr++] = *reader->at != '\\' ? *reader->at++
						   : (reader->at++, json_escaped(reader));
	}
	if (!json_take(reader, "\""))
		json_fail(reader, "string does not end");
	return string;
}

static inline void json_read_number(struct json_reader *reader, struct json_value *value)
{
	size_t length = strspn(reader->at, "+-.0123456789eE");
	char *end;

	value->type = JSON_NUMBER;
	value->integer = !memchr(reader->at, '.', length) && !memchr(reader->at, 'e', length);
	value->number = strtod(reader->at, &end);
	if (!length || end != reader->at + length)
		json_fail(reader, "not a value");
	reader->at += length;
}

static inline void json_read_members(struct json_reader *reader, struct json_value *value,
				     const char *end)
{
	struct json_value **last = &value->first;

	value->type = *end == '}' ? JSON_OBJECT : JSON_ARRAY;
	json_blank(reader);
	if (json_take(reader, end))
		return;
	do {
		char *key = NULL;

		json_blank(reader);
		if (value->type == JSON_OBJECT) {
			key = json_read_string(reader);
			json_blank(reader);
			if (!json_take(reader, ":"))
				json_fail(reader, "colon expected");
		}
		*last = json_read_value(reader);
		(*last)->key = key;
		last = &(*last)->next;
		json_blank(reader);
	} while (!reader->error && json_take(reader, ","));
	if (!json_take(reader, end))
		json_fail(reader, "comma or end of an array or object expected");
}

static inline struct json_value *json_read_value(struct json_reader *reader)
{
	struct json_value *value = json_alloc(sizeof(*value));

	json_blank(reader);
	if (*reader->at == '"') {
		value->type = JSON_STRING;
		value->string = json_read_string(reader);
	} else if (json_take(reader, "{")) {
		json_read_members(reader, value, "}");
	} else if (json_take(reader, "[")) {
		json_read_members(reader, value, "]");
	} else if (json_take(reader, "true")) {
		value->type = JSON_BOOLEAN;
		value->number = 1;
	} else if (json_take(reader, "false")) {
		value->type = JSON_BOOLEAN;
	} else if (!json_take(reader, "null")) {
		json_read_number(reader, value);
	}
	return value;
}

/* NULL and *error_out on anything that is not one JSON value. */
static inline struct json_value *json_parse(const char *text, const char **error_out)
{
	struct json_reader reader = { .at = text };
	struct json_value *value = json_read_value(&reader);

	json_blank(&reader);
	if (*reader.at)
		json_fail(&reader, "something follows the value");
	*error_out = reader.error;
	return reader.error ? NULL : value;
}

static inline struct json_value *json_member(const struct json_value *object, const char *key)
{
	struct json_value *member = object && object->type == JSON_OBJECT ? object->first : NULL;

	while (member && strcmp(member->key, key) != 0)
		member = member->next;
	return member;
}

static inline struct json_value *json_element(const struct json_value *array, size_t at)
{
	struct json_value *element = array ? array->first : NULL;

	while (element && at--)
		element = element->next;
	return element;
}

static inline size_t json_count(const struct json_value *value)
{
	size_t nr = 0;

	for (const struct json_value *member = value ? value->first : NULL; member;
	     member = member->next)
		nr++;
	return nr;
}

/* -- schema */

static inline bool json_is_type(const struct json_value *value, const char *name)
{
	static const char *const names[] = { "null",   "boolean", "number",
					     "string", "array",   "object" };

	return !strcmp(name, names[value->type]) ||
	       (!strcmp(name, "integer") && value->type == JSON_NUMBER && value->integer);
}

static inline bool json_same(const struct json_value *a, const struct json_value *b)
{
	return a->type == b->type &&
	       (a->type == JSON_STRING ? !strcmp(a->string, b->string) : a->number == b->number);
}

/* One word of a schema about one value: true if it holds. */
static inline bool json_holds(const struct json_value *rule, const struct json_value *value)
{
	if (!strcmp(rule->key, "type") && rule->type == JSON_STRING)
		return json_is_type(value, rule->string);
	if (!strcmp(rule->key, "minimum"))
		return value->type != JSON_NUMBER || value->number >= rule->number;
	if (!strcmp(rule->key, "maximum"))
		return value->type != JSON_NUMBER || value->number <= rule->number;
	if (!strcmp(rule->key, "required")) {
		for (const struct json_value *key = rule->first; key && value->type == JSON_OBJECT;
		     key = key->next)
			if (!json_member(value, key->string))
				return false;
		return true;
	}
	if (!strcmp(rule->key, "type") || !strcmp(rule->key, "enum")) {
		for (const struct json_value *one = rule->first; one; one = one->next)
			if (rule->key[0] == 't' ? json_is_type(value, one->string)
						: json_same(value, one))
				return true;
		return false;
	}
	return !strcmp(rule->key, "properties") || !strcmp(rule->key, "items") ||
	       !strcmp(rule->key, "additionalProperties") || !strcmp(rule->key, "description") ||
	       !strcmp(rule->key, "title") || !strcmp(rule->key, "definitions") ||
	       !strcmp(rule->key, "$schema") || !strcmp(rule->key, "$id") ||
	       !strcmp(rule->key, "$comment");
}

/* The part of a schema that "#/definitions/line" names. */
static inline const struct json_value *json_refer(const struct json_value *root, const char *path)
{
	const struct json_value *part = root;
	char name[64];

	while (part && (path = strchr(path, '/')) != NULL) {
		path++;
		snprintf(name, sizeof(name), "%.*s", (int)strcspn(path, "/"), path);
		part = json_member(part, name);
	}
	if (!part)
		test_fail(__FILE__, __LINE__, "the schema has no '%s'", name);
	return part;
}

static inline const char *json_check_by(const struct json_value *root,
					const struct json_value *schema,
					const struct json_value *value, const char *where)
{
	const struct json_value *reference = json_member(schema, "$ref");
	const struct json_value *properties = json_member(schema, "properties"),
				*items = json_member(schema, "items");
	const struct json_value *others = json_member(schema, "additionalProperties");
	const char *error = NULL;
	char path[512];

	if (reference)
		return json_check_by(root, json_refer(root, reference->string), value, where);
	for (const struct json_value *rule = schema->first; rule; rule = rule->next)
		if (!json_holds(rule, value)) {
			char *text = json_alloc(strlen(where) + strlen(rule->key) + 3);

			snprintf(text, strlen(where) + strlen(rule->key) + 3, "%s: %s", where,
				 rule->key);
			return text;
		}
	for (const struct json_value *member = value->first; member && !error;
	     member = member->next) {
		const struct json_value *inner = value->type == JSON_ARRAY
							 ? items
							 : json_member(properties, member->key);

		snprintf(path, sizeof(path), "%s.%s", where, member->key ? member->key : "[]");
		if (!inner && value->type == JSON_OBJECT)
			inner = others;
		if (inner)
			error = json_check_by(root, inner, member, path);
	}
	return error;
}

/* NULL if `value` is as `schema` says, else where and which word of the schema does not hold. */
static inline const char *json_check(const struct json_value *schema,
				     const struct json_value *value, const char *where)
{
	return json_check_by(schema, schema, value, where);
}

static inline char *json_read_file(const char *path)
{
	char *text = json_alloc(1 << 20);
	FILE *file = fopen(path, "r");
	size_t nr = file ? fread(text, 1, (1 << 20) - 1, file) : 0;

	if (!nr)
		test_fail(__FILE__, __LINE__, "cannot read '%s'", path);
	fclose(file);
	return text;
}

/* Fails the test where `text` does not keep to the schema in the file. */
static inline void json_must_keep(const char *schema_file, const char *text)
{
	const char *error = NULL;
	const struct json_value *value = json_parse(text, &error),
				*schema = json_parse(json_read_file(schema_file), &error);

	if (!value || !schema)
		test_fail(__FILE__, __LINE__, "no JSON: %s", error ? error : "");
	error = json_check(schema, value, "$");
	if (error)
		test_fail(__FILE__, __LINE__, "%s in:\n%s", error, text);
}

#endif
