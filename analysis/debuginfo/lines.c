/* SPDX-License-Identifier: Apache-2.0 */
/* Look-ups in the line table of a compilation unit. */
#include "analysis/debuginfo/lines.h"

#include "analysis/base/bisect.h"
#include "analysis/elf/binary.h"
#include "analysis/elf/function_names.h"

static bool row_at(const struct unit *unit, size_t index, struct row *row)
{
	Dwarf_Line *line = dwarf_onesrcline(unit->rows, index);
	Dwarf_Addr address;

	*row = (struct row){ .path = "" };
	if (!line || dwarf_lineaddr(line, &address) || dwarf_lineno(line, &row->line) ||
	    row->line < 0)
		return false;
	row->address = address;
	dwarf_linecol(line, &row->column);
	dwarf_linebeginstatement(line, &row->statement);
	dwarf_lineendsequence(line, &row->end);
	row->path = dwarf_linesrc(line, NULL, NULL);
	if (!row->path)
		row->path = "";
	return true;
}

static uint64_t row_address(const struct unit *unit, size_t index)
{
	Dwarf_Addr address;

	return dwarf_lineaddr(dwarf_onesrcline(unit->rows, index), &address) ? 0 : address;
}

/* Number of rows at or before an address. */
static size_t rows_until(const struct unit *unit, uint64_t address)
{
	return BISECT(i, unit->nr_rows, row_address(unit, i) <= address);
}

/*
 * The row an address belongs to; of one without a line, the nearest earlier one in the function
 * that has.
 */
static bool find_row(const struct unit *unit, uint64_t address, uint64_t function_low,
		     struct row *row, bool *near_out)
{
	size_t index = rows_until(unit, address);

	*near_out = false;
	while (index > 0) {
		if (!row_at(unit, --index, row) || row->end || row->address < function_low)
			return false;
		if (row->line > 0)
			return true;
		*near_out = true;
	}
	return false;
}

static void collect_frames(struct binary *binary, struct place *place, uint32_t frame,
			   const struct row *row)
{
	const char *path = row->path;
	int line = row->line;

	while (frame != FRAME_NONE && place->nr_frames < PLACE_FRAMES_MAX) {
		const struct frame *described = unit_frame(binary, place->unit, frame);

		place->frames[place->nr_frames++] = (struct place_frame){ described, path, line };
		path = described->call_path;
		line = described->call_line;
		frame = described->outer;
	}
}

/* Where only the line table knows the address, the symbol table has to name the function. */
static bool bare_function(struct binary *binary, struct place *place, uint64_t address,
			  struct piece *function)
{
	const struct symbol *symbol = binary_symbol(binary, address);
	bool fortran = place->unit->producer == PRODUCER_GFORTRAN ||
		       place->unit->producer == PRODUCER_FLANG;
	const char *name = symbol ? name_user(binary->units->names, symbol->name, fortran) : NULL;

	if (!name)
		return false;
	place->bare = (struct frame){ .outer = FRAME_NONE,
				      .described = true,
				      .call_path = "",
				      .name = name,
				      .outlined = name_is_outlined(symbol->name),
				      .symbol = symbol->name };
	*function = (struct piece){ .low = symbol->low, .high = symbol->high };
	return true;
}

bool lines_place(struct binary *binary, uint64_t address, struct place *place_out)
{
	struct unit *unit = units_find(binary, address);
	const struct piece *known;
	struct piece function;
	struct row row = { .path = "" };
	uint32_t frame;

	*place_out = (struct place){ .unit = unit };
	if (!unit)
		return false;
	known = unit_function(unit, address, &frame);
	if (known)
		function = *known;
	else if (!bare_function(binary, place_out, address, &function))
		return false;
	place_out->function_low = function.low;
	place_out->function_high = function.high;
	if (find_row(unit, address, function.low, &row, &place_out->near)) {
		place_out->row = row.address;
		place_out->column = row.column;
	} else {
		row = (struct row){ .path = "" };
	}
	if (known)
		collect_frames(binary, place_out, frame, &row);
	else
		place_out->frames[place_out->nr_frames++] = (struct place_frame){ &place_out->bare,
										  row.path,
										  row.line };
	return true;
}

void lines_visit(struct unit *unit, uint64_t low, uint64_t high,
		 bool (*visit)(void *context, const struct row *row), void *context)
{
	for (size_t i = low ? rows_until(unit, low - 1) : 0; i < unit->nr_rows; i++) {
		struct row row;

		if (!row_at(unit, i, &row) || row.address >= high)
			return;
		if (!row.end && !visit(context, &row))
			return;
	}
}
