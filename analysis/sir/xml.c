/* SPDX-License-Identifier: Apache-2.0 */
/* Writes XML into a text. */
#include "analysis/sir/xml.h"

#include <inttypes.h>
#include <string.h>

#include "analysis/base/plain.h"
#include "analysis/report/text.h"

void xml_init(struct xml *xml, struct text *out)
{
	*xml = (struct xml){ .out = out };
	text_add(out, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n");
}

/* U+FFFE and U+FFFF are no characters of XML (XML 1.0, 2.2). */
static bool is_forbidden(const unsigned char *bytes, size_t length)
{
	return length == 3 && bytes[0] == 0xef && bytes[1] == 0xbf && bytes[2] >= 0xbe;
}

static void add_character(struct text *out, const char *bytes, size_t length)
{
	switch (*bytes) {
	case '&': text_add(out, "&amp;"); break;
	case '<': text_add(out, "&lt;"); break;
	case '>': text_add(out, "&gt;"); break;
	case '"': text_add(out, "&quot;"); break;
	default: text_add_bytes(out, bytes, length);
	}
}

static void add_escaped(struct text *out, const char *string)
{
	size_t left = strlen(string);

	while (left) {
		size_t length = plain_length(string, left);

		if (length && !is_forbidden((const unsigned char *)string, length)) {
			add_character(out, string, length);
		} else {
			text_printf(out, "\\x%02x", (unsigned char)*string);
			length = 1;
		}
		string += length;
		left -= length;
	}
}

static void end_tag(struct xml *xml)
{
	if (xml->in_tag)
		text_add(xml->out, ">\n");
	xml->in_tag = false;
}

bool xml_open(struct xml *xml, const char *element)
{
	if (xml->depth == XML_DEPTH_MAX)
		return false;
	end_tag(xml);
	text_printf(xml->out, "%*s<%s", 2 * (int)xml->depth, "", element);
	xml->open[xml->depth++] = element;
	xml->in_tag = true;
	return true;
}

void xml_string(struct xml *xml, const char *attribute, const char *value)
{
	text_printf(xml->out, " %s=\"", attribute);
	add_escaped(xml->out, value);
	text_add(xml->out, "\"");
}

void xml_unsigned(struct xml *xml, const char *attribute, uint64_t value)
{
	text_printf(xml->out, " %s=\"%" PRIu64 "\"", attribute, value);
}

void xml_signed(struct xml *xml, const char *attribute, int64_t value)
{
	text_printf(xml->out, " %s=\"%" PRId64 "\"", attribute, value);
}

void xml_hex(struct xml *xml, const char *attribute, uint64_t value)
{
	text_printf(xml->out, " %s=\"0x%" PRIx64 "\"", attribute, value);
}

void xml_id(struct xml *xml, const char *attribute, char prefix, uint32_t number)
{
	text_printf(xml->out, " %s=\"%c%" PRIu32 "\"", attribute, prefix, number);
}

void xml_content(struct xml *xml, const char *text)
{
	text_add(xml->out, ">");
	add_escaped(xml->out, text);
	xml->depth--;
	text_printf(xml->out, "</%s>\n", xml->open[xml->depth]);
	xml->in_tag = false;
}

void xml_close(struct xml *xml)
{
	xml->depth--;
	if (xml->in_tag)
		text_add(xml->out, "/>\n");
	else
		text_printf(xml->out, "%*s</%s>\n", 2 * (int)xml->depth, "", xml->open[xml->depth]);
	xml->in_tag = false;
}
