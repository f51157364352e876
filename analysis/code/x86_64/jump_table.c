/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Jump tables of gcc and clang:
 *
 *     cmp $N, %edi                 the bound of the index, or of a copy of it in a register or
 *                                  stack slot; also by and, movzx
 *     ja  default
 *     lea table(%rip), %rdx
 *     movslq (%rdx,%rdi,4), %rax   4-byte entries are distances from the table
 *     add %rdx, %rax
 *     jmp *%rax                    or, with addresses:  jmp *table(,%rdi,8)
 *
 * Searched backwards: every register is traced to the one instruction that sets it on all paths to
 * the jump. An address is represented as root * scale + constant; the root is a value that is not
 * traced further.
 */
#include "analysis/code/x86_64/zydis.h"

#ifdef CODE_X86_64

#include "analysis/code/jump_table.h"

/* set by no instruction of the function: an argument */
#define NO_SETTER GRAPH_NONE
#define DEPTH_MAX 64 /* registers followed for one value */
/* blocks followed backwards on the only way to a place */
#define WAY_MAX 16
#define SAVED_BY_CALLEE (1u << RBX | 1u << RSP | 1u << RBP | 0xf000u)

struct root {
	enum {
		ROOT_NONE,
		/*
		 * the value that instruction `at` left in it; NO_SETTER: set by the function's
		 * caller
		 */
		ROOT_REGISTER,
		/* its value at the begin of block `at`, where several paths meet */
		ROOT_MIXED,
		/* the value in memory after instruction `at`, the last one that may change it */
		ROOT_MEMORY,
	} kind;
	unsigned int reg; /* MEMORY: its address, with the next six */
	uint32_t at, set_at;
	unsigned int index, scale;
	uint32_t index_set_at;
	int64_t displacement;
	unsigned int bits;
};

struct value {
	struct root root;
	int64_t scale, constant;
	/* upper bound of the root itself; UINT64_MAX: unknown */
	uint64_t limit;
};

struct search {
	const struct graph *graph;
	struct table_scratch *scratch;
	unsigned int depth;
};

static bool decode_at(const struct search *search, uint32_t nr, struct machine_instruction *out)
{
	const struct code *code = search->graph->code;
	const struct code_instruction *at = &code->instructions[nr];

	return zydis_decode(code->bytes + at->offset, at->length, code->start + at->offset, out);
}

static bool sets(const struct code_instruction *at, unsigned int reg)
{
	bool call = at->kind == CODE_CALL || at->kind == CODE_CALL_INDIRECT;

	return (at->writes >> reg & 1) || (call && !(SAVED_BY_CALLEE >> reg & 1));
}

/* The last instruction of [first, before) that sets the register; NO_SETTER: none does. */
static uint32_t set_in(const struct search *search, uint32_t first, uint32_t before,
		       unsigned int reg)
{
	while (before > first)
		if (sets(&search->graph->code->instructions[--before], reg))
			return before;
	return NO_SETTER;
}

struct setters {
	uint32_t one;
	bool any, several;
};

static void add_setter(struct setters *setters, uint32_t by)
{
	setters->several = setters->several || (setters->any && setters->one != by);
	setters->any = true;
	setters->one = by;
}

/*
 * Pushes the predecessors of a block that were not visited. The function's callers are predecessors
 * of its entry.
 */
static void add_ways(const struct search *search, uint32_t nr, struct setters *setters,
		     uint32_t *depth)
{
	const struct graph_block *block = &search->graph->blocks[nr];
	struct table_scratch *scratch = search->scratch;

	if (nr == 0 || block->landing_pad)
		add_setter(setters, NO_SETTER);
	for (uint32_t i = 0; i < block->nr_predecessors; i++) {
		uint32_t from = search->graph->sources[block->first_predecessor + i];

		if (scratch->seen[from] == scratch->search)
			continue;
		scratch->seen[from] = scratch->search;
		scratch->stack[(*depth)++] = from;
	}
}

/* The block's only predecessor. */
static uint32_t only_predecessor(const struct search *search, uint32_t nr)
{
	const struct graph_block *block = &search->graph->blocks[nr];

	return nr && block->nr_predecessors == 1 && !block->landing_pad
		       ? search->graph->sources[block->first_predecessor]
		       : GRAPH_NONE;
}

/*
 * Collects the instructions that set the register on the paths to a block where paths meet, or to
 * the function's begin.
 */
static void find_setters(const struct search *search, uint32_t nr, unsigned int reg,
			 struct setters *out)
{
	uint32_t depth = 0;

	search->scratch->search++;
	add_ways(search, nr, out, &depth);
	while (depth && !out->several) {
		const struct graph_block *block;
		uint32_t by;

		nr = search->scratch->stack[--depth];
		block = &search->graph->blocks[nr];
		by = set_in(search, block->first, block->first + block->nr, reg);
		if (by != NO_SETTER)
			add_setter(out, by);
		else
			add_ways(search, nr, out, &depth);
	}
}

/*
 * The root of a register before an instruction: the instruction that set it on the only path or on
 * all paths; otherwise the mixture at the block where the paths meet.
 */
static struct root root_of(const struct search *search, uint32_t before, unsigned int reg)
{
	const struct graph_block *blocks = search->graph->blocks;
	uint32_t nr = graph_block_of(search->graph, before), from;
	uint32_t by = set_in(search, blocks[nr].first, before, reg);
	struct setters setters = { 0 };

	for (unsigned int step = 0; by == NO_SETTER && step < WAY_MAX; step++) {
		from = only_predecessor(search, nr);
		if (from == GRAPH_NONE)
			break;
		nr = from;
		by = set_in(search, blocks[nr].first, blocks[nr].first + blocks[nr].nr, reg);
	}
	if (by != NO_SETTER)
		return (struct root){ .kind = ROOT_REGISTER, .reg = reg, .at = by };
	find_setters(search, nr, reg, &setters);
	if (setters.any && !setters.several)
		return (struct root){ .kind = ROOT_REGISTER, .reg = reg, .at = setters.one };
	return (struct root){ .kind = ROOT_MIXED, .reg = reg, .at = nr };
}

/* The one instruction that set the register on every path to `before`. */
static bool find_setter(const struct search *search, uint32_t before, unsigned int reg,
			uint32_t *by_out)
{
	struct root root = root_of(search, before, reg);

	*by_out = root.at;
	return root.kind == ROOT_REGISTER && root.at != NO_SETTER;
}

static struct value constant(int64_t number)
{
	return (struct value){ .constant = number, .limit = UINT64_MAX };
}

static struct value rooted(struct root root)
{
	return (struct value){ .root = root, .scale = 1, .limit = UINT64_MAX };
}

static bool is_plain_root(const struct value *value)
{
	return value->root.kind != ROOT_NONE && value->scale == 1 && !value->constant;
}

static bool same_root(const struct root *a, const struct root *b)
{
	return a->kind == b->kind && a->kind != ROOT_NONE && a->reg == b->reg && a->at == b->at &&
	       a->set_at == b->set_at && a->index == b->index && a->scale == b->scale &&
	       a->index_set_at == b->index_set_at && a->displacement == b->displacement &&
	       a->bits == b->bits;
}

static bool add_values(struct value *sum, const struct value *other, int64_t times)
{
	if (sum->root.kind != ROOT_NONE && other->root.kind != ROOT_NONE)
		return false;
	if (other->root.kind != ROOT_NONE) {
		sum->root = other->root;
		sum->limit = other->limit;
		sum->scale = other->scale * times;
	}
	sum->constant = (int64_t)((uint64_t)sum->constant +
				  (uint64_t)other->constant * (uint64_t)times);
	return true;
}

static bool value_of_register(struct search *search, uint32_t before, ZydisRegister reg,
			      struct value *out);

/* base + index * scale + displacement. */
static bool address_of(struct search *search, const struct machine_instruction *in, uint32_t nr,
		       const ZydisDecodedOperand *operand, struct value *out)
{
	struct value part;

	*out = constant(operand->mem.disp.value);
	if (in->is.address_width != 64 || operand->mem.segment == ZYDIS_REGISTER_FS ||
	    operand->mem.segment == ZYDIS_REGISTER_GS)
		return false;
	if (operand->mem.base == ZYDIS_REGISTER_RIP)
		out->constant += (int64_t)(in->address + in->is.length);
	else if (operand->mem.base != ZYDIS_REGISTER_NONE &&
		 (!value_of_register(search, nr, operand->mem.base, &part) ||
		  !add_values(out, &part, 1)))
		return false;
	return operand->mem.index == ZYDIS_REGISTER_NONE ||
	       (value_of_register(search, nr, operand->mem.index, &part) &&
		add_values(out, &part, operand->mem.scale));
}

static bool is_place(const ZydisDecodedOperand *operand)
{
	return operand->type == ZYDIS_OPERAND_TYPE_MEMORY &&
	       operand->mem.type == ZYDIS_MEMOP_TYPE_MEM &&
	       operand->mem.segment != ZYDIS_REGISTER_FS &&
	       operand->mem.segment != ZYDIS_REGISTER_GS;
}

static bool writes_memory(const struct code *code, const struct code_instruction *at)
{
	for (unsigned int i = 0; i < at->nr_accesses; i++)
		if (code->accesses[at->first_access + i].write)
			return true;
	return false;
}

/*
 * The last instruction before `nr` that may change memory, on the only way here; if there is none,
 * the first one of that way.
 */
static uint32_t last_change(const struct search *search, uint32_t nr)
{
	const struct code *code = search->graph->code;
	uint32_t block = graph_block_of(search->graph, nr), from;

	for (unsigned int step = 0; step < WAY_MAX; step++) {
		while (nr > search->graph->blocks[block].first) {
			nr--;
			if (writes_memory(code, &code->instructions[nr]))
				return nr;
		}
		from = only_predecessor(search, block);
		if (from == GRAPH_NONE)
			break;
		block = from;
		nr = search->graph->blocks[block].first + search->graph->blocks[block].nr;
	}
	return nr;
}

static struct root memory_root(const struct search *search, uint32_t nr,
			       const ZydisDecodedOperand *place, uint32_t changed)
{
	unsigned int base = zydis_general_register(place->mem.base),
		     index = zydis_general_register(place->mem.index);

	return (struct root){
		.kind = ROOT_MEMORY,
		.at = changed,
		.displacement = place->mem.disp.value,
		.scale = place->mem.scale,
		.reg = base,
		.set_at = base == CODE_NO_REGISTER ? 0 : root_of(search, nr, base).at,
		.bits = place->size,
		.index = index,
		.index_set_at = index == CODE_NO_REGISTER ? 0 : root_of(search, nr, index).at,
	};
}

/* Whether an instruction stored a register at that address. */
static bool is_stored(const struct search *search, uint32_t by,
		      const struct machine_instruction *in, const ZydisDecodedOperand *place,
		      const struct root *memory)
{
	struct root stored;

	if (in->is.mnemonic != ZYDIS_MNEMONIC_MOV || !is_place(&in->operands[0]) ||
	    in->operands[0].size < place->size ||
	    in->operands[1].type != ZYDIS_OPERAND_TYPE_REGISTER)
		return false;
	stored = memory_root(search, by, &in->operands[0], memory->at);
	stored.bits = memory->bits;
	return same_root(&stored, memory);
}

/* The value of memory: the value stored last, or else a root of its own. */
static bool value_of_place(struct search *search, uint32_t nr, const ZydisDecodedOperand *place,
			   struct value *out)
{
	uint32_t by = last_change(search, nr);
	struct root memory = memory_root(search, nr, place, by);
	struct machine_instruction in;

	if (!decode_at(search, by, &in))
		return false;
	if (is_stored(search, by, &in, place, &memory))
		return value_of_register(search, by, in.operands[1].reg.value, out);
	*out = rooted(memory);
	return true;
}

/* A register, a number or memory before instruction `nr`. */
static bool value_of(struct search *search, uint32_t nr, const ZydisDecodedOperand *operand,
		     struct value *out)
{
	if (operand->type == ZYDIS_OPERAND_TYPE_REGISTER)
		return value_of_register(search, nr, operand->reg.value, out);
	if (operand->type == ZYDIS_OPERAND_TYPE_IMMEDIATE)
		*out = constant(operand->imm.value.s);
	return operand->type == ZYDIS_OPERAND_TYPE_IMMEDIATE ||
	       (is_place(operand) && value_of_place(search, nr, operand, out));
}

/*
 * Copies of a value to another width: for small non-negative numbers, such as indices, they are
 * equal.
 */
static bool value_of_copy(struct search *search, uint32_t nr, const ZydisDecodedOperand *from,
			  struct value *out)
{
	struct value value;

	if (!value_of(search, nr, from, &value) ||
	    (value.root.kind != ROOT_NONE && !is_plain_root(&value)))
		return false;
	*out = value;
	return true;
}

/* The value that an instruction sets, as a sum; false: the instruction is a root itself. */
static bool value_set_by(struct search *search, const struct machine_instruction *in, uint32_t nr,
			 unsigned int reg, struct value *out)
{
	const ZydisDecodedOperand *to = &in->operands[0], *from = &in->operands[1];
	bool whole = in->is.operand_width == 64;
	struct value part;

	if (to->type != ZYDIS_OPERAND_TYPE_REGISTER || zydis_general_register(to->reg.value) != reg)
		return false;
	switch (in->is.mnemonic) {
	case ZYDIS_MNEMONIC_LEA:
		return (whole || from->mem.base == ZYDIS_REGISTER_RIP) &&
		       address_of(search, in, nr, from, out);
	case ZYDIS_MNEMONIC_MOV:
	case ZYDIS_MNEMONIC_MOVSXD:
	case ZYDIS_MNEMONIC_MOVZX:
	case ZYDIS_MNEMONIC_MOVSX:
		if (!value_of_copy(search, nr, from, out))
			return false;
		if (in->is.mnemonic == ZYDIS_MNEMONIC_MOVZX && from->size == 8 &&
		    out->limit > UINT8_MAX)
			out->limit = UINT8_MAX;
		return to->size >= 32;
	case ZYDIS_MNEMONIC_CDQE:
		return value_of_register(search, nr, ZYDIS_REGISTER_EAX, out) && is_plain_root(out);
	case ZYDIS_MNEMONIC_ADD:
	case ZYDIS_MNEMONIC_SUB:
		return whole && value_of(search, nr, to, out) &&
		       value_of(search, nr, from, &part) &&
		       (in->is.mnemonic == ZYDIS_MNEMONIC_ADD || part.root.kind == ROOT_NONE) &&
		       add_values(out, &part, in->is.mnemonic == ZYDIS_MNEMONIC_ADD ? 1 : -1);
	default: return false;
	}
}

/* A mask of ones is a bound. */
static uint64_t limit_set_by(const struct machine_instruction *in)
{
	uint64_t mask;

	if (in->is.mnemonic != ZYDIS_MNEMONIC_AND ||
	    in->operands[1].type != ZYDIS_OPERAND_TYPE_IMMEDIATE)
		return UINT64_MAX;
	mask = in->operands[1].imm.value.u;
	return mask & (mask + 1) ? UINT64_MAX : mask;
}

static bool value_of_register(struct search *search, uint32_t before, ZydisRegister reg,
			      struct value *out)
{
	unsigned int number = zydis_general_register(reg);
	struct machine_instruction in;
	struct value value;
	struct root root;

	if (number == CODE_NO_REGISTER || search->depth++ >= DEPTH_MAX)
		return false;
	root = root_of(search, before, number);
	*out = rooted(root);
	if (root.kind != ROOT_REGISTER || root.at == NO_SETTER)
		return true;
	if (!decode_at(search, root.at, &in))
		return false;
	if (value_set_by(search, &in, root.at, number, &value))
		*out = value;
	else
		out->limit = limit_set_by(&in);
	return true;
}

struct load {
	struct value address;
	uint8_t bytes;
	bool is_signed;
};

/* The load whose result, possibly widened, is in a register before `before`. */
static bool load_of(struct search *search, uint32_t before, ZydisRegister reg, struct load *out)
{
	unsigned int number = zydis_general_register(reg);
	struct machine_instruction in;
	bool widened = false;
	uint32_t by;

	for (int step = 0; step < 4; step++) {
		if (number == CODE_NO_REGISTER || !find_setter(search, before, number, &by) ||
		    !decode_at(search, by, &in))
			return false;
		if (in.is.mnemonic == ZYDIS_MNEMONIC_CDQE) {
			widened = true;
		} else if (in.is.mnemonic != ZYDIS_MNEMONIC_MOV &&
			   in.is.mnemonic != ZYDIS_MNEMONIC_MOVSXD) {
			return false;
		} else if (in.operands[1].type == ZYDIS_OPERAND_TYPE_MEMORY) {
			out->bytes = (uint8_t)(in.operands[1].size / 8);
			out->is_signed = widened || in.is.mnemonic == ZYDIS_MNEMONIC_MOVSXD;
			return (out->bytes == 4 || out->bytes == 8) &&
			       address_of(search, &in, by, &in.operands[1], &out->address);
		} else if (in.operands[1].type == ZYDIS_OPERAND_TYPE_REGISTER) {
			widened = widened || in.is.mnemonic == ZYDIS_MNEMONIC_MOVSXD;
			number = zydis_general_register(in.operands[1].reg.value);
		} else {
			return false;
		}
		reg = ZYDIS_REGISTER_NONE;
		before = by;
	}
	return false;
}

/* One of the two registers was loaded from the table, the other is the base of its entries. */
static bool relative_target(struct search *search, uint32_t nr, ZydisRegister a, ZydisRegister b,
			    struct load *load, uintptr_t *base_out)
{
	struct value base;

	for (int turn = 0; turn < 2; turn++) {
		ZydisRegister loaded = turn ? b : a, other = turn ? a : b;

		if (load_of(search, nr, loaded, load) && load->bytes == 4 &&
		    value_of_register(search, nr, other, &base) && base.root.kind == ROOT_NONE) {
			*base_out = (uintptr_t)base.constant;
			return true;
		}
	}
	return false;
}

static bool target_in_register(struct search *search, uint32_t nr, ZydisRegister reg,
			       struct load *load, uintptr_t *base_out)
{
	unsigned int number = zydis_general_register(reg);
	struct machine_instruction in;
	uint32_t by;

	if (number == CODE_NO_REGISTER || !find_setter(search, nr, number, &by) ||
	    !decode_at(search, by, &in))
		return false;
	if (in.is.mnemonic == ZYDIS_MNEMONIC_ADD &&
	    in.operands[1].type == ZYDIS_OPERAND_TYPE_REGISTER)
		return relative_target(search, by, in.operands[0].reg.value,
				       in.operands[1].reg.value, load, base_out);
	if (in.is.mnemonic == ZYDIS_MNEMONIC_LEA && in.operands[1].mem.scale == 1 &&
	    !in.operands[1].mem.disp.value)
		return relative_target(search, by, in.operands[1].mem.base,
				       in.operands[1].mem.index, load, base_out);
	*base_out = 0;
	return load_of(search, nr, reg, load) && load->bytes == 8;
}

static bool find_load(struct search *search, uint32_t nr, struct load *load, uintptr_t *base_out)
{
	struct machine_instruction in;

	if (!decode_at(search, nr, &in))
		return false;
	if (in.operands[0].type == ZYDIS_OPERAND_TYPE_REGISTER)
		return target_in_register(search, nr, in.operands[0].reg.value, load, base_out);
	*base_out = 0;
	load->bytes = 8;
	return in.operands[0].type == ZYDIS_OPERAND_TYPE_MEMORY &&
	       address_of(search, &in, nr, &in.operands[0], &load->address);
}

/*
 * Whether the branch leads to `block` if the comparison resulted in "at most" (0) or "below" (1);
 * -1: neither.
 */
static int excluded_by(const struct search *search, uint32_t branch, uint32_t block)
{
	const struct code *code = search->graph->code;
	const struct code_instruction *at = &code->instructions[branch];
	uint32_t first = search->graph->blocks[block].first;
	bool taken = at->target == code->start + code->instructions[first].offset;
	struct machine_instruction in;

	if (at->kind != CODE_BRANCH || taken == (first == branch + 1) ||
	    !decode_at(search, branch, &in))
		return -1;
	if (in.is.mnemonic == (taken ? ZYDIS_MNEMONIC_JBE : ZYDIS_MNEMONIC_JNBE))
		return 0;
	return in.is.mnemonic == (taken ? ZYDIS_MNEMONIC_JB : ZYDIS_MNEMONIC_JNB) ? 1 : -1;
}

static uint32_t flags_setter(const struct search *search, uint32_t branch)
{
	const struct code *code = search->graph->code;
	uint32_t first = search->graph->blocks[graph_block_of(search->graph, branch)].first;

	while (branch > first)
		if (code->instructions[--branch].flags_written)
			return branch;
	return NO_SETTER;
}

/* The compared value and the number, if the value has the given root. */
static bool is_compared(struct search *search, uint32_t nr, const struct root *root,
			struct value *compared, uint64_t *number_out)
{
	struct machine_instruction in;

	if (nr == NO_SETTER || !decode_at(search, nr, &in))
		return false;
	if ((in.is.mnemonic != ZYDIS_MNEMONIC_CMP && in.is.mnemonic != ZYDIS_MNEMONIC_SUB) ||
	    in.operands[1].type != ZYDIS_OPERAND_TYPE_IMMEDIATE)
		return false;
	*number_out = in.operands[1].imm.value.u;
	search->depth = 0;
	return value_of(search, nr, &in.operands[0], compared) && compared->scale == 1 &&
	       same_root(&compared->root, root);
}

/* The upper bound that an instruction gives a register. */
static bool bounds_by_itself(const struct machine_instruction *in, unsigned int reg,
			     uint64_t *limit_out)
{
	const ZydisDecodedOperand *to = &in->operands[0], *from = &in->operands[1];

	if (to->type != ZYDIS_OPERAND_TYPE_REGISTER ||
	    zydis_general_register(to->reg.value) != reg || to->size < 32)
		return false;
	*limit_out = limit_set_by(in);
	if (in->is.mnemonic == ZYDIS_MNEMONIC_MOV && from->type == ZYDIS_OPERAND_TYPE_IMMEDIATE)
		*limit_out = from->imm.value.u;
	else if (in->is.mnemonic == ZYDIS_MNEMONIC_MOVZX && from->size == 8)
		*limit_out = UINT8_MAX;
	else if (in->is.mnemonic == ZYDIS_MNEMONIC_XOR &&
		 from->type == ZYDIS_OPERAND_TYPE_REGISTER && from->reg.value == to->reg.value)
		*limit_out = 0;
	return *limit_out != UINT64_MAX;
}

/* Whether a block's last comparison bounds the register on the way to another block. */
static bool bounds_on_way(const struct search *search, uint32_t from, uint32_t to, unsigned int reg,
			  uint64_t *limit_out)
{
	const struct graph_block *block = &search->graph->blocks[from];
	uint32_t branch = block->first + block->nr - 1, compare = flags_setter(search, branch);
	int excluded = excluded_by(search, branch, to);
	struct machine_instruction in;

	if (excluded < 0 || compare == NO_SETTER || !decode_at(search, compare, &in) ||
	    in.is.mnemonic != ZYDIS_MNEMONIC_CMP ||
	    in.operands[0].type != ZYDIS_OPERAND_TYPE_REGISTER ||
	    zydis_general_register(in.operands[0].reg.value) != reg ||
	    in.operands[1].type != ZYDIS_OPERAND_TYPE_IMMEDIATE ||
	    set_in(search, compare, branch, reg) != NO_SETTER)
		return false;
	*limit_out = in.operands[1].imm.value.u - (uint64_t)excluded;
	return in.operands[1].imm.value.u >= (uint64_t)excluded;
}

/*
 * One step backwards: a bound on this edge, or else the search continues through the block
 * (`go_on_out`).
 */
static bool limit_from(const struct search *search, uint32_t from, uint32_t to, unsigned int reg,
		       uint64_t *limit_out, bool *go_on_out)
{
	const struct graph_block *block = &search->graph->blocks[from];
	uint32_t by = set_in(search, block->first, block->first + block->nr, reg);
	struct machine_instruction in;

	*go_on_out = false;
	if (bounds_on_way(search, from, to, reg, limit_out))
		return true;
	*go_on_out = by == NO_SETTER;
	*limit_out = 0;
	return by == NO_SETTER ||
	       (decode_at(search, by, &in) && bounds_by_itself(&in, reg, limit_out));
}

/*
 * The largest bound of a register at the begin of a block, if there is one on every path: unrolled
 * loops, duplicated comparisons.
 */
static uint64_t limit_on_all_ways(const struct search *search, uint32_t nr, unsigned int reg)
{
	struct table_scratch *scratch = search->scratch;
	uint64_t largest = 0, limit;
	uint32_t depth = 0;
	bool go_on;

	scratch->search++;
	scratch->stack[depth++] = nr;
	scratch->seen[nr] = scratch->search;
	while (depth) {
		uint32_t to = scratch->stack[--depth];
		const struct graph_block *block = &search->graph->blocks[to];

		if (to == 0 || block->landing_pad || !block->nr_predecessors)
			return UINT64_MAX;
		for (uint32_t i = 0; i < block->nr_predecessors; i++) {
			uint32_t from = search->graph->sources[block->first_predecessor + i];

			if (!limit_from(search, from, to, reg, &limit, &go_on))
				return UINT64_MAX;
			largest = limit > largest ? limit : largest;
			if (!go_on || scratch->seen[from] == scratch->search)
				continue;
			scratch->seen[from] = scratch->search;
			scratch->stack[depth++] = from;
		}
	}
	return largest;
}

/* The first value of the root and the number of values, as bounded by a branch on the only path. */
static bool bound_on_way(struct search *search, uint32_t block, const struct root *root,
			 int64_t *first_out, uint64_t *nr_out)
{
	struct value compared;
	uint64_t number;

	for (unsigned int step = 0; step < WAY_MAX; step++) {
		uint32_t from = only_predecessor(search, block), branch;
		int excluded;

		if (from == GRAPH_NONE)
			return false;
		branch = search->graph->blocks[from].first + search->graph->blocks[from].nr - 1;
		excluded = excluded_by(search, branch, block);
		if (excluded >= 0 &&
		    is_compared(search, flags_setter(search, branch), root, &compared, &number)) {
			*first_out = -compared.constant;
			*nr_out = number + 1 - (uint64_t)excluded;
			return true;
		}
		block = from;
	}
	return false;
}

static bool find_bound(struct search *search, uint32_t block, const struct value *address,
		       int64_t *first_out, uint64_t *nr_out)
{
	uint64_t limit = address->limit;

	if (bound_on_way(search, block, &address->root, first_out, nr_out))
		return true;
	if (address->root.kind == ROOT_MIXED && limit == UINT64_MAX)
		limit = limit_on_all_ways(search, address->root.at, address->root.reg);
	*first_out = 0;
	*nr_out = limit + 1;
	return limit != UINT64_MAX;
}

bool table_find(const struct graph *graph, uint32_t block, struct table_scratch *scratch,
		struct jump_table *out)
{
	struct search search = { .graph = graph, .scratch = scratch };
	uint32_t jump = graph->blocks[block].first + graph->blocks[block].nr - 1;
	uintptr_t base = 0;
	struct load load = { .bytes = 0 };
	int64_t first = 0;
	uint64_t nr = 0;

	/* If the index was multiplied before (scale 1), its bound is not searched for. */
	if (!find_load(&search, jump, &load, &base) ||
	    (load.address.scale != load.bytes && load.address.scale != 1))
		return false;
	if (load.address.scale != 1 && find_bound(&search, block, &load.address, &first, &nr) &&
	    (!nr || nr > UINT32_MAX))
		return false;
	out->address = (uintptr_t)(load.address.constant + first * load.bytes);
	out->nr = (uint32_t)nr;
	out->entry_bytes = load.bytes;
	out->is_signed = load.is_signed;
	out->base = base;
	return true;
}

#endif
