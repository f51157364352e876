/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_TESTS_UNIT_XML_TEXT_H
#define MEMSEARCH_TESTS_UNIT_XML_TEXT_H

#include <ctype.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/unit/test.h"

/*
 * A strict check that a text is well-formed XML 1.0, of what pictures use: elements, attributes in
 * double quotes, character data, the entities amp, lt, gt and quot. And values of attributes. Not
 * the writer's code, so that both would have to be wrong in the same way.
 */
#define XML_DEPTH_MAX 64
#define XML_NAME_MAX 32

struct xml_reader {
	const unsigned char *at;
	char open[XML_DEPTH_MAX][XML_NAME_MAX];
	int depth, roots;
};

static inline void xml_fail(const struct xml_reader *reader, const char *why)
{
	test_fail(__FILE__, __LINE__, "no XML: %s at: %.60s", why, (const char *)reader->at);
}

/* One character of production 2, by its bytes (RFC 3629). */
static inline void xml_character(struct xml_reader *reader)
{
	unsigned int first = *reader->at,
		     length = first < 0x80    ? 1
			      : first >= 0xf0 ? 4
			      : first >= 0xe0 ? 3
			      : first >= 0xc2 ? 2
					      : 0,
		     code = first & (length == 1 ? 0x7fu : 0xffu >> (length + 1));

	if (!length)
		xml_fail(reader, "no begin of a character");
	for (unsigned int i = 1; i < length; i++) {
		if ((reader->at[i] & 0xc0) != 0x80)
			xml_fail(reader, "a character is cut");
		code = code << 6 | (reader->at[i] & 0x3fu);
	}
	if ((code < 0x20 && code != 9 && code != 10) || (code >= 0xd800 && code < 0xe000) ||
	    code == 0xfffe || code == 0xffff || code > 0x10ffff)
		xml_fail(reader, "a character that XML has not");
	reader->at += length;
}

static inline void xml_data(struct xml_reader *reader, unsigned char end)
{
	static const char *const entities[] = { "&amp;", "&lt;", "&gt;", "&quot;" };

	while (*reader->at && *reader->at != end) {
		size_t length = 0;

		if (*reader->at == '<')
			xml_fail(reader, "'<' in a value");
		for (size_t i = 0; *reader->at == '&' && i < 4; i++)
			if (!strncmp((const char *)reader->at, entities[i], strlen(entities[i])))
				length = strlen(entities[i]);
		if (*reader->at == '&' && !length)
			xml_fail(reader, "an unknown entity");
		if (length)
			reader->at += length;
		else
			xml_character(reader);
	}
}

static inline void xml_name(struct xml_reader *reader, char *name)
{
	size_t nr = 0;

	while ((isalnum(*reader->at) || *reader->at == '-') && nr < XML_NAME_MAX - 1)
		name[nr++] = (char)*reader->at++;
	name[nr] = '\0';
	if (!nr || !isalpha((unsigned char)name[0]))
		xml_fail(reader, "no name");
}

static inline void xml_attributes(struct xml_reader *reader)
{
	char seen[16][XML_NAME_MAX];
	int nr = 0;

	while (*reader->at == ' ') {
		reader->at++;
		xml_name(reader, seen[nr]);
		for (int i = 0; i < nr; i++)
			if (!strcmp(seen[i], seen[nr]))
				xml_fail(reader, "an attribute is there twice");
		nr += nr < 15;
		if (strncmp((const char *)reader->at, "=\"", 2) != 0)
			xml_fail(reader, "no value of an attribute");
		reader->at += 2;
		xml_data(reader, '"');
		if (*reader->at++ != '"')
			xml_fail(reader, "a value has no end");
	}
}

static inline void xml_tag(struct xml_reader *reader)
{
	bool end = reader->at[1] == '/';
	char name[XML_NAME_MAX];

	reader->at += end ? 2 : 1;
	xml_name(reader, name);
	if (end) {
		if (!reader->depth || strcmp(reader->open[--reader->depth], name) != 0)
			xml_fail(reader, "an end without begin");
	} else {
		xml_attributes(reader);
		reader->roots += !reader->depth;
		if (reader->depth == XML_DEPTH_MAX)
			xml_fail(reader, "too deep");
		snprintf(reader->open[reader->depth++], XML_NAME_MAX, "%s", name);
	}
	if (!end && *reader->at == '/') {
		reader->depth--;
		reader->at++;
	}
	if (*reader->at++ != '>')
		xml_fail(reader, "a tag has no end");
}

/* Ends the test where `text` is not one well-formed element. */
static inline void xml_check(const char *text)
{
	struct xml_reader reader = { .at = (const unsigned char *)text };

	while (*reader.at) {
		if (*reader.at == '<') {
			xml_tag(&reader);
			continue;
		}
		if (!reader.depth && !isspace(*reader.at))
			xml_fail(&reader, "text outside of the root");
		xml_data(&reader, '<');
	}
	if (reader.depth || reader.roots != 1)
		xml_fail(&reader, "not one root");
}

/* How often `part` is in the text. */
static inline size_t xml_count(const char *text, const char *part)
{
	size_t nr = 0;

	for (const char *at = strstr(text, part); at; at = strstr(at + 1, part))
		nr++;
	return nr;
}

/* The number that an attribute has in the n-th element (from 0) of that class. */
static inline double xml_number(const char *text, const char *class, size_t n,
				const char *attribute)
{
	char wanted[80], name[80];

	snprintf(wanted, sizeof(wanted), " class=\"%s\"", class);
	snprintf(name, sizeof(name), " %s=\"", attribute);
	for (const char *at = strstr(text, wanted); at; at = strstr(at + 1, wanted)) {
		const char *begin = at;

		if (n--)
			continue;
		while (*begin != '<')
			begin--;
		begin = strstr(begin, name);
		if (!begin || begin > at)
			break;
		return strtod(begin + strlen(name), NULL);
	}
	test_fail(__FILE__, __LINE__, "no such element of class \"%s\" with %s", class, attribute);
}

#endif
