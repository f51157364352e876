/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Executes the call-frame instructions that define the CFA and the saved frame pointer; skips the
 * others.
 */
#include "ompt_tool/code/frame_rule.h"

#include "analysis/code/code.h"
#include "ompt_tool/code/cfi.h"

enum { DWARF_REGISTERS = 16 };

/* psABI x86-64 1.0, table 3.36: DWARF's numbers of the general registers. */
static const uint8_t registers[DWARF_REGISTERS] = { 0, 2, 1,  3,  6,  7,  5,  4,
						    8, 9, 10, 11, 12, 13, 14, 15 };

static uint8_t register_of(uint64_t number)
{
	return number < DWARF_REGISTERS ? registers[number] : CODE_NO_REGISTER;
}

static const struct frame_rule not_known = { .base = CODE_NO_REGISTER };

/* True: the instruction advances the location by *by_out. */
static bool moves(const struct frame_rules *rules, unsigned char code, struct bytes *in,
		  uint64_t *by_out)
{
	uint64_t units;

	if (code == CFA_SET_LOC) {
		*by_out = bytes_pointer(in, rules->cfi->pointer_encoding) - rules->cfi->start -
			  rules->location;
		return true;
	}
	if ((code & CFA_PACKED) == CFA_ADVANCE)
		units = code & ~CFA_PACKED;
	else if (code >= CFA_ADVANCE_1 && code <= CFA_ADVANCE_4)
		units = bytes_fixed(in, (size_t)1 << (code - CFA_ADVANCE_1));
	else
		return false;
	*by_out = units * rules->cfi->code_alignment;
	return true;
}

static void read_operands(const char *kinds, struct bytes *in, int64_t *values)
{
	for (unsigned int i = 0; kinds[i]; i++)
		if (kinds[i] == 'u')
			values[i] = (int64_t)bytes_uleb(in);
		else if (kinds[i] == 's')
			values[i] = bytes_sleb(in);
		else
			bytes_take(in, bytes_uleb(in));
}

static void save_pointer(struct frame_rules *rules, uint64_t reg, int64_t at)
{
	if (reg != CFI_FRAME_POINTER)
		return;
	rules->now.pointer_saved = true;
	rules->now.pointer_at = at;
}

static void restore_pointer(struct frame_rules *rules, uint64_t reg)
{
	if (reg != CFI_FRAME_POINTER)
		return;
	rules->now.pointer_saved = rules->initial.pointer_saved;
	rules->now.pointer_at = rules->initial.pointer_at;
}

static void remember(struct frame_rules *rules)
{
	rules->unknown |= rules->nr_remembered == FRAME_RULES_REMEMBERED;
	if (!rules->unknown)
		rules->remembered[rules->nr_remembered++] = rules->now;
}

static void restore_state(struct frame_rules *rules)
{
	rules->unknown |= !rules->nr_remembered;
	if (!rules->unknown)
		rules->now = rules->remembered[--rules->nr_remembered];
}

/* DW_CFA_offset_extended and the like: only those of the frame pointer matter. */
enum {
	OFFSET_EXTENDED = 0x05,
	RESTORE_EXTENDED = 0x06,
	UNDEFINED = 0x07,
	SAME_VALUE = 0x08,
	EXPRESSION = 0x10,
	OFFSET_EXTENDED_SF = 0x11,
	DEFINE_SF = 0x12,
	DEFINE_OFFSET_SF = 0x13,
};

static void execute(struct frame_rules *rules, unsigned char code, const int64_t *values)
{
	int64_t unit = rules->cfi->data_alignment;

	switch (code) {
	case CFA_DEFINE:
		rules->now.base = register_of((uint64_t)values[0]);
		rules->now.offset = values[1];
		break;
	case DEFINE_SF:
		rules->now.base = register_of((uint64_t)values[0]);
		rules->now.offset = values[1] * unit;
		break;
	case CFA_DEFINE_REGISTER: rules->now.base = register_of((uint64_t)values[0]); break;
	case CFA_DEFINE_OFFSET: rules->now.offset = values[0]; break;
	case DEFINE_OFFSET_SF: rules->now.offset = values[0] * unit; break;
	case CFA_DEFINE_EXPRESSION: rules->now.base = CODE_NO_REGISTER; break;
	case OFFSET_EXTENDED:
	case OFFSET_EXTENDED_SF: save_pointer(rules, (uint64_t)values[0], values[1] * unit); break;
	case EXPRESSION: /* with an aligned stack: at rbp + 0 */
		save_pointer(rules, (uint64_t)values[0], 0);
		break;
	case UNDEFINED: rules->now.outermost |= values[0] == CFI_RETURN_ADDRESS; break;
	case RESTORE_EXTENDED:
	case SAME_VALUE: restore_pointer(rules, (uint64_t)values[0]); break;
	case CFA_REMEMBER: remember(rules); break;
	case CFA_RESTORE_STATE: restore_state(rules); break;
	default: break;
	}
}

static void execute_next(struct frame_rules *rules, unsigned char code, struct bytes *in)
{
	const char *kinds = cfi_operands(code);
	int64_t values[2] = { 0 };

	rules->unknown |= !kinds;
	if (kinds)
		read_operands(kinds, in, values);
	rules->unknown |= in->bad;
	if (rules->unknown)
		return;
	if ((code & CFA_PACKED) == CFA_OFFSET)
		save_pointer(rules, code & ~CFA_PACKED, values[0] * rules->cfi->data_alignment);
	else if ((code & CFA_PACKED) == CFA_RESTORE)
		restore_pointer(rules, code & ~CFA_PACKED);
	else
		execute(rules, code, values);
}

/* Up to the last instruction that holds at `offset`. */
static void execute_to(struct frame_rules *rules, uint64_t offset)
{
	while (offset >= rules->until && rules->next < rules->end && !rules->unknown) {
		struct bytes in = { rules->next, rules->end, false };
		unsigned char code = (unsigned char)bytes_fixed(&in, 1);
		uint64_t by = 0;

		if (!moves(rules, code, &in, &by))
			execute_next(rules, code, &in);
		else if (rules->location + by > offset)
			rules->until = rules->location + by;
		if (offset < rules->until)
			return;
		rules->location += by;
		rules->unknown |= in.bad;
		rules->next = in.at;
	}
}

void frame_rules_begin(struct frame_rules *rules, const struct cfi *cfi)
{
	*rules = (struct frame_rules){
		.cfi = cfi, .next = cfi->initial.at, .end = cfi->initial.end, .now = not_known
	};
	execute_to(rules, 0);
	rules->initial = rules->now;
	rules->next = cfi->instructions.at;
	rules->end = cfi->instructions.end;
}

struct frame_rule frame_rules_at(struct frame_rules *rules, uint64_t offset)
{
	execute_to(rules, offset);
	return rules->unknown ? not_known : rules->now;
}
