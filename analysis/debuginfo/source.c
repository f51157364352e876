/* SPDX-License-Identifier: Apache-2.0 */
/* Answers about code addresses; keeps the files it needed open until it is freed. */
#include "analysis/debuginfo/source.h"

#include <ctype.h>
#include <dwarf.h>
#include <limits.h>
#include <string.h>
#include <strings.h>

#include "analysis/base/arena.h"
#include "analysis/base/base_name.h"
#include "analysis/debuginfo/assignment.h"
#include "analysis/debuginfo/construct.h"
#include "analysis/debuginfo/lines.h"
#include "analysis/debuginfo/loop_lines.h"
#include "analysis/debuginfo/pragma.h"
#include "analysis/debuginfo/returned.h"
#include "analysis/debuginfo/source_text.h"
#include "analysis/debuginfo/tail.h"
#include "analysis/elf/binary.h"
#include "analysis/elf/imports.h"
#include "analysis/elf/function_names.h"

struct opened {
	struct opened *next;
	const char *path, *build_id, *name;
	enum ms_status status;
	struct binary binary;
};

/* A source that was read; `text` NULL: it cannot be. */
struct source_file {
	struct source_file *next;
	const char *path, *text;
	int64_t modified;
};

struct sources {
	struct arena *answers; /* the caller's */
	struct arena *index;   /* ours: indexes of the files, and sources */
	struct source_file *texts;
	struct opened *files;
	struct pragmas *pragmas;
};

struct sources *sources_new(struct arena *arena)
{
	struct arena *index = arena_new();
	struct sources *sources = index ? arena_alloc(index, sizeof(*sources)) : NULL;
	struct pragmas *pragmas = sources ? pragmas_new(index) : NULL;

	if (!pragmas) {
		arena_free(index);
		return NULL;
	}
	*sources = (struct sources){ .answers = arena, .index = index, .pragmas = pragmas };
	return sources;
}

void sources_free(struct sources *sources)
{
	if (!sources)
		return;
	for (struct opened *file = sources->files; file; file = file->next)
		if (file->status == MS_OK)
			binary_close(&file->binary);
	arena_free(sources->index);
}

size_t sources_bytes(const struct sources *sources)
{
	size_t bytes = 0;

	for (const struct opened *file = sources ? sources->files : NULL; file; file = file->next)
		if (file->status == MS_OK)
			bytes += binary_bytes(&file->binary);
	return bytes;
}

static struct opened *open_file(struct sources *sources, const struct module *module)
{
	struct opened *file = arena_alloc(sources->index, sizeof(*file));
	const char *slash = strrchr(module->path, '/');

	if (!file)
		return NULL;
	file->path = arena_strdup(sources->index, module->path);
	file->build_id = arena_strdup(sources->index, module->build_id ? module->build_id : "");
	file->name = arena_strdup(sources->answers, slash ? slash + 1 : module->path);
	if (!file->path || !file->build_id || !file->name)
		return NULL;
	file->status = *file->path && *file->path != '['
			       ? binary_open(&file->binary, sources->index, file->path,
					     file->build_id)
			       : MS_ERR_NOT_FOUND;
	file->next = sources->files;
	sources->files = file;
	return file;
}

/* NULL: the module is unknown, or there is no memory. */
static struct opened *file_of(struct sources *sources, const struct module *modules,
			      size_t nr_modules, uint32_t index)
{
	const struct module *module = index < nr_modules ? &modules[index] : NULL;
	struct opened *file = sources->files;

	if (!module || !module->path)
		return NULL;
	while (file && (strcmp(file->path, module->path) ||
			strcmp(file->build_id, module->build_id ? module->build_id : "")))
		file = file->next;
	return file ? file : open_file(sources, module);
}

/*
 * A tail call into the runtime leaves a codeptr inside the runtime itself, or inside the library that
 * has libgomp's events, which says nothing.
 */
static bool is_runtime(const struct opened *file)
{
	return !strncmp(file->name, "libomp.", 7) || !strncmp(file->name, "libgomp.", 8) ||
	       !strncmp(file->name, "libomp5", 7) || !strncmp(file->name, "libiomp5.", 9) ||
	       !strncmp(file->name, "libmemsearch-gomp.", 18);
}

static void fill(struct source *out, const struct opened *file, uint64_t offset)
{
	*out = (struct source){ .function = "",
				.file = "",
				.approximate = true,
				.module = file ? file->name : "",
				.offset = offset };
}

/* Only what users build is searched: libraries of the system have no parallel regions of theirs. */
static struct opened *exporter_of(struct sources *sources, const struct module *modules,
				  size_t nr_modules, const char *name, uint64_t *code_out)
{
	for (uint32_t i = 0; i < nr_modules; i++) {
		const char *path = modules[i].path;
		bool users = path && !binary_is_system_library(path) && !module_is_foreign(path);
		struct opened *file = users ? file_of(sources, modules, nr_modules, i) : NULL;

		*code_out = file && !file->status && !is_runtime(file)
				    ? imports_exported(&file->binary, name)
				    : 0;
		if (*code_out)
			return file;
	}
	return NULL;
}

/* what to resolve, and in which file */
struct subject {
	struct opened *file;
	struct construct construct;
	bool vague;
};

/*
 * The call before the return address is to another file, whose function ends with the jump to the
 * runtime.
 */
static void follow_elsewhere(struct sources *sources, const struct module *modules,
			     size_t nr_modules, struct code_address inside, struct subject *subject)
{
	const char *name = tail_call_elsewhere(&subject->file->binary, subject->construct.begin);
	struct tail_question question = { .kind = subject->construct.kind };
	uint64_t code, behind;
	struct opened *file = name ? exporter_of(sources, modules, nr_modules, name, &code) : NULL;
	enum tail_result found;

	if (!file)
		return;
	if (file == file_of(sources, modules, nr_modules, inside.module))
		question.inside = inside.offset;
	found = tail_find_in(&file->binary, &question, code, &behind);
	if (found == TAIL_LOST)
		return;
	*subject = (struct subject){ file,
				     { question.kind, behind, question.inside, true },
				     found == TAIL_SEVERAL };
}

static struct subject subject_of(struct sources *sources, const struct module *modules,
				 size_t nr_modules, enum ms_region_kind kind,
				 struct code_address construct, struct code_address inside)
{
	struct subject subject = { .file = file_of(sources, modules, nr_modules, construct.module),
				   .construct = { .kind = kind, .begin = construct.offset } };

	/* its addresses are those of the parallel regions around it */
	if (kind == MS_SERIAL_REGION) {
		subject.construct.kind = MS_PARALLEL_REGION;
	} else if (!subject.file || is_runtime(subject.file)) {
		subject.file = file_of(sources, modules, nr_modules, inside.module);
		subject.construct.begin = 0;
		subject.construct.inside = inside.offset;
	} else if (inside.module == construct.module) {
		subject.construct.inside = inside.offset;
	}
	if (subject.file && !subject.file->status && subject.construct.begin)
		follow_elsewhere(sources, modules, nr_modules, inside, &subject);
	return subject;
}

static void answer(struct source *out, const struct construct_source *found, bool vague)
{
	out->function = found->function;
	out->file = found->file;
	out->line = found->line;
	out->approximate = found->approximate || vague;
}

enum ms_status sources_region(struct sources *sources, const struct module *modules,
			      size_t nr_modules, enum ms_region_kind kind,
			      struct code_address construct, struct code_address inside,
			      struct source *out)
{
	struct subject subject = subject_of(sources, modules, nr_modules, kind, construct, inside);
	struct construct_source found;

	fill(out, file_of(sources, modules, nr_modules, construct.module), construct.offset);
	if (!subject.file)
		return MS_ERR_NOT_FOUND;
	if (subject.file->status)
		return subject.file->status;
	if (is_runtime(subject.file) ||
	    !construct_resolve(&subject.file->binary, sources->pragmas, sources->answers,
			       &subject.construct, &found))
		return MS_ERR_NOT_FOUND;
	answer(out, &found, subject.vague);
	if (!subject.construct.begin) {
		out->module = subject.file->name;
		out->offset = inside.offset;
	}
	return MS_OK;
}

enum ms_status sources_region_within(struct sources *sources, const struct module *modules,
				     size_t nr_modules, enum ms_region_kind kind,
				     struct code_address construct, struct code_address inside,
				     struct source *out)
{
	struct subject subject = subject_of(sources, modules, nr_modules, MS_PARALLEL_REGION,
					    construct, inside);
	struct construct_source found;

	fill(out, subject.file,
	     subject.construct.begin ? subject.construct.begin : subject.construct.inside);
	if (!subject.file)
		return MS_ERR_NOT_FOUND;
	if (subject.file->status)
		return subject.file->status;
	if (is_runtime(subject.file) ||
	    !construct_resolve_within(&subject.file->binary, sources->pragmas, sources->answers,
				      kind, &subject.construct, &found))
		return MS_ERR_NOT_FOUND;
	answer(out, &found, subject.vague);
	return MS_OK;
}

/* A body is inlined into its wrapper: for the user that is one function. */
static bool is_same_function(const struct place_frame *inner, const struct place_frame *outer)
{
	return inner->frame->outlined && outer->frame->outlined &&
	       !strcmp(inner->frame->name, outer->frame->name);
}

static void fill_frame(struct opened *file, const struct place *place, size_t number,
		       uint64_t offset, struct source *out)
{
	const struct place_frame *frame = &place->frames[number];

	fill(out, file, offset);
	out->function = *frame->frame->name
				? frame->frame->name
				: unit_function_at_line(&file->binary, place->unit, frame->line);
	out->file = unit_file_name(&file->binary, place->unit, frame->path);
	out->line = frame->line;
	out->approximate = !frame->line || (!number && place->near);
}

static size_t write_frames(struct opened *file, const struct place *place, uint64_t offset,
			   struct source *out, size_t room)
{
	size_t nr = 0;

	for (size_t i = 0; i < place->nr_frames && nr < room; i++)
		if (!i || !is_same_function(&place->frames[i - 1], &place->frames[i]))
			fill_frame(file, place, i, offset, &out[nr++]);
	return nr;
}

static bool is_librarys(const char *path)
{
	return !strncmp(path, "/usr/include/", 13) || !strncmp(path, "/usr/lib/", 9) ||
	       strstr(path, "/include/c++/") != NULL;
}

/*
 * "buffer<double>::operator[]", "vec::operator+=", inlined: what it accesses is its caller's. Not
 * operator(), which may be a lambda expression's body.
 */
static bool is_operator(const struct frame *function)
{
	static const char *const others[] = { "()", " new", " delete" };
	const char *name = function ? function_behind_scope(function->name) : "";

	if (strncmp(name, "operator", 8) || name[8] == 0 || name[8] == '_' ||
	    isalnum((unsigned char)name[8]))
		return false;
	for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++)
		if (!strncmp(name + 8, others[i], strlen(others[i])))
			return false;
	return true;
}

/* The innermost one that is no library's and no operator; the innermost, where all are. */
static size_t program_frame(const struct place *place)
{
	for (size_t i = 0; i < place->nr_frames; i++)
		if (place->frames[i].line && !is_librarys(place->frames[i].path) &&
		    !(i + 1 < place->nr_frames && is_operator(place->frames[i].frame)))
			return i;
	return 0;
}

/* The file and place of its instruction at `at`; NULL: it is not known. */
static struct opened *find_place(struct sources *sources, const struct module *modules,
				 size_t nr_modules, uint32_t module, uint64_t at,
				 struct place *place)
{
	struct opened *file = file_of(sources, modules, nr_modules, module);

	return file && !file->status && units_open(&file->binary, sources->answers) &&
			       lines_place(&file->binary, at, place)
		       ? file
		       : NULL;
}

void sources_statement(struct sources *sources, const struct module *modules, size_t nr_modules,
		       struct code_address address, bool return_address, struct source *out)
{
	uint64_t at = address.offset - (return_address && address.offset ? 1 : 0);
	struct place place;
	struct opened *file = find_place(sources, modules, nr_modules, address.module, at, &place);

	if (file && place.nr_frames)
		fill_frame(file, &place, program_frame(&place), address.offset, out);
	else
		sources_instruction(sources, modules, nr_modules, address, return_address, out, 1);
}

int sources_column(struct sources *sources, const struct module *modules, size_t nr_modules,
		   struct code_address address)
{
	struct place place;
	struct opened *file = find_place(sources, modules, nr_modules, address.module,
					 address.offset, &place);

	return file && place.nr_frames ? place.column : 0;
}

size_t sources_instruction(struct sources *sources, const struct module *modules, size_t nr_modules,
			   struct code_address address, bool return_address, struct source *out,
			   size_t room)
{
	struct opened *file = file_of(sources, modules, nr_modules, address.module);
	uint64_t at = address.offset - (return_address && address.offset ? 1 : 0);
	const struct symbol *symbol;
	const char *name = NULL;
	struct place place;

	if (!room)
		return 0;
	fill(out, file, address.offset);
	if (!file || file->status)
		return 1;
	if (units_open(&file->binary, sources->answers) && lines_place(&file->binary, at, &place))
		return write_frames(file, &place, address.offset, out, room);
	symbol = binary_symbol(&file->binary, at);
	if (symbol)
		name = name_user(sources->answers, symbol->name, file->binary.fortran);
	out->function = name ? name : "";
	return 1;
}

/* ------------------------------------------------------------------ allocations */

static const struct source_file *text_of(struct sources *sources, const struct unit *unit,
					 const char *name)
{
	struct source_file *file = sources->texts;
	char path[PATH_MAX];
	size_t bytes;

	if (!unit_full_path(unit, name, path, sizeof(path)))
		return NULL;
	while (file && strcmp(file->path, path))
		file = file->next;
	if (file)
		return file;
	file = arena_alloc(sources->index, sizeof(*file));
	if (!file)
		return NULL;
	*file = (struct source_file){ .next = sources->texts,
				      .path = arena_strdup(sources->index, path) };
	if (!file->path)
		return NULL;
	file->text = path[0] == '/'
			     ? source_text_read(sources->index, path, &bytes, &file->modified)
			     : NULL;
	sources->texts = file;
	return file;
}

const char *sources_text(struct sources *sources, const struct module *modules, size_t nr_modules,
			 struct code_address address)
{
	const struct source_file *text;
	const struct place_frame *frame;
	struct place place;
	struct opened *file = find_place(sources, modules, nr_modules, address.module,
					 address.offset, &place);

	if (!file)
		return NULL;
	frame = &place.frames[program_frame(&place)];
	text = frame->line ? text_of(sources, place.unit, frame->path) : NULL;
	return text && text->text && text->modified <= file->binary.modified ? text->text : NULL;
}

/* NULL: the compiler's folder is not known. */
static const char *folder_of(struct sources *sources, const struct unit *unit, const char *name)
{
	char path[PATH_MAX];
	size_t nr;

	if ((name[0] != '/' && !*unit->folder) || !unit_full_path(unit, name, path, sizeof(path)))
		return NULL;
	nr = (size_t)(base_name(path) - path);
	while (nr > 1 && (path[nr - 1] == '/' || !strncmp(path + nr - 2, "/.", 2)))
		nr--;
	return arena_strndup(sources->answers, path, nr);
}

const char *sources_folder(struct sources *sources, const struct module *modules, size_t nr_modules,
			   struct code_address address, bool return_address, const char *file)
{
	uint64_t at = address.offset - (return_address && address.offset ? 1 : 0);
	struct place place;

	if (!find_place(sources, modules, nr_modules, address.module, at, &place))
		return NULL;
	for (size_t i = 0; i < place.nr_frames; i++)
		if (!strcmp(base_name(place.frames[i].path), file))
			return folder_of(sources, place.unit, place.frames[i].path);
	return NULL;
}

static enum source_language language_of(const struct unit *unit, const char *path)
{
	const char *dot = strrchr(path, '.');

	if (unit->producer != PRODUCER_GFORTRAN && unit->producer != PRODUCER_FLANG)
		return SOURCE_C;
	return dot && (!strcasecmp(dot, ".f") || !strcasecmp(dot, ".for") ||
		       !strcasecmp(dot, ".ftn") || !strcasecmp(dot, ".f77"))
		       ? SOURCE_FORTRAN_FIXED
		       : SOURCE_FORTRAN_FREE;
}

/* The type that an attribute of the entry refers to, without qualifiers. */
static bool type_of(Dwarf_Die *die, Dwarf_Die *type_out)
{
	Dwarf_Attribute attribute;

	return dwarf_attr_integrate(die, DW_AT_type, &attribute) &&
	       dwarf_formref_die(&attribute, type_out) && dwarf_peel_type(type_out, type_out) == 0;
}

/* A function that returns an address, of what it has allocated for its caller. */
static bool returns_pointer(const struct frame *function)
{
	Dwarf_Die die = function->die, type;

	return type_of(&die, &type) && dwarf_tag(&type) == DW_TAG_pointer_type;
}

static bool has_parameter(const struct frame *function, const char *name)
{
	Dwarf_Die die = function->die, child;

	if (dwarf_child(&die, &child))
		return false;
	do {
		const char *is = dwarf_tag(&child) == DW_TAG_formal_parameter
					 ? dwarf_diename(&child)
					 : NULL;

		if (is && !strcmp(is, name))
			return true;
	} while (dwarf_siblingof(&child, &child) == 0);
	return false;
}

/* Deeper inheritance is malformed: this bounds the recursion. */
#define BASES_DEEP 8

static bool class_has_member(Dwarf_Die *class, const char *name, int depth)
{
	Dwarf_Attribute attribute;
	Dwarf_Die child, base;

	if (dwarf_child(class, &child))
		return false;
	do {
		int tag = dwarf_tag(&child);
		const char *is = tag == DW_TAG_member ? dwarf_diename(&child) : NULL;

		if (is && !strcmp(is, name))
			return true;
		if (tag == DW_TAG_inheritance && depth < BASES_DEEP &&
		    dwarf_formref_die(dwarf_attr(&child, DW_AT_type, &attribute), &base) &&
		    dwarf_peel_type(&base, &base) == 0 && class_has_member(&base, name, depth + 1))
			return true;
	} while (dwarf_siblingof(&child, &child) == 0);
	return false;
}

/* A method whose object has a member of that name. */
static bool is_member(const struct frame *function, const char *name)
{
	Dwarf_Attribute attribute;
	Dwarf_Die die = function->die, object, type;

	return dwarf_attr_integrate(&die, DW_AT_object_pointer, &attribute) &&
	       dwarf_formref_die(&attribute, &object) && type_of(&object, &type) &&
	       dwarf_tag(&type) == DW_TAG_pointer_type && type_of(&type, &type) &&
	       class_has_member(&type, name, 0);
}

static bool is_plain(const char *variable)
{
	return !variable[strcspn(variable, "-.%[(")];
}

static void read_assignment(struct sources *sources, const struct opened *file,
			    const struct place *place, size_t frame, const char *called,
			    struct allocation *allocation)
{
	const struct place_frame *at = &place->frames[frame];
	const struct source_file *text = at->line ? text_of(sources, place->unit, at->path) : NULL;
	const char *callee = frame ? place->frames[frame - 1].frame->name : called;
	struct assignment assignment;

	if (!text || !text->text || text->modified > file->binary.modified)
		return;
	assignment = assignment_find(sources->answers, text->text,
				     language_of(place->unit, at->path), at->line, callee);
	allocation->returned = assignment.returned;
	memcpy(allocation->variables, assignment.variables, sizeof(allocation->variables));
	allocation->nr_variables = assignment.nr_variables;
	allocation->member = assignment.member;
	allocation->to_object = assignment.to_object;
	allocation->result = assignment.result;
	allocation->address_of = assignment.address_of;
	if (!assignment.variable)
		return;
	allocation->variable = assignment.variable;
	allocation->member |= is_member(at->frame, variable_behind_this(assignment.variable));
	allocation->returned |= is_plain(assignment.variable) && returns_pointer(at->frame) &&
				returned_by_function(text->text, at->frame->decl_line,
						     assignment.variable);
	allocation->by_parameter = assignment.behind_pointer &&
				   has_parameter(at->frame, assignment.variable);
}

size_t sources_allocation(struct sources *sources, const struct module *modules, size_t nr_modules,
			  struct code_address address, const char *callee, struct allocation *out,
			  size_t room)
{
	struct place place;
	struct opened *file = address.offset
				      ? find_place(sources, modules, nr_modules, address.module,
						   address.offset - 1, &place)
				      : NULL;
	size_t nr = 0;

	if (!file)
		return 0;
	for (; nr < place.nr_frames && nr < room; nr++) {
		out[nr] = (struct allocation){ .variable = "",
					       .library = is_librarys(place.frames[nr].path) };
		fill_frame(file, &place, nr, address.offset, &out[nr].source);
		read_assignment(sources, file, &place, nr, callee, &out[nr]);
	}
	return nr;
}

/* ------------------------------------------------------------------ loops */

static size_t loop_frames(void *ctx, const struct place *place, struct source *out)
{
	return write_frames(ctx, place, place->row, out, LOOP_FRAMES_MAX);
}

enum ms_status sources_loop(struct sources *sources, const struct module *modules,
			    size_t nr_modules, struct code_address header,
			    const struct loop_code *code, size_t nr, struct arena *arena,
			    struct loop_source *out)
{
	struct opened *file = file_of(sources, modules, nr_modules, header.module);

	*out = (struct loop_source){ .nr_lines = 0 };
	sources_statement(sources, modules, nr_modules, header, false, &out->at);
	if (!file || file->status || !units_open(&file->binary, sources->answers))
		return MS_ERR_NOT_FOUND;
	return loop_lines(&file->binary, code, nr, loop_frames, file, arena, out)
		       ? MS_OK
		       : MS_ERR_NOT_FOUND;
}
