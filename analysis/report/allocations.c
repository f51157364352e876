/* SPDX-License-Identifier: Apache-2.0 */
/* Places and names of allocations. */
#include "analysis/report/allocations.h"

#include <string.h>

#include "analysis/base/arena.h"
#include "analysis/base/sort.h"
#include "analysis/debuginfo/assignment.h"

/* functions inlined into each other: 8 in a table of the C++ library that grows (gcc 12) */
#define FRAMES_MAX 32
/* members of members; deeper ones keep the name they have */
#define MEMBERS_DEEP 4

struct site {
	struct run_array *array;
	/* of the call in the frames, the array's site or one of its callers */
	struct code_address address;
	size_t nr_path; /* callers of that call */
	size_t nr, at;  /* frames, the chosen one */
	struct allocation *frames;
};

/* False: none, or no memory. */
static bool read_frames(struct arena *arena, const struct run *run, struct sources *sources,
			const char *callee, struct site *site)
{
	struct allocation frames[FRAMES_MAX];

	site->nr = sources_allocation(sources, run->modules, run->nr_modules, site->address, callee,
				      frames, FRAMES_MAX);
	site->frames = arena_alloc(arena, (site->nr + 1) * sizeof(*frames));
	if (!site->nr || !site->frames)
		return false;
	memcpy(site->frames, frames, site->nr * sizeof(*frames));
	return true;
}

/*
 * To the frame at `to` of a call by which memory was handed out: by what is returned, or to the
 * variable whose address was passed. False: the call passes none.
 */
static bool step_out(const struct allocation *from, struct allocation *to)
{
	if (from->returned || from->library)
		return true;
	if (!from->by_parameter || !to->address_of)
		return false;
	to->variable = to->address_of;
	to->returned = to->by_parameter = false;
	return true;
}

static bool hands_out(const struct allocation *frame)
{
	return frame->returned || frame->by_parameter;
}

static void choose_first(struct site *site)
{
	while (site->at + 1 < site->nr && site->frames[site->at].library)
		site->at++;
	if (site->frames[site->at].library)
		site->at = 0;
	while (site->at + 1 < site->nr && hands_out(&site->frames[site->at]) &&
	       step_out(&site->frames[site->at], &site->frames[site->at + 1]))
		site->at++;
}

/*
 * Outwards along the call path, while a function is a library's or hands the memory on to its
 * caller. What is left of the path leads to the frames.
 */
static void leave_wrappers(struct arena *arena, struct run *run, struct sources *sources,
			   struct site *site)
{
	struct run_array *array = site->array;

	while ((hands_out(&site->frames[site->at]) || site->frames[site->at].library) &&
	       array->path && array->nr_path) {
		struct site out = { .array = array,
				    .address = array->path[array->nr_path - 1],
				    .nr_path = array->nr_path - 1 };

		if (!read_frames(arena, run, sources, site->frames[site->nr - 1].source.function,
				 &out) ||
		    !step_out(&site->frames[site->at], &out.frames[0]))
			return;
		choose_first(&out);
		*site = out;
		array->site = out.address;
		array->nr_path = out.nr_path;
	}
}

/* Those that have a site in the program and no line yet; frames of each. */
static size_t read_sites(struct arena *arena, struct run *run, struct sources *sources,
			 struct site *sites)
{
	size_t nr = 0;

	for (size_t i = 0; i < run->nr_arrays; i++) {
		struct site *site = &sites[nr];

		if (run->arrays[i].site.module == UINT32_MAX || run->arrays[i].site_source.function)
			continue;
		*site = (struct site){ .array = &run->arrays[i],
				       .address = run->arrays[i].site,
				       .nr_path = run->arrays[i].nr_path };
		if (!read_frames(arena, run, sources, "", site))
			continue;
		choose_first(site);
		leave_wrappers(arena, run, sources, site);
		nr++;
	}
	return nr;
}

static int compare_lines(const struct source *one, const struct source *other)
{
	int order = strcmp(one->file, other->file);

	return order ? order : (one->line > other->line) - (one->line < other->line);
}

static int by_line(const void *a, const void *b)
{
	const struct site *left = *(struct site *const *)a, *right = *(struct site *const *)b;

	return compare_lines(&left->frames[left->at].source, &right->frames[right->at].source);
}

/*
 * How many frames further out the first two of those that share a line do not; 0: they share all.
 */
static size_t where_apart(struct site *const *group, size_t nr)
{
	for (size_t out = 1;; out++)
		for (size_t i = 0; i < nr; i++) {
			const struct site *first = group[0], *site = group[i];

			if (first->at + out >= first->nr || site->at + out >= site->nr)
				return 0;
			if (compare_lines(&first->frames[first->at + out].source,
					  &site->frames[site->at + out].source))
				return out;
		}
}

/* Those without a variable that share a line: outwards to where they do not. True: some moved. */
static bool move_out(struct site *const *sorted, size_t nr)
{
	bool moved = false;

	for (size_t i = 0, end; i < nr; i = end) {
		size_t out;

		for (end = i + 1; end < nr && !by_line(&sorted[i], &sorted[end]);)
			end++;
		out = *sorted[i]->frames[sorted[i]->at].variable ? 0
								 : where_apart(&sorted[i], end - i);
		for (size_t j = i; out && j < end; j++)
			sorted[j]->at += out;
		moved |= out > 0;
	}
	return moved;
}

static int by_line_and_code(const void *a, const void *b)
{
	const struct code_address *left = &(*(struct site *const *)a)->address,
				  *right = &(*(struct site *const *)b)->address;
	int order = by_line(a, b);

	if (!order)
		order = (left->module > right->module) - (left->module < right->module);
	return order ? order : (left->offset > right->offset) - (left->offset < right->offset);
}

/*
 * Names the sites of one statement that allocates for several variables, one site each. Compilers
 * keep the calls of a statement without branches in source order. With more sites than variables (a
 * function inlined twice), or fewer, the sites stay without names.
 */
static void name_statement(struct site *const *sorted, size_t nr)
{
	for (size_t i = 0; i < nr; i++) {
		const struct allocation *frame = &sorted[i]->frames[sorted[i]->at];

		if (frame->nr_variables != nr || frame->returned ||
		    sorted[i]->address.module != sorted[0]->address.module ||
		    (i && sorted[i]->address.offset == sorted[i - 1]->address.offset))
			return;
	}
	for (size_t i = 0; i < nr; i++) {
		struct allocation *frame = &sorted[i]->frames[sorted[i]->at];

		frame->variable = frame->variables[i];
	}
}

static void name_statements(struct site **sorted, size_t nr)
{
	sort(sorted, nr, sizeof(*sorted), by_line_and_code);
	for (size_t i = 0, end; i < nr; i = end) {
		for (end = i + 1; end < nr && !by_line(&sorted[i], &sorted[end]);)
			end++;
		if (end > i + 1)
			name_statement(&sorted[i], end - i);
	}
}

static void tell_apart(struct arena *scratch, struct site *sites, size_t nr)
{
	struct site **sorted = arena_alloc(scratch, nr * sizeof(*sorted));

	for (size_t i = 0; sorted && i < nr; i++)
		sorted[i] = &sites[i];
	if (sorted)
		name_statements(sorted, nr);
	for (int round = 0; sorted && round < FRAMES_MAX; round++) {
		sort(sorted, nr, sizeof(*sorted), by_line);
		if (!move_out(sorted, nr))
			return;
	}
}

static const struct allocation *chosen(const struct site *site)
{
	return &site->frames[site->at];
}

static bool same_address(struct code_address one, struct code_address other)
{
	return one.module == other.module && one.offset == other.offset;
}

/*
 * Whether blocks of the array, or of another one, were allocated by other calls: an array has the
 * call path of its first block, of which only the innermost caller is that of all.
 */
static bool is_ambiguous(const struct run *run, const struct run_array *array)
{
	for (size_t i = 0; array->nr_path && i < run->nr_arrays; i++) {
		const struct run_array *other = &run->arrays[i];

		if (other != array && same_address(other->site, array->site) && other->nr_path &&
		    same_address(other->path[other->nr_path - 1], array->path[array->nr_path - 1]))
			return true;
	}
	return array->blocks > 1;
}

/* One frame outwards, along the call path where functions are not inlined. False: no more is known. */
static bool go_out(struct arena *arena, const struct run *run, struct sources *sources,
		   struct site *site)
{
	const struct run_array *array = site->array;
	struct site out = *site;

	if (site->at + 1 < site->nr) {
		site->at++;
		return true;
	}
	if (!array->path || !site->nr_path ||
	    (site->nr_path < array->nr_path && is_ambiguous(run, array)))
		return false;
	out.at = 0;
	out.address = array->path[--out.nr_path];
	if (!read_frames(arena, run, sources, site->frames[site->nr - 1].source.function, &out))
		return false;
	*site = out;
	return true;
}

/* "ns::mesh::make" and "ns::mesh::mesh" are of one class; its templates' arguments belong to it. */
static bool same_class(const char *method, const char *other)
{
	size_t nr = (size_t)(function_behind_scope(method) - method);

	return nr && !strncmp(method, other, nr) && function_behind_scope(other) == other + nr;
}

/* Not "this->make(n)", "status = make(n)", nor a constructor's own name. */
static bool names_object(const struct allocation *frame)
{
	const char *own = function_behind_scope(frame->source.function);
	size_t nr = strlen(frame->variable);

	return nr && !frame->result && strcmp(frame->variable, "this") != 0 &&
	       strcmp(frame->variable, "(*this)") != 0 &&
	       (strncmp(own, frame->variable, nr) || (own[nr] && own[nr] != '<'));
}

/*
 * To where the object is made whose method allocates. Methods call others of their object without
 * naming it, constructors others of their class.
 */
static bool find_object(struct arena *arena, const struct run *run, struct sources *sources,
			struct site *site)
{
	const char *method = chosen(site)->source.function;

	for (int depth = 0; depth < FRAMES_MAX; depth++) {
		const struct allocation *out;

		if (!go_out(arena, run, sources, site))
			return false;
		out = chosen(site);
		if (out->library || !strcmp(out->source.function, method))
			continue;
		if (names_object(out) || !same_class(method, out->source.function))
			return names_object(out);
	}
	return false;
}

/* "pressure", at the object's line → "fluid.pressure". False: the object has no name. */
static bool name_member(struct arena *arena, const struct site *object, struct site *site)
{
	struct allocation *member = &site->frames[site->at];
	const char *name = chosen(object)->variable;

	if (!*name || !*member->variable)
		return false;
	name = arena_printf(arena, "%s%s%s", variable_behind_this(name),
			    chosen(object)->to_object ? "->" : ".",
			    variable_behind_this(member->variable));
	if (!name)
		return false;
	member->variable = name;
	member->source = chosen(object)->source;
	site->array->site = object->address;
	site->array->nr_path = object->nr_path;
	return true;
}

/*
 * Moves each of the objects outwards to its own: what a member is a member of. Those of which none
 * is known are left out. Returns how many there are.
 */
static size_t find_objects(struct arena *arena, const struct run *run, struct sources *sources,
			   struct site *objects, struct site **members, size_t nr)
{
	size_t kept = 0;

	for (size_t i = 0; i < nr; i++) {
		struct site object = objects[i];

		if (!chosen(&object)->member || !find_object(arena, run, sources, &object))
			continue;
		members[kept] = members[i];
		objects[kept++] = object;
	}
	return kept;
}

static bool same_member(const struct site *one, const struct site *other)
{
	return !strcmp(chosen(one)->variable, chosen(other)->variable) &&
	       !compare_lines(&chosen(one)->source, &chosen(other)->source);
}

/* The variables of a declaration are objects that have this member each: if it is their first one. */
static void name_of_member(struct site *objects, struct site *const *members, struct site **sorted,
			   size_t nr, size_t first)
{
	size_t nr_sorted = 0;

	for (size_t i = 0; i < nr; i++) {
		if (!same_member(members[i], members[first]))
			continue;
		if (i < first)
			return;
		sorted[nr_sorted++] = &objects[i];
	}
	name_statements(sorted, nr_sorted);
}

/*
 * Members of objects that a statement makes get the object's name before theirs, members of members
 * both.
 */
static void name_objects(struct arena *arena, struct arena *scratch, const struct run *run,
			 struct sources *sources, struct site *sites, size_t nr_sites)
{
	struct site *objects = arena_alloc(scratch, nr_sites * sizeof(*objects)),
		    **sorted = arena_alloc(scratch, nr_sites * sizeof(*sorted)),
		    **members = arena_alloc(scratch, nr_sites * sizeof(*members));
	size_t nr = objects && sorted && members ? nr_sites : 0;

	for (size_t i = 0; i < nr; i++) {
		objects[i] = sites[i];
		members[i] = &sites[i];
	}
	for (int depth = 0; nr && depth < MEMBERS_DEEP; depth++) {
		size_t named = 0;

		nr = find_objects(scratch, run, sources, objects, members, nr);
		for (size_t i = 0; i < nr; i++)
			name_of_member(objects, members, sorted, nr, i);
		for (size_t i = 0; i < nr; i++) {
			if (!name_member(arena, &objects[i], members[i]))
				continue;
			members[named] = members[i];
			objects[named++] = objects[i];
		}
		nr = named;
	}
}

void allocations_resolve(struct arena *arena, struct run *run, struct sources *sources)
{
	struct arena *scratch = arena_new();
	struct site *sites = scratch ? arena_alloc(scratch, (run->nr_arrays + 1) * sizeof(*sites))
				     : NULL;
	size_t nr = sites ? read_sites(scratch, run, sources, sites) : 0;

	if (nr)
		tell_apart(scratch, sites, nr);
	if (nr)
		name_objects(arena, scratch, run, sources, sites, nr);
	for (size_t i = 0; i < nr; i++) {
		const struct allocation *frame = chosen(&sites[i]);

		sites[i].array->site_source = frame->source;
		if ((!sites[i].array->name || !*sites[i].array->name) && !frame->returned)
			sites[i].array->name = frame->variable;
	}
	arena_free(scratch);
}
