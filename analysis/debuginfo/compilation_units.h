/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_DEBUGINFO_COMPILATION_UNITS_H
#define MEMSEARCH_DEBUGINFO_COMPILATION_UNITS_H

#include <elfutils/libdw.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Which compilation unit, function and inlined functions an address belongs to. An index of our
 * own, because clang writes no .debug_aranges and libdw then finds nothing by address. Units are
 * indexed at the first look-up, the functions of a unit at the first look-up in it.
 *
 *     spans ──address──▶ unit ──address──▶ piece ──▶ frame ──outer──▶ frame …
 */
struct binary;
struct arena;

enum producer { PRODUCER_OTHER, PRODUCER_CLANG, PRODUCER_FLANG, PRODUCER_GCC, PRODUCER_GFORTRAN };

#define FRAME_NONE UINT32_MAX

/* a function's code, or one inlined copy of it */
struct frame {
	Dwarf_Die die;
	uint32_t outer;     /* the frame it is inlined into */
	bool described;     /* the fields below are filled */
	bool outlined;      /* body of a construct, made by the compiler */
	const char *name;   /* for the user; "" unknown */
	const char *symbol; /* as DWARF has it, "" unknown */
	int decl_line;      /* 0 unknown */
	int call_line;      /* where it is inlined */
	const char *call_path;
};

/* addresses of a frame */
struct piece {
	uint64_t low, high;
	uint32_t frame;
	uint32_t inlined_first, inlined_end; /* functions: their part of unit->inlined */
};

/* What a function without a linkage name is in: namespace, class, module, function. */
struct scope {
	Dwarf_Die die;
	uint32_t outer;
};
struct scoped {
	Dwarf_Off function;
	uint32_t scope;
};

struct file_name {
	const char *path, *name;
};

struct unit {
	Dwarf_Die die, root; /* root: where the functions are; differs for split DWARF */
	enum producer producer;
	const char *folder; /* that file names are relative to; "" unknown */
	bool indexed;
	struct frame *frames;
	struct piece *functions, *inlined; /* by address; in tree order */
	size_t nr_frames, frames_room, nr_functions, functions_room, nr_inlined, inlined_room;
	struct scope *scopes;
	struct scoped *scoped; /* by offset of the function's DIE */
	size_t nr_scopes, scopes_room, nr_scoped, scoped_room;
	uint32_t scope; /* while indexing: the innermost one */
	Dwarf_Lines *rows;
	size_t nr_rows;
	struct file_name *files;
	size_t nr_files, files_room;
};

struct span {
	uint64_t low, high;
	uint32_t unit;
};

struct units {
	struct arena *names; /* for strings that go into answers */
	struct unit *units;
	struct span *spans; /* by address */
	size_t nr_units, units_room, nr_spans, spans_room;
};

/* Strings given out live in `names`. False: no debug information, or no memory. */
bool units_open(struct binary *binary, struct arena *names);

/* The unit around an address, indexed; NULL: none. */
struct unit *units_find(struct binary *binary, uint64_t address);

/* The function around an address; NULL: none. `inlined_out`: its innermost inlined frame there. */
const struct piece *unit_function(const struct unit *unit, uint64_t address, uint32_t *frame_out);

/* A frame with its name, lines and so on. */
const struct frame *unit_frame(struct binary *binary, struct unit *unit, uint32_t index);

/* The function declared last at or before a line, for constructs whose symbol hides it; "" none. */
const char *unit_function_at_line(struct binary *binary, struct unit *unit, int line);

/*
 * clang: line of the innermost construct at or before `line` whose body was outlined from function
 * `name`; 0 none.
 */
int unit_outlined_line(struct binary *binary, struct unit *unit, const char *name, int line);

/* A path as the unit has it, from the root on. False: too long. */
bool unit_full_path(const struct unit *unit, const char *path, char *out, size_t room);

/* The last component of a path, in the arena of answers. */
const char *unit_file_name(struct binary *binary, struct unit *unit, const char *path);

#endif
