/* SPDX-License-Identifier: Apache-2.0 */
/* Pairs the places, data structures and lines of two sides. */
#include "analysis/differential/match.h"

#include <stdlib.h>
#include <string.h>

#include "analysis/base/arena.h"
#include "analysis/base/hash.h"
#include "analysis/base/index_table.h"
#include "analysis/differential/name_pool.h"

/* ------------------------------------------------------------------ members of one group */

static int member_order(const void *left, const void *right)
{
	const struct member *a = left, *b = right;
	bool paired_a = a->pair != MATCH_NONE, paired_b = b->pair != MATCH_NONE;

	if (paired_a != paired_b)
		return paired_a - paired_b;
	if (a->group != b->group)
		return a->group < b->group ? -1 : 1;
	if (a->order != b->order)
		return a->order < b->order ? -1 : 1;
	return (a->id > b->id) - (a->id < b->id);
}

static void pair(struct member *base, struct member *other)
{
	base->pair = other->id;
	other->pair = base->id;
}

/* members of a group on one side that are aligned; of more only equal lines pair up */
#define ALIGNED_MOST 256

static bool is_alike(const struct member *base, const struct member *other)
{
	return base->shape == other->shape && (base->shape || base->order == other->order);
}

/* Longest common subsequence of their shapes, by dynamic programming over suffixes. */
static void align(struct member *base, size_t nr_base, struct member *other, size_t nr_other)
{
	static uint16_t longest[ALIGNED_MOST + 1][ALIGNED_MOST + 1];
	size_t i, k;

	memset(longest, 0, sizeof(longest));
	for (i = nr_base; i-- > 0;)
		for (k = nr_other; k-- > 0;) {
			uint16_t skip = longest[i + 1][k] > longest[i][k + 1] ? longest[i + 1][k]
									      : longest[i][k + 1];
			uint16_t take = (uint16_t)(is_alike(&base[i], &other[k])
							   ? longest[i + 1][k + 1] + 1
							   : 0);

			longest[i][k] = take > skip ? take : skip;
		}
	for (i = k = 0; i < nr_base && k < nr_other;) {
		if (is_alike(&base[i], &other[k]) && longest[i][k] == longest[i + 1][k + 1] + 1)
			pair(&base[i++], &other[k++]);
		else if (longest[i + 1][k] >= longest[i][k + 1])
			i++;
		else
			k++;
	}
}

static void pair_equal_lines(struct member *base, size_t nr_base, struct member *other,
			     size_t nr_other)
{
	for (size_t i = 0, k = 0; i < nr_base && k < nr_other;) {
		if (base[i].order == other[k].order)
			pair(&base[i++], &other[k++]);
		else if (base[i].order < other[k].order)
			i++;
		else
			k++;
	}
}

static void pair_group(struct member *base, size_t nr_base, struct member *other, size_t nr_other,
		       bool alone)
{
	if (alone && (nr_base > 1 || nr_other > 1))
		return;
	if (nr_base == nr_other)
		for (size_t i = 0; i < nr_base; i++)
			pair(&base[i], &other[i]);
	else if (nr_base <= ALIGNED_MOST && nr_other <= ALIGNED_MOST)
		align(base, nr_base, other, nr_other);
	else
		pair_equal_lines(base, nr_base, other, nr_other);
}

static size_t group_end(const struct member *members, size_t nr, size_t at)
{
	size_t end = at;

	while (end < nr && members[end].group == members[at].group &&
	       members[end].pair == MATCH_NONE)
		end++;
	return end;
}

void match_members(struct member *base, size_t nr_base, struct member *other, size_t nr_other,
		   bool alone)
{
	size_t i = 0, k = 0;

	qsort(base, nr_base, sizeof(*base), member_order);
	qsort(other, nr_other, sizeof(*other), member_order);
	while (i < nr_base && k < nr_other && base[i].pair == MATCH_NONE &&
	       other[k].pair == MATCH_NONE) {
		size_t end = group_end(base, nr_base, i), end_other = group_end(other, nr_other, k);

		if (base[i].group == other[k].group) {
			pair_group(&base[i], end - i, &other[k], end_other - k, alone);
			i = end;
			k = end_other;
		} else if (base[i].group < other[k].group) {
			i = end;
		} else {
			k = end_other;
		}
	}
}

/* ------------------------------------------------------------------ one side */

/* Things of one kind on one side, each once; `first` are pointers into the profiles. */
struct list {
	const void **first;
	/* of places: in this list; of parts: their place in the list of places */
	uint32_t *parent;
	/*
	 * of places: loops that belong to their region; regions that some run executed without a
	 * loop
	 */
	bool *in_region, *bare;
	size_t nr, room, room_parents;
	struct index_table index;
};

struct matcher {
	struct arena *arena;
	struct match *match;
	struct list places[MATCH_SIDES], arrays[MATCH_SIDES], parts[MATCH_SIDES];
	bool same_build;
};

/*
 * Number of the thing with this key, 64 bits of hash, of which two among a million are the same
 * once in ten million times. UINT32_MAX: no memory.
 */
static uint32_t list_number(struct arena *arena, struct list *list, uint64_t hash,
			    const void *thing, uint32_t parent)
{
	struct index_slot *slot;

	if (!index_reserve(&list->index, arena))
		return MATCH_NONE;
	slot = index_first(&list->index, hash);
	if (slot->row)
		return slot->row - 1;
	if (!ARENA_GROW(arena, list->first, list->nr, list->room) ||
	    !ARENA_GROW(arena, list->parent, list->nr, list->room_parents))
		return MATCH_NONE;
	list->first[list->nr] = thing;
	list->parent[list->nr] = parent;
	index_enter(&list->index, slot, hash, (uint32_t)list->nr);
	return (uint32_t)list->nr++;
}

static uint64_t hash_number(uint64_t hash, uint64_t number)
{
	return hash_bytes(hash, &number, sizeof(number));
}

static uint64_t place_hash(const struct profile_place *place, uint32_t parent)
{
	uint64_t hash = hash_number(hash_number(HASH_START, place->kind), parent);

	hash = names_hash(
		names_hash(names_hash(names_hash(hash, place->function), place->file), place->next),
		place->path);
	return hash_number(hash_number(hash, (uint64_t)place->line),
			   place->line ? 0 : place->offset);
}

static uint64_t array_hash(const struct profile_array *array)
{
	uint64_t hash = names_hash(names_hash(names_hash(HASH_START, array->kind), array->name),
				   array->file);

	return *array->name ? hash
			    : hash_number(names_hash(hash, array->function), (uint64_t)array->line);
}

static uint64_t part_hash(const struct profile_part *part, uint32_t place)
{
	uint64_t hash = hash_number(HASH_START, place);

	return hash_number(hash_number(names_hash(names_hash(hash, part->function), part->file),
				       (uint64_t)part->line),
			   part->offset);
}

static bool enter_run(struct matcher *matcher, struct match_run *run)
{
	const struct profile *profile = run->profile;
	struct list *places = &matcher->places[run->side], *arrays = &matcher->arrays[run->side],
		    *parts = &matcher->parts[run->side];
	bool fine = true;

	run->places = arena_alloc(matcher->arena, (profile->nr_places + 1) * sizeof(*run->places));
	run->arrays = arena_alloc(matcher->arena, (profile->nr_arrays + 1) * sizeof(*run->arrays));
	run->parts = arena_alloc(matcher->arena, (profile->nr_parts + 1) * sizeof(*run->parts));
	if (!run->places || !run->arrays || !run->parts)
		return false;
	for (size_t i = 0; i < profile->nr_places && fine; i++) {
		const struct profile_place *place = &profile->places[i];
		uint32_t parent = place->parent < i ? run->places[place->parent] : MATCH_NONE;

		run->places[i] = list_number(matcher->arena, places, place_hash(place, parent),
					     place, parent);
		fine = run->places[i] != MATCH_NONE;
	}
	for (size_t i = 0; i < profile->nr_arrays && fine; i++) {
		run->arrays[i] = list_number(matcher->arena, arrays,
					     array_hash(&profile->arrays[i]), &profile->arrays[i],
					     MATCH_NONE);
		fine = run->arrays[i] != MATCH_NONE;
	}
	for (size_t i = 0; i < profile->nr_parts && fine; i++) {
		uint32_t place = run->places[profile->parts[i].place];

		run->parts[i] = list_number(matcher->arena, parts,
					    part_hash(&profile->parts[i], place),
					    &profile->parts[i], place);
		fine = run->parts[i] != MATCH_NONE;
	}
	return fine;
}

/* ------------------------------------------------------------------ between the sides */

/* Pairs of two lists: [nr of a side] the other side's number, or MATCH_NONE. */
struct pairs {
	uint32_t *of[MATCH_SIDES];
};

enum tier { TIER_SAME, TIER_OTHER_CALLERS, TIER_OTHER_FILE, TIER_SAME_ARRAYS, TIER_ALONE, TIERS };

static uint64_t place_group(const struct profile_place *place, uint32_t parent, enum tier tier)
{
	uint64_t hash = hash_number(hash_number(HASH_START, place->kind), parent);

	if (tier <= TIER_OTHER_FILE)
		hash = names_hash(hash, place->function);
	if (tier <= TIER_OTHER_CALLERS || tier >= TIER_SAME_ARRAYS)
		hash = names_hash(hash, place->file);
	if (tier <= TIER_OTHER_CALLERS)
		hash = names_hash(hash, place->next);
	if (tier == TIER_SAME)
		hash = names_hash(hash, place->path);
	return tier == TIER_SAME_ARRAYS ? hash_number(hash, place->arrays) : hash;
}

/* The place, or the region that it belongs to. */
static uint32_t region_of(const struct list *places, uint32_t number)
{
	while (number != MATCH_NONE && places->in_region[number])
		number = places->parent[number];
	return number;
}

static unsigned int depth_of(const struct list *places, uint32_t number)
{
	unsigned int depth = 0;

	while ((number = region_of(places, places->parent[number])) != MATCH_NONE)
		depth++;
	return depth;
}

/*
 * Parents of the other side that have a pair go by its number, others by one that the base side
 * does not have.
 */
static uint32_t parent_of(const struct matcher *matcher, uint32_t parent, const struct pairs *pairs,
			  enum match_side side)
{
	parent = region_of(&matcher->places[side], parent);

	if (parent == MATCH_NONE || side == MATCH_BASE)
		return parent;
	return pairs->of[MATCH_NEW][parent] == MATCH_NONE ? parent | 0x80000000u
							  : pairs->of[MATCH_NEW][parent];
}

static struct member *place_members(struct matcher *matcher, const struct pairs *pairs,
				    enum match_side side, unsigned int depth, enum tier tier,
				    size_t *nr_out)
{
	const struct list *list = &matcher->places[side];
	struct member *members = arena_alloc(matcher->arena, (list->nr + 1) * sizeof(*members));
	size_t nr = 0;

	for (uint32_t i = 0; members && i < list->nr; i++) {
		const struct profile_place *place = list->first[i];
		uint64_t group = place_group(
			place, parent_of(matcher, list->parent[i], pairs, side), tier);

		if (pairs->of[side][i] != MATCH_NONE || list->in_region[i] ||
		    depth_of(list, i) != depth || (tier == TIER_SAME_ARRAYS && !place->arrays))
			continue;
		if (matcher->same_build && tier == TIER_SAME)
			group = hash_number(group,
					    place->line ? (uint64_t)place->line : place->offset);
		members[nr++] = (struct member){ group,
						 place->line ? place->line : (int64_t)place->offset,
						 place->arrays, i, MATCH_NONE };
	}
	*nr_out = nr;
	return members;
}

static void keep_pairs(const struct pairs *pairs, const struct member *base, size_t nr)
{
	for (size_t i = 0; i < nr; i++)
		if (base[i].pair != MATCH_NONE) {
			pairs->of[MATCH_BASE][base[i].id] = base[i].pair;
			pairs->of[MATCH_NEW][base[i].pair] = base[i].id;
		}
}

static bool pair_depth(struct matcher *matcher, const struct pairs *pairs, unsigned int depth)
{
	for (enum tier tier = 0; tier < TIERS; tier++) {
		size_t nr, nr_other;
		struct member *base = place_members(matcher, pairs, MATCH_BASE, depth, tier, &nr);
		struct member *other = place_members(matcher, pairs, MATCH_NEW, depth, tier,
						     &nr_other);

		if (!base || !other)
			return false;
		match_members(base, nr, other, nr_other, tier >= TIER_SAME_ARRAYS);
		keep_pairs(pairs, base, nr);
	}
	return true;
}

/* Regions that some run of the side executed without a loop. */
static bool find_bare(struct matcher *matcher, const struct match_run *run)
{
	struct list *places = &matcher->places[run->side];
	const struct profile *profile = run->profile;
	bool *has_loop = arena_alloc(matcher->arena, places->nr + 1);

	for (size_t i = 0; has_loop && i < profile->nr_places; i++)
		if (profile->places[i].kind == MS_DO_REGION && profile->places[i].parent < i)
			has_loop[run->places[profile->places[i].parent]] = true;
	for (size_t i = 0; has_loop && i < profile->nr_places; i++) {
		const struct profile_place *place = &profile->places[i];

		if (place->kind == MS_PARALLEL_REGION && (place->executed || place->recorded) &&
		    !has_loop[run->places[i]])
			places->bare[run->places[i]] = true;
	}
	return has_loop;
}

/* Loops in regions that have pairs already, where these have any. */
static void join_regions(struct matcher *matcher, const struct pairs *pairs, enum match_side side,
			 unsigned int depth)
{
	struct list *places = &matcher->places[side];

	for (uint32_t i = 0; i < places->nr; i++) {
		uint32_t region = places->parent[i],
			 pair = region == MATCH_NONE ? MATCH_NONE : pairs->of[side][region];

		if (((const struct profile_place *)places->first[i])->kind == MS_DO_REGION &&
		    region != MATCH_NONE && depth_of(places, i) == depth)
			places->in_region[i] = places->bare[region] ||
					       (pair != MATCH_NONE &&
						matcher->places[!side].bare[pair]);
	}
}

static bool find_all_bare(struct matcher *matcher)
{
	bool fine = true;

	for (enum match_side side = 0; side < MATCH_SIDES && fine; side++) {
		struct list *places = &matcher->places[side];

		places->in_region = arena_alloc(matcher->arena, places->nr + 1);
		places->bare = arena_alloc(matcher->arena, places->nr + 1);
		fine = places->in_region && places->bare;
	}
	for (size_t i = 0; i < matcher->match->nr_runs && fine; i++)
		fine = find_bare(matcher, &matcher->match->runs[i]);
	return fine;
}

/* From the outside in. What is in a loop that belongs to its region is as deep as the loop. */
static bool pair_places(struct matcher *matcher, const struct pairs *pairs)
{
	unsigned int deepest = 0;
	bool fine = find_all_bare(matcher);

	for (enum match_side side = 0; side < MATCH_SIDES && fine; side++)
		for (uint32_t i = 0; i < matcher->places[side].nr; i++)
			deepest = depth_of(&matcher->places[side], i) > deepest
					  ? depth_of(&matcher->places[side], i)
					  : deepest;
	for (unsigned int depth = 0; depth <= deepest && fine; depth++) {
		join_regions(matcher, pairs, MATCH_BASE, depth);
		join_regions(matcher, pairs, MATCH_NEW, depth);
		fine = pair_depth(matcher, pairs, depth);
	}
	return fine;
}

/*
 * Data structures: the same file; another file; what is not named, in the order of its allocations
 * in a function.
 */
static struct member *array_members(struct matcher *matcher, const struct pairs *pairs,
				    enum match_side side, bool other_file, size_t *nr_out)
{
	const struct list *list = &matcher->arrays[side];
	struct member *members = arena_alloc(matcher->arena, (list->nr + 1) * sizeof(*members));
	size_t nr = 0;

	for (uint32_t i = 0; members && i < list->nr; i++) {
		const struct profile_array *array = list->first[i];
		uint64_t group = names_hash(names_hash(HASH_START, array->kind), array->name);

		if (pairs->of[side][i] != MATCH_NONE)
			continue;
		if (!other_file)
			group = names_hash(group, array->file);
		if (!*array->name)
			group = names_hash(group, array->function);
		members[nr++] = (struct member){ group, array->line, 0, i, MATCH_NONE };
	}
	*nr_out = nr;
	return members;
}

static bool pair_arrays(struct matcher *matcher, const struct pairs *pairs)
{
	for (int other_file = 0; other_file < 2; other_file++) {
		size_t nr, nr_other;
		struct member *base = array_members(matcher, pairs, MATCH_BASE, other_file, &nr);
		struct member *other = array_members(matcher, pairs, MATCH_NEW, other_file,
						     &nr_other);

		if (!base || !other)
			return false;
		match_members(base, nr, other, nr_other, false);
		keep_pairs(pairs, base, nr);
	}
	return true;
}

/* Lines and instructions, in places that have a pair. */
static struct member *part_members(struct matcher *matcher, const struct pairs *places,
				   enum match_side side, size_t *nr_out)
{
	const struct list *list = &matcher->parts[side];
	struct member *members = arena_alloc(matcher->arena, (list->nr + 1) * sizeof(*members));
	size_t nr = 0;

	for (uint32_t i = 0; members && i < list->nr; i++) {
		const struct profile_part *part = list->first[i];
		bool instruction = part->offset;
		uint64_t group = hash_number(HASH_START,
					     parent_of(matcher, list->parent[i], places, side));
		int64_t order = instruction ? (int64_t)part->offset : part->line;

		if (matcher->same_build)
			group = hash_number(names_hash(group, part->file), (uint64_t)order);
		else if (instruction)
			group = hash_number(group, part->accesses);
		members[nr++] = (struct member){ group, order,
						 instruction ? (uint64_t)part->line
							     : part->accesses,
						 i, MATCH_NONE };
	}
	*nr_out = nr;
	return members;
}

static bool pair_parts(struct matcher *matcher, const struct pairs *places,
		       const struct pairs *parts)
{
	size_t nr, nr_other;
	struct member *base = part_members(matcher, places, MATCH_BASE, &nr),
		      *other = part_members(matcher, places, MATCH_NEW, &nr_other);

	if (!base || !other)
		return false;
	match_members(base, nr, other, nr_other, false);
	keep_pairs(parts, base, nr);
	return true;
}

/* ------------------------------------------------------------------ the whole */

static bool init_pairs(struct arena *arena, struct pairs *pairs, const struct list *lists)
{
	for (enum match_side side = 0; side < MATCH_SIDES; side++) {
		pairs->of[side] = arena_alloc(arena,
					      (lists[side].nr + 1) * sizeof(*pairs->of[side]));
		if (!pairs->of[side])
			return false;
		memset(pairs->of[side], 0xff, (lists[side].nr + 1) * sizeof(*pairs->of[side]));
	}
	return true;
}

/*
 * Numbers of both sides become one: those of the base side, then those of the new side without a
 * pair. Returns how many.
 */
static size_t number(struct pairs *pairs, const struct list *lists)
{
	size_t nr = lists[MATCH_BASE].nr;

	for (size_t i = 0; i < lists[MATCH_NEW].nr; i++)
		if (pairs->of[MATCH_NEW][i] == MATCH_NONE)
			pairs->of[MATCH_NEW][i] = (uint32_t)nr++;
	for (size_t i = 0; i < lists[MATCH_BASE].nr; i++)
		pairs->of[MATCH_BASE][i] = (uint32_t)i;
	return nr;
}

static void fill_places(struct matched_place *matched, const struct pairs *pairs,
			const struct list *lists)
{
	for (enum match_side side = MATCH_SIDES; side-- > 0;) /* the base's parents stay */
		for (size_t i = 0; i < lists[side].nr; i++) {
			struct matched_place *place = &matched[pairs->of[side][i]];
			uint32_t parent = region_of(&lists[side], lists[side].parent[i]);

			place->of[side] = lists[side].first[i];
			place->parent = parent == MATCH_NONE ? MATCH_NONE : pairs->of[side][parent];
		}
}

/* `matched`: an array of struct { const void *of[MATCH_SIDES]; }. */
static void fill(void *matched, const struct pairs *pairs, const struct list *lists)
{
	const void **of = matched;

	for (enum match_side side = 0; side < MATCH_SIDES; side++)
		for (size_t i = 0; i < lists[side].nr; i++)
			of[(size_t)pairs->of[side][i] * MATCH_SIDES + side] = lists[side].first[i];
}

/* Places keep an entry of their own in the match, without values. */
static void give_regions_numbers(struct pairs *pairs, const struct list *places)
{
	for (enum match_side side = 0; side < MATCH_SIDES; side++)
		for (uint32_t i = 0; i < places[side].nr; i++)
			pairs->of[side][i] = pairs->of[side][region_of(&places[side], i)];
}

static void renumber(uint32_t *numbers, size_t nr, const uint32_t *pairs)
{
	for (size_t i = 0; i < nr; i++)
		numbers[i] = pairs[numbers[i]];
}

static bool pair_all(struct matcher *matcher)
{
	struct match *match = matcher->match;
	struct pairs places, arrays, parts;

	if (!init_pairs(matcher->arena, &places, matcher->places) ||
	    !init_pairs(matcher->arena, &arrays, matcher->arrays) ||
	    !init_pairs(matcher->arena, &parts, matcher->parts) || !pair_places(matcher, &places) ||
	    !pair_arrays(matcher, &arrays) || !pair_parts(matcher, &places, &parts))
		return false;
	match->nr_places = number(&places, matcher->places);
	match->nr_arrays = number(&arrays, matcher->arrays);
	match->nr_parts = number(&parts, matcher->parts);
	match->places = arena_alloc(matcher->arena,
				    (match->nr_places + 1) * sizeof(*match->places));
	match->arrays = arena_alloc(matcher->arena,
				    (match->nr_arrays + 1) * sizeof(*match->arrays));
	match->parts = arena_alloc(matcher->arena, (match->nr_parts + 1) * sizeof(*match->parts));
	if (!match->places || !match->arrays || !match->parts)
		return false;
	fill_places(match->places, &places, matcher->places);
	fill(match->arrays, &arrays, matcher->arrays);
	fill(match->parts, &parts, matcher->parts);
	give_regions_numbers(&places, matcher->places);
	for (size_t i = 0; i < match->nr_runs; i++) {
		struct match_run *run = &match->runs[i];

		run->in_region = arena_alloc(matcher->arena, run->profile->nr_places + 1);
		for (size_t k = 0; run->in_region && k < run->profile->nr_places; k++)
			run->in_region[k] = matcher->places[run->side].in_region[run->places[k]];
		if (!run->in_region)
			return false;
		renumber(run->places, run->profile->nr_places, places.of[run->side]);
		renumber(run->arrays, run->profile->nr_arrays, arrays.of[run->side]);
		renumber(run->parts, run->profile->nr_parts, parts.of[run->side]);
	}
	return true;
}

static enum match_unit unit_of_run(const struct profile *profile)
{
	return profile->method == PHASE_WHOLE_PROGRAM ? MATCH_WHOLE_RUNS : MATCH_STEPS;
}

static enum match_unit unit_of(const struct match *match)
{
	size_t nr[MATCH_SIDES][MATCH_UNITS_DIFFER] = { 0 };
	enum match_unit unit = MATCH_STEPS;

	for (size_t i = 0; i < match->nr_runs; i++)
		nr[match->runs[i].side][unit_of_run(match->runs[i].profile)]++;
	while (unit < MATCH_UNITS_DIFFER && (!nr[MATCH_BASE][unit] || !nr[MATCH_NEW][unit]))
		unit++;
	return unit;
}

bool match_has_values(const struct match *match, size_t run)
{
	return match->unit == MATCH_UNITS_DIFFER ||
	       unit_of_run(match->runs[run].profile) == match->unit;
}

bool match_profiles(struct arena *arena, const struct profile *const *profiles,
		    const enum match_side *sides, size_t nr, struct match *out)
{
	struct matcher matcher = { .arena = arena, .match = out, .same_build = true };

	*out = (struct match){ .runs = arena_alloc(arena, (nr + 1) * sizeof(*out->runs)),
			       .nr_runs = nr };
	if (!out->runs)
		return false;
	for (size_t i = 0; i < nr; i++) {
		out->runs[i] = (struct match_run){ .profile = profiles[i], .side = sides[i] };
		matcher.same_build = matcher.same_build && *profiles[i]->build &&
				     !strcmp(profiles[i]->build, profiles[0]->build);
		if (!enter_run(&matcher, &out->runs[i]))
			return false;
	}
	out->unit = unit_of(out);
	return pair_all(&matcher);
}

bool match_steps_differ(const struct match *match)
{
	const struct profile *first = NULL;

	for (size_t i = 0; i < match->nr_runs; i++) {
		const struct profile *profile = match->runs[i].profile;

		if (!match_has_values(match, i))
			continue;
		if (first && profile->steps != first->steps)
			return true;
		first = profile;
	}
	return false;
}

bool match_is_inside(const struct match *match, uint32_t place, uint32_t outer)
{
	while (place != MATCH_NONE && place != outer)
		place = match->places[place].parent;
	return place == outer;
}

const char *match_array_words(const struct match *match, uint32_t array)
{
	const struct matched_array *of = array == PROFILE_NONE ? NULL : &match->arrays[array];

	return !of                 ? NULL
	       : of->of[MATCH_NEW] ? of->of[MATCH_NEW]->words
				   : of->of[MATCH_BASE]->words;
}
