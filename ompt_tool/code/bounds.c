/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Finds the .eh_frame record for a code address: by the module's search table, or one record after
 * the other where it has none; the symbol where there is no record.
 */
#define _GNU_SOURCE
#include "ompt_tool/code/bounds.h"

#include <link.h>

#include "analysis/base/spin.h"
#include "ompt_tool/code/debug_frame.h"
#include "ompt_tool/code/eh_frame.h"
#include "ompt_tool/code/symbols.h"

#define HEADER_VERSION 1
#define ANSWERS 256 /* cached results of symbol look-ups */

/* .eh_frame_hdr (LSB Core 5.0, 10.6.2). */
struct header {
	uintptr_t place;
	uintptr_t frames; /* .eh_frame */
	uint64_t nr;      /* rows of the table; 0: none */
	uint8_t encoding; /* of its two columns: function, FDE */
	struct eh_cursor table;
};

struct question {
	uintptr_t address;
	struct code_bounds *out;
	enum code_bounds_result result;
	struct dl_phdr_info module;
};

static const ElfW(Phdr) * header_segment(const struct dl_phdr_info *module)
{
	for (unsigned int i = 0; i < module->dlpi_phnum; i++)
		if (module->dlpi_phdr[i].p_type == PT_GNU_EH_FRAME)
			return &module->dlpi_phdr[i];
	return NULL;
}

static bool read_header(const struct dl_phdr_info *module, uintptr_t place, struct header *out)
{
	struct eh_cursor at = eh_cursor_at(module, place);
	uint8_t version = (uint8_t)bytes_fixed(&at.bytes, 1),
		frames_encoding = (uint8_t)bytes_fixed(&at.bytes, 1),
		nr_encoding = (uint8_t)bytes_fixed(&at.bytes, 1);

	*out = (struct header){ .place = place, .encoding = (uint8_t)bytes_fixed(&at.bytes, 1) };
	if (at.bytes.bad || version != HEADER_VERSION || frames_encoding == BYTES_OMITTED)
		return false;
	out->frames = eh_read_pointer(&at, frames_encoding, place);
	if (nr_encoding != BYTES_OMITTED && out->encoding != BYTES_OMITTED)
		out->nr = eh_read_pointer(&at, nr_encoding, place);
	out->table = at;
	return !at.bytes.bad;
}

/* Reads both columns of a row. */
static bool read_row(const struct header *header, uint64_t row, uintptr_t *function_out,
		     uintptr_t *fde_out)
{
	struct eh_cursor at = header->table;

	at.bytes.at += row * 2 * bytes_pointer_size(header->encoding);
	*function_out = eh_read_pointer(&at, header->encoding, header->place);
	*fde_out = eh_read_pointer(&at, header->encoding, header->place);
	return !at.bytes.bad;
}

static bool table_is_inside(const struct header *header)
{
	const struct bytes *table = &header->table.bytes;
	size_t row = 2 * bytes_pointer_size(header->encoding);

	return row && header->nr <= (uint64_t)(table->end - table->at) / row;
}

/* The last row at or below the address. */
static enum code_bounds_result search_table(const struct header *header, uintptr_t address,
					    struct eh_function *out)
{
	uint64_t low = 0, high = header->nr;
	uintptr_t function, fde;
	struct eh_record record;
	struct eh_cursor at;

	if (!table_is_inside(header))
		return CODE_BOUNDS_BROKEN;
	while (low < high) {
		uint64_t middle = low + (high - low) / 2;

		if (!read_row(header, middle, &function, &fde))
			return CODE_BOUNDS_BROKEN;
		if (function <= address)
			low = middle + 1;
		else
			high = middle;
	}
	if (!low)
		return CODE_BOUNDS_NONE;
	if (!read_row(header, low - 1, &function, &fde))
		return CODE_BOUNDS_BROKEN;
	at = eh_cursor_at(header->table.module, fde);
	if (!eh_read_record(&at, &record) || !eh_read_function(&record, out) ||
	    out->start != function)
		return CODE_BOUNDS_BROKEN;
	return address < out->end ? CODE_BOUNDS_FOUND : CODE_BOUNDS_NONE;
}

static enum code_bounds_result search_records(const struct header *header, uintptr_t address,
					      struct eh_function *out)
{
	struct eh_cursor at = eh_cursor_at(header->table.module, header->frames);
	struct eh_record record;

	while (eh_read_record(&at, &record)) {
		if (record.last)
			return CODE_BOUNDS_NONE;
		if (!record.cie_pointer)
			continue;
		if (!eh_read_function(&record, out))
			return CODE_BOUNDS_BROKEN;
		if (address >= out->start && address < out->end)
			return CODE_BOUNDS_FOUND;
	}
	return CODE_BOUNDS_BROKEN;
}

static bool is_plausible(const struct dl_phdr_info *module, const struct eh_function *function)
{
	return eh_is_loaded(module, function->start, function->end - function->start, PF_X) &&
	       (!function->lsda || eh_is_loaded(module, function->lsda, 1, PF_R));
}

enum code_bounds_result code_bounds_find_in(const struct dl_phdr_info *module, uintptr_t address,
					    struct code_bounds *out)
{
	const ElfW(Phdr) *segment = header_segment(module);
	struct eh_function function;
	enum code_bounds_result result;
	struct header header;

	if (!eh_is_loaded(module, address, 1, PF_X))
		return CODE_BOUNDS_NO_MODULE;
	if (!segment)
		return CODE_BOUNDS_NONE;
	if (!read_header(module, module->dlpi_addr + segment->p_vaddr, &header))
		return CODE_BOUNDS_BROKEN;
	result = header.nr ? search_table(&header, address, &function)
			   : search_records(&header, address, &function);
	if (result != CODE_BOUNDS_FOUND)
		return result;
	if (!is_plausible(module, &function))
		return CODE_BOUNDS_BROKEN;
	*out = (struct code_bounds){ .start = function.start,
				     .end = function.end,
				     .fde = function.fde,
				     .cie = function.cie,
				     .personality = function.personality,
				     .lsda = function.lsda,
				     .signal_frame = function.signal_frame };
	return CODE_BOUNDS_FOUND;
}

static int ask_module(struct dl_phdr_info *module, size_t bytes, void *context)
{
	struct question *question = context;

	(void)bytes;
	question->result = code_bounds_find_in(module, question->address, question->out);
	question->module = *module;
	return question->result != CODE_BOUNDS_NO_MODULE;
}

/* Cached result of a symbol look-up for [low, high); end 0: no reliable symbol. */
struct answer {
	uintptr_t low, high, start, end;
	struct debug_frame frame;
};

/*
 * The same functions are looked up at every phase boundary, and each look-up reads the file's
 * symbols.
 */
static struct {
	int lock;
	unsigned long long loads; /* modules loaded and unloaded so far */
	struct answer answers[ANSWERS];
	size_t nr, next;
} kept;

static unsigned long long loads_of(const struct dl_phdr_info *module)
{
	return module->dlpi_adds + module->dlpi_subs;
}

static bool look_up(const struct dl_phdr_info *module, uintptr_t address, struct answer *out)
{
	bool found = false;

	spin_lock(&kept.lock);
	for (size_t i = 0; kept.loads == loads_of(module) && i < kept.nr && !found; i++) {
		const struct answer *answer = &kept.answers[i];

		found = address >= answer->low && address < answer->high;
		if (found)
			*out = *answer;
	}
	spin_unlock(&kept.lock);
	return found;
}

static void keep(const struct dl_phdr_info *module, const struct answer *answer)
{
	spin_lock(&kept.lock);
	if (kept.loads != loads_of(module))
		kept.nr = kept.next = 0;
	kept.loads = loads_of(module);
	kept.answers[kept.next] = *answer;
	kept.nr += kept.nr < ANSWERS;
	kept.next = (kept.next + 1) % ANSWERS;
	spin_unlock(&kept.lock);
}

static struct answer ask_symbols(const struct dl_phdr_info *module, uintptr_t address)
{
	struct answer answer = { .low = address, .high = address + 1 };
	uintptr_t start, end;
	enum symbols_result result = symbols_function(module, address, &start, &end);

	if (result == SYMBOLS_FOUND && eh_is_loaded(module, start, end - start, PF_X))
		answer = (struct answer){ start, end, start, end, { 0 } };
	if (answer.end)
		debug_frame_find(module, start, end, &answer.frame);
	if (result != SYMBOLS_NOT_READ)
		keep(module, &answer);
	return answer;
}

static bool find_by_symbol(const struct dl_phdr_info *module, uintptr_t address,
			   struct code_bounds *out)
{
	struct answer answer;

	if (!look_up(module, address, &answer))
		answer = ask_symbols(module, address);
	*out = (struct code_bounds){ .start = answer.start,
				     .end = answer.end,
				     .fde = answer.frame.fde,
				     .cie = answer.frame.cie,
				     .debug_end = answer.frame.end };
	return answer.end;
}

enum code_bounds_result code_bounds_find(uintptr_t address, struct code_bounds *out)
{
	struct question question = { .address = address,
				     .out = out,
				     .result = CODE_BOUNDS_NO_MODULE };

	dl_iterate_phdr(ask_module, &question);
	if (question.result == CODE_BOUNDS_NONE && find_by_symbol(&question.module, address, out))
		return CODE_BOUNDS_FOUND;
	return question.result;
}

struct place {
	uintptr_t address, start, end;
};

static int is_in_module(struct dl_phdr_info *module, size_t bytes, void *context)
{
	struct place *place = context;

	(void)bytes;
	return eh_segment_around(module, place->address, PF_R, &place->start, &place->end);
}

bool code_segment_around(uintptr_t address, uintptr_t *start_out, uintptr_t *end_out)
{
	struct place place = { .address = address };

	if (!dl_iterate_phdr(is_in_module, &place))
		return false;
	*start_out = place.start;
	*end_out = place.end;
	return true;
}

const char *code_bounds_text(enum code_bounds_result result)
{
	switch (result) {
	case CODE_BOUNDS_FOUND: return "found";
	case CODE_BOUNDS_NO_MODULE: return "no loaded file has code there";
	case CODE_BOUNDS_NONE:
		return "neither unwind information nor a symbol says where it begins and ends";
	default: return "broken unwind information";
	}
}
