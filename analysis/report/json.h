/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_REPORT_JSON_H
#define MEMSEARCH_REPORT_JSON_H

#include <stdbool.h>
#include <stdint.h>

/*
 * Writes JSON: commas, indentation and quoting are right whatever the caller gives.
 * The result is always valid UTF-8: bytes that are not become the four letters \xNN. Not a
 * number and infinite become null; say beside it why. `key` NULL inside arrays.
 */
struct text;

#define JSON_DEPTH_MAX 32

struct json {
	struct text *out;
	int depth;
	char open[JSON_DEPTH_MAX];   /* '{' or '[' */
	bool filled[JSON_DEPTH_MAX]; /* has a member already */
};

void json_init(struct json *json, struct text *out);
void json_open(struct json *json, const char *key, char bracket); /* '{' or '[' */
/* a newline after the outermost */
void json_close(struct json *json);
void json_string(struct json *json, const char *key, const char *value); /* NULL: null */
void json_number(struct json *json, const char *key, double value);
void json_unsigned(struct json *json, const char *key, uint64_t value);
void json_bool(struct json *json, const char *key, bool value);
void json_null(struct json *json, const char *key);

#endif
