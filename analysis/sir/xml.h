/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_SIR_XML_H
#define MEMSEARCH_SIR_XML_H

#include <stdbool.h>
#include <stdint.h>

/*
 * Writes XML 1.0: indentation, nesting and escaping are right whatever the caller gives. Names of
 * elements and attributes are the caller's. Values are valid UTF-8 of characters that XML allows:
 * other bytes become the four letters \xNN.
 */
struct text;

#define XML_DEPTH_MAX 256

struct xml {
	struct text *out;
	unsigned int depth;
	const char *open[XML_DEPTH_MAX];
	bool in_tag; /* the begin tag is not closed: attributes may follow */
};

void xml_init(struct xml *xml, struct text *out); /* writes the declaration */
/* False: deeper than XML_DEPTH_MAX; nothing was opened. */
bool xml_open(struct xml *xml, const char *element);
void xml_string(struct xml *xml, const char *attribute, const char *value);
void xml_unsigned(struct xml *xml, const char *attribute, uint64_t value);
void xml_signed(struct xml *xml, const char *attribute, int64_t value);
void xml_hex(struct xml *xml, const char *attribute, uint64_t value);
/* A reference: `prefix` and a number, as an ID of XML must begin with a letter. */
void xml_id(struct xml *xml, const char *attribute, char prefix, uint32_t number);
/* The element's content; it has no elements inside. */
void xml_content(struct xml *xml, const char *text);
void xml_close(struct xml *xml);

#endif
