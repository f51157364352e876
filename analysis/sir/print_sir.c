/* SPDX-License-Identifier: Apache-2.0 */
/* The representation as XML. */
#include <string.h>

#include "analysis/report/text.h"
#include "analysis/sir/sir.h"
#include "analysis/sir/xml.h"

static const char *const kinds[ARRAY_KINDS] = {
	[ARRAY_STATIC] = "static",       [ARRAY_COMMON] = "common",
	[ARRAY_MODULE] = "module",       [ARRAY_HEAP] = "heap",
	[ARRAY_STACK] = "stack",         [ARRAY_THREAD_PRIVATE] = "thread-private",
	[ARRAY_AUTOMATIC] = "automatic",
};

/* Attributes that are unknown are left out. */
static void add_known(struct xml *xml, const char *attribute, const char *value)
{
	if (value && *value)
		xml_string(xml, attribute, value);
}

static void add_number(struct xml *xml, const char *attribute, uint64_t value)
{
	if (value)
		xml_unsigned(xml, attribute, value);
}

static void add_line(struct xml *xml, const char *attribute, int line)
{
	if (line > 0)
		xml_unsigned(xml, attribute, (uint64_t)line);
}

/* ------------------------------------------------------------------ arrays */

static void print_description(struct xml *xml, const struct array *array)
{
	xml_string(xml, "name", array->name);
	xml_string(xml, "kind", kinds[array->kind]);
	add_known(xml, "type", array->type);
	add_number(xml, "element-bytes", array->element_bytes);
	add_number(xml, "bytes", array->bytes);
	add_known(xml, "file", array->file);
	add_line(xml, "line", array->line);
}

/* Lower bounds and extents in the order of the source. */
static void print_shape(struct xml *xml, const struct array *array)
{
	if (array->nr_dimensions)
		xml_string(xml, "order", array->column_major ? "column-major" : "row-major");
	for (uint32_t i = 0; i < array->nr_dimensions && i < ARRAY_DIMENSIONS; i++) {
		xml_open(xml, "dimension");
		xml_signed(xml, "lower", array->lower[i]);
		add_number(xml, "extent", array->extent[i]);
		xml_close(xml);
	}
}

static void print_array(struct xml *xml, const struct declared *declared, uint32_t id)
{
	xml_open(xml, "array");
	xml_id(xml, "id", 'a', id);
	print_description(xml, &declared->array);
	if (!declared->thread_private)
		xml_hex(xml, "address", declared->address);
	if (declared->pointer || declared->descriptor)
		xml_string(xml, "through", declared->pointer ? "pointer" : "descriptor");
	print_shape(xml, &declared->array);
	xml_close(xml);
}

/* An array has a row for each range of code in which it is where it is. */
static bool is_repeated(const struct declared_list *arrays, size_t at)
{
	const struct array *array = &arrays->automatic[at].array;

	for (size_t i = 0; i < at; i++) {
		const struct array *other = &arrays->automatic[i].array;

		if (other->line == array->line && !strcmp(other->name, array->name) &&
		    !strcmp(other->file, array->file))
			return true;
	}
	return false;
}

/* The function around an address; SIR_NONE: unknown. */
static uint32_t function_around(const struct sir *sir, uint64_t address)
{
	for (uint32_t i = 0; i < sir->nr_regions; i++)
		if (sir->regions[i].bytes && sir->regions[i].kind == MS_SUB_REGION &&
		    address - sir->regions[i].address < sir->regions[i].bytes)
			return i;
	return SIR_NONE;
}

static void print_automatic(struct xml *xml, const struct sir *sir)
{
	const struct declared_list *arrays = &sir->arrays;

	for (size_t i = 0; i < arrays->nr_automatic; i++) {
		const struct array *array = &arrays->automatic[i].array;
		uint32_t function = function_around(sir, arrays->automatic[i].low);

		if ((!array->nr_dimensions && array->bytes < ARRAY_SCALAR_BYTES) ||
		    is_repeated(arrays, i))
			continue;
		xml_open(xml, "array");
		xml_id(xml, "id", 'f', (uint32_t)i);
		print_description(xml, array);
		if (function != SIR_NONE)
			xml_id(xml, "region", 'r', function);
		print_shape(xml, array);
		xml_close(xml);
	}
}

static void print_arrays(struct xml *xml, const struct sir *sir)
{
	for (size_t i = 0; i < sir->arrays.nr; i++)
		if (sir_is_array(sir, &sir->arrays.items[i]))
			print_array(xml, &sir->arrays.items[i], (uint32_t)i);
	print_automatic(xml, sir);
}

/* ------------------------------------------------------------------ regions */

static void print_call(struct xml *xml, const struct sir_call *call)
{
	xml_open(xml, "call");
	add_known(xml, "name", call->name);
	add_line(xml, "line", call->line);
	if (call->region != SIR_NONE)
		xml_id(xml, "region", 'r', call->region);
	xml_close(xml);
}

static void print_use(struct xml *xml, const struct sir_use *use)
{
	xml_open(xml, "use");
	xml_id(xml, "array", 'a', use->array);
	xml_string(xml, "access",
		   use->reads && use->writes ? "read-write"
		   : use->reads              ? "read"
		   : use->writes             ? "write"
					     : "address");
	xml_close(xml);
}

static void begin_region(struct xml *xml, const struct sir_region *region, uint32_t id)
{
	xml_open(xml, "region");
	xml_id(xml, "id", 'r', id);
	xml_string(xml, "kind", ms_region_kind_name(region->kind));
	add_known(xml, "name", region->name);
	add_known(xml, "file", region->file);
	add_line(xml, "line", region->line);
	add_line(xml, "last-line", region->last_line);
	if (region->approximate)
		xml_string(xml, "approximate", "true");
	xml_hex(xml, "address", region->address);
	add_number(xml, "bytes", region->bytes);
	if (region->copies > 1)
		xml_unsigned(xml, "copies", region->copies);
	if (region->same != SIR_NONE)
		xml_id(xml, "same", 'r', region->same);
	if (region->incomplete)
		xml_string(xml, "incomplete", "true");
	for (size_t i = 0; i < region->nr_uses; i++)
		print_use(xml, &region->uses[i]);
	for (size_t i = 0; i < region->nr_calls; i++)
		print_call(xml, &region->calls[i]);
}

/* The region and all below it, without recursion: nests may be deep. */
static void print_tree(struct xml *xml, const struct sir *sir, uint32_t top)
{
	uint32_t at = top;
	bool enter = true;

	while (at != SIR_NONE) {
		const struct sir_region *region = &sir->regions[at];

		if (enter && xml->depth < XML_DEPTH_MAX - 1) {
			begin_region(xml, region, at);
			if (region->first != SIR_NONE && xml->depth < XML_DEPTH_MAX - 1) {
				at = region->first;
				continue;
			}
		}
		xml_close(xml);
		if (at == top)
			return;
		enter = region->next != SIR_NONE;
		at = enter ? region->next : region->parent;
	}
}

void sir_print(struct text *out, const struct sir *sir)
{
	struct xml xml;

	xml_init(&xml, out);
	xml_open(&xml, "sir");
	xml_string(&xml, "version", "1");
	xml_string(&xml, "program", sir->program);
	xml_string(&xml, "architecture", sir->architecture);
	add_known(&xml, "build-id", sir->build_id);
	for (size_t i = 0; i < sir->nr_gaps; i++) {
		xml_open(&xml, "unknown");
		xml_content(&xml, sir->gaps[i]);
	}
	print_arrays(&xml, sir);
	for (uint32_t i = 0; i < sir->nr_regions; i++)
		if (sir->regions[i].parent == SIR_NONE)
			print_tree(&xml, sir, i);
	xml_close(&xml);
}
