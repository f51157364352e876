/* SPDX-License-Identifier: Apache-2.0 */
/* Fills templates of explanations and advice with values and words; numbers as people read them. */
#include "analysis/base/arena.h"
#include "analysis/properties/asl.h"
#include "analysis/properties/fill.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/*
 * Three significant digits, always with a point: printf would use the locale of the user's program.
 */
static void print_number(char *out, size_t room, double value)
{
	const char *sign = value < 0 ? "-" : "";
	double size = fabs(value);
	int decimals = size >= 99.95 || size == floor(size) ? 0
		       : size >= 9.995                      ? 1
		       : size >= 0.9995                     ? 2
							    : 3;
	double scale = decimals == 3 ? 1000 : decimals == 2 ? 100 : decimals == 1 ? 10 : 1;
	unsigned long long scaled;

	if (!(size < 1e15)) {
		snprintf(out, room, isfinite(value) ? "%s%.0f" : "%s?", sign, size);
		return;
	}
	scaled = (unsigned long long)(size * scale + 0.5);
	if (decimals)
		snprintf(out, room, "%s%llu.%0*llu", sign, scaled / (unsigned long long)scale,
			 decimals, scaled % (unsigned long long)scale);
	else
		snprintf(out, room, "%s%llu", sign, scaled);
}

struct step {
	double size;
	const char *unit;
};

/* The largest unit of which there is at least one. */
static void print_scaled(char *out, size_t room, double value, const struct step *steps, size_t nr)
{
	char number[64];
	size_t i = 0;

	while (i + 1 < nr && fabs(value) < steps[i].size)
		i++;
	print_number(number, sizeof(number), value / steps[i].size);
	snprintf(out, room, "%s %s", number, steps[i].unit);
}

static void print_time(char *out, size_t room, double ns)
{
	static const struct step steps[] = {
		{ 1e9, "s" }, { 1e6, "ms" }, { 1e3, "us" }, { 1, "ns" }
	};

	print_scaled(out, room, ns, steps, 4);
}

static void print_bytes(char *out, size_t room, double bytes)
{
	static const struct step steps[] = {
		{ 1073741824, "GiB" }, { 1048576, "MiB" }, { 1024, "KiB" }, { 1, "bytes" }
	};

	print_scaled(out, room, bytes, steps, 4);
}

static void print_bandwidth(char *out, size_t room, double bytes_per_ns)
{
	static const struct step steps[] = { { 1, "GB/s" }, { 1e-3, "MB/s" }, { 1e-6, "kB/s" } };

	print_scaled(out, room, bytes_per_ns, steps, 3);
}

static void print_percent(char *out, size_t room, double ratio)
{
	char number[64];

	print_number(number, sizeof(number), ratio * 100);
	snprintf(out, room, "%s %%", number);
}

/*
 * `form`: what follows the name, "%", ":time", ":bytes", ":number" or nothing, which goes by the
 * unit.
 */
static void print_evidence(char *out, size_t room, const struct ms_evidence *evidence,
			   const char *form)
{
	double value = evidence->reading.value;

	if (*form == '%')
		print_percent(out, room, value);
	else if (!strcmp(form, ":time") || (!*form && !strcmp(evidence->unit, "ns")))
		print_time(out, room, value);
	else if (!strcmp(form, ":bytes") || (!*form && !strcmp(evidence->unit, "bytes")))
		print_bytes(out, room, value);
	else if (!strcmp(evidence->unit, "bytes/ns"))
		print_bandwidth(out, room, value);
	else
		print_number(out, room, value);
}

struct filler {
	const struct ms_evidence *evidence;
	size_t nr_evidence;
	const struct property_word *words;
	size_t nr_words;
	char *out; /* NULL: only count */
	/* a bracketed part is written first, and removed if it is incomplete */
	size_t length, peak;
	bool incomplete; /* a word is missing */
};

static void put(struct filler *filler, const char *text, size_t length)
{
	if (filler->out)
		memcpy(filler->out + filler->length, text, length);
	filler->length += length;
	if (filler->length > filler->peak)
		filler->peak = filler->length;
}

static bool same(const char *name, const char *text, size_t length)
{
	return strlen(name) == length && memcmp(name, text, length) == 0;
}

/* What reads right where the caller does not know whether there is a phase. */
static const struct property_word OTHERWISE[] = {
	{ "execution", "one execution of the phase" },
	{ "phase", "the phase" },
};

/* The first of the words that has that name and a text; NULL. */
static const char *find_word(const struct property_word *words, size_t nr, const char *text,
			     size_t length)
{
	for (size_t i = 0; i < nr; i++)
		if (words[i].text && same(words[i].name, text, length))
			return words[i].text;
	return NULL;
}

static void put_placeholder(struct filler *filler, const char *text, size_t length)
{
	size_t name = strcspn(text, "%:}");
	char form[16] = "", number[96];
	const char *word;

	if (name > length)
		name = length;
	if (length - name < sizeof(form))
		memcpy(form, text + name, length - name);
	for (size_t i = 0; i < filler->nr_evidence; i++) {
		if (!same(filler->evidence[i].name, text, name) ||
		    filler->evidence[i].reading.missing != MS_PRESENT)
			continue;
		print_evidence(number, sizeof(number), &filler->evidence[i], form);
		return put(filler, number, strlen(number));
	}
	word = find_word(filler->words, filler->nr_words, text, name);
	if (!word)
		word = find_word(OTHERWISE, sizeof(OTHERWISE) / sizeof(*OTHERWISE), text, name);
	filler->incomplete |= !word;
	put(filler, word ? word : "unknown", strlen(word ? word : "unknown"));
}

/* One part up to `end`, without brackets. */
static void put_part(struct filler *filler, const char *text, const char *end)
{
	while (text < end) {
		const char *open = memchr(text, '{', (size_t)(end - text));
		const char *close = open ? memchr(open, '}', (size_t)(end - open)) : NULL;

		if (!close)
			return put(filler, text, (size_t)(end - text));
		put(filler, text, (size_t)(open - text));
		put_placeholder(filler, open + 1, (size_t)(close - open - 1));
		text = close + 1;
	}
}

/* A part in [brackets] is left out if one of its words is missing. */
static void put_text(struct filler *filler, const char *text)
{
	const char *end = text + strlen(text);

	while (text < end) {
		const char *open = strchr(text, '[');
		const char *close = open ? strchr(open, ']') : NULL;
		size_t before;

		if (!close)
			return put_part(filler, text, end);
		put_part(filler, text, open);
		before = filler->length;
		filler->incomplete = false;
		put_part(filler, open + 1, close);
		if (filler->incomplete)
			filler->length = before;
		text = close + 1;
	}
}

char *property_fill(struct arena *arena, const char *text, const struct ms_evidence *evidence,
		    size_t nr_evidence, const struct property_word *words, size_t nr_words)
{
	struct filler filler = { .evidence = evidence,
				 .nr_evidence = nr_evidence,
				 .words = words,
				 .nr_words = nr_words };

	if (!text)
		return NULL;
	put_text(&filler, text);
	filler.out = arena_alloc(arena, filler.peak + 1);
	if (!filler.out)
		return NULL;
	filler.length = 0;
	put_text(&filler, text);
	filler.out[filler.length] = '\0';
	return filler.out;
}
