/* SPDX-License-Identifier: Apache-2.0 */
/* The variables of a file, from DWARF and from its symbol tables, as one list. */
#include "analysis/debuginfo/declared.h"

#include <string.h>

#include "analysis/base/arena.h"
#include "analysis/base/bisect.h"
#include "analysis/base/sort.h"
#include "analysis/debuginfo/variables.h"
#include "analysis/elf/binary.h"
#include "analysis/elf/data_symbols.h"

/*
 * Of one address: thread-private ones behind, what is a member behind, the better described first,
 * then the larger, then the one above in the source.
 */
static int by_address(const void *a, const void *b)
{
	const struct variable *left = *(const struct variable *const *)a,
			      *right = *(const struct variable *const *)b;
	const struct declared *one = &left->declared, *other = &right->declared;

	if (one->thread_private != other->thread_private)
		return one->thread_private ? 1 : -1;
	if (one->address != other->address)
		return one->address < other->address ? -1 : 1;
	if (one->member != other->member)
		return one->member ? 1 : -1;
	if (left->source != right->source)
		return left->source < right->source ? -1 : 1;
	if (one->declared_bytes != other->declared_bytes)
		return one->declared_bytes > other->declared_bytes ? -1 : 1;
	if (strcmp(one->array.name, other->array.name))
		return strcmp(one->array.name, other->array.name);
	return (one->array.line > other->array.line) - (one->array.line < other->array.line);
}

struct order {
	const struct variable **items;
	size_t nr;
};

static struct order order_of(const struct variables *variables)
{
	struct order order = {
		arena_alloc(variables->scratch, (variables->nr + 1) * sizeof(*order.items)), 0
	};

	if (!order.items)
		return order;
	for (size_t i = 0; i < variables->nr; i++)
		order.items[order.nr++] = &variables->items[i];
	sort(order.items, order.nr, sizeof(*order.items), by_address);
	return order;
}

static bool overlap(const struct declared *one, const struct declared *behind)
{
	return one->thread_private == behind->thread_private &&
	       behind->address - one->address < one->declared_bytes;
}

/* The described one, of two the one in parts, else the larger. */
static bool is_better(const struct variable *a, const struct variable *b)
{
	if (a->source != b->source &&
	    (a->source == VARIABLE_SYMBOL || b->source == VARIABLE_SYMBOL))
		return a->source < b->source;
	if (a->part != b->part)
		return a->part;
	return a->declared.declared_bytes > b->declared.declared_bytes;
}

static bool same_member(const struct declared *a, const struct declared *b)
{
	return a->member && b->member && a->address == b->address &&
	       a->thread_private == b->thread_private;
}

/* Those kept do not overlap, so one that takes the place of the last of them overlaps no other. */
static void keep_one_of_overlapping(struct order *order)
{
	size_t kept = 0, last = SIZE_MAX;

	for (size_t i = 0; i < order->nr; i++) {
		const struct variable *variable = order->items[i];

		if (variable->declared.member) {
			if (!kept ||
			    !same_member(&order->items[kept - 1]->declared, &variable->declared))
				order->items[kept++] = variable;
		} else if (last == SIZE_MAX ||
			   !overlap(&order->items[last]->declared, &variable->declared)) {
			last = kept;
			order->items[kept++] = variable;
		} else if (is_better(variable, order->items[last])) {
			order->items[last] = variable;
		}
	}
	order->nr = kept;
	/* one that took another's place may begin later */
	sort(order->items, order->nr, sizeof(*order->items), by_address);
}

static struct declared_list copy(const struct variables *variables, const struct order *order)
{
	struct declared_list list = {
		.items = arena_alloc(variables->arena, (order->nr + 1) * sizeof(*list.items)),
		.automatic = variables->automatic,
		.nr_automatic = variables->nr_automatic,
		.members = variables->members,
		.nr_members = variables->nr_members,
		.why = "",
	};

	for (size_t i = 0; list.items && i < order->nr; i++) {
		list.items[i] = order->items[i]->declared;
		list.items[i].array.id = ARRAY_NONE;
		list.items[i].array.start = (uintptr_t)list.items[i].address;
		list.nr++;
	}
	return list;
}

static bool ends_before(const struct declared *item, const struct data_symbol *symbol)
{
	return item->thread_private < symbol->thread_private ||
	       (item->thread_private == symbol->thread_private &&
		item->address + item->declared_bytes <= symbol->address);
}

/* Does a described variable overlap the symbol? */
static bool is_described(const struct order *order, const struct data_symbol *symbol)
{
	size_t low = BISECT(i, order->nr, ends_before(&order->items[i]->declared, symbol));
	const struct declared *item = low < order->nr ? &order->items[low]->declared : NULL;

	return item && item->thread_private == symbol->thread_private &&
	       item->address < symbol->address + symbol->bytes;
}

static void add_symbol(struct variables *variables, const struct data_symbol *symbol)
{
	struct declared declared = { .address = symbol->address,
				     .thread_private = symbol->thread_private,
				     .declared_bytes = symbol->bytes };
	bool common, in_module;
	const char *name = data_symbol_name(variables->arena, symbol->name,
					    variables->binary->fortran, &common, &in_module);

	if (!name || !*name ||
	    !data_symbols_has_place(variables->symbols, symbol->address, symbol->bytes,
				    symbol->thread_private))
		return;
	declared.array = (struct array){
		.kind = symbol->thread_private ? ARRAY_THREAD_PRIVATE
			: common               ? ARRAY_COMMON
			: in_module            ? ARRAY_MODULE
					       : ARRAY_STATIC,
		.name = arena_strdup(variables->arena, name),
		.type = "",
		.file = "",
		.module = variables->module,
		.bytes = symbol->bytes,
		.blocks = 1,
		.live_blocks = 1,
	};
	if (declared.array.name &&
	    ARENA_GROW(variables->scratch, variables->items, variables->nr, variables->room))
		variables->items[variables->nr++] = (struct variable){ .declared = declared,
								       .source = VARIABLE_SYMBOL };
	else
		variables->full = true;
}

/* What DWARF does not describe: objects compiled without -g, COMMON blocks of flang. */
static void add_symbols(struct variables *variables)
{
	struct order described = order_of(variables);
	size_t nr = 0;

	keep_one_of_overlapping(&described);
	for (size_t i = 0; i < described.nr; i++)
		if (!described.items[i]->declared.member)
			described.items[nr++] = described.items[i];
	described.nr = nr;
	for (size_t i = 0; i < variables->symbols->nr; i++)
		if (!is_described(&described, &variables->symbols->items[i]))
			add_symbol(variables, &variables->symbols->items[i]);
}

static const char *why(const struct variables *variables)
{
	const struct {
		bool is;
		const char *text;
	} reasons[] = {
		{ !variables->units && variables->symbols->complete,
		  "no debug information (-g): names and sizes are from the symbol table" },
		{ !variables->units && !variables->symbols->complete,
		  "no debug information (-g) and no symbol table: only what the file exports is known" },
		{ variables->damaged,
		  "debug information is damaged: what follows the damage is missing" },
		{ variables->elsewhere,
		  "split debug information (.dwo) is missing: names and sizes are from the symbol table there" },
		{ variables->unlocated > 0, "locations of some variables cannot be read" },
		{ variables->full, "memory did not suffice" },
	};
	const char *text = "";

	for (size_t i = 0; text && i < sizeof(reasons) / sizeof(reasons[0]); i++)
		if (reasons[i].is)
			text = arena_printf(variables->arena, "%s%s%s", text, *text ? "; " : "",
					    reasons[i].text);
	return text ? text : "memory did not suffice";
}

static struct declared_list read_all(struct variables *variables)
{
	struct declared_list list;
	struct order order;

	variables_read(variables);
	add_symbols(variables);
	order = order_of(variables);
	keep_one_of_overlapping(&order);
	list = copy(variables, &order);
	variables->full |= list.nr < order.nr || order.nr < (variables->nr ? 1 : 0);
	list.why = why(variables);
	return list;
}

struct declared_list declared_read(struct arena *arena, struct binary *binary)
{
	struct variables variables = { .arena = arena, .scratch = arena_new(), .binary = binary };
	struct declared_list list = { .why = "memory did not suffice" };
	struct data_symbols symbols;

	variables.module = arena_strdup(arena, binary->path);
	if (variables.scratch && variables.module) {
		symbols = data_symbols_read(variables.scratch, binary);
		variables.symbols = &symbols;
		list = read_all(&variables);
	}
	arena_free(variables.scratch);
	return list;
}
