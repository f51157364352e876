/* SPDX-License-Identifier: Apache-2.0 */
/* Reads tables of call sites, landing pads, actions and types, and writes them for a copy. */
#include "ompt_tool/clones/lsda.h"

#include "analysis/base/arena.h"
#include "ompt_tool/clones/cfi_copy.h"

/* handlers of one call site; more: the chain is cyclic or damaged */
#define LONGEST_CHAIN 4096
#define ALIGNMENT 8

struct reading {
	struct arena *arena;
	struct lsda *lsda;
	struct bytes rest; /* of the memory, from the actions on */
	size_t actions_bytes, lists_bytes;
	uintptr_t start, end, pads; /* of the function; base of landing pads */
	const char *why;
};

static bool refuse(struct reading *self, const char *why)
{
	if (!self->why)
		self->why = why;
	return false;
}

static void extend(size_t *bytes, size_t used)
{
	if (*bytes < used)
		*bytes = used;
}

/* -- header */

static void read_pads_start(struct reading *self, struct bytes *in)
{
	unsigned int encoding = (unsigned int)bytes_fixed(in, 1);

	self->pads = self->start;
	if (encoding == BYTES_OMITTED)
		return;
	self->pads = bytes_pointer(in, encoding);
	if (encoding & BYTES_INDIRECT)
		refuse(self, "its exception table has a start behind a pointer");
}

static void read_types_end(struct reading *self, struct bytes *in)
{
	self->lsda->type_encoding = (uint8_t)bytes_fixed(in, 1);
	self->lsda->types_end = NULL;
	if (self->lsda->type_encoding != BYTES_OMITTED) {
		struct bytes types = *in;

		types.bad |= in->bad;
		bytes_take(&types, bytes_uleb(&types));
		bytes_uleb(in);
		self->lsda->types_end = types.bad ? NULL : types.at;
		if (types.bad)
			refuse(self, "its exception table's types lie outside of it");
	}
}

/* -- actions */

static bool use_type(struct reading *self, uint64_t index)
{
	size_t size = bytes_pointer_size(self->lsda->type_encoding);

	if (!self->lsda->types_end || !size || index == 0)
		return refuse(self, "its exception table has types not understood");
	if (index > (size_t)(self->lsda->types_end - self->rest.at) / size)
		return refuse(self, "its exception table's types lie outside of it");
	extend(&self->lsda->nr_types, index);
	return true;
}

/* An exception specification: a list of types, ended by 0. */
static bool use_list(struct reading *self, uint64_t offset)
{
	struct bytes in = { self->lsda->types_end, self->rest.end, !self->lsda->types_end };
	uint64_t index;

	bytes_take(&in, offset);
	do
		index = bytes_uleb(&in);
	while (index && !in.bad && use_type(self, index));
	if (in.bad)
		return refuse(self, "its exception table's lists of types lie outside of it");
	extend(&self->lists_bytes, (size_t)(in.at - self->lsda->types_end));
	return !self->why;
}

static bool use_filter(struct reading *self, int64_t filter)
{
	if (filter > 0)
		return use_type(self, (uint64_t)filter);
	return filter == 0 || use_list(self, -((uint64_t)filter) - 1);
}

/*
 * One record: a filter, and how far it is from its second number to the next record. *at: offset
 * from the actions' start, then the next's.
 */
static bool use_action(struct reading *self, uint64_t *at, bool *more_out)
{
	struct bytes in = self->rest;
	int64_t filter, next;
	uint64_t second;

	bytes_take(&in, *at);
	filter = bytes_sleb(&in);
	second = (uint64_t)(in.at - self->rest.at);
	next = bytes_sleb(&in);
	if (in.bad)
		return refuse(self, "its exception table's actions lie outside of it");
	extend(&self->actions_bytes, (size_t)(in.at - self->rest.at));
	*more_out = next != 0;
	*at = second + (uint64_t)next;
	return use_filter(self, filter);
}

static void use_chain(struct reading *self, uint64_t action)
{
	uint64_t at = action - 1;
	bool more = true;

	for (size_t i = 0; more; i++)
		if (i == LONGEST_CHAIN) {
			refuse(self, "its exception table has actions in a circle");
			return;
		} else if (!use_action(self, &at, &more))
			return;
}

/* Types and actions must not overlap: overlapping tables are unsupported. */
static void check_tables(struct reading *self)
{
	struct lsda *lsda = self->lsda;
	size_t types = lsda->nr_types * bytes_pointer_size(lsda->type_encoding);

	if (lsda->types_end && lsda->types_end - types < self->rest.at + self->actions_bytes &&
	    lsda->nr_types)
		refuse(self, "its exception table's types and actions overlap");
	lsda->actions = (struct bytes){ .at = self->rest.at,
					.end = self->rest.at + self->actions_bytes };
	lsda->lists = (struct bytes){ .at = lsda->types_end, .end = lsda->types_end };
	if (lsda->types_end)
		lsda->lists.end += self->lists_bytes;
}

/* -- call sites */

static uint64_t pad_offset(struct reading *self, uint64_t stored)
{
	uintptr_t pad = self->pads + stored;

	if (!stored)
		return 0;
	if (pad <= self->start || pad >= self->end)
		refuse(self, "it has a landing pad outside of it");
	return pad - self->start;
}

static void read_site(struct reading *self, struct bytes *in, unsigned int encoding)
{
	struct lsda *lsda = self->lsda;
	struct lsda_site site = { .begin = bytes_pointer(in, encoding) };

	site.end = site.begin + bytes_pointer(in, encoding);
	site.pad = pad_offset(self, bytes_pointer(in, encoding));
	site.action = bytes_uleb(in);
	if (in->bad)
		refuse(self, "its exception table ends within a call site");
	else if (site.begin > site.end || site.end > self->end - self->start)
		refuse(self, "its exception table has a call site outside of it");
	else if (!ARENA_GROW(self->arena, lsda->sites, lsda->nr_sites, lsda->room))
		refuse(self, "no memory");
	else
		lsda->sites[lsda->nr_sites++] = site;
}

/* Adjacent call sites often have the same action. */
static void use_chains(struct reading *self)
{
	uint64_t last = 0;

	for (size_t i = 0; i < self->lsda->nr_sites && !self->why; i++) {
		uint64_t action = self->lsda->sites[i].action;

		if (action && action != last)
			use_chain(self, action);
		last = action;
	}
}

bool lsda_read(struct arena *arena, struct bytes in, uintptr_t start, uintptr_t end,
	       struct lsda *out, const char **why_out)
{
	struct reading self = { .arena = arena, .lsda = out, .start = start, .end = end };
	struct bytes sites;
	unsigned int encoding;

	*out = (struct lsda){ 0 };
	read_pads_start(&self, &in);
	read_types_end(&self, &in);
	encoding = (unsigned int)bytes_fixed(&in, 1);
	sites = bytes_take(&in, bytes_uleb(&in));
	if (in.bad)
		refuse(&self, "its exception table ends too early");
	if (encoding & ~0xfu) /* of what neither personality routine reads */
		refuse(&self, "its exception table has call sites that are not offsets");
	if (out->types_end && !in.bad && out->types_end < in.at)
		refuse(&self, "its exception table's types lie outside of it");
	while (sites.at < sites.end && !self.why)
		read_site(&self, &sites, encoding);
	self.rest = in;
	if (!self.why)
		use_chains(&self);
	if (!self.why)
		check_tables(&self);
	*why_out = self.why;
	return !self.why;
}

/* -- writing */

static bool write_site(const struct lsda_site *site, const struct unwind_function *function,
		       struct packing *out, const char **why_out)
{
	uint32_t begin, end, pad = 0;

	*why_out = "its exception table leads into an instruction";
	if (!cfi_place(function, site->begin, &begin) || !cfi_place(function, site->end, &end))
		return false;
	if (site->pad && !cfi_place(function, site->pad, &pad))
		return false;
	pack_uleb(out, begin);
	pack_uleb(out, end - begin);
	pack_uleb(out, pad);
	pack_uleb(out, site->action);
	return true;
}

static void write_types(const struct lsda *lsda, struct packing *out)
{
	size_t size = bytes_pointer_size(lsda->type_encoding);

	pack_align(out, ALIGNMENT);
	for (size_t i = lsda->nr_types; i > 0; i--) {
		struct bytes in = { .at = lsda->types_end - i * size, .end = lsda->types_end };

		pack_fixed(out, bytes_pointer(&in, lsda->type_encoding), 8);
	}
}

bool lsda_write(const struct lsda *lsda, const struct unwind_function *function,
		struct packing *out, const char **why_out)
{
	bool typed = lsda->type_encoding != BYTES_OMITTED;
	size_t types = 0, length, start;

	pack_fixed(out, BYTES_OMITTED, 1);
	pack_fixed(out,
		   typed ? BYTES_ABSOLUTE | (lsda->type_encoding & BYTES_INDIRECT) : BYTES_OMITTED,
		   1);
	if (typed)
		types = pack_reserve_uleb(out);
	start = out->nr;
	pack_fixed(out, BYTES_ULEB, 1);
	length = pack_reserve_uleb(out);
	for (size_t i = 0; i < lsda->nr_sites; i++)
		if (!write_site(&lsda->sites[i], function, out, why_out))
			return false;
	pack_fill_uleb(out, length, (uint32_t)(out->nr - length - PACK_RESERVED));
	pack_copy(out, lsda->actions.at, (size_t)(lsda->actions.end - lsda->actions.at));
	if (typed) {
		write_types(lsda, out);
		pack_fill_uleb(out, types, (uint32_t)(out->nr - start));
	}
	pack_copy(out, lsda->lists.at, (size_t)(lsda->lists.end - lsda->lists.at));
	pack_align(out, ALIGNMENT);
	return true;
}
