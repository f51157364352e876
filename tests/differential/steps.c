/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "tests/differential/steps.h"

#include <Zydis/Zydis.h>
#include <dlfcn.h>
#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/ucontext.h>

#include "ompt_tool/clones/clone.h"
#include "ompt_tool/code/bounds.h"
#include "tests/differential/enter.h"
#include "tests/differential/prepare.h"

enum {
	KNOWN = 4096,
	BELOW = 1024,
	RED_ZONE = 128,
	TRAP_FLAG = 0x100,
	XSTATE_HEADER = 512,
	XMM = 160
};

/* An instruction met. */
struct known {
	uintptr_t address;
	bool covered; /* in a function that has a clone */
	ZydisDecodedInstruction is;
	ZydisDecodedOperand operands[ZYDIS_MAX_OPERAND_COUNT];
};

static const char *const ranges[] = { "memcpy",       "memmove",       "memset",
				      "__memcpy_chk", "__memmove_chk", "__memset_chk" };
enum { RANGES = sizeof(ranges) / sizeof(ranges[0]) };
static uintptr_t range_addresses[RANGES];

static struct {
	struct steps out;
	uint64_t most;
	bool implicit, scribble;
	/* the function has been entered; the last instruction was in covered code */
	bool inside, was_covered;
	/* stack pointer where control went to code that is not covered; 0: it has not */
	uintptr_t left_at;
	/* the last counted instruction calls or jumps to where a register or a pointer says */
	bool by_pointer;
	bool directly; /* … or to a place of its own */
	/* an instruction that was counted before its step, if it gets one; 0: none was */
	uintptr_t ahead;
	ZydisDecoder decoder;
	const greg_t *registers;
	const unsigned char *state; /* XSAVE */
	struct known known[KNOWN];
} steps;

/* ucontext's numbers of rax … r15. */
static const int gregs[16] = { REG_RAX, REG_RCX, REG_RDX, REG_RBX, REG_RSP, REG_RBP,
			       REG_RSI, REG_RDI, REG_R8,  REG_R9,  REG_R10, REG_R11,
			       REG_R12, REG_R13, REG_R14, REG_R15 };

static uint64_t value_of(ZydisRegister reg)
{
	ZydisRegister whole = ZydisRegisterGetLargestEnclosing(ZYDIS_MACHINE_MODE_LONG_64, reg);
	uint64_t value;

	if (whole < ZYDIS_REGISTER_RAX || whole > ZYDIS_REGISTER_R15)
		return 0;
	value = (uint64_t)steps.registers[gregs[whole - ZYDIS_REGISTER_RAX]];
	return ZydisRegisterGetWidth(ZYDIS_MACHINE_MODE_LONG_64, reg) == 32 ? (uint32_t)value
									    : value;
}

/* A component that is as after a reset is not in the frame: SDM 1, 13.6. */
static void copy_component(unsigned int component, size_t offset, unsigned char *out, size_t bytes)
{
	uint64_t there;

	memcpy(&there, steps.state + XSTATE_HEADER, sizeof(there));
	memset(out, 0, bytes);
	if (there >> component & 1)
		memcpy(out, steps.state + offset, bytes);
}

/* SDM 1, 13.4 and 13.5 */
static void vector(ZydisRegister reg, unsigned char *out)
{
	unsigned int number = (unsigned int)ZydisRegisterGetId(reg);

	if (number >= 16) {
		copy_component(7, enter_component_offset(7) + 64 * (number - 16), out, 64);
		return;
	}
	copy_component(1, XMM + 16 * number, out, 16);
	copy_component(2, enter_component_offset(2) + 16 * number, out + 16, 16);
	copy_component(6, enter_component_offset(6) + 32 * number, out + 32, 32);
}

static uint64_t opmask(ZydisRegister reg)
{
	uint64_t mask;

	copy_component(5, enter_component_offset(5) + 8 * (unsigned int)ZydisRegisterGetId(reg),
		       (unsigned char *)&mask, 8);
	return mask;
}

static uint64_t segment_base(ZydisRegister segment)
{
	uint64_t base = 0;

	if (segment == ZYDIS_REGISTER_FS)
		__asm__("rdfsbase %0" : "=r"(base));
	else if (segment == ZYDIS_REGISTER_GS)
		__asm__("rdgsbase %0" : "=r"(base));
	return base;
}

static uint64_t address_of(const struct known *in, const ZydisDecodedOperand *operand)
{
	bool vectors = operand->mem.type == ZYDIS_MEMOP_TYPE_VSIB;
	uint64_t sum = (uint64_t)operand->mem.disp.value;

	if (operand->mem.base == ZYDIS_REGISTER_RIP || operand->mem.base == ZYDIS_REGISTER_EIP)
		sum += in->address + in->is.length;
	else
		sum += value_of(operand->mem.base);
	if (!vectors)
		sum += value_of(operand->mem.index) * operand->mem.scale;
	if (in->is.address_width == 32)
		sum = (uint32_t)sum;
	return sum + segment_base(operand->mem.segment);
}

static bool reads(const ZydisDecodedOperand *operand)
{
	return operand->actions & ZYDIS_OPERAND_ACTION_MASK_READ;
}
static bool writes(const ZydisDecodedOperand *operand)
{
	return operand->actions & ZYDIS_OPERAND_ACTION_MASK_WRITE;
}

static void add(const ZydisDecodedOperand *operand, uint64_t address, uint64_t bytes)
{
	count_one(&steps.out.count, address, bytes, reads(operand), writes(operand));
}

/* Names memory without touching it. */
static bool is_idle(const struct known *in, const ZydisDecodedOperand *operand)
{
	switch (in->is.meta.category) {
	case ZYDIS_CATEGORY_NOP:
	case ZYDIS_CATEGORY_WIDENOP:
	case ZYDIS_CATEGORY_PREFETCH:
	case ZYDIS_CATEGORY_PREFETCHWT1:
	case ZYDIS_CATEGORY_CLFLUSHOPT:
	case ZYDIS_CATEGORY_CLWB: return true;
	default:
		return operand->mem.type == ZYDIS_MEMOP_TYPE_AGEN ||
		       operand->mem.type == ZYDIS_MEMOP_TYPE_MIB ||
		       in->is.mnemonic == ZYDIS_MNEMONIC_CLFLUSH;
	}
}

/* How many bytes it is depends on the CPU: counted as 0. */
static bool is_state(ZydisMnemonic mnemonic)
{
	switch (mnemonic) {
	case ZYDIS_MNEMONIC_XSAVE:
	case ZYDIS_MNEMONIC_XSAVE64:
	case ZYDIS_MNEMONIC_XSAVEC:
	case ZYDIS_MNEMONIC_XSAVEC64:
	case ZYDIS_MNEMONIC_XSAVEOPT:
	case ZYDIS_MNEMONIC_XSAVEOPT64:
	case ZYDIS_MNEMONIC_XRSTOR:
	case ZYDIS_MNEMONIC_XRSTOR64:
	case ZYDIS_MNEMONIC_FXSAVE:
	case ZYDIS_MNEMONIC_FXSAVE64:
	case ZYDIS_MNEMONIC_FXRSTOR:
	case ZYDIS_MNEMONIC_FXRSTOR64: return true;
	default: return false;
	}
}

static bool is_opmask(ZydisRegister reg)
{
	return reg > ZYDIS_REGISTER_K0 && reg <= ZYDIS_REGISTER_K7;
}

/* Loads without suppression of faults read everything: SDM 2, 2.8. */
static bool loads_whole(const struct known *in)
{
	switch (in->is.meta.exception_class) {
	case ZYDIS_EXCEPTION_CLASS_E1NF:
	case ZYDIS_EXCEPTION_CLASS_E2NF:
	case ZYDIS_EXCEPTION_CLASS_E3NF:
	case ZYDIS_EXCEPTION_CLASS_E4NF:
	case ZYDIS_EXCEPTION_CLASS_E5NF:
	case ZYDIS_EXCEPTION_CLASS_E6NF:
	case ZYDIS_EXCEPTION_CLASS_E9NF:
	case ZYDIS_EXCEPTION_CLASS_E10NF:
	case ZYDIS_EXCEPTION_CLASS_E11NF: return true;
	default: return in->is.avx.broadcast.mode != ZYDIS_BROADCAST_MODE_INVALID;
	}
}

/* The register with as many elements as there are lanes: first in loads, last in stores. */
static const ZydisDecodedOperand *lanes_of(const struct known *in)
{
	const ZydisDecodedOperand *data = &in->operands[0];

	for (unsigned int i = 1;
	     data->type == ZYDIS_OPERAND_TYPE_MEMORY && i < in->is.operand_count_visible; i++)
		if (in->operands[i].type == ZYDIS_OPERAND_TYPE_REGISTER &&
		    !is_opmask(in->operands[i].reg.value))
			data = &in->operands[i];
	return data;
}

static bool top_bit(const unsigned char *vector, unsigned int lane, unsigned int bytes)
{
	return vector[lane * bytes + bytes - 1] >> 7;
}

static int64_t index_of(const struct known *in, const unsigned char *indices, unsigned int lane)
{
	const char *name = ZydisMnemonicGetString(in->is.mnemonic);
	bool wide = strstr(name, "rq") != NULL; /* …gatherqd, …scatterqpd */
	int64_t quad;
	int32_t dword;

	memcpy(&quad, indices + 8 * (wide ? lane : 0), sizeof(quad));
	memcpy(&dword, indices + 4 * (wide ? 0 : lane), sizeof(dword));
	return wide ? quad : dword;
}

static void step_gather(const struct known *in, const ZydisDecodedOperand *operand)
{
	unsigned int bytes = operand->element_size / 8, lanes = lanes_of(in)->element_count;
	bool by_vector = in->is.encoding == ZYDIS_INSTRUCTION_ENCODING_VEX;
	uint64_t base = address_of(in, operand), mask = by_vector ? 0 : opmask(in->is.avx.mask.reg);
	unsigned char indices[64], masks[64] = { 0 };

	vector(operand->mem.index, indices);
	if (by_vector)
		vector(in->operands[2].reg.value, masks);
	for (unsigned int lane = 0; lane < lanes; lane++)
		if (by_vector ? top_bit(masks, lane, bytes) : mask >> lane & 1)
			add(operand,
			    base + (uint64_t)(index_of(in, indices, lane) * operand->mem.scale),
			    bytes);
}

/* vmaskmov, vpmaskmov, maskmovdqu */
static bool is_vector_masked(ZydisMnemonic mnemonic)
{
	return mnemonic == ZYDIS_MNEMONIC_VMASKMOVPD || mnemonic == ZYDIS_MNEMONIC_VMASKMOVPS ||
	       mnemonic == ZYDIS_MNEMONIC_VPMASKMOVD || mnemonic == ZYDIS_MNEMONIC_VPMASKMOVQ ||
	       mnemonic == ZYDIS_MNEMONIC_MASKMOVDQU || mnemonic == ZYDIS_MNEMONIC_VMASKMOVDQU;
}

static void step_vector_masked(const struct known *in, const ZydisDecodedOperand *operand)
{
	bool single = in->is.mnemonic == ZYDIS_MNEMONIC_MASKMOVDQU ||
		      in->is.mnemonic == ZYDIS_MNEMONIC_VMASKMOVDQU;
	unsigned int bytes = single ? 1 : operand->element_size / 8;
	unsigned char masks[64];

	vector(in->operands[1].reg.value, masks);
	for (unsigned int lane = 0; lane < operand->size / 8 / bytes; lane++)
		if (top_bit(masks, lane, bytes))
			add(operand, address_of(in, operand) + lane * bytes, bytes);
}

static bool is_packed(const struct known *in)
{
	const char *name = ZydisMnemonicGetString(in->is.mnemonic);

	return strstr(name, "compress") || strstr(name, "expand");
}

static void step_masked(const struct known *in, const ZydisDecodedOperand *operand)
{
	const ZydisDecodedOperand *data = lanes_of(in);
	unsigned int lanes = operand->element_count, bytes, nr = 0;
	uint64_t mask = opmask(in->is.avx.mask.reg), address = address_of(in, operand);

	if (!is_opmask(data->reg.value) && data->element_count < lanes)
		lanes = data->element_count;
	bytes = operand->size / 8 / lanes;
	for (unsigned int lane = 0; lane < lanes; lane++)
		if (mask >> lane & 1)
			add(operand, address + bytes * (is_packed(in) ? nr++ : lane), bytes);
}

/* Hidden operands of push, pop, call, return, leave: the stack pointer moves before a store. */
static bool is_implicit(const struct known *in, const ZydisDecodedOperand *operand)
{
	return operand->visibility == ZYDIS_OPERAND_VISIBILITY_HIDDEN &&
	       (operand->mem.base == ZYDIS_REGISTER_RSP || in->is.mnemonic == ZYDIS_MNEMONIC_LEAVE);
}

static void step_plain(const struct known *in, const ZydisDecodedOperand *operand)
{
	uint64_t bytes = is_state(in->is.mnemonic) ? 0 : operand->size / 8,
		 address = address_of(in, operand);

	if (is_implicit(in, operand)) {
		if (steps.implicit)
			add(operand,
			    writes(operand) ? value_of(ZYDIS_REGISTER_RSP) - bytes : address,
			    bytes);
		return;
	}
	if (in->is.mnemonic == ZYDIS_MNEMONIC_POP && operand->mem.base == ZYDIS_REGISTER_RSP)
		address += bytes;
	add(operand, address, bytes);
}

static bool is_repeated(const struct known *in)
{
	return in->is.attributes &
	       (ZYDIS_ATTRIB_HAS_REP | ZYDIS_ATTRIB_HAS_REPE | ZYDIS_ATTRIB_HAS_REPNE);
}

static void step_operand(const struct known *in, const ZydisDecodedOperand *operand)
{
	bool evex = in->is.encoding == ZYDIS_INSTRUCTION_ENCODING_EVEX;

	if (operand->type != ZYDIS_OPERAND_TYPE_MEMORY || is_idle(in, operand) ||
	    (is_repeated(in) && !value_of(ZYDIS_REGISTER_RCX)))
		return;
	if (operand->mem.type == ZYDIS_MEMOP_TYPE_VSIB)
		step_gather(in, operand);
	else if (is_vector_masked(in->is.mnemonic))
		step_vector_masked(in, operand);
	else if (evex && is_opmask(in->is.avx.mask.reg) && (writes(operand) || !loads_whole(in)))
		step_masked(in, operand);
	else
		step_plain(in, operand);
}

static bool has_clone(uintptr_t address)
{
	struct code_bounds bounds;

	return code_bounds_find(address, &bounds) == CODE_BOUNDS_FOUND && clone_of(bounds.start);
}

static const struct known *look_up(uintptr_t address)
{
	struct known *known = &steps.known[(address ^ address >> 12) % KNOWN];

	if (known->address == address)
		return known;
	known->address = 0;
	if (!ZYAN_SUCCESS(ZydisDecoderDecodeFull(&steps.decoder, (const void *)address, 15,
						 &known->is, known->operands)))
		return NULL;
	known->covered = has_clone(address);
	known->address = address;
	return known;
}

/* What linkage tables are made of: endbr64 and a jump through memory. */
static bool is_linkage(const struct known *in)
{
	const struct known *next = in->is.mnemonic == ZYDIS_MNEMONIC_ENDBR64
					   ? look_up(in->address + in->is.length)
					   : in;

	return next && next->is.mnemonic == ZYDIS_MNEMONIC_JMP &&
	       next->operands[0].type == ZYDIS_OPERAND_TYPE_MEMORY;
}

static bool is_range(uintptr_t address)
{
	for (size_t i = 0; i < RANGES; i++)
		if (range_addresses[i] == address)
			return true;
	return false;
}

static bool is_by_pointer(const struct known *in)
{
	const ZydisDecodedOperand *to = &in->operands[0];

	return (in->is.mnemonic == ZYDIS_MNEMONIC_CALL || in->is.mnemonic == ZYDIS_MNEMONIC_JMP) &&
	       (to->type == ZYDIS_OPERAND_TYPE_REGISTER ||
		(to->type == ZYDIS_OPERAND_TYPE_MEMORY && to->mem.base != ZYDIS_REGISTER_RIP));
}

static bool is_direct(const struct known *in)
{
	return (in->is.mnemonic == ZYDIS_MNEMONIC_CALL || in->is.mnemonic == ZYDIS_MNEMONIC_JMP) &&
	       in->operands[0].type == ZYDIS_OPERAND_TYPE_IMMEDIATE;
}

static void enter_outside(uintptr_t address)
{
	if (is_range(address)) {
		steps.out.count.events[RECORD_RANGE]++;
		steps.out.count.range_bytes += value_of(ZYDIS_REGISTER_RDX);
	}
	steps.left_at = value_of(ZYDIS_REGISTER_RSP);
}

/*
 * Whether the instruction belongs to clones: not what uncovered code calls, and not what is called
 * around the function.
 */
static bool is_counted(const struct known *in)
{
	bool linkage, was_inside = steps.inside;

	if (steps.left_at && in->covered && value_of(ZYDIS_REGISTER_RSP) > steps.left_at)
		steps.left_at = 0;
	if (!steps.inside)
		steps.inside = in->covered;
	if (!steps.inside || steps.left_at)
		return false;
	linkage = !in->covered && is_linkage(in);
	/*
	 * memcpy and its like, where they have clones, too, are ranges to those who call them by
	 * name.
	 */
	if ((!in->covered && !linkage) ||
	    (was_inside && is_range(in->address) && !steps.by_pointer)) {
		enter_outside(in->address);
		return false;
	}
	if (linkage) /* which reads its slot */
		return steps.directly;
	steps.by_pointer = is_by_pointer(in);
	steps.directly = is_direct(in);
	return true;
}

static void count(const struct known *in)
{
	if (!is_counted(in))
		return;
	for (unsigned int i = 0; i < in->is.operand_count; i++)
		step_operand(in, &in->operands[i]);
}

/* What a system call changes. */
static bool is_changed(ZydisRegister reg)
{
	ZydisRegister whole = ZydisRegisterGetLargestEnclosing(ZYDIS_MACHINE_MODE_LONG_64, reg);

	return whole == ZYDIS_REGISTER_RAX || whole == ZYDIS_REGISTER_RCX ||
	       whole == ZYDIS_REGISTER_R11;
}

/*
 * The kernel comes back with the trap flag set, which the CPU obeys one instruction later: that one
 * is counted with the registers from before.
 */
static void count_behind_system_call(uintptr_t address)
{
	const struct known *in = look_up(address);

	if (!in)
		return;
	for (unsigned int i = 0; i < in->is.operand_count; i++)
		if (in->operands[i].type == ZYDIS_OPERAND_TYPE_MEMORY &&
		    !is_idle(in, &in->operands[i]) &&
		    (is_changed(in->operands[i].mem.base) || is_changed(in->operands[i].mem.index)))
			steps.out.why = "an address comes from a system call";
	count(in);
	steps.ahead = address;
}

static void step(ucontext_t *at)
{
	const struct known *in = look_up((uintptr_t)at->uc_mcontext.gregs[REG_RIP]);
	bool done = in && in->address == steps.ahead;

	steps.registers = at->uc_mcontext.gregs;
	steps.state = (const unsigned char *)at->uc_mcontext.fpregs;
	if (++steps.out.nr >= steps.most || !in) {
		steps.out.why = in ? "too many steps" : "not decoded";
		at->uc_mcontext.gregs[REG_EFL] &= ~TRAP_FLAG;
		return;
	}
	steps.ahead = 0;
	if (!done)
		count(in);
	if (in->is.mnemonic == ZYDIS_MNEMONIC_SYSCALL)
		count_behind_system_call(in->address + in->is.length);
}

static void scribble(uintptr_t end)
{
	if (end - BELOW >= (uintptr_t)PREPARE_STACK &&
	    end < (uintptr_t)PREPARE_STACK + PREPARE_STACK_BYTES)
		memset((void *)(end - BELOW), 0x5a, BELOW);
}

static void on_step(int signal, siginfo_t *info, void *context)
{
	int error = errno;

	(void)signal, (void)info;
	step(context);
	if (steps.scribble)
		scribble(value_of(ZYDIS_REGISTER_RSP) - RED_ZONE);
	errno = error;
}

void steps_prepare(void)
{
	for (size_t i = 0; i < RANGES; i++)
		range_addresses[i] = (uintptr_t)dlsym(RTLD_DEFAULT, ranges[i]);
}

void steps_begin(bool implicit, bool scribble, uint64_t most)
{
	struct sigaction action = { .sa_sigaction = on_step, .sa_flags = SA_SIGINFO | SA_ONSTACK };

	steps.implicit = implicit;
	steps.scribble = scribble;
	steps.most = most;
	ZydisDecoderInit(&steps.decoder, ZYDIS_MACHINE_MODE_LONG_64, ZYDIS_STACK_WIDTH_64);
	sigaction(SIGTRAP, &action, NULL);
}

const struct steps *steps_end(void)
{
	return &steps.out;
}
