/* SPDX-License-Identifier: Apache-2.0 */
/* Messages at lines of sources as SARIF and as workflow commands of GitHub. */
#include "analysis/report/review.h"

#include <ctype.h>
#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "analysis/report/json.h"
#include "analysis/report/text.h"

static const struct {
	const char *sarif, *github;
} levels[] = {
	[REVIEW_NOTE] = { "note", "notice" },
	[REVIEW_WARNING] = { "warning", "warning" },
	[REVIEW_ERROR] = { "error", "error" },
};

/* ------------------------------------------------------------------ GitHub */

/*
 * As GitHub's runner reads them: % and in properties : and , are escaped; line breaks become "?".
 */
static void add_command_text(struct text *out, const char *words, bool of_property)
{
	struct text plain;

	text_init(&plain, out->arena);
	text_add_plain(&plain, words);
	for (words = plain.bytes; words && *words; words++) {
		if (*words == '%')
			text_add(out, "%25");
		else if (of_property && *words == ':')
			text_add(out, "%3A");
		else if (of_property && *words == ',')
			text_add(out, "%2C");
		else
			text_add_bytes(out, words, 1);
	}
}

void review_github(struct text *out, const struct review *review)
{
	for (size_t i = 0; i < review->nr_messages; i++) {
		const struct review_message *message = &review->messages[i];

		text_printf(out, "::%s ", levels[message->level].github);
		if (message->path) {
			text_add(out, "file=");
			add_command_text(out, message->path, true);
			text_printf(out, ",line=%u,", message->line);
		}
		text_add(out, "title=memsearch::");
		add_command_text(out, message->text, false);
		text_add(out, "\n");
	}
}

/* ------------------------------------------------------------------ SARIF */

static void sarif_text(struct json *json, const char *key, const char *text)
{
	json_open(json, key, '{');
	json_string(json, "text", text);
	json_close(json);
}

static void sarif_rules(struct json *json, const struct review *review)
{
	json_open(json, "rules", '[');
	for (size_t i = 0; i < review->nr_rules; i++) {
		json_open(json, NULL, '{');
		json_string(json, "id", review->rules[i].id);
		sarif_text(json, "shortDescription", review->rules[i].summary);
		if (review->rules[i].help)
			sarif_text(json, "help", review->rules[i].help);
		json_close(json);
	}
	json_close(json);
}

/* RFC 3986: what is no letter, digit or one of -._~/ is escaped. */
static const char *uri_of(struct text *out, const char *path)
{
	static const char digits[] = "0123456789ABCDEF";
	struct text uri;

	text_init(&uri, out->arena);
	for (; *path; path++) {
		unsigned char byte = (unsigned char)*path;

		if (byte < 0x80 && (isalnum(byte) || strchr("-._~/", byte)))
			text_add_bytes(&uri, path, 1);
		else
			text_add_bytes(&uri, (char[]){ '%', digits[byte >> 4], digits[byte & 15] },
				       3);
	}
	return uri.length ? uri.bytes : "";
}

static void sarif_location(struct json *json, const struct review_message *message)
{
	json_open(json, "locations", '[');
	json_open(json, NULL, '{');
	json_open(json, "physicalLocation", '{');
	json_open(json, "artifactLocation", '{');
	json_string(json, "uri", uri_of(json->out, message->path));
	json_close(json);
	json_open(json, "region", '{');
	json_unsigned(json, "startLine", message->line);
	json_close(json);
	json_close(json);
	if (message->function) {
		json_open(json, "logicalLocations", '[');
		json_open(json, NULL, '{');
		json_string(json, "name", message->function);
		json_string(json, "kind", "function");
		json_close(json);
		json_close(json);
	}
	json_close(json);
	json_close(json);
}

static void sarif_result(struct json *json, const struct review *review,
			 const struct review_message *message)
{
	json_open(json, NULL, '{');
	json_string(json, "ruleId", review->rules[message->rule].id);
	json_unsigned(json, "ruleIndex", message->rule);
	json_string(json, "level", levels[message->level].sarif);
	if (isfinite(message->rank))
		json_number(json, "rank", message->rank);
	sarif_text(json, "message", message->text);
	sarif_location(json, message);
	if (message->identity) {
		json_open(json, "partialFingerprints", '{');
		json_string(json, "memsearchCause/v1", message->identity);
		json_close(json);
	}
	json_close(json);
}

static void sarif_notifications(struct json *json, const struct review *review)
{
	json_open(json, "invocations", '[');
	json_open(json, NULL, '{');
	json_bool(json, "executionSuccessful", true);
	json_open(json, "toolExecutionNotifications", '[');
	for (size_t i = 0; i < review->nr_messages; i++) {
		if (review->messages[i].path)
			continue;
		json_open(json, NULL, '{');
		json_string(json, "level", levels[review->messages[i].level].sarif);
		sarif_text(json, "message", review->messages[i].text);
		json_close(json);
	}
	json_close(json);
	json_close(json);
	json_close(json);
}

static void sarif_run(struct json *json, const struct review *review)
{
	json_open(json, NULL, '{');
	json_open(json, "tool", '{');
	json_open(json, "driver", '{');
	json_string(json, "name", "memsearch");
	json_string(json, "version", MEMSEARCH_VERSION);
	sarif_rules(json, review);
	json_close(json);
	json_close(json);
	sarif_notifications(json, review);
	json_open(json, "results", '[');
	for (size_t i = 0; i < review->nr_messages; i++)
		if (review->messages[i].path)
			sarif_result(json, review, &review->messages[i]);
	json_close(json);
	json_close(json);
}

void review_sarif(struct text *out, const struct review *review)
{
	struct json json;

	json_init(&json, out);
	json_open(&json, NULL, '{');
	json_string(&json, "$schema", "https://json.schemastore.org/sarif-2.1.0.json");
	json_string(&json, "version", "2.1.0");
	json_open(&json, "runs", '[');
	sarif_run(&json, review);
	json_close(&json);
	json_close(&json);
}
