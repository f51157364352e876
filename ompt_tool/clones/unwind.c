/* SPDX-License-Identifier: Apache-2.0 */
/* Writes sections of unwind information for clones. */
#include "ompt_tool/clones/unwind.h"

#include <string.h>

#include "analysis/base/arena.h"
#include "analysis/base/sort.h"
#include "ompt_tool/clones/cfi_copy.h"
#include "ompt_tool/clones/lsda.h"
#include "ompt_tool/clones/module_segments.h"
#include "ompt_tool/clones/section.h"

#define POINTER 8
#define SCRATCH_KEPT ((size_t)256 << 10)

static bool refuse(const char **why_out, const char *why)
{
	*why_out = why;
	return false;
}

/* -- reading a function's tables */

bool unwind_cfi(const struct code_bounds *bounds, struct cfi *out, const char **why_out)
{
	struct bytes memory = { .end = bounds->debug_end }, common;

	if (!bounds->debug_end &&
	    (!modules_memory(bounds->fde, &memory) || !modules_memory(bounds->cie, &common) ||
	     common.end != memory.end))
		return refuse(why_out, "its unwind records lie outside of its file");
	if (!cfi_read(bounds->fde, bounds->cie, memory.end, out, why_out))
		return false;
	if (out->start != bounds->start || out->end != bounds->end)
		return refuse(why_out, "its unwind records are about another range");
	return !bounds->signal_frame || refuse(why_out, "it is the frame of a signal handler");
}

static bool has_cleanups_alone(const struct lsda *lsda)
{
	for (size_t i = 0; i < lsda->nr_sites; i++)
		if (lsda->sites[i].action)
			return false;
	return lsda->type_encoding == BYTES_OMITTED;
}

/* True without sites: the function has no exception table. */
static bool read_lsda(struct arena *arena, const struct code_bounds *bounds, struct lsda *out,
		      const char **why_out)
{
	enum modules_personality personality = bounds->personality
						       ? modules_personality(bounds->personality)
						       : MODULES_PERSONALITY_KNOWN;
	struct bytes memory;

	*out = (struct lsda){ .type_encoding = BYTES_OMITTED };
	if (!bounds->personality)
		return true;
	if (personality == MODULES_PERSONALITY_UNKNOWN)
		return refuse(
			why_out,
			"its personality routine is not one of gcc's or clang's for C and C++");
	if (!bounds->lsda)
		return true;
	if (!modules_memory((const unsigned char *)bounds->lsda, &memory))
		return refuse(why_out, "its exception table lies outside of its file");
	if (!lsda_read(arena, memory, bounds->start, bounds->end, out, why_out))
		return false;
	return personality == MODULES_PERSONALITY_KNOWN || has_cleanups_alone(out) ||
	       refuse(why_out, "its exception table is not one of cleanups");
}

static int by_address(const void *a, const void *b)
{
	uintptr_t x = *(const uintptr_t *)a, y = *(const uintptr_t *)b;

	return (x > y) - (x < y);
}

static size_t without_repetitions(uintptr_t *sorted, size_t nr)
{
	size_t kept = 0;

	for (size_t i = 0; i < nr; i++)
		if (!kept || sorted[kept - 1] != sorted[i])
			sorted[kept++] = sorted[i];
	return kept;
}

bool unwind_landing_pads(struct arena *arena, const struct code_bounds *bounds,
			 const uintptr_t **pads_out, size_t *nr_out, const char **why_out)
{
	uintptr_t *pads;
	struct lsda lsda;
	size_t nr = 0;

	*pads_out = NULL;
	*nr_out = 0;
	if (!read_lsda(arena, bounds, &lsda, why_out))
		return false;
	pads = arena_alloc(arena, (lsda.nr_sites + 1) * sizeof(*pads));
	if (!pads)
		return refuse(why_out, "no memory");
	for (size_t i = 0; i < lsda.nr_sites; i++)
		if (lsda.sites[i].pad)
			pads[nr++] = bounds->start + lsda.sites[i].pad;
	sort(pads, nr, sizeof(*pads), by_address);
	*pads_out = pads;
	*nr_out = without_repetitions(pads, nr);
	return true;
}

/* -- writing */

struct written_cie {
	const unsigned char *original;
	uintptr_t personality;
	size_t offset;
};
struct row {
	uintptr_t copy;
	size_t index;
}; /* functions by address of their copies */

struct writing {
	struct arena *arena;
	const struct unwind_function *functions;
	struct row *rows;
	size_t nr;
	uintptr_t place;
	struct packing out;
	struct written_cie *cies;
	size_t nr_cies, cies_room;
	size_t *lsda_slots; /* by row; 0: none */
	size_t bad;
	const char *why;
};

static int by_copy(const void *a, const void *b)
{
	const struct row *x = a, *y = b;

	return (x->copy > y->copy) - (x->copy < y->copy);
}

static bool prepare(struct writing *self)
{
	static struct arena *scratch;

	if (scratch)
		arena_reset(scratch, SCRATCH_KEPT);
	self->arena = scratch = scratch ? scratch : arena_new();
	self->rows = self->arena ? arena_alloc(self->arena, self->nr * sizeof(*self->rows)) : NULL;
	self->lsda_slots = self->rows
				   ? arena_alloc(self->arena, self->nr * sizeof(*self->lsda_slots))
				   : NULL;
	if (!self->lsda_slots)
		return false;
	for (size_t i = 0; i < self->nr; i++)
		self->rows[i] = (struct row){ self->functions[i].copy, i };
	sort(self->rows, self->nr, sizeof(*self->rows), by_copy);
	return true;
}

/* Offset of an original's CIE, which is written once. SIZE_MAX: no memory. */
static size_t cie_for(struct writing *self, const struct cfi *cfi, const struct code_bounds *bounds)
{
	for (size_t i = self->nr_cies; i-- > 0;)
		if (self->cies[i].original == bounds->cie &&
		    self->cies[i].personality == bounds->personality)
			return self->cies[i].offset;
	if (!ARENA_GROW(self->arena, self->cies, self->nr_cies, self->cies_room))
		return SIZE_MAX;
	self->cies[self->nr_cies] = (struct written_cie){ bounds->cie, bounds->personality,
							  self->out.nr };
	cfi_write_cie(cfi, bounds->personality, &self->out);
	return self->cies[self->nr_cies++].offset;
}

static bool places_fit(const struct unwind_function *function)
{
	uint64_t size = function->bounds->end - function->bounds->start,
		 copy_size = function->copy_end - function->copy;

	if (!function->nr || function->copy >= function->copy_end)
		return false;
	for (size_t i = 1; i < function->nr; i++)
		if (function->places[i].original <= function->places[i - 1].original ||
		    function->places[i].copy < function->places[i - 1].copy)
			return false;
	return function->places[function->nr - 1].original <= size &&
	       function->places[function->nr - 1].copy <= copy_size;
}

static bool write_function(struct writing *self, size_t row)
{
	const struct unwind_function *function = &self->functions[self->rows[row].index];
	struct cfi cfi;
	size_t cie;

	if (!places_fit(function))
		return refuse(&self->why, "its places are not in order");
	if (modules_own_unwinder(function->bounds->start))
		return refuse(&self->why,
			      "its file may have an unwinder of its own, linked statically");
	if (!unwind_cfi(function->bounds, &cfi, &self->why))
		return false;
	cie = cie_for(self, &cfi, function->bounds);
	if (cie == SIZE_MAX)
		return refuse(&self->why, "no memory");
	return cfi_write_fde(&cfi, function, cie, function->bounds->personality != 0, &self->out,
			     &self->lsda_slots[row], &self->why);
}

/* End of the previous copy; for the first one its own begin. */
static uintptr_t end_before(const struct writing *self, size_t row)
{
	return row ? self->functions[self->rows[row - 1].index].copy_end : self->rows[row].copy;
}

static bool write_frames(struct writing *self)
{
	for (size_t i = 0; i < self->nr; i++) {
		self->bad = self->rows[i].index;
		if (self->rows[i].copy < end_before(self, i))
			return refuse(&self->why, "its copy overlaps another one");
		if (self->rows[i].copy > end_before(self, i) + SECTION_CLOSE) {
			section_end(&self->out, true);
			self->nr_cies = 0;
		}
		if (!write_function(self, i))
			return false;
	}
	section_end(&self->out, false);
	return true;
}

static bool write_lsda(struct writing *self, size_t row)
{
	const struct unwind_function *function = &self->functions[self->rows[row].index];
	struct lsda lsda;

	if (!self->lsda_slots[row] || !function->bounds->lsda)
		return true;
	if (!read_lsda(self->arena, function->bounds, &lsda, &self->why))
		return false;
	pack_fill_fixed(&self->out, self->lsda_slots[row], self->place + self->out.nr, POINTER);
	return lsda_write(&lsda, function, &self->out, &self->why);
}

static bool write_lsdas(struct writing *self)
{
	for (size_t i = 0; i < self->nr; i++) {
		self->bad = self->rows[i].index;
		if (!write_lsda(self, i))
			return false;
	}
	return true;
}

static bool write_all(struct writing *self)
{
	if (!prepare(self))
		return refuse(&self->why, "no memory");
	if (!write_frames(self) || !write_lsdas(self))
		return false;
	self->bad = self->nr;
	return !self->place || self->out.nr <= self->out.room ||
	       refuse(&self->why, "not enough room");
}

bool unwind_write(const struct unwind_function *functions, size_t nr, unsigned char *place,
		  size_t room, size_t *bytes_out, size_t *bad_out, const char **why_out)
{
	struct writing self = {
		.functions = functions,
		.nr = nr,
		.bad = nr,
		.place = (uintptr_t)place,
		.out = { .bytes = place, .room = place ? room : 0 },
	};
	bool good = write_all(&self);

	*bytes_out = self.out.nr;
	*bad_out = self.bad;
	*why_out = self.why;
	return good;
}
