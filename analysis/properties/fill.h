/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_PROPERTIES_FILL_H
#define MEMSEARCH_PROPERTIES_FILL_H

#include <stddef.h>

#include "memsearch/property.h"

/* Texts of findings, from the templates of properties. */
struct arena;

/*
 * Fills "{name}" in a template with the evidence of that name ("{share%}" as a percentage,
 * "{wait:time}" with a readable unit) and with words given by the caller. A part in [brackets] is
 * left out if a word or value in it is missing (text NULL).
 */
struct property_word {
	const char *name, *text;
};
char *property_fill(struct arena *arena, const char *text, const struct ms_evidence *evidence,
		    size_t nr_evidence, const struct property_word *words, size_t nr_words);

#endif
