/* SPDX-License-Identifier: Apache-2.0 */
/* From memory operands to words in the buffer. */
#ifdef __x86_64__
#include "ompt_tool/clones/x86_64/capture.h"

enum { RED_ZONE = 128 };

static uint16_t bit(uint8_t reg)
{
	return reg < 16 ? (uint16_t)(1u << reg) : 0;
}

static bool is_simple(const struct code_access *access)
{
	bool kind = access->kind == CODE_ACCESS_PLAIN || access->kind == CODE_ACCESS_STACK ||
		    access->kind == CODE_ACCESS_UNKNOWN;

	return kind && !access->segment && !access->address_32;
}

bool capture_is_constant(const struct code_access *access)
{
	return is_simple(access) && access->index == CODE_NO_REGISTER &&
	       access->base == CODE_NO_REGISTER;
}

static uint16_t relative_word(const struct window *window, uint32_t word)
{
	return (uint16_t)(word - window->header);
}

static uint16_t use_raw(const struct window *window, struct pending *pending, uint8_t reg,
			uint8_t scale)
{
	pending->site.displacement += window->raw_shift[reg] * scale;
	return relative_word(window, window->raw[reg]);
}

static void use_sum(const struct window *window, struct pending *pending, const struct sum *sum)
{
	pending->site.base_word = relative_word(window, sum->word);
	pending->site.displacement = pending->access.displacement - sum->displacement;
}

static size_t kept_sums(const struct window *window)
{
	return window->nr_sums < WINDOW_SUMS ? window->nr_sums : WINDOW_SUMS;
}

static const struct sum *find_sum(const struct window *window, const struct code_access *access)
{
	for (size_t i = 0; i < kept_sums(window); i++) {
		const struct sum *sum = &window->sums[i];

		if (sum->word && sum->base == access->base && sum->index == access->index &&
		    sum->scale == access->scale && sum->segment == access->segment &&
		    !sum->address_32 && !access->address_32)
			return sum;
	}
	return NULL;
}

static bool raw_is_there(const struct window *window, uint8_t reg)
{
	return reg == CODE_NO_REGISTER || window->raw[reg];
}

static void use_raws(const struct window *window, struct pending *pending)
{
	const struct code_access *access = &pending->access;

	if (access->base != CODE_NO_REGISTER)
		pending->site.base_word = use_raw(window, pending, access->base, 1);
	if (access->index != CODE_NO_REGISTER)
		pending->site.index_word = use_raw(window, pending, access->index, access->scale);
	pending->captured = true;
}

static bool share(const struct window *window, struct pending *pending)
{
	const struct code_access *access = &pending->access;
	const struct sum *sum;

	if (!is_simple(access))
		return false;
	if (raw_is_there(window, access->base) && raw_is_there(window, access->index)) {
		use_raws(window, pending);
		return true;
	}
	sum = find_sum(window, access);
	if (sum) {
		use_sum(window, pending, sum);
		pending->captured = true;
	}
	return sum != NULL;
}

/*
 * The first access of the instruction, or else of a later one. Must be called in the order of
 * instructions.
 */
static uint32_t first_of(struct window *window, uint32_t instruction)
{
	while (window->passed < window->nr_accesses &&
	       window->accesses[window->passed].instruction < instruction)
		window->passed++;
	return window->passed;
}

static bool is_of(const struct window *window, uint32_t access, uint32_t instruction)
{
	return access < window->nr_accesses && window->accesses[access].instruction == instruction;
}

bool capture_shared(struct emission *e, uint32_t instruction)
{
	bool all = true;

	for (uint32_t i = first_of(&e->window, instruction); is_of(&e->window, i, instruction); i++)
		all &= e->window.accesses[i].captured || share(&e->window, &e->window.accesses[i]);
	return all;
}

static uint16_t address_registers(const struct code_access *access)
{
	uint16_t registers = bit(access->base) | bit(access->index);

	return access->kind == CODE_ACCESS_REPEATED ? registers | 1 << RCX : registers;
}

/* Registers that instructions [first, end) change, which invalidates words. */
static uint16_t changed_between(const struct code *code, uint32_t first, uint32_t end)
{
	uint16_t changed = 0;

	for (uint32_t i = first; i < end; i++)
		changed |= code->instructions[i].step ? 0 : code->instructions[i].writes;
	return changed;
}

/* Whether a word of one of the access's registers would serve a later access of the window, too. */
static bool serves_later(const struct emission *e, uint32_t access)
{
	const struct window *window = &e->window;
	uint16_t registers = bit(window->accesses[access].access.base) |
			     bit(window->accesses[access].access.index);

	for (uint32_t i = access + 1; registers && i < window->nr_accesses; i++) {
		registers &= (uint16_t)~changed_between(e->request->code,
							window->accesses[i - 1].instruction,
							window->accesses[i].instruction);
		if (registers & address_registers(&window->accesses[i].access))
			return true;
	}
	return false;
}

/*
 * One word instead of two, without which a stretch of one access would take three with its header.
 */
static bool wants_sum(const struct emission *e, uint32_t access)
{
	const struct code_access *a = &e->window.accesses[access].access;

	return a->base != CODE_NO_REGISTER && a->index != CODE_NO_REGISTER &&
	       !e->window.raw[a->base] && !e->window.raw[a->index] && !serves_later(e, access);
}

bool capture_needs_scratch(struct emission *e, uint32_t instruction)
{
	for (uint32_t i = first_of(&e->window, instruction); is_of(&e->window, i, instruction);
	     i++) {
		const struct pending *pending = &e->window.accesses[i];
		const struct code_access *access = &pending->access;

		if (!pending->captured && (access->segment || access->address_32 ||
					   access->kind == CODE_ACCESS_REPEATED || wants_sum(e, i)))
			return true;
	}
	return false;
}

/* Later accesses whose registers are still unchanged at their instruction can be served now. */
static bool can_be_ahead(const struct pending *pending, uint16_t written)
{
	return !pending->captured && is_simple(&pending->access) &&
	       !(address_registers(&pending->access) & written);
}

static uint16_t written_between(const struct code *code, uint32_t first, uint32_t end)
{
	uint16_t written = 0;

	for (uint32_t i = first; i < end; i++)
		written |= code->instructions[i].writes;
	return written;
}

uint16_t capture_avoid(struct emission *e, uint32_t instruction)
{
	struct window *window = &e->window;
	uint16_t own = 0, all = 0, written = 0;
	uint32_t at = instruction;

	for (uint32_t i = first_of(window, instruction); i < window->nr_accesses; i++) {
		const struct pending *pending = &window->accesses[i];

		written |= written_between(e->request->code, at, pending->instruction);
		at = pending->instruction;
		if (pending->instruction == instruction)
			own |= address_registers(&pending->access);
		else if (can_be_ahead(pending, written))
			all |= address_registers(&pending->access);
	}
	/* Two registers must remain to be pushed. */
	return __builtin_popcount((uint16_t)~(own | all | 1 << RSP)) >= 2 ? own | all : own;
}

static uint16_t next_words(struct window *window, uint32_t nr)
{
	uint32_t first = window->words;

	window->words += nr;
	return (uint16_t)first;
}

static void store_raw(struct emission *e, const struct scope *scope, uint8_t reg)
{
	struct window *window = &e->window;
	struct operand at;

	if (reg == CODE_NO_REGISTER || window->raw[reg])
		return;
	window->raw[reg] = next_words(window, 1);
	window->raw_shift[reg] = reg == RSP ? scope->shift : 0;
	at = window_word(scope, window->raw[reg]);
	encode_store(&e->out, &at, reg);
}

static void store_scratch(struct emission *e, const struct scope *scope, uint16_t word)
{
	struct operand at = window_word(scope, word);

	encode_store(&e->out, &at, scope->scratch);
}

/* scratch = segment's base + base + index * scale */
static void add_segment(struct emission *e, const struct scope *scope,
			const struct code_access *access)
{
	struct operand sum = operand_at(scope->scratch, 0), stack = operand_at(RSP, scope->shift);

	if (access->segment == 'f')
		encode_read_fs_base(&e->out, scope->scratch);
	else
		encode_read_gs_base(&e->out, scope->scratch);
	if (access->base == RSP) {
		stack.index = scope->scratch;
		encode_lea(&e->out, scope->scratch, &stack);
	} else if (access->base != CODE_NO_REGISTER) {
		sum.index = access->base;
		encode_lea(&e->out, scope->scratch, &sum);
	}
	if (access->index != CODE_NO_REGISTER) {
		sum.index = access->index;
		sum.scale = access->scale;
		encode_lea(&e->out, scope->scratch, &sum);
	}
}

static void add_registers(struct emission *e, const struct scope *scope,
			  const struct code_access *access, int64_t displacement)
{
	struct operand sum = { access->base,       access->index, access->scale, 0,
			       access->address_32, displacement };

	if (access->base == RSP)
		sum.displacement += scope->shift;
	encode_lea(&e->out, scope->scratch, &sum);
}

/*
 * Sums with 32-bit addresses include the displacement, because they are truncated after adding it.
 */
static void store_sum(struct emission *e, const struct scope *scope, struct pending *pending)
{
	const struct code_access *access = &pending->access;
	struct window *window = &e->window;
	struct sum *sum = &window->sums[window->nr_sums++ % WINDOW_SUMS];

	*sum = (struct sum){ access->base,
			     access->index,
			     access->scale,
			     access->segment,
			     access->address_32,
			     next_words(window, 1),
			     access->address_32 ? access->displacement : 0 };
	if (access->segment && access->address_32)
		emission_refuse(e, "32-bit address in a segment", pending->site.address);
	if (access->segment)
		add_segment(e, scope, access);
	else
		add_registers(e, scope, access, sum->displacement);
	store_scratch(e, scope, sum->word);
	use_sum(window, pending, sum);
}

static void store_address(struct emission *e, const struct scope *scope, struct pending *pending)
{
	const struct code_access *access = &pending->access;
	const struct window *window = &e->window;
	bool both = access->base != CODE_NO_REGISTER && access->index != CODE_NO_REGISTER;
	bool sum = both && !window->raw[access->base] && !window->raw[access->index] &&
		   scope->scratch != CODE_NO_REGISTER;

	if (access->segment || access->address_32 || sum) {
		store_sum(e, scope, pending);
		return;
	}
	store_raw(e, scope, access->base);
	store_raw(e, scope, access->index);
	use_raws(window, pending);
}

static void lower_stack(struct emission *e, int64_t by)
{
	struct operand to = operand_at(RSP, -by);

	encode_lea(&e->out, RSP, &to);
}

static void read_flags(struct emission *e, const struct scope *scope)
{
	if (!scope->shift)
		lower_stack(e, RED_ZONE);
	ENCODE(&e->out, "\x9c"); /* pushfq */
	encode_pop(&e->out, scope->scratch);
	if (!scope->shift)
		lower_stack(e, -RED_ZONE);
}

/*
 * cmps and scas, which may end before the count is 0. A string instruction's opcode is its last
 * byte.
 */
static bool may_end_early(const struct code *code, uint32_t instruction)
{
	const struct code_instruction *in = &code->instructions[instruction];
	uint8_t opcode = code->bytes[in->offset + in->length - 1];

	return (opcode & 0xfe) == 0xa6 || (opcode & 0xfe) == 0xae;
}

static void store_repeated(struct emission *e, const struct scope *scope, struct pending *pending)
{
	struct window *window = &e->window;
	uint16_t word = next_words(window, 2);
	struct operand count = window_word(scope, word);

	encode_store(&e->out, &count, RCX);
	read_flags(e, scope);
	store_scratch(e, scope, word + 1);
	pending->site.count_word = relative_word(window, word);
	if (may_end_early(e->request->code, pending->instruction)) {
		pending->site.left_word = relative_word(window, next_words(window, 1));
		pending->left_to_come = true;
	}
	store_address(e, scope, pending);
}

/* A vector of masks has as many bytes as the data; an opmask is one word. */
static void store_mask(struct emission *e, const struct scope *scope, struct pending *pending)
{
	const struct code_access *access = &pending->access;
	unsigned int bytes = access->lanes * access->size > 16 ? 32 : 16;
	uint16_t word = next_words(&e->window, access->vector_mask ? bytes / 8 : 1);
	struct operand at = window_word(scope, word);

	pending->site.mask_word = relative_word(&e->window, word);
	if (access->vector_mask)
		encode_store_vector(&e->out, &at, access->mask, bytes);
	else
		encode_store_mask(&e->out, &at, access->mask, __builtin_cpu_supports("avx512bw"));
}

static void store_index_vector(struct emission *e, const struct scope *scope,
			       struct pending *pending)
{
	const struct code_access *access = &pending->access;
	uint16_t word = next_words(&e->window, access->vector_bytes / 8);
	struct operand at = window_word(scope, word);

	pending->site.index_word = relative_word(&e->window, word);
	encode_store_vector(&e->out, &at, access->index_vector, access->vector_bytes);
}

static void capture(struct emission *e, const struct scope *scope, struct pending *pending)
{
	switch (pending->access.kind) {
	case CODE_ACCESS_REPEATED: store_repeated(e, scope, pending); break;
	case CODE_ACCESS_LANES:
		store_address(e, scope, pending);
		store_index_vector(e, scope, pending);
		store_mask(e, scope, pending);
		break;
	case CODE_ACCESS_MASKED:
	case CODE_ACCESS_PACKED:
		store_address(e, scope, pending);
		store_mask(e, scope, pending);
		break;
	default:
		if (!share(&e->window, pending))
			store_address(e, scope, pending);
		break;
	}
	pending->captured = true;
}

static uint16_t changed_by(const struct scope *scope)
{
	return bit(scope->cursor) | bit(scope->scratch);
}

/* Only where a register was pushed; otherwise each word costs the same at any time. */
static void capture_ahead(struct emission *e, const struct scope *scope, uint32_t instruction)
{
	struct window *window = &e->window;
	uint16_t written = changed_by(scope);
	uint32_t at = instruction;

	for (uint32_t i = first_of(window, instruction); i < window->nr_accesses; i++) {
		struct pending *pending = &window->accesses[i];

		if (pending->instruction == instruction)
			continue;
		written |= written_between(e->request->code, at, pending->instruction);
		at = pending->instruction;
		if (can_be_ahead(pending, written)) {
			store_raw(e, scope, pending->access.base);
			store_raw(e, scope, pending->access.index);
			use_raws(window, pending);
		}
	}
}

void capture_instruction(struct emission *e, const struct scope *scope, uint32_t instruction)
{
	for (uint32_t i = first_of(&e->window, instruction); is_of(&e->window, i, instruction); i++)
		if (!e->window.accesses[i].captured)
			capture(e, scope, &e->window.accesses[i]);
	if (scope->nr_pushed)
		capture_ahead(e, scope, instruction);
}

void capture_step(struct window *window, uint8_t reg, int32_t step)
{
	window->raw_shift[reg] += step;
	for (size_t i = 0; i < kept_sums(window); i++) {
		struct sum *sum = &window->sums[i];

		if (sum->base == reg)
			sum->displacement -= step;
		if (sum->index == reg)
			sum->displacement -= (int64_t)step * sum->scale;
	}
}

void capture_forget(struct window *window, uint16_t registers)
{
	for (uint16_t left = registers; left; left &= (uint16_t)(left - 1))
		window->raw[__builtin_ctz(left)] = 0;
	for (size_t i = 0; i < kept_sums(window); i++)
		if (registers & (bit(window->sums[i].base) | bit(window->sums[i].index)))
			window->sums[i].word = 0;
}
#endif
