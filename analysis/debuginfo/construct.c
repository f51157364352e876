/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The rules that lead from a runtime call to the line of its OpenMP construct, one set a compiler.
 */
#include "analysis/debuginfo/construct.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "analysis/debuginfo/callsite.h"
#include "analysis/debuginfo/lines.h"
#include "analysis/debuginfo/pragma.h"
#include "analysis/debuginfo/tail.h"
#include "analysis/elf/binary.h"
#include "analysis/elf/function_names.h"

/* "#pragma omp " is 12 columns wide: no clause can begin closer to the start of a directive. */
#define PRAGMA_COLUMNS 12

/* Set-up of a loop's registers before its first statement. */
#define STRAIGHT_BYTES 64

struct question {
	struct binary *binary;
	struct pragmas *pragmas;
	const struct construct *construct;
	struct place place; /* of the byte before construct->begin */
	bool several;       /* constructs share the call */
	struct construct_source *out;
};

static const char *file_of(const struct question *question, struct unit *unit, const char *path)
{
	return unit_file_name(question->binary, unit, path);
}

/* The innermost frame whose symbol tells the user's function; a body's name is its owner's. */
static const char *function_of(const struct question *question, const struct place *place)
{
	for (size_t i = 0; i < place->nr_frames; i++)
		if (*place->frames[i].frame->name)
			return place->frames[i].frame->name;
	return unit_function_at_line(question->binary, place->unit, place->frames[0].line);
}

static bool is_body_of(const struct symbol *symbol, enum producer producer)
{
	return symbol && name_is_gcc_outlined(symbol->name) == (producer != PRODUCER_CLANG);
}

/* Which outlined function the call passes, or the one an address inside the construct lies in. */
static const struct symbol *body_of(struct question *question, enum producer producer)
{
	const struct construct *construct = question->construct;
	enum callsite_argument argument = producer == PRODUCER_CLANG ? CALLSITE_RDX : CALLSITE_RDI;
	const struct symbol *body = construct->begin
					    ? callsite_function(question->binary, construct->begin,
								argument, construct->inside,
								&question->several)
					    : NULL;

	if (is_body_of(body, producer))
		return body;
	question->several = false;
	if (construct->kind != MS_PARALLEL_REGION || !construct->inside)
		return NULL;
	body = binary_symbol(question->binary, construct->inside - 1);
	return body && name_is_outlined(body->name) && is_body_of(body, producer) ? body : NULL;
}

static bool first_line(void *context, const struct row *row)
{
	struct row *found = context;

	*found = *row;
	return row->line <= 0;
}

/*
 * With -g1 there are no declarations: the line of the call may be a later one of the directive,
 * that of the entry its body's.
 */
static int clang_body_line(const struct question *question, const struct frame *body,
			   int entry_line)
{
	if (strstr(body->symbol, "_debug__"))
		return 0;
	if (body->decl_line)
		return body->decl_line;
	return question->out->line > 0 && question->out->line < entry_line ? question->out->line
									   : entry_line;
}

/*
 * gcc gives the entry of the body the pragma's line; clang declares the body there, but for an
 * inner "_debug__" one.
 */
static bool line_of_body(struct question *question, const struct symbol *body)
{
	struct row first = { .path = "" };
	const struct frame *frame;
	struct place entry;
	int line;

	if (!body || !lines_place(question->binary, body->low, &entry))
		return false;
	lines_visit(entry.unit, body->low, body->low + 1, first_line, &first);
	frame = entry.frames[entry.nr_frames - 1].frame;
	line = first.line;
	if (entry.unit->producer == PRODUCER_CLANG)
		line = clang_body_line(question, frame, line);
	if (line <= 0)
		return false;
	question->out->line = line;
	question->out->file = file_of(question, entry.unit,
				      first.line ? first.path : entry.frames[0].path);
	question->out->approximate = question->several;
	if (*frame->name)
		question->out->function = frame->name;
	return true;
}

struct same_line {
	int line, column;
	const char *path;
	bool found;
};

static bool column_follows(void *context, const struct row *row)
{
	struct same_line *same = context;

	same->found = row->line == same->line && row->column > same->column &&
		      row->column < same->column + PRAGMA_COLUMNS && !strcmp(row->path, same->path);
	return !same->found;
}

/*
 * clang gives the begin of a combined loop with a dynamic schedule the line of the
 * `for` statement. It is a statement, not a directive, if code of the same line
 * begins only a few columns behind it: `for (int i`.
 */
static void clang_loop(struct question *question)
{
	const struct place *place = &question->place;
	struct same_line same = { place->frames[0].line, place->column, place->frames[0].path,
				  false };
	int line;

	if (!same.line || !same.column)
		return;
	lines_visit(place->unit, place->function_low, place->function_high, column_follows, &same);
	if (!same.found)
		return;
	line = unit_outlined_line(question->binary, place->unit, question->out->function,
				  same.line);
	if (line)
		question->out->line = line;
	else
		question->out->approximate = true;
}

/* A directive of several lines may give the call a later one than its first. */
static void clang_parallel(struct question *question)
{
	int line;

	if (line_of_body(question, body_of(question, PRODUCER_CLANG)))
		return;
	line = unit_outlined_line(question->binary, question->place.unit, question->out->function,
				  question->out->line);
	if (line)
		question->out->line = line;
}

static void clang(struct question *question)
{
	question->out->approximate = question->place.near || !question->out->line;
	if (question->construct->kind == MS_PARALLEL_REGION)
		clang_parallel(question);
	else if (question->construct->kind == MS_DO_REGION)
		clang_loop(question);
}

/* lines of one function around a call */
struct surroundings {
	struct binary *binary;
	struct unit *unit;
	uint32_t frame;
	const char *path;
	uint64_t call, work; /* its last byte; the code done if there is work */
	int low, high;       /* of the function */
	int previous, next;  /* of the statements before the call and at the work; 0 none */
	uint64_t next_address;
};

/*
 * The line of a row as seen in that frame: where it calls what was inlined. 0: the row is not in
 * the frame, or has the line of a function of another file that gcc inlined without its scope.
 */
static int line_within(const struct surroundings *around, const struct row *row)
{
	int line = row->line;
	uint32_t frame;

	if (!unit_function(around->unit, row->address, &frame))
		return 0;
	if (frame == around->frame && strcmp(row->path, around->path))
		return 0;
	while (frame != FRAME_NONE && frame != around->frame) {
		const struct frame *inlined = unit_frame(around->binary, around->unit, frame);

		line = inlined->call_line;
		frame = inlined->outer;
	}
	return frame == around->frame ? line : 0;
}

static bool look_around(void *context, const struct row *row)
{
	struct surroundings *around = context;
	int line = row->line > 0 ? line_within(around, row) : 0;

	if (line <= 0)
		return true;
	if (line < around->low)
		around->low = line;
	if (line > around->high)
		around->high = line;
	if (row->statement && row->address <= around->call)
		around->previous = line;
	if (row->statement && row->address >= around->work && !around->next) {
		around->next = line;
		around->next_address = row->address;
	}
	return true;
}

static int directive(const struct question *question, const struct surroundings *around, int low,
		     int high, int after, bool *unique_out)
{
	char path[PATH_MAX];

	*unique_out = false;
	if (!unit_full_path(question->place.unit, around->path, path, sizeof(path)))
		return 0;
	return pragmas_find(question->pragmas, path, question->binary->modified,
			    question->construct->kind, low, high, after, unique_out);
}

static struct surroundings surroundings_of(const struct question *question,
					   const struct place_frame *frame)
{
	const struct place *place = &question->place;
	uint64_t begin = question->construct->begin;
	uint64_t work = callsite_work(question->binary, begin);
	struct surroundings around = { .binary = question->binary,
				       .unit = place->unit,
				       .path = frame->path,
				       .frame = (uint32_t)(frame->frame - place->unit->frames),
				       .low = INT_MAX,
				       .call = begin - 1,
				       .work = work ? work : begin };

	lines_visit(place->unit, place->function_low, place->function_high, look_around, &around);
	return around;
}

/*
 * gcc gives calls that begin work-sharing constructs the line of what stood before
 * (single, sections), or of the loop statement. The directive lies between that
 * line and the line of the work behind the call. It is found exactly if the
 * function has only one, if both bounds lead to the same, or if the branch behind
 * the call leads straight to the work.
 */
static bool gcc_worksharing_in(struct question *question, const struct place_frame *frame)
{
	struct surroundings around = surroundings_of(question, frame);
	bool is_loop = question->construct->kind == MS_DO_REGION;
	bool straight = around.work != question->construct->begin && around.next &&
			around.next_address - around.work <= STRAIGHT_BYTES;
	bool unique, ignored;
	int only, above, below;

	if (!around.high)
		return false;
	only = directive(question, &around, around.low, around.high, INT_MAX, &unique);
	below = directive(question, &around, around.low, around.next ? around.next : around.high,
			  INT_MAX, &ignored);
	above = is_loop ? directive(question, &around, around.low, around.previous, INT_MAX,
				    &ignored)
			: directive(question, &around, around.low, around.high, around.previous - 1,
				    &ignored);
	if (unique)
		above = below = only;
	if (!below && !above)
		return false;
	question->out->line = below ? below : above;
	question->out->file = file_of(question, question->place.unit, frame->path);
	if (*frame->frame->name)
		question->out->function = frame->frame->name;
	question->out->approximate = !below || (below != above && !straight);
	return true;
}

/* The call may seem to belong to what was inlined just before it. */
static void gcc_worksharing(struct question *question)
{
	const struct place *place = &question->place;

	for (size_t i = 0; i < place->nr_frames && place->frames[i].frame != &place->bare; i++)
		if (gcc_worksharing_in(question, &place->frames[i]))
			return;
}

/*
 * The call of a closing barrier has no line of its own, but may share that of a loop or of inlined
 * code.
 */
static bool is_explicit_barrier(const struct question *question)
{
	const struct place *place = &question->place;
	const struct surroundings around = { .path = place->frames[0].path };
	int line = place->frames[0].line;
	bool unique;

	if (place->row != callsite_call(question->binary, question->construct->begin))
		return false;
	return (place->unit->producer == PRODUCER_GCC && place->nr_frames == 1) ||
	       directive(question, &around, line, line, 0, &unique) == line;
}

static bool begins_with_body(enum ms_region_kind kind)
{
	return kind == MS_PARALLEL_REGION || kind == MS_TASK_REGION || kind == MS_DO_REGION ||
	       kind == MS_SECTIONS_REGION;
}

/*
 * gfortran gives a construct the line of a later directive in it, such as its last MASTER, or of the
 * statement behind a directive of several lines (gfortran 12).
 */
static void gfortran_begin(struct question *question)
{
	const struct place_frame *frame = &question->place.frames[0];
	char path[PATH_MAX];
	int line = 0;

	if (unit_full_path(question->place.unit, frame->path, path, sizeof(path)))
		line = pragmas_open_at(question->pragmas, path, question->binary->modified,
				       question->construct->kind, question->out->line);
	if (line)
		question->out->line = line;
}

/* gcc gives the call for a reduction or an atomic update the line of what stood before. */
static bool is_atomic(const struct question *question)
{
	const char *name = tail_call_elsewhere(question->binary, question->construct->begin);

	return name && !strcmp(name, "GOMP_atomic_start");
}

/*
 * libomp sometimes reports a critical construct with the address of the call that started the
 * region around it.
 */
static void gcc(struct question *question)
{
	enum producer producer = question->place.unit->producer;
	bool ignored;

	question->out->approximate = question->place.near || !question->out->line;
	switch (question->construct->kind) {
	case MS_PARALLEL_REGION:
	case MS_TASK_REGION:
		if (!line_of_body(question, body_of(question, producer)) &&
		    producer == PRODUCER_GCC)
			question->out->approximate = true;
		if (producer == PRODUCER_GFORTRAN)
			gfortran_begin(question);
		break;
	case MS_DO_REGION:
	case MS_SECTIONS_REGION:
	case MS_SINGLE_REGION:
	case MS_WORKSHARE_REGION:
	case MS_MASTER_REGION:
	case MS_ORDERED_REGION:
		question->out->approximate = true;
		if (!line_of_body(question, body_of(question, producer)))
			gcc_worksharing(question);
		break;
	case MS_BARRIER_REGION:
		if (!is_explicit_barrier(question))
			question->out->approximate = true;
		break;
	case MS_CRITICAL_REGION:
		if (is_atomic(question))
			question->out->approximate = true;
		break;
	default: break;
	}
	if (!begins_with_body(question->construct->kind) &&
	    callsite_function(question->binary, question->construct->begin, CALLSITE_RDI, 0,
			      &ignored))
		question->out->approximate = true;
}

static void by_debug_info(struct question *question)
{
	const struct place *place = &question->place;

	question->out->function = function_of(question, place);
	question->out->file = file_of(question, place->unit, place->frames[0].path);
	question->out->line = place->frames[0].line;
	question->out->approximate = true;
	switch (place->unit->producer) {
	case PRODUCER_CLANG: clang(question); break;
	case PRODUCER_GCC:
	case PRODUCER_GFORTRAN: gcc(question); break;
	case PRODUCER_FLANG:
	case PRODUCER_OTHER: break;
	}
}

static void by_symbol(struct question *question, struct arena *names, uint64_t address)
{
	const struct symbol *symbol = binary_symbol(question->binary, address);
	const char *name = symbol ? name_user(names, symbol->name, question->binary->fortran)
				  : NULL;

	question->out->function = name ? name : "";
}

/*
 * A begin event without a usable address (tail calls lose it): what lies inside still tells the
 * function.
 */
static void by_inside(struct question *question, struct arena *names)
{
	uint64_t address = question->construct->inside - 1;
	bool known = question->binary->units &&
		     lines_place(question->binary, address, &question->place);

	if (!known) {
		by_symbol(question, names, address);
		return;
	}
	question->out->function = function_of(question, &question->place);
	question->out->file = file_of(question, question->place.unit,
				      question->place.frames[0].path);
	question->out->line = question->place.frames[0].line;
	if (question->construct->kind == MS_PARALLEL_REGION &&
	    question->place.unit->producer != PRODUCER_OTHER)
		line_of_body(question, body_of(question, question->place.unit->producer));
}

static const struct symbol *outlined_around(const struct binary *binary, uint64_t inside)
{
	const struct symbol *symbol = inside ? binary_symbol(binary, inside - 1) : NULL;

	return symbol && name_is_outlined(symbol->name) ? symbol : NULL;
}

/* False: where the construct begins is not certain. */
static bool follow_tail(struct binary *binary, struct construct *construct)
{
	const struct tail_question question = { construct->kind, construct->inside };

	if (!construct->begin || construct->followed)
		return true;
	switch (tail_find(binary, &question, construct->begin, &construct->begin)) {
	case TAIL_CALL:
	case TAIL_ONE: return true;
	case TAIL_SEVERAL: return false;
	case TAIL_LOST:
	case TAIL_UNKNOWN: break;
	}
	if (construct->kind != MS_PARALLEL_REGION || !outlined_around(binary, construct->inside))
		return false;
	construct->begin = 0;
	return true;
}

static void resolve(struct binary *binary, struct pragmas *pragmas, struct arena *names,
		    const struct construct *construct, struct construct_source *out)
{
	struct question question = {
		.binary = binary, .pragmas = pragmas, .construct = construct, .out = out
	};
	bool debug = units_open(binary, names);

	*out = (struct construct_source){ .function = "", .file = "", .approximate = true };
	if (!construct->begin && construct->inside)
		by_inside(&question, names);
	else if (debug && construct->begin &&
		 lines_place(binary, construct->begin - 1, &question.place))
		by_debug_info(&question);
	else if (construct->begin)
		by_symbol(&question, names, construct->begin - 1);
}

bool construct_resolve(struct binary *binary, struct pragmas *pragmas, struct arena *names,
		       const struct construct *construct, struct construct_source *out)
{
	struct construct followed = *construct;
	bool certain = follow_tail(binary, &followed);

	resolve(binary, pragmas, names, &followed, out);
	out->approximate |= !certain;
	return *out->function || out->line;
}

static const struct symbol *body_around(const struct binary *binary, const struct construct *around)
{
	bool several;
	const struct symbol *body = callsite_function(binary, around->begin, CALLSITE_RDI,
						      around->inside, &several);

	if (!body)
		body = callsite_function(binary, around->begin, CALLSITE_RDX, around->inside,
					 &several);
	return body && !several ? body : outlined_around(binary, around->inside);
}

static bool is_worksharing(enum ms_region_kind kind)
{
	return kind == MS_DO_REGION || kind == MS_SECTIONS_REGION;
}

/* Barriers without an address may as well be closing ones. */
bool construct_resolve_within(struct binary *binary, struct pragmas *pragmas, struct arena *names,
			      enum ms_region_kind kind, const struct construct *around,
			      struct construct_source *out)
{
	const struct tail_question question = { kind, 0 };
	struct construct outer = *around, inner = { .kind = kind, .followed = true };
	bool certain = follow_tail(binary, &outer);
	bool combined = is_worksharing(kind) && outer.begin &&
			tail_is_combined(binary, outer.begin);
	const struct symbol *body = body_around(binary, &outer);
	enum tail_result found = body && !combined
					 ? tail_find_in(binary, &question, body->low, &inner.begin)
					 : TAIL_LOST;

	resolve(binary, pragmas, names, found == TAIL_LOST ? &outer : &inner, out);
	if (!certain || found == TAIL_SEVERAL || kind == MS_BARRIER_REGION ||
	    (found == TAIL_LOST && !combined))
		out->approximate = true;
	return *out->function || out->line;
}
