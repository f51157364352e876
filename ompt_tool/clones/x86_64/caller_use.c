/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Looks for operands in the word below the canonical frame address (CFA), where the return address
 * is, and in the word with the caller's frame pointer:
 *
 *     CFA - 16  caller's rbp, in functions with a frame pointer        rbp ─▶ here
 *     CFA - 8   return address
 *     CFA       arguments on the stack
 */
#include "ompt_tool/clones/caller_use.h"

#ifdef __x86_64__
#include <string.h>

#include "analysis/code/code.h"
#include "ompt_tool/clones/cfi_copy.h"
#include "ompt_tool/code/frame_rule.h"
#include "ompt_tool/clones/x86_64/encode.h"

#define BIT(reg) (1u << (reg))

enum { WORD = 8, RETURN_ADDRESS = -8, FRAME_POINTER = -16 };

/* Register contents as distances from the CFA; except rsp's, dropped at the end of each block. */
struct frame {
	struct frame_rule rule; /* at the instruction */
	/* entered by a jump: control does not continue from the previous instruction */
	bool entered;
	uint16_t known;
	int64_t distance[16];
};

static bool knows(const struct frame *frame, uint8_t reg)
{
	return reg < 16 && frame->known & BIT(reg);
}

static void set(struct frame *frame, unsigned int reg, int64_t distance)
{
	frame->known |= (uint16_t)BIT(reg);
	frame->distance[reg] = distance;
}

/*
 * Assembler code may not describe its pushes and pops in the call-frame information: while the rule
 * does not change, they are interpreted.
 */
static void apply_rule(struct frame *frame, const struct frame_rule *rule)
{
	bool same = rule->base == frame->rule.base && rule->offset == frame->rule.offset &&
		    !frame->entered;

	frame->rule = *rule;
	if (rule->base == RBP || (rule->base == RSP && !(same && knows(frame, RSP))))
		set(frame, rule->base, -rule->offset);
	if (rule->base != RSP)
		frame->known &= (uint16_t)~BIT(RSP);
}

/* Change of rsp by a push or pop; a call leaves it unchanged. */
static int64_t change_of_stack(const struct code *code, const struct code_instruction *in)
{
	int64_t change = 0;

	for (uint32_t a = 0; a < in->nr_accesses && in->kind == CODE_PLAIN; a++) {
		const struct code_access *access = &code->accesses[in->first_access + a];

		if (access->kind == CODE_ACCESS_STACK && access->base == RSP)
			change += access->write ? -(int64_t)access->size : (int64_t)access->size;
	}
	return change;
}

static bool overlaps(int64_t at, uint32_t bytes, int64_t word)
{
	return at < word + WORD && at + bytes > word;
}

/* gcc copies the return address below an aligned stack pointer, for debuggers: push -8(%r10). */
static bool is_copy_for_debuggers(const struct code *code, const struct code_instruction *in,
				  const struct code_access *access)
{
	bool pushes = false;

	for (uint32_t a = 0; a < in->nr_accesses && in->kind == CODE_PLAIN; a++) {
		const struct code_access *other = &code->accesses[in->first_access + a];

		pushes |= other->kind == CODE_ACCESS_STACK && other->write;
	}
	return pushes && access->kind == CODE_ACCESS_PLAIN && access->base != RSP &&
	       access->base != RBP;
}

static bool reads_pointer(const struct code_instruction *in, const struct code_access *access)
{
	return access->read && access->kind != CODE_ACCESS_STACK && !(in->writes & BIT(RBP));
}

/* Use by an access at a known distance from the CFA. */
static enum caller_use use_of_frame(const struct frame *frame, const struct code_instruction *in,
				    const struct code_access *access)
{
	int64_t at = frame->distance[access->base] + access->displacement;
	bool has_pointer = frame->rule.base == RBP && frame->rule.pointer_saved;

	if (overlaps(at, access->size, RETURN_ADDRESS))
		return CALLER_USE_OWN;
	return has_pointer && overlaps(at, access->size, frame->rule.pointer_at) &&
			       reads_pointer(in, access)
		       ? CALLER_USE_FRAMES
		       : CALLER_USE_NONE;
}

/*
 * rbp + 0 and rbp + 8 where rbp is the frame pointer of a function with an aligned stack: copies of
 * both words lie there.
 */
static enum caller_use use_of_aligned(const struct code_instruction *in,
				      const struct code_access *access)
{
	if (overlaps(access->displacement, access->size, WORD))
		return CALLER_USE_OWN;
	return overlaps(access->displacement, access->size, 0) && reads_pointer(in, access)
		       ? CALLER_USE_FRAMES
		       : CALLER_USE_NONE;
}

/* The same two words of the caller's frame, whose frame pointer is in rbp. */
static enum caller_use use_of_callers(const struct code_access *access)
{
	return overlaps(access->displacement, access->size, 0) ||
			       overlaps(access->displacement, access->size, WORD)
		       ? CALLER_USE_FRAMES
		       : CALLER_USE_NONE;
}

static enum caller_use use_by_access(const struct frame *frame, const struct code_instruction *in,
				     const struct code_access *access)
{
	if (access->segment || access->index != CODE_NO_REGISTER)
		return CALLER_USE_NONE;
	if (knows(frame, access->base))
		return use_of_frame(frame, in, access);
	if (access->base != RBP || access->kind == CODE_ACCESS_STACK)
		return CALLER_USE_NONE;
	if (frame->rule.base == CODE_NO_REGISTER)
		return frame->rule.pointer_saved ? use_of_aligned(in, access) : CALLER_USE_NONE;
	return frame->rule.base == RSP && !frame->rule.pointer_saved ? use_of_callers(access)
								     : CALLER_USE_NONE;
}

static enum caller_use use_by_accesses(const struct frame *frame, const struct code *code,
				       const struct code_instruction *in)
{
	enum caller_use use = CALLER_USE_NONE;

	if (in->kind == CODE_RETURN || frame->rule.outermost)
		return use;
	for (uint32_t a = 0; a < in->nr_accesses; a++) {
		const struct code_access *access = &code->accesses[in->first_access + a];
		enum caller_use more = use_by_access(frame, in, access);

		if (more > use && !is_copy_for_debuggers(code, in, access))
			use = more;
	}
	return use;
}

/*
 * lea or mov into a register other than rsp, which is restored from such addresses at a function's
 * end.
 */
static bool copies_address(const struct code_instruction *in)
{
	return in->sum.scale && in->sum.index == CODE_NO_REGISTER && !(in->writes & BIT(RSP));
}

static bool is_frame_pointer(const struct frame_rule *rule)
{
	return rule->base == RBP && rule->offset == -FRAME_POINTER && rule->pointer_saved &&
	       rule->pointer_at == FRAME_POINTER;
}

/*
 * The address of the return address, by lea; or the frame pointer as a value, which a walk along
 * frames begins with (__builtin_frame_address).
 */
static enum caller_use use_by_address(const struct frame *frame, const struct code_instruction *in)
{
	if (in->values & BIT(RBP) && !(in->writes & BIT(RSP)) && is_frame_pointer(&frame->rule))
		return CALLER_USE_FRAMES;
	return copies_address(in) && in->sum.displacement && knows(frame, in->sum.base) &&
			       frame->distance[in->sum.base] + in->sum.displacement ==
				       RETURN_ADDRESS
		       ? CALLER_USE_OWN
		       : CALLER_USE_NONE;
}

static void pass(struct frame *frame, const struct code *code, const struct code_instruction *in)
{
	bool copied = copies_address(in) && knows(frame, in->sum.base),
	     stack_known = knows(frame, RSP);
	int64_t distance = copied ? frame->distance[in->sum.base] + in->sum.displacement : 0,
		change = stack_known ? change_of_stack(code, in) : 0;

	frame->entered = in->kind == CODE_JUMP || in->kind == CODE_JUMP_INDIRECT ||
			 in->kind == CODE_RETURN || in->kind == CODE_STOP;
	if (code_ends_block(in)) {
		frame->known &= BIT(RSP);
	} else if (in->step) {
		frame->distance[__builtin_ctz(in->writes)] += in->step;
	} else {
		frame->known &= (uint16_t)~in->writes;
		if (copied)
			set(frame, (unsigned int)__builtin_ctz(in->writes), distance);
		if (change)
			set(frame, RSP, frame->distance[RSP] + change);
	}
}

/*
 * Before calls of functions without split stack gold rewrites the begin of functions with one: stc;
 * jb to a call of __morestack, which returns after the ret that follows the call.
 */
static bool has_split_stack(const struct code *code)
{
	static const unsigned char endbr64[] = { 0xf3, 0x0f, 0x1e, 0xfa };
	size_t bytes = code->end - code->start,
	       begin = bytes > sizeof(endbr64) && !memcmp(code->bytes, endbr64, sizeof(endbr64))
			       ? sizeof(endbr64)
			       : 0;

	return bytes > begin && code->bytes[begin] == 0xf9;
}

/*
 * mov %rax,(%rsp); ret: gcc's thunks for jumps through registers. The target sees the return
 * address above.
 */
static bool returns_elsewhere(const struct code *code, size_t at)
{
	const struct code_instruction *in = &code->instructions[at];

	if (in->kind != CODE_PLAIN || at + 1 >= code->nr_instructions ||
	    code->instructions[at + 1].kind != CODE_RETURN)
		return false;
	for (uint32_t a = 0; a < in->nr_accesses; a++) {
		const struct code_access *access = &code->accesses[in->first_access + a];

		if (access->write && access->kind == CODE_ACCESS_PLAIN && access->base == RSP &&
		    access->index == CODE_NO_REGISTER && !access->displacement)
			return true;
	}
	return false;
}

/*
 * Without call-frame information rsp is tracked from the function's begin, and along forward jumps;
 * where it is unknown, any use of it counts.
 */
enum { FORWARD = 64 };
struct forward {
	struct {
		uintptr_t target;
		int64_t distance;
	} jumps[FORWARD];
	size_t nr;
};

static void keep_jump(struct forward *forward, const struct frame *frame, const struct code *code,
		      const struct code_instruction *in)
{
	bool inside = in->target > code->start + in->offset && in->target < code->end;

	if ((in->kind == CODE_JUMP || in->kind == CODE_BRANCH) && inside && knows(frame, RSP) &&
	    forward->nr < FORWARD) {
		forward->jumps[forward->nr].target = in->target;
		forward->jumps[forward->nr++].distance = frame->distance[RSP];
	}
}

static void arrive(const struct forward *forward, struct frame *frame, uintptr_t address)
{
	if (!frame->entered)
		return;
	frame->known &= (uint16_t)~BIT(RSP);
	for (size_t i = 0; i < forward->nr; i++)
		if (forward->jumps[i].target == address)
			set(frame, RSP, forward->jumps[i].distance);
}

/* rbp may be a frame pointer, or the caller's. */
static enum caller_use use_of_rbp(const struct code *code, const struct code_instruction *in)
{
	enum caller_use use = in->values & BIT(RBP) && !in->nr_accesses && !(in->writes & BIT(RSP))
				      ? CALLER_USE_FRAMES
				      : CALLER_USE_NONE;

	for (uint32_t a = 0; a < in->nr_accesses; a++) {
		const struct code_access *access = &code->accesses[in->first_access + a];

		if (access->base == RBP && access->kind != CODE_ACCESS_STACK &&
		    access->index == CODE_NO_REGISTER)
			use = caller_use_greater(use, use_of_callers(access));
	}
	return use;
}

static enum caller_use use_without_cfi(const struct code *code)
{
	struct frame frame = { .rule = { .base = RSP, .offset = WORD, .pointer_saved = true } };
	enum caller_use use = CALLER_USE_NONE;
	struct forward forward = { .nr = 0 };

	set(&frame, RSP, RETURN_ADDRESS);
	for (size_t i = 0; i < code->nr_instructions; i++) {
		const struct code_instruction *in = &code->instructions[i];

		arrive(&forward, &frame, code->start + in->offset);
		use = caller_use_greater(use, caller_use_greater(use_by_accesses(&frame, code, in),
								 use_by_address(&frame, in)));
		use = caller_use_greater(use, use_of_rbp(code, in));
		if (in->kind == CODE_PLAIN && in->reads & BIT(RSP) && !knows(&frame, RSP))
			use = caller_use_greater(use, CALLER_USE_OWN);
		keep_jump(&forward, &frame, code, in);
		pass(&frame, code, in);
	}
	return use;
}

/*
 * Reads the word that the last call left below rsp: its return address, which code with speculative
 * load hardening (-mspeculative-load-hardening) compares with where it is. Functions that call
 * others use nothing else there, as callees overwrite it.
 */
static bool reads_called(const struct code *code, const struct code_instruction *in)
{
	for (uint32_t a = 0; a < in->nr_accesses; a++) {
		const struct code_access *access = &code->accesses[in->first_access + a];

		if (access->read && access->kind == CODE_ACCESS_PLAIN && access->base == RSP &&
		    access->index == CODE_NO_REGISTER &&
		    overlaps(access->displacement, access->size, -WORD))
			return true;
	}
	return false;
}

/* Until something else is written below rsp, or control may come from another place than the call. */
static bool has_called(bool called, const struct code *code, const struct code_instruction *in)
{
	if (in->kind == CODE_CALL || in->kind == CODE_CALL_INDIRECT)
		return true;
	for (uint32_t a = 0; a < in->nr_accesses; a++) {
		const struct code_access *access = &code->accesses[in->first_access + a];

		if (access->write && access->base == RSP &&
		    (access->kind == CODE_ACCESS_STACK || access->displacement < 0))
			return false;
	}
	return called && !(in->writes & BIT(RSP)) &&
	       (in->kind == CODE_PLAIN || in->kind == CODE_BRANCH);
}

/*
 * False: neither reads nor writes rsp, rbp or a register that holds a stack address, so that the
 * frame rule is not needed.
 */
static bool is_of_frame(const struct frame *frame, const struct code_instruction *in)
{
	return in->kind != CODE_PLAIN ||
	       (in->reads | in->writes) & (frame->known | BIT(RSP) | BIT(RBP));
}

enum caller_use caller_use_find(const struct code *code, const struct cfi *cfi)
{
	enum caller_use use = has_split_stack(code) ? CALLER_USE_OWN : CALLER_USE_NONE;
	struct frame frame = { .entered = true };
	struct frame_rules rules;
	bool called = false;

	if (!cfi)
		return caller_use_greater(use, use_without_cfi(code));
	frame_rules_begin(&rules, cfi);
	for (size_t i = 0; i < code->nr_instructions; i++) {
		const struct code_instruction *in = &code->instructions[i];
		struct frame_rule rule;

		if (!is_of_frame(&frame, in))
			continue;
		rule = frame_rules_at(&rules, in->offset);
		apply_rule(&frame, &rule);
		if (returns_elsewhere(code, i))
			use = caller_use_greater(use, CALLER_USE_OWN);
		if (called && reads_called(code, in))
			use = caller_use_greater(use, CALLER_USE_OWN);
		called = has_called(called, code, in);
		use = caller_use_greater(use, caller_use_greater(use_by_accesses(&frame, code, in),
								 use_by_address(&frame, in)));
		pass(&frame, code, in);
	}
	return use;
}

#else

enum caller_use caller_use_find(const struct code *code, const struct cfi *cfi)
{
	(void)code, (void)cfi;
	return CALLER_USE_NONE;
}
#endif
