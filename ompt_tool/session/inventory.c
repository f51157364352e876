/* SPDX-License-Identifier: Apache-2.0 */
/* The program's data structures and their first touches, from start to end. */
#include "ompt_tool/session/inventory.h"

#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "analysis/base/arena.h"
#include "analysis/base/system_text.h"
#include "analysis/debuginfo/declared.h"
#include "analysis/elf/binary.h"
#include "memsearch/sensor.h"
#include "ompt_tool/arrays/array.h"
#include "ompt_tool/arrays/automatic_arrays.h"
#include "ompt_tool/arrays/first_touch.h"
#include "ompt_tool/arrays/heap.h"
#include "ompt_tool/arrays/origins.h"
#include "ompt_tool/arrays/residence.h"
#include "ompt_tool/arrays/small_sites.h"
#include "ompt_tool/arrays/touch_ranges.h"
#include "ompt_tool/placement/page_writes.h"
#include "ompt_tool/process/own_paths.h"
#include "ompt_tool/process/run_modules.h"
#include "ompt_tool/process/thread.h"
#include "ompt_tool/sampling/unwinder.h"
#include "ompt_tool/sensors/samples.h"
#include "ompt_tool/session/core_parts.h"
#include "ompt_tool/session/harvest.h"
#include "ompt_tool/session/kernel_touches.h"

/* shares of small heap blocks: of the site of all; of several sites together, and of each */
#define SMALL_SHARE_ONE 0.67
#define SMALL_SHARE 0.5
#define SMALL_SHARE_EACH 0.2
#define SMALL_SITES 3
#define SCALARS_MAX 1024 /* scalars with a name; large programs have ten thousands */
/* an initial thread's stack without a limit is assumed to grow up to this size */
#define STACK_BYTES_MAX (1ull << 30)

/* fields of /proc/PID/stat, proc(5); after a fork the heap may be several mappings */
#define FIELD_START_BRK 47
/* of an array's memory; with less, its first touches are unknown */
#define KNOWN_SHARE 0.9

/* Declarations of one file; kept to name heap blocks repeatedly. */
struct read_file {
	struct declared_list declared;
	uint64_t bias;
};

struct note {
	const char *what, *why;
};

struct stack {
	uintptr_t address;
	struct memory_range range;
}; /* `address`: somewhere in it */

/* Reader of one thread's page faults. */
struct reading {
	struct inventory *inventory;
	uint32_t thread;
};
struct readings {
	struct reading *items; /* of `sources`, one by one */
	struct touch_source *sources;
	size_t nr, room, room_sources;
};

struct inventory {
	struct arena *arena;
	/* resident at the tool's start; attributed by the first update */
	struct memory_ranges before;
	uint64_t before_time;   /* of array.h */
	uint32_t before_thread; /* the initial one, or RUN_THREAD_UNKNOWN */
	size_t modules_read;    /* number of the run's modules that were read */
	size_t nr_scalars;      /* declared in them */
	struct read_file *files;
	size_t nr_files, room_files;
	uint32_t stacks;        /* the array of all stacks, ARRAY_NONE at first */
	struct stack *stack_of; /* by the thread's index: its stack that is in the table */
	size_t nr_stacks, room_stacks;
	/* the array of all heap blocks that are not recorded individually, ARRAY_NONE at first */
	uint32_t small_blocks;
	struct memory_range heap;            /* moved by brk; the largest extent so far */
	uint64_t small_bytes;                /* bytes in such blocks, the maximum so far */
	uint32_t small_further[SMALL_SITES]; /* rows of further sites of such blocks */
	size_t nr_small_further;
	uint64_t page_bytes;
	double read_ns;
	struct first_touches touches;
	struct kernel_touches kernel;
	struct page_writes *writes; /* NULL: none are watched */
	struct readings readings;
	struct note *notes;
	size_t nr_notes, room_notes;
};

static void note(struct inventory *inventory, const char *what, const char *why)
{
	if (ARENA_GROW(inventory->arena, inventory->notes, inventory->nr_notes,
		       inventory->room_notes))
		inventory->notes[inventory->nr_notes++] = (struct note){ what, why };
}

/* --------------------------------------------------------------------- start */

/*
 * Memory touched before the runtime began was touched by the initial thread, if there was no other.
 */
static uint32_t only_thread(struct arena *arena)
{
	char text[4096];
	const char *threads;

	system_text_read("/proc/self/status", text, sizeof(text));
	threads = system_text_value(arena, text, "Threads");
	return threads && !strcmp(threads, "1") ? 0 : RUN_THREAD_UNKNOWN;
}

static const char *why_not_resident(enum ms_status status)
{
	return status == MS_ERR_FULL
		       ? "more than 64 GiB of address space were in use by then; the largest part was not examined"
	       : status == MS_ERR_PERMISSION ? "/proc/self/pagemap: permission denied"
					     : "/proc/self/pagemap cannot be read";
}

static void look_before(struct inventory *inventory)
{
	enum ms_status status = residence_all(inventory->arena, &inventory->before);

	inventory->before_time = array_time();
	inventory->before_thread = only_thread(inventory->arena);
	if (status != MS_OK)
		note(inventory, "first touches before memsearch came", why_not_resident(status));
}

struct inventory *inventory_new(struct arena *arena)
{
	struct inventory *inventory = arena_alloc(arena, sizeof(*inventory));

	if (!inventory)
		return NULL;
	inventory->arena = inventory->kernel.arena = arena;
	inventory->stacks = inventory->small_blocks = ARRAY_NONE;
	inventory->page_bytes = (uint64_t)sysconf(_SC_PAGESIZE);
	first_touches_init(&inventory->touches, arena, inventory->page_bytes);
	look_before(inventory);
	return inventory;
}

void inventory_watched(struct inventory *inventory, struct page_writes *writes)
{
	if (inventory)
		inventory->writes = writes;
}

/* -------------------------------------------------------------- declarations */

/*
 * Whether a file's declarations are read: the program's own files, not the system's or memsearch's.
 */
static bool is_read(const char *path)
{
	const char *strategies = paths_strategies();

	return path[0] == '/' && !binary_is_system_library(path) && !module_is_foreign(path) &&
	       (!*strategies || strncmp(path, strategies, strlen(strategies)) != 0);
}

/*
 * For a pointer, the memory it points to is the array; thread-private variables have no single
 * address in the process.
 */
static void add_declared(struct inventory *inventory, const struct declared *item,
			 const struct module *module)
{
	struct array row = item->array;
	uint32_t id;

	if (item->thread_private || item->pointer || item->descriptor || item->member ||
	    !item->declared_bytes)
		return;
	row.bytes = item->declared_bytes;
	if (array_is_scalar(&row) && inventory->nr_scalars++ >= SCALARS_MAX)
		return;
	id = array_new(&row);
	if (id != ARRAY_NONE)
		array_block_add(id, item->address + module->bias, item->declared_bytes);
}

static void read_module(struct inventory *inventory, const struct module *module)
{
	struct arena *scratch = arena_new();
	struct binary binary;
	struct declared_list list;

	if (!scratch || binary_open(&binary, scratch, module->path, module->build_id) != MS_OK) {
		note(inventory,
		     arena_printf(inventory->arena, "data structures of %s", module->path),
		     "the file cannot be read, or is another by now");
		arena_free(scratch);
		return;
	}
	list = declared_read(inventory->arena, &binary);
	for (size_t i = 0; i < list.nr; i++)
		add_declared(inventory, &list.items[i], module);
	if (ARENA_GROW(inventory->arena, inventory->files, inventory->nr_files,
		       inventory->room_files))
		inventory->files[inventory->nr_files++] = (struct read_file){ list, module->bias };
	automatic_arrays_declare(&list, module->bias);
	if (list.why && *list.why)
		note(inventory,
		     arena_printf(inventory->arena, "data structures of %s", module->path),
		     list.why);
	binary_close(&binary);
	arena_free(scratch);
}

static void read_declarations(struct inventory *inventory, const struct run *run)
{
	uint64_t begin_ns = thread_clock_ns();

	if (inventory->modules_read == run->nr_modules)
		return;
	for (; inventory->modules_read < run->nr_modules; inventory->modules_read++)
		if (is_read(run->modules[inventory->modules_read].path))
			read_module(inventory, &run->modules[inventory->modules_read]);
	inventory->read_ns += (double)(thread_clock_ns() - begin_ns);
}

static bool is_around(const struct declared *item, uint64_t address)
{
	return !item->thread_private && !item->member && address >= item->address &&
	       address - item->address < item->declared_bytes;
}

const struct declared *inventory_variable(const struct inventory *inventory, uint64_t address,
					  uint64_t *offset_out)
{
	for (size_t i = 0; i < inventory->nr_files; i++) {
		const struct read_file *file = &inventory->files[i];

		for (size_t k = 0; k < file->declared.nr; k++) {
			if (!is_around(&file->declared.items[k], address - file->bias))
				continue;
			*offset_out = address - file->bias - file->declared.items[k].address;
			return &file->declared.items[k];
		}
	}
	return NULL;
}

/* -------------------------------------------------------------------- stacks */

/*
 * The kernel lets the initial thread's stack grow downwards, up to a limit; nothing else is put
 * there.
 */
static struct memory_range may_grow(struct memory_range stack)
{
	struct rlimit limit;

	if (getrlimit(RLIMIT_STACK, &limit) || limit.rlim_cur > STACK_BYTES_MAX ||
	    limit.rlim_cur >= stack.high)
		limit.rlim_cur = STACK_BYTES_MAX;
	if (stack.high - stack.low < limit.rlim_cur)
		stack.low = stack.high - limit.rlim_cur;
	return stack;
}

static void add_stack(struct inventory *inventory, const struct thread *thread,
		      const struct memory_ranges *mappings)
{
	static const struct array all = { .kind = ARRAY_STACK,
					  .name = "stacks of threads",
					  .type = "",
					  .file = "",
					  .module = "" };
	struct memory_range stack = residence_around(mappings, thread->stack);

	if (thread->os_id == getpid() && stack.high)
		stack = may_grow(stack);
	if (inventory->stacks == ARRAY_NONE)
		inventory->stacks = array_new(&all);
	if (stack.high && inventory->stacks != ARRAY_NONE)
		array_block_add(inventory->stacks, stack.low, stack.high - stack.low);
	inventory->stack_of[thread->index] = (struct stack){ thread->stack, stack };
}

/* The memory map is read once for all new stacks. */
static void read_stacks(struct inventory *inventory)
{
	struct memory_ranges mappings = { 0 };
	struct arena *scratch = NULL;

	for (const struct thread *thread = thread_next(NULL); thread;
	     thread = thread_next(thread)) {
		while (inventory->nr_stacks <= thread->index &&
		       ARENA_GROW(inventory->arena, inventory->stack_of, inventory->nr_stacks,
				  inventory->room_stacks))
			inventory->stack_of[inventory->nr_stacks++] = (struct stack){ 0 };
		if (inventory->nr_stacks <= thread->index)
			break;
		if (!thread->stack || inventory->stack_of[thread->index].address == thread->stack)
			continue;
		if (!scratch && (scratch = arena_new()))
			residence_mappings(scratch, &mappings);
		add_stack(inventory, thread, &mappings);
	}
	arena_free(scratch);
}

/* ---------------------------------------------------------------------- heap */

/* Begin of the heap that brk moves; 0: unknown. */
static uintptr_t heap_begin(void)
{
	char text[4096];
	const char *at;

	system_text_read("/proc/self/stat", text, sizeof(text));
	/* ends the 2nd: the program's name, which may have blanks */
	at = strrchr(text, ')');
	for (int field = 2; at && field < FIELD_START_BRK; field++)
		at = strchr(at + 1, ' ');
	return at ? (uintptr_t)strtoull(at, NULL, 10) : 0;
}

/* If allocations are not observed, the array contains all heap blocks. */
static uint32_t new_small_blocks(const struct heap_status *heap)
{
	const struct array row = { .kind = ARRAY_HEAP,
				   .name = heap->preloaded || heap->patched ? RUN_SMALL_BLOCKS
									    : "heap blocks",
				   .type = "",
				   .file = "",
				   .module = "" };

	return array_new(&row);
}

/*
 * Reads the heap only if it has grown beyond its former maximum, because malloc then visits each
 * free block to report how much is used. Heaps of further threads, and of other allocators than
 * glibc's, are at other addresses.
 */
static void read_heap(struct inventory *inventory)
{
	uintptr_t end = (uintptr_t)sbrk(0);
	struct heap_status heap = { 0 };

	if (end <= inventory->heap.high)
		return;
	if (!inventory->heap.low)
		inventory->heap.low = heap_begin();
	inventory->heap.high = end;
	if (!inventory->heap.low)
		return;
	heap_status(&heap);
	if (inventory->small_blocks == ARRAY_NONE)
		inventory->small_blocks = new_small_blocks(&heap);
	if (inventory->small_blocks == ARRAY_NONE)
		return;
	array_rest(inventory->small_blocks, inventory->heap.low, end);
	if (heap.small_known && heap.small_bytes > inventory->small_bytes)
		inventory->small_bytes = heap.small_bytes;
}

/* -------------------------------------------------------------- page faults */

static void attribute_before(struct inventory *inventory)
{
	const struct toucher who = {
		.thread = inventory->before_thread,
		.site = FIRST_TOUCH_BEFORE,
		.node = TOUCH_NODE_UNKNOWN,
		.team = inventory->before_thread != RUN_THREAD_UNKNOWN,
	};

	for (size_t i = 0; i < inventory->before.nr; i++)
		first_touches_resident(&inventory->touches, &who, inventory->before.items[i].low,
				       inventory->before.items[i].high, inventory->before_time);
	inventory->before.nr = 0;
}

static void attribute(void *ctx, const struct touch *touch)
{
	const struct reading *reading = ctx;
	const struct toucher who = {
		.thread = reading->thread,
		.site = touch->site == TOUCH_SITE_NONE ? TOUCH_SITE_NONE - 1 : touch->site,
		.node = touch->node,
		.core = touch->core,
		.team = touch->team,
	};

	if (page_writes_fault(reading->inventory->writes, touch->address, touch->when_ns,
			      reading->thread,
			      touch->node == TOUCH_NODE_UNKNOWN ? RUN_PLACE_UNKNOWN : touch->node))
		return;
	first_touches_fault(&reading->inventory->touches, &who, touch->address, touch->page_shift,
			    touch->others, &touch->place, touch->time);
}

/* Memory for the readers is reused: the same amount is needed each time. */
static void add_reading(struct inventory *inventory, const struct thread *thread)
{
	struct readings *readings = &inventory->readings;
	struct touch_log *log = samples_touches(thread);

	if (!log || !ARENA_GROW(inventory->arena, readings->items, readings->nr, readings->room) ||
	    !ARENA_GROW(inventory->arena, readings->sources, readings->nr, readings->room_sources))
		return;
	readings->items[readings->nr] = (struct reading){ inventory, thread->index };
	readings->sources[readings->nr++] = (struct touch_source){ .log = log };
}

static void attribute_touches(struct inventory *inventory)
{
	struct readings *readings = &inventory->readings;

	readings->nr = 0;
	for (const struct thread *thread = thread_next(NULL); thread; thread = thread_next(thread))
		add_reading(inventory, thread);
	for (size_t i = 0; i < readings->nr; i++)
		readings->sources[i].ctx = &readings->items[i];
	touch_log_read(readings->sources, readings->nr, attribute);
	first_touches_estimate(&inventory->touches);
}

void inventory_update(struct inventory *inventory, const struct run *run)
{
	heap_update();
	read_declarations(inventory, run);
	for (size_t i = 0; i < inventory->nr_files; i++)
		heap_name_blocks(&inventory->files[i].declared, inventory->files[i].bias);
	automatic_arrays_name_blocks();
	read_stacks(inventory);
	read_heap(inventory);
	attribute_before(inventory);
	attribute_touches(inventory);
	if (!samples_interrupted(MS_SENSOR_FAULTS) &&
	    core_sensor_status(MS_SENSOR_FAULTS)->why == MS_PRESENT)
		kernel_touches_note(&inventory->kernel, &inventory->touches, &inventory->heap);
}

/* ---------------------------------------------------------------------- rows */

static const char *const kinds[ARRAY_KINDS] = { "static", "common",         "module",   "heap",
						"stack",  "thread_private", "automatic" };

/* "[1335][1335]", "(0:1334,1335)"; an unknown extent is omitted. */
static const char *shape_of(struct arena *arena, const struct array *array)
{
	const char *text = array->column_major ? "(" : "";

	for (uint32_t i = 0; i < array->nr_dimensions && i < ARRAY_DIMENSIONS; i++) {
		long long low = array->lower[i], high = low + (long long)array->extent[i] - 1;
		bool known = array->extent[i] > 0;

		if (!array->column_major)
			text = known ? arena_printf(arena, "%s[%lld]", text, high - low + 1)
				     : arena_printf(arena, "%s[]", text);
		else if (!known)
			text = arena_printf(arena, "%s%s:", text, i ? "," : "");
		else if (low == 1)
			text = arena_printf(arena, "%s%s%lld", text, i ? "," : "", high);
		else
			text = arena_printf(arena, "%s%s%lld:%lld", text, i ? "," : "", low, high);
	}
	if (array->column_major && array->nr_dimensions)
		return arena_printf(arena, "%s)", text);
	return array->nr_dimensions ? text : "";
}

static uint64_t bytes_in(const struct memory_ranges *ranges, uint64_t low, uint64_t high)
{
	uint64_t bytes = 0;

	for (size_t i = 0; i < ranges->nr; i++) {
		uint64_t from = ranges->items[i].low > low ? ranges->items[i].low : low;
		uint64_t to = ranges->items[i].high < high ? ranges->items[i].high : high;

		bytes += to > from ? to - from : 0;
	}
	return bytes;
}

static bool may_look(struct inventory_look *look, uint64_t bytes)
{
	if (bytes > look->left) {
		look->refused = true;
		return false;
	}
	look->left -= bytes;
	return true;
}

/* The memory map is read once for all look-ups. */
static enum ms_status look_at(struct inventory_look *look, uint64_t low, uint64_t high,
			      uint64_t *bytes_out)
{
	enum ms_status status;

	if (!look->has_map)
		residence_anonymous(look->scratch, &look->anonymous);
	look->has_map = true;
	look->found.nr = 0;
	status = residence_of(look->scratch, &look->anonymous, low, high, &look->found);
	*bytes_out = bytes_in(&look->found, low, high);
	return status;
}

/* The addresses of an array with many blocks are not kept. */
static void resident(struct run_array *to, const struct array *from, struct inventory_look *look)
{
	bool is_one = from->blocks == 1 && from->live_blocks == 1,
	     may = is_one && may_look(look, from->bytes);
	enum ms_status status;
	uint64_t bytes;

	to->resident_why = is_one && !may ? MS_MISSING_BUDGET : MS_MISSING_NOT_REQUESTED;
	if (!may)
		return;
	status = look_at(look, from->start, from->start + from->bytes, &bytes);
	to->resident_why = status == MS_OK               ? MS_PRESENT
			   : status == MS_ERR_PERMISSION ? MS_MISSING_NOT_PERMITTED
							 : MS_MISSING_BROKEN;
	if (status == MS_OK)
		to->resident_bytes = bytes;
}

/* A heap array with a name of its own has no site in the table. */
static struct code_address site_of(const struct run *run, const struct array *array)
{
	struct heap_origin origin = { .site = array->site };

	if (!origin.site && array->kind == ARRAY_HEAP && !heap_origin(array->id, &origin))
		origin.site = 0;
	return origin.site ? modules_find(run->modules, run->nr_modules, origin.site)
			   : (struct code_address){ UINT32_MAX, 0 };
}

/* Call path of a heap array, outermost first. Constant once it is known. */
static void keep_path(struct run_array *to, const struct array *from, const struct run *run,
		      struct arena *arena)
{
	struct heap_origin origin;
	size_t nr = 0;

	if (to->nr_path || from->kind != ARRAY_HEAP || !heap_origin(from->id, &origin))
		return;
	while (nr < HEAP_CALLERS && origin.callers[nr])
		nr++;
	to->path = nr ? arena_alloc(arena, nr * sizeof(*to->path)) : NULL;
	for (size_t i = 0; to->path && i < nr; i++)
		to->path[i] = modules_find(run->modules, run->nr_modules,
					   origin.callers[nr - 1 - i]);
	to->nr_path = to->path ? nr : 0;
}

/* Shapes and paths are written once, because this is called repeatedly. */
static void describe(struct run_array *to, const struct array *from, const struct run *run,
		     struct arena *arena)
{
	const char *shape = to->shape && *to->shape ? to->shape : shape_of(arena, from);

	keep_path(to, from, run, arena);
	*to = (struct run_array){
		.id = from->id,
		.kind = kinds[from->kind < ARRAY_KINDS ? from->kind : ARRAY_STATIC],
		.name = from->name,
		.type = from->type,
		.shape = shape,
		.file = from->file,
		.line = from->line,
		.module = from->module,
		.element_bytes = from->element_bytes,
		.bytes = from->bytes,
		.blocks = from->blocks,
		.live_blocks = from->live_blocks,
		.site = site_of(run, from),
		.nr_path = to->nr_path,
		.path = to->path,
	};
}

/* Includes all rows of the table, so that the numbers are equal. */
static enum ms_status arrays_keep(struct run *run, struct arena *arena, struct arena *scratch)
{
	struct inventory_look look = { .scratch = scratch, .left = INVENTORY_LOOK_BYTES };
	uint32_t nr = array_count();

	array_settle();
	while (run->nr_arrays < nr) {
		if (!ARENA_GROW(arena, run->arrays, run->nr_arrays, run->room_arrays))
			return MS_ERR_MEMORY;
		run->arrays[run->nr_arrays++] = (struct run_array){ 0 };
	}
	for (uint32_t i = 0; i < nr; i++) {
		const struct array *array = array_get(i);

		describe(&run->arrays[i], array, run, arena);
		resident(&run->arrays[i], array, &look);
	}
	return MS_OK;
}

static const struct thread *thread_of(uint32_t index)
{
	const struct thread *thread = thread_next(NULL);

	while (thread && thread->index != index)
		thread = thread_next(thread);
	return thread;
}

/*
 * Place of a touch: the site's region and instruction, or the program's own instruction if it can
 * be traced.
 */
static void locate(struct run_touch *to, const struct first_touch *from, const struct run *run,
		   struct unwinder *unwinder)
{
	const struct thread *thread = thread_of(from->thread);
	struct sample_site site;
	uint64_t own;

	to->region = MS_REGION_NONE;
	to->address = to->leaf = (struct code_address){ UINT32_MAX, 0 };
	if (from->site == FIRST_TOUCH_BEFORE || !thread ||
	    !samples_site(thread, MS_SENSOR_FAULTS, from->site, &site))
		return;
	to->region = site.region < run->nr_regions ? site.region : MS_REGION_NONE;
	to->address = to->leaf = run_modules_address(run, site.ip);
	if (!unwinder || unwinder_own_code(unwinder, &site, &own) != MS_OK || own == site.ip)
		return;
	to->address = run_modules_address(run, own);
	to->is_return = true;
}

/* Points the touches to their ranges, which are by row. Without memory they have none. */
static void ranges_keep(const struct inventory *inventory, struct run *run, struct arena *arena,
			struct arena *scratch)
{
	struct touch_ranges ranges;
	struct run_pages *pages;

	if (!touch_ranges_of(scratch, &inventory->touches, &ranges))
		return;
	pages = arena_alloc(arena, (ranges.nr + 1) * sizeof(*pages));
	for (size_t i = 0; pages && i < ranges.nr; i++) {
		struct run_touch *touch = &run->touches[ranges.items[i].row];

		pages[i] = (struct run_pages){ ranges.items[i].page * inventory->page_bytes,
					       ranges.items[i].pages };
		if (!touch->nr_ranges++)
			touch->ranges = &pages[i];
		touch->every = ranges.every[ranges.items[i].row];
	}
}

static enum ms_status touches_keep(const struct inventory *inventory, struct run *run,
				   struct arena *arena, struct arena *scratch,
				   struct unwinder *unwinder)
{
	run->nr_touches = 0;
	for (size_t i = 0; i < inventory->touches.nr; i++) {
		const struct first_touch *from = &inventory->touches.rows[i];
		struct run_touch *to;

		if (!ARENA_GROW(arena, run->touches, run->nr_touches, run->room_touches))
			return MS_ERR_MEMORY;
		to = &run->touches[run->nr_touches++];
		*to = (struct run_touch){
			.array = from->array,
			.thread = from->thread,
			.before = from->site == FIRST_TOUCH_BEFORE,
			.by_kernel = from->site == FIRST_TOUCH_KERNEL,
			.node = from->node == TOUCH_NODE_UNKNOWN ? RUN_PLACE_UNKNOWN : from->node,
			.faults = from->faults,
			.pages = from->pages + from->estimated,
			.bytes = from->bytes + from->estimated * inventory->page_bytes,
		};
		locate(to, from, run, unwinder);
	}
	ranges_keep(inventory, run, arena, scratch);
	return MS_OK;
}

static uint64_t faults_lost(void)
{
	uint64_t lost = 0;

	for (const struct thread *thread = thread_next(NULL); thread;
	     thread = thread_next(thread)) {
		struct samples_losses losses = samples_losses(thread, MS_SENSOR_FAULTS);

		lost += losses.lost + losses.touches;
	}
	return lost;
}

static void summarise(const struct inventory *inventory, struct run *run)
{
	run->touching = (struct run_touching){
		.page_bytes = inventory->page_bytes,
		.faults = inventory->touches.faults,
		.lost = faults_lost(),
		.others = inventory->touches.others,
		.nobodys = inventory->touches.nobodys,
		.read_ns = inventory->read_ns,
	};
}

/*
 * Small blocks have the sites that allocated most of them, by the sample: one, or several that have
 * more than half together.
 */
static void name_small_blocks(struct inventory *inventory)
{
	struct small_site sites[SMALL_SITES];
	size_t most = small_sites_most(sites, SMALL_SITES), nr = 0;
	double share = 0;

	inventory->nr_small_further = 0;
	while (nr < most && sites[nr].share >= SMALL_SHARE_EACH && share <= SMALL_SHARE_ONE)
		share += sites[nr++].share;
	if (inventory->small_blocks == ARRAY_NONE || share <= SMALL_SHARE)
		return;
	origins_copy(sites[0].array, inventory->small_blocks);
	for (size_t i = 1; i < nr; i++)
		inventory->small_further[inventory->nr_small_further++] = sites[i].array;
}

static void describe_small_blocks(const struct inventory *inventory, struct run *run,
				  struct arena *arena)
{
	struct run_array *array = &run->arrays[inventory->small_blocks];
	size_t nr = inventory->nr_small_further;

	array->bytes = inventory->small_bytes;
	array->further = nr ? arena_alloc(arena, nr * sizeof(*array->further)) : NULL;
	array->nr_further = array->further ? nr : 0;
	for (size_t i = 0; i < array->nr_further; i++)
		array->further[i].address = site_of(run, array_get(inventory->small_further[i]));
}

enum ms_status inventory_harvest(struct inventory *inventory, struct run *run, struct arena *arena,
				 struct unwinder *unwinder)
{
	struct arena *scratch = arena_new();
	enum ms_status status;

	name_small_blocks(inventory);
	if (!faults_lost())
		kernel_touches_attribute(&inventory->kernel, &inventory->touches, &inventory->heap);
	status = scratch ? arrays_keep(run, arena, scratch) : MS_ERR_MEMORY;
	if (inventory->small_blocks < run->nr_arrays)
		describe_small_blocks(inventory, run, arena);
	if (status == MS_OK)
		status = touches_keep(inventory, run, arena, scratch, unwinder);
	summarise(inventory, run);
	arena_free(scratch);
	return status;
}

/* ------------------------------------------------------- first touches by thread */

/* NULL: no memory. */
static uint64_t *bytes_by_thread(const struct first_touches *touches, uint32_t array,
				 struct arena *scratch, uint32_t *threads_out)
{
	uint32_t threads = 0;
	uint64_t *bytes;

	for (size_t i = 0; i < touches->nr; i++)
		if (touches->rows[i].array == array &&
		    touches->rows[i].thread != RUN_THREAD_UNKNOWN &&
		    touches->rows[i].thread >= threads)
			threads = touches->rows[i].thread + 1;
	bytes = arena_alloc(scratch, (threads + 1) * sizeof(*bytes));
	for (size_t i = 0; bytes && i < touches->nr; i++)
		if (touches->rows[i].array == array &&
		    touches->rows[i].thread != RUN_THREAD_UNKNOWN)
			bytes[touches->rows[i].thread] += touches->rows[i].bytes +
							  touches->rows[i].estimated *
								  touches->page_bytes;
	*threads_out = threads;
	return bytes;
}

/* Resident bytes of stacks by thread. NULL: no memory, or unknown. */
static uint64_t *bytes_of_stacks(const struct inventory *inventory, struct inventory_look *look,
				 uint32_t *threads_out)
{
	uint64_t *bytes = arena_alloc(look->scratch, (inventory->nr_stacks + 1) * sizeof(*bytes));

	*threads_out = (uint32_t)inventory->nr_stacks;
	for (size_t i = 0; bytes && i < inventory->nr_stacks; i++) {
		const struct memory_range *range = &inventory->stack_of[i].range;

		if (!may_look(look, range->high - range->low) ||
		    look_at(look, range->low, range->high, &bytes[i]) != MS_OK)
			return NULL;
	}
	return bytes;
}

/* Resident bytes, where known: a program may declare more than it uses. */
static uint64_t bytes_used(const struct array *array, struct inventory_look *look)
{
	struct run_array now = { 0 };

	resident(&now, array, look);
	return now.resident_why == MS_PRESENT && now.resident_bytes ? now.resident_bytes
								    : array->bytes;
}

static bool nearly_all(uint64_t known, uint64_t bytes)
{
	return known && (double)known >= KNOWN_SHARE * (double)bytes;
}

static bool is_known(const struct array *array, const struct touched *touched,
		     struct inventory_look *look)
{
	uint64_t known = 0;

	for (uint32_t thread = 0; touched->bytes && thread < touched->threads; thread++)
		known += touched->bytes[thread];
	if (array->kind == ARRAY_STACK)
		return known > 0;
	return nearly_all(known, array->bytes) ||
	       (known && nearly_all(known, bytes_used(array, look)));
}

enum ms_missing inventory_touched(const struct inventory *inventory, uint32_t id,
				  struct inventory_look *look, struct touched *out)
{
	const struct array *array = array_get(id);
	enum ms_missing why = core_sensor_status(MS_SENSOR_FAULTS)->why;
	bool known;

	*out = (struct touched){ 0 };
	look->refused = false;
	if (array)
		out->bytes = array->kind == ARRAY_STACK
				     ? bytes_of_stacks(inventory, look, &out->threads)
				     : bytes_by_thread(&inventory->touches, id, look->scratch,
						       &out->threads);
	known = array && is_known(array, out, look);
	if (known)
		return MS_PRESENT;
	if (why != MS_PRESENT)
		return why;
	if (look->refused)
		return MS_MISSING_BUDGET;
	return faults_lost() || inventory->touches.lost ? MS_MISSING_LOST : MS_MISSING_UNSEEN;
}

static struct heap_status heap_now(void)
{
	struct heap_status heap = { 0 };

	heap_status(&heap);
	return heap;
}

void inventory_dropped(const struct inventory *inventory,
		       void (*drop)(const char *what, const char *why, uint64_t count))
{
	struct array_losses losses = array_losses();
	struct heap_status heap = heap_now();
	const struct {
		const char *what, *why;
		uint64_t count;
	} counted[] = {
		{ "data structures", "more names than the table has room for", losses.rows },
		{ "blocks of data structures", "more than the table has room for", losses.blocks },
		{ "mappings of memory", "more than the table has room for", heap.lost },
		{ "heap blocks that count as small heap blocks",
		  "of those below 512 bytes the first 32768, in the first 262144 allocations, are arrays of their own; of larger ones, up to 64 KiB, those are none whose allocation and release would take more than half of the limit (--overhead)",
		  heap.small_lost },
		{ "pages of data structures", "no memory to note who touched them first",
		  inventory->touches.lost },
	};

	if (heap.why && *heap.why)
		drop("memory that the program allocates", heap.why, 0);
	for (size_t i = 0; i < inventory->nr_notes; i++)
		drop(inventory->notes[i].what, inventory->notes[i].why, 0);
	for (size_t i = 0; i < sizeof(counted) / sizeof(*counted); i++)
		if (counted[i].count)
			drop(counted[i].what, counted[i].why, counted[i].count);
}
