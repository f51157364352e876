/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Links the why-axis: names become indices; what names nothing, is part of a cycle, or requires what
 * it excludes, is left out.
 */
#include "analysis/base/arena.h"
#include "analysis/base/log.h"
#include "analysis/properties/asl.h"

#include <string.h>

static const char *const link_words[LINKS] = { "REFINES", "REQUIRES", "EXCLUDES" };

static void complain(struct property_set *set, const struct property *property, struct asl_name at,
		     char *text)
{
	struct property_message message = { property->file, at.line, at.column,
					    text ? text : "out of memory" };

	if (ARENA_GROW(set->arena, set->messages, set->nr_messages, set->room_messages))
		set->messages[set->nr_messages++] = message;
}

static const char *suggestion(struct property_set *set, const char *wanted)
{
	const char **names = arena_alloc(set->arena, set->nr * sizeof(*names));
	const char *nearest;

	for (size_t i = 0; names && i < set->nr; i++)
		names[i] = set->properties[i]->name.text;
	nearest = names ? log_nearest(wanted, names, set->nr) : NULL;
	return nearest ? arena_printf(set->arena, "; did you mean '%s'?", nearest) : "";
}

static void remove_at(struct property_set *set, size_t index)
{
	memmove(&set->properties[index], &set->properties[index + 1],
		(set->nr - index - 1) * sizeof(set->properties[0]));
	set->nr--;
}

static const struct property *find_named(const struct property_set *set, const char *name)
{
	for (size_t i = 0; i < set->nr; i++) {
		if (strcmp(set->properties[i]->name.text, name) == 0)
			return set->properties[i];
	}
	return NULL;
}

static const struct property *find_aliased(const struct property_set *set, const char *name)
{
	for (size_t i = 0; i < set->nr; i++) {
		for (size_t j = 0; j < set->properties[i]->nr_aliases; j++) {
			if (strcmp(set->properties[i]->aliases[j], name) == 0)
				return set->properties[i];
		}
	}
	return NULL;
}

const struct property *property_set_find(const struct property_set *set, const char *name)
{
	const struct property *property = find_named(set, name);

	return property ? property : find_aliased(set, name);
}

/* True if all names that `property` links to exist. */
static bool links_exist(struct property_set *set, const struct property *property)
{
	for (int link = 0; link < LINKS; link++) {
		const struct asl_names *names = &property->link_names[link];

		for (size_t i = 0; i < names->nr; i++) {
			if (property_set_find(set, names->items[i].text))
				continue;
			complain(set, property, names->items[i],
				 arena_printf(
					 set->arena,
					 "%s names '%s', which is not there%s; '%s' is left out",
					 link_words[link], names->items[i].text,
					 suggestion(set, names->items[i].text),
					 property->name.text));
			return false;
		}
	}
	return true;
}

/* One that is left out may be what others name: again until nothing changes. */
static void drop_dangling(struct property_set *set)
{
	bool changed = true;

	while (changed) {
		changed = false;
		for (size_t i = set->nr; i-- > 0;) {
			if (!links_exist(set, set->properties[i])) {
				remove_at(set, i);
				changed = true;
			}
		}
	}
}

static bool add_index(struct property_set *set, struct indices *list, uint32_t index)
{
	for (size_t i = 0; i < list->nr; i++) {
		if (list->items[i] == index)
			return true;
	}
	if (!ARENA_GROW(set->arena, list->items, list->nr, list->room))
		return false;
	list->items[list->nr++] = index;
	return true;
}

static void number_links(struct property_set *set)
{
	for (size_t i = 0; i < set->nr; i++) {
		set->properties[i]->index = (uint32_t)i;
		set->properties[i]->mark = 0;
		set->properties[i]->children.nr = 0;
	}
	for (size_t i = 0; i < set->nr; i++) {
		struct property *property = set->properties[i];

		for (int link = 0; link < LINKS; link++) {
			property->links[link].nr = 0;
			for (size_t j = 0; j < property->link_names[link].nr; j++) {
				const char *name = property->link_names[link].items[j].text;

				add_index(set, &property->links[link],
					  property_set_find(set, name)->index);
			}
		}
	}
}

/*
 * Repeatedly marks what links only to marked ones (Kahn). A property must be decided
 * after all it refines, requires or excludes; what stays unmarked waits for a cycle.
 */
static void mark_orderable(struct property_set *set)
{
	bool changed = true;

	while (changed) {
		changed = false;
		for (size_t i = 0; i < set->nr; i++) {
			struct property *property = set->properties[i];
			bool ready = !property->mark;

			for (int link = 0; ready && link < LINKS; link++) {
				for (size_t j = 0; j < property->links[link].nr; j++)
					ready &= set->properties[property->links[link].items[j]]
							 ->mark == 1;
			}
			if (ready)
				property->mark = changed = 1;
		}
	}
}

/* mark 0: not ordered yet; 1: ordered; 2: to be left out. */
static const struct property *next_unmarked(const struct property_set *set,
					    const struct property *property)
{
	for (int link = 0; link < LINKS; link++) {
		for (size_t j = 0; j < property->links[link].nr; j++) {
			const struct property *next =
				set->properties[property->links[link].items[j]];

			if (next->mark != 1)
				return next;
		}
	}
	return NULL;
}

/* "A -> B -> A", beginning at a property that is in the cycle itself. */
static char *cycle_text(struct property_set *set, const struct property *from,
			const struct property **first_out)
{
	const struct property *property = from;
	char *text;

	for (size_t i = 0; i < set->nr; i++) /* after so many steps we are inside the cycle */
		property = next_unmarked(set, property);
	*first_out = property;
	text = arena_strdup(set->arena, property->name.text);
	do {
		property = next_unmarked(set, property);
		text = text ? arena_printf(set->arena, "%s -> %s", text, property->name.text)
			    : NULL;
	} while (property != *first_out && text && strlen(text) < 500);
	return text;
}

/* Leaves out every property of one cycle. False: there is none. */
static bool drop_cycle(struct property_set *set)
{
	const struct property *first = NULL, *property;
	char *text = NULL;

	number_links(set);
	mark_orderable(set);
	for (size_t i = 0; i < set->nr && !text; i++) {
		if (!set->properties[i]->mark)
			text = cycle_text(set, set->properties[i], &first);
	}
	if (!text)
		return false;
	property = first;
	do {
		complain(set, property, property->name,
			 arena_printf(set->arena, "the why-axis has a cycle: %s; '%s' is left out",
				      text, property->name.text));
		set->properties[property->index]->mark = 2;
		property = next_unmarked(set, property);
	} while (property != first);
	for (size_t i = set->nr; i-- > 0;) {
		if (set->properties[i]->mark == 2)
			remove_at(set, i);
	}
	return true;
}

/* Marks what must be true where `property` is tested: what it requires, and what that requires. */
static void mark_required(struct property_set *set, struct property *property)
{
	bool changed = true;

	for (size_t i = 0; i < set->nr; i++)
		set->properties[i]->mark = set->properties[i] == property;
	while (changed) {
		changed = false;
		for (size_t i = 0; i < set->nr; i++) {
			const struct indices *list = &set->properties[i]->links[LINK_REQUIRES];

			for (size_t j = 0; set->properties[i]->mark && j < list->nr; j++) {
				struct property *required = set->properties[list->items[j]];

				changed |= !required->mark;
				required->mark = 1;
			}
		}
	}
}

/* A property that could never be tested. False: there is none. Links have numbers. */
static bool drop_contradiction(struct property_set *set)
{
	for (size_t i = 0; i < set->nr; i++) {
		struct property *property = set->properties[i];
		const struct asl_names *excluded = &property->link_names[LINK_EXCLUDES];

		if (!excluded->nr || !property->links[LINK_REQUIRES].nr)
			continue;
		mark_required(set, property);
		for (size_t j = 0; j < excluded->nr; j++) {
			const char *name = excluded->items[j].text;

			if (!property_set_find(set, name)->mark)
				continue;
			complain(set, property, excluded->items[j],
				 arena_printf(
					 set->arena,
					 "'%s' excludes '%s', which it requires; '%s' is left out",
					 property->name.text, name, property->name.text));
			remove_at(set, i);
			return true;
		}
	}
	return false;
}

/* An alias must not be what another is called. */
static void check_aliases(struct property_set *set)
{
	for (size_t i = 0; i < set->nr; i++) {
		struct property *property = set->properties[i];

		for (size_t j = property->nr_aliases; j-- > 0;) {
			const char *alias = property->aliases[j];
			const struct property *other = find_named(set, alias);

			if (!other)
				other = find_aliased(set, alias);
			if (other == property)
				continue;
			complain(set, property, property->alias_names.items[j],
				 arena_printf(set->arena,
					      "alias '%s' is a name of property '%s' already",
					      alias, other->name.text));
			memmove(&property->aliases[j], &property->aliases[j + 1],
				(property->nr_aliases - j - 1) * sizeof(*property->aliases));
			property->nr_aliases--;
		}
	}
}

void link_set(struct property_set *set)
{
	do
		drop_dangling(set);
	while (drop_cycle(set) || drop_contradiction(set));
	check_aliases(set);
	for (size_t i = 0; i < set->nr; i++) {
		const struct indices *parents = &set->properties[i]->links[LINK_REFINES];

		for (size_t j = 0; j < parents->nr; j++)
			add_index(set, &set->properties[parents->items[j]]->children, (uint32_t)i);
	}
}
