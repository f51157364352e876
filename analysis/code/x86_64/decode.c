/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Effects of an x86-64 instruction on control flow, general registers and flags. Intel SDM, vol. 2.
 */
#include "analysis/code/x86_64/zydis.h"

#ifdef CODE_X86_64

#include <string.h>

#define BIT(reg) (1u << (reg))

/*
 * By functions, as Zydis 4.0 and 4.1 differ in the type of the modes. MPX is not decoded: Linux
 * since 5.6 does not enable it, so its instructions are no-operations.
 */
static void set_up(ZydisDecoder *decoder)
{
	ZydisDecoderInit(decoder, ZYDIS_MACHINE_MODE_LONG_64, ZYDIS_STACK_WIDTH_64);
	for (int mode = 0; mode <= ZYDIS_DECODER_MODE_MAX_VALUE; mode++)
		ZydisDecoderEnableMode(decoder, (ZydisDecoderMode)mode,
				       mode == ZYDIS_DECODER_MODE_CET ||
					       mode == ZYDIS_DECODER_MODE_LZCNT ||
					       mode == ZYDIS_DECODER_MODE_TZCNT);
}

/*
 * Set up at the first use, not by a constructor: then libraries of the program may stand in for
 * Zydis's functions. `own` is for threads that come while another one sets it up.
 */
static const ZydisDecoder *decoder_of(ZydisDecoder *own)
{
	enum { UNSET, IN_WORK, SET };
	static ZydisDecoder shared;
	static int state = UNSET;
	int expected = UNSET;

	if (__atomic_load_n(&state, __ATOMIC_ACQUIRE) == SET)
		return &shared;
	set_up(own);
	if (__atomic_compare_exchange_n(&state, &expected, IN_WORK, false, __ATOMIC_RELAXED,
					__ATOMIC_RELAXED)) {
		shared = *own;
		__atomic_store_n(&state, SET, __ATOMIC_RELEASE);
	}
	return own;
}

bool zydis_decode(const unsigned char *bytes, size_t room, uintptr_t address,
		  struct machine_instruction *out)
{
	ZydisDecoderContext context;
	ZydisDecoder own;
	const ZydisDecoder *decoder = decoder_of(&own);

	out->address = address;
	return ZYAN_SUCCESS(
		       ZydisDecoderDecodeInstruction(decoder, &context, bytes, room, &out->is)) &&
	       ZYAN_SUCCESS(ZydisDecoderDecodeOperands(decoder, &context, &out->is, out->operands,
						       out->is.operand_count));
}

/* Called for every register of every instruction. Zydis's numbers of these are the lowest. */
unsigned int zydis_general_register(ZydisRegister reg)
{
	enum { NONE = CODE_NO_REGISTER };
	static const uint8_t numbers[] = {
		[ZYDIS_REGISTER_NONE] = NONE,
		[ZYDIS_REGISTER_AL] = 0,
		1,
		2,
		3,
		[ZYDIS_REGISTER_AH] = 0,
		1,
		2,
		3,
		[ZYDIS_REGISTER_SPL] = 4,
		5,
		6,
		7,
		8,
		9,
		10,
		11,
		12,
		13,
		14,
		15,
		[ZYDIS_REGISTER_AX] = 0,
		1,
		2,
		3,
		4,
		5,
		6,
		7,
		8,
		9,
		10,
		11,
		12,
		13,
		14,
		15,
		[ZYDIS_REGISTER_EAX] = 0,
		1,
		2,
		3,
		4,
		5,
		6,
		7,
		8,
		9,
		10,
		11,
		12,
		13,
		14,
		15,
		[ZYDIS_REGISTER_RAX] = 0,
		1,
		2,
		3,
		4,
		5,
		6,
		7,
		8,
		9,
		10,
		11,
		12,
		13,
		14,
		15,
	};

	_Static_assert(sizeof(numbers) == ZYDIS_REGISTER_R15 + 1 &&
			       ZYDIS_REGISTER_R15 == 5 * 12 + 8,
		       "no number is left out");
	return (unsigned int)reg < sizeof(numbers) ? numbers[reg] : CODE_NO_REGISTER;
}

/*
 * The result does not depend on the register's old value, although it is an operand that is read.
 */
static bool is_zeroing(const struct machine_instruction *in)
{
	ZydisMnemonic mnemonic = in->is.mnemonic;

	return (mnemonic == ZYDIS_MNEMONIC_XOR || mnemonic == ZYDIS_MNEMONIC_SUB ||
		mnemonic == ZYDIS_MNEMONIC_SBB) &&
	       in->is.operand_width >= 32 && in->operands[0].type == ZYDIS_OPERAND_TYPE_REGISTER &&
	       in->operands[1].type == ZYDIS_OPERAND_TYPE_REGISTER &&
	       in->operands[0].reg.value == in->operands[1].reg.value;
}

/*
 * May leave the result register unchanged: bit scans of 0 on every existing CPU, rdssp without a
 * shadow stack.
 */
static bool may_leave_result(ZydisMnemonic mnemonic)
{
	return mnemonic == ZYDIS_MNEMONIC_BSF || mnemonic == ZYDIS_MNEMONIC_BSR ||
	       mnemonic == ZYDIS_MNEMONIC_RDSSPD || mnemonic == ZYDIS_MNEMONIC_RDSSPQ;
}

static void add_register(const struct machine_instruction *in, const ZydisDecodedOperand *operand,
			 struct code_instruction *out)
{
	unsigned int reg = zydis_general_register(operand->reg.value);
	bool keeps_bits = operand->size < 32 ||
			  (operand->actions & ZYDIS_OPERAND_ACTION_CONDWRITE) ||
			  may_leave_result(in->is.mnemonic);

	if (reg == CODE_NO_REGISTER)
		return;
	if (zydis_writes(operand))
		out->writes |= BIT(reg);
	if (zydis_reads(operand) || (zydis_writes(operand) && keeps_bits))
		out->reads |= BIT(reg);
	if (zydis_reads(operand) && operand->visibility != ZYDIS_OPERAND_VISIBILITY_HIDDEN)
		out->values |= BIT(reg);
}

static unsigned int address_registers(const ZydisDecodedOperand *operand)
{
	unsigned int base = zydis_general_register(operand->mem.base),
		     index = zydis_general_register(operand->mem.index);

	return (base == CODE_NO_REGISTER ? 0 : BIT(base)) |
	       (index == CODE_NO_REGISTER ? 0 : BIT(index));
}

/* Zydis names the pointers and the count of string instructions for some of them only. */
static void add_string_registers(const struct machine_instruction *in,
				 const ZydisDecodedOperand *operand, struct code_instruction *out)
{
	if (in->is.meta.category != ZYDIS_CATEGORY_STRINGOP &&
	    in->is.meta.category != ZYDIS_CATEGORY_IOSTRINGOP)
		return;
	out->writes |= (uint16_t)address_registers(operand);
	if (!(in->is.attributes &
	      (ZYDIS_ATTRIB_HAS_REP | ZYDIS_ATTRIB_HAS_REPE | ZYDIS_ATTRIB_HAS_REPNE)))
		return;
	out->writes |= BIT(RCX);
	out->reads |= BIT(RCX) | (in->is.mnemonic >= ZYDIS_MNEMONIC_LODSB &&
						  in->is.mnemonic <= ZYDIS_MNEMONIC_LODSW
					  ? BIT(RAX)
					  : 0);
}

/*
 * Registers that the kernel reads and writes (psABI, A.2.1); it preserves the flags. int 0x80 is
 * the 32-bit interface; older kernels clear r8 to r11 there.
 */
static bool add_own_address(const struct machine_instruction *in, struct code_instruction *out)
{
	if (in->is.mnemonic == ZYDIS_MNEMONIC_SYSCALL) {
		out->reads = BIT(RAX) | BIT(RDI) | BIT(RSI) | BIT(RDX) | BIT(R10) | BIT(R8) |
			     BIT(R9);
		out->writes = BIT(RAX) | BIT(RCX) | BIT(R11);
	} else if (in->is.mnemonic == ZYDIS_MNEMONIC_INT) {
		out->reads = UINT16_MAX;
		out->writes = BIT(RAX) | BIT(R8) | BIT(R9) | BIT(R10) | BIT(R11);
	} else {
		return false;
	}
	return true;
}

static void read_registers(const struct machine_instruction *in, struct code_instruction *out)
{
	if (operands_are_unused(in) || add_own_address(in, out))
		return;
	for (unsigned int i = 0; i < in->is.operand_count; i++) {
		const ZydisDecodedOperand *operand = &in->operands[i];

		if (operand->type == ZYDIS_OPERAND_TYPE_REGISTER) {
			add_register(in, operand, out);
		} else if (operand->type == ZYDIS_OPERAND_TYPE_MEMORY) {
			out->reads |= (uint16_t)address_registers(operand);
			add_string_registers(in, operand, out);
		}
	}
	if (is_zeroing(in))
		out->reads &= (uint16_t)~out->writes;
}

static uint16_t flags(ZydisAccessedFlagsMask mask)
{
	return (mask & ZYDIS_CPUFLAG_CF ? CODE_CF : 0) | (mask & ZYDIS_CPUFLAG_PF ? CODE_PF : 0) |
	       (mask & ZYDIS_CPUFLAG_AF ? CODE_AF : 0) | (mask & ZYDIS_CPUFLAG_ZF ? CODE_ZF : 0) |
	       (mask & ZYDIS_CPUFLAG_SF ? CODE_SF : 0) | (mask & ZYDIS_CPUFLAG_OF ? CODE_OF : 0) |
	       (mask & ZYDIS_CPUFLAG_DF ? CODE_DF : 0);
}

/* A shift by an immediate whose masked value is 0 leaves all flags unchanged; a shift by cl may. */
static bool shifts_by_nothing(const struct machine_instruction *in)
{
	const ZydisDecodedOperand *count;

	if (in->is.meta.category != ZYDIS_CATEGORY_SHIFT &&
	    in->is.meta.category != ZYDIS_CATEGORY_ROTATE)
		return false;
	count = &in->operands[in->is.operand_count_visible - 1];
	return count->type == ZYDIS_OPERAND_TYPE_IMMEDIATE &&
	       !(count->imm.value.u & (in->is.operand_width == 64 ? 63 : 31));
}

/* Shifts by a register and repeated comparisons may keep all flags. */
static bool may_keep_flags(const struct machine_instruction *in)
{
	for (unsigned int i = in->is.operand_count_visible; i < in->is.operand_count; i++)
		if (in->operands[i].type == ZYDIS_OPERAND_TYPE_REGISTER &&
		    in->operands[i].reg.value == ZYDIS_REGISTER_RFLAGS)
			return in->operands[i].actions & ZYDIS_OPERAND_ACTION_CONDWRITE;
	return false;
}

static void read_flags(const struct machine_instruction *in, struct code_instruction *out)
{
	const ZydisAccessedFlags *accessed = in->is.cpu_flags;

	if (!accessed || in->is.mnemonic == ZYDIS_MNEMONIC_SYSCALL ||
	    in->is.mnemonic == ZYDIS_MNEMONIC_INT)
		return;
	out->flags_read = flags(accessed->tested);
	if (!shifts_by_nothing(in) && !may_keep_flags(in))
		out->flags_written = flags(accessed->modified | accessed->set_0 | accessed->set_1 |
					   accessed->undefined);
}

/* reg += …, by an immediate or by lea. */
static int32_t step_of(const struct machine_instruction *in)
{
	const ZydisDecodedOperand *to = &in->operands[0], *from = &in->operands[1];
	bool immediate = from->type == ZYDIS_OPERAND_TYPE_IMMEDIATE;

	if (in->is.operand_width != 64 || to->type != ZYDIS_OPERAND_TYPE_REGISTER)
		return 0;
	switch (in->is.mnemonic) {
	case ZYDIS_MNEMONIC_INC: return 1;
	case ZYDIS_MNEMONIC_DEC: return -1;
	case ZYDIS_MNEMONIC_ADD: return immediate ? (int32_t)from->imm.value.s : 0;
	case ZYDIS_MNEMONIC_SUB:
		return immediate && from->imm.value.s != INT32_MIN ? (int32_t)-from->imm.value.s
								   : 0;
	case ZYDIS_MNEMONIC_LEA:
		return from->mem.base == to->reg.value && from->mem.index == ZYDIS_REGISTER_NONE &&
				       in->is.address_width == 64
			       ? (int32_t)from->mem.disp.value
			       : 0;
	default: return 0;
	}
}

static bool is_general(const ZydisDecodedOperand *operand)
{
	return operand->type == ZYDIS_OPERAND_TYPE_REGISTER &&
	       zydis_general_register(operand->reg.value) != CODE_NO_REGISTER;
}

static bool counts(const struct machine_instruction *in)
{
	const ZydisDecodedOperand *to = &in->operands[0], *from = &in->operands[1];

	if ((in->is.operand_width != 64 && in->is.operand_width != 32) || !is_general(to))
		return false;
	switch (in->is.mnemonic) {
	case ZYDIS_MNEMONIC_INC:
	case ZYDIS_MNEMONIC_DEC: return true;
	case ZYDIS_MNEMONIC_ADD:
	case ZYDIS_MNEMONIC_SUB: return from->type == ZYDIS_OPERAND_TYPE_IMMEDIATE;
	case ZYDIS_MNEMONIC_MOV: return is_general(from);
	case ZYDIS_MNEMONIC_LEA:
		return zydis_general_register(from->mem.base) != CODE_NO_REGISTER &&
		       from->mem.index == ZYDIS_REGISTER_NONE;
	default: return false;
	}
}

static struct code_sum sum(ZydisRegister base, ZydisRegister index, unsigned int scale,
			   int64_t displacement)
{
	return (struct code_sum){ (uint8_t)zydis_general_register(base),
				  (uint8_t)zydis_general_register(index),
				  (uint8_t)(scale ? scale : 1), (int32_t)displacement };
}

/* lea, mov and add of whole registers. */
static struct code_sum sum_of(const struct machine_instruction *in)
{
	const ZydisDecodedOperand *to = &in->operands[0], *from = &in->operands[1];

	if (in->is.operand_width != 64 || in->is.operand_count_visible != 2 ||
	    to->type != ZYDIS_OPERAND_TYPE_REGISTER)
		return (struct code_sum){ 0 };
	if (in->is.mnemonic == ZYDIS_MNEMONIC_LEA && in->is.address_width == 64 &&
	    from->mem.base != ZYDIS_REGISTER_RIP)
		return sum(from->mem.base, from->mem.index, from->mem.scale, from->mem.disp.value);
	if (from->type != ZYDIS_OPERAND_TYPE_REGISTER ||
	    zydis_general_register(from->reg.value) == CODE_NO_REGISTER ||
	    zydis_general_register(to->reg.value) == CODE_NO_REGISTER)
		return (struct code_sum){ 0 };
	if (in->is.mnemonic == ZYDIS_MNEMONIC_MOV)
		return sum(from->reg.value, ZYDIS_REGISTER_NONE, 1, 0);
	return in->is.mnemonic == ZYDIS_MNEMONIC_ADD ? sum(to->reg.value, from->reg.value, 1, 0)
						     : (struct code_sum){ 0 };
}

static enum code_loads loads_of(const struct machine_instruction *in)
{
	const ZydisDecodedOperand *to = &in->operands[0], *from = &in->operands[1];

	if (in->is.operand_count_visible != 2 || to->type != ZYDIS_OPERAND_TYPE_REGISTER)
		return CODE_LOADS_NOTHING;
	if (in->is.mnemonic == ZYDIS_MNEMONIC_LEA)
		return in->is.operand_width == 64 && in->is.address_width == 64 &&
				       from->mem.base == ZYDIS_REGISTER_RIP &&
				       from->mem.index == ZYDIS_REGISTER_NONE
			       ? CODE_LOADS_ADDRESS
			       : CODE_LOADS_NOTHING;
	return in->is.mnemonic == ZYDIS_MNEMONIC_MOV && in->is.operand_width == 32 &&
			       from->type == ZYDIS_OPERAND_TYPE_IMMEDIATE &&
			       ZydisRegisterGetClass(to->reg.value) == ZYDIS_REGCLASS_GPR32
		       ? CODE_LOADS_CONSTANT
		       : CODE_LOADS_NOTHING;
}

static bool is_direct(const struct machine_instruction *in)
{
	return in->is.operand_count_visible &&
	       in->operands[0].type == ZYDIS_OPERAND_TYPE_IMMEDIATE &&
	       in->operands[0].imm.is_relative;
}

static enum code_kind kind_of(const struct machine_instruction *in)
{
	switch (in->is.mnemonic) {
	case ZYDIS_MNEMONIC_UD0:
	case ZYDIS_MNEMONIC_UD1:
	case ZYDIS_MNEMONIC_UD2:
	case ZYDIS_MNEMONIC_HLT: return CODE_STOP;
	case ZYDIS_MNEMONIC_XBEGIN: return CODE_BRANCH;
	case ZYDIS_MNEMONIC_XEND:
	case ZYDIS_MNEMONIC_XABORT: return CODE_PLAIN;
	default: break;
	}
	switch (in->is.meta.category) {
	case ZYDIS_CATEGORY_COND_BR: return CODE_BRANCH;
	case ZYDIS_CATEGORY_UNCOND_BR: return is_direct(in) ? CODE_JUMP : CODE_JUMP_INDIRECT;
	case ZYDIS_CATEGORY_CALL: return is_direct(in) ? CODE_CALL : CODE_CALL_INDIRECT;
	case ZYDIS_CATEGORY_RET: return CODE_RETURN;
	default: return CODE_PLAIN;
	}
}

/* AMD and Intel CPUs differ in the effect of the operand-size prefix on a near transfer. */
static bool is_cut_transfer(const struct machine_instruction *in)
{
	return (in->is.attributes & ZYDIS_ATTRIB_HAS_OPERANDSIZE) && !in->is.raw.rex.W &&
	       kind_of(in) != CODE_PLAIN && kind_of(in) != CODE_STOP;
}

static bool sets_thread_pointer(const struct machine_instruction *in)
{
	return in->is.mnemonic == ZYDIS_MNEMONIC_WRFSBASE ||
	       (in->is.operand_count && in->operands[0].type == ZYDIS_OPERAND_TYPE_REGISTER &&
		in->operands[0].reg.value == ZYDIS_REGISTER_FS && zydis_writes(&in->operands[0]));
}

/*
 * Where gcc keeps a thread's limit with -fsplit-stack: __private_ss of glibc's tcbhead_t. The
 * called function returns into the middle of its caller.
 */
static bool reads_stack_limit(const struct machine_instruction *in)
{
	for (unsigned int i = 0; i < in->is.operand_count_visible; i++) {
		const ZydisDecodedOperandMem *memory = &in->operands[i].mem;

		if (in->operands[i].type == ZYDIS_OPERAND_TYPE_MEMORY &&
		    memory->segment == ZYDIS_REGISTER_FS && memory->base == ZYDIS_REGISTER_NONE &&
		    memory->index == ZYDIS_REGISTER_NONE && memory->disp.value == 0x70)
			return true;
	}
	return false;
}

static const char *refused_set(const struct machine_instruction *in)
{
	switch (in->is.meta.isa_ext) {
	case ZYDIS_ISA_EXT_SGX:
	case ZYDIS_ISA_EXT_SGX_ENCLV:
	case ZYDIS_ISA_EXT_VTX:
	case ZYDIS_ISA_EXT_SVM:
	case ZYDIS_ISA_EXT_SNP:
	case ZYDIS_ISA_EXT_TDX:
	case ZYDIS_ISA_EXT_PADLOCK:
		return "instruction for enclaves, hypervisors or special devices";
	case ZYDIS_ISA_EXT_KNC:
	case ZYDIS_ISA_EXT_KNCE:
	case ZYDIS_ISA_EXT_KNCV: return "instruction of the first Xeon Phi";
	default: return NULL;
	}
}

static const char *refused(const struct machine_instruction *in)
{
	switch (in->is.mnemonic) {
	case ZYDIS_MNEMONIC_IRET:
	case ZYDIS_MNEMONIC_IRETD:
	case ZYDIS_MNEMONIC_IRETQ:
	case ZYDIS_MNEMONIC_UIRET:
	case ZYDIS_MNEMONIC_RSM:
	case ZYDIS_MNEMONIC_SYSRET:
	case ZYDIS_MNEMONIC_SYSEXIT:
	case ZYDIS_MNEMONIC_SYSENTER: return "return from an interrupt or to another mode";
	default: break;
	}
	if (in->is.meta.branch_type == ZYDIS_BRANCH_TYPE_FAR)
		return "far transfer";
	if (is_cut_transfer(in))
		return "transfer with an operand-size prefix";
	if (sets_thread_pointer(in))
		return "sets the thread pointer";
	if (reads_stack_limit(in))
		return "split stack";
	return refused_set(in);
}

static void refuse(struct decoded *out, const char *why)
{
	out->instruction.kind = CODE_REFUSED;
	out->refusal = why;
}

/* A debugger or signal handler continues after it; at a function's end it is padding. */
static bool is_breakpoint(const struct machine_instruction *in)
{
	return in->is.mnemonic == ZYDIS_MNEMONIC_INT3 || in->is.mnemonic == ZYDIS_MNEMONIC_INT1;
}

/*
 * syscall leaves its own address in rcx, and arch_prctl(2) sets the thread pointer; the others
 * store the address of the last x87 instruction.
 */
static bool is_own_address(const struct machine_instruction *in)
{
	switch (in->is.mnemonic) {
	case ZYDIS_MNEMONIC_SYSCALL:
	case ZYDIS_MNEMONIC_INT:
	case ZYDIS_MNEMONIC_FNSTENV:
	case ZYDIS_MNEMONIC_FNSAVE:
	case ZYDIS_MNEMONIC_FXSAVE:
	case ZYDIS_MNEMONIC_FXSAVE64: return true;
	default: return false;
	}
}

void decode_instruction(const unsigned char *bytes, size_t room, uintptr_t address,
			struct decoded *out)
{
	struct machine_instruction in;
	const char *why;

	memset(&out->instruction, 0, sizeof(out->instruction));
	out->refusal = NULL;
	out->breakpoint = out->own_address = false;
	if (!zydis_decode(bytes, room, address, &in)) {
		out->instruction.length = 1;
		refuse(out, "bytes that are no instruction");
		return;
	}
	out->instruction.length = in.is.length;
	out->instruction.kind = (uint8_t)(in.is.length == room && is_breakpoint(&in)
						  ? CODE_STOP
						  : kind_of(&in));
	out->breakpoint = is_breakpoint(&in);
	out->own_address = is_own_address(&in);
	read_registers(&in, &out->instruction);
	read_flags(&in, &out->instruction);
	out->instruction.step = step_of(&in);
	out->instruction.counts = counts(&in);
	out->instruction.sum = sum_of(&in);
	out->instruction.loads = (uint8_t)loads_of(&in);
	why = operands_read(&in, out);
	why = why ? why : refused(&in);
	if (why)
		refuse(out, why);
	if (is_direct(&in))
		out->instruction.target = address + in.is.length + in.operands[0].imm.value.u;
	else if (out->instruction.rip_offset)
		out->instruction.target = address + in.is.length + (uint64_t)in.is.raw.disp.value;
}

/*
 * Opcodes directly precede displacements, which are a jump's last bytes: one (jcc, loop, jrcxz,
 * jmp), or four (jmp; jcc after 0f; xbegin, c7 f8).
 */
static bool is_short_jump(unsigned char opcode)
{
	return (opcode & 0xf0) == 0x70 || (opcode & 0xfc) == 0xe0 || opcode == 0xeb;
}

static bool is_far_jump(const unsigned char *bytes, size_t displacement)
{
	unsigned char last = bytes[displacement - 1],
		      before = displacement > 1 ? bytes[displacement - 2] : 0;

	return last == 0xe9 || ((last & 0xf0) == 0x80 && before == 0x0f) ||
	       (last == 0xf8 && before == 0xc7);
}

bool decode_may_jump(const unsigned char *bytes, size_t nr, uintptr_t address, uintptr_t start,
		     uintptr_t end)
{
	int32_t far;

	for (size_t i = 1; i < nr; i++) {
		if (is_short_jump(bytes[i - 1]) &&
		    address + i + 1 + (uintptr_t)(intptr_t)(int8_t)bytes[i] - start < end - start)
			return true;
		if (nr - i < sizeof(far) || !is_far_jump(bytes, i))
			continue;
		memcpy(&far, bytes + i, sizeof(far));
		if (address + i + sizeof(far) + (uintptr_t)(intptr_t)far - start < end - start)
			return true;
	}
	return false;
}

/* Immediates are an instruction's last bytes; without one, its displacement is. */
uint32_t decode_constant(const unsigned char *bytes, const struct code_instruction *instruction)
{
	size_t end = instruction->length,
	       relative_end = instruction->rip_offset ? instruction->rip_offset + sizeof(uint32_t)
						      : 0;
	uint32_t constant;

	if (end <= sizeof(constant) || end == relative_end)
		return 0;
	memcpy(&constant, bytes + end - sizeof(constant), sizeof(constant));
	return constant;
}

const char *decode_unsupported(void)
{
	return NULL;
}

#endif
