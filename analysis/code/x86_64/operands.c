/* SPDX-License-Identifier: Apache-2.0 */
/* Memory operands of x86-64 instructions. Intel SDM: vol. 1, 3.7 and 15; vol. 2, 2.3 to 2.8. */
#include "analysis/code/x86_64/zydis.h"

#ifdef CODE_X86_64

#include <string.h>

/* Instructions whose operands Zydis does not describe sufficiently, by mnemonic. */
enum special {
	NOT_SPECIAL,
	NO_ACCESS, /* names memory without reading it */
	/* the second operand is a vector whose elements' top bits are the mask */
	VECTOR_MASKED,
	STATE,         /* size depends on the CPU or a register */
	LEADING_INDEX, /* address not of the form that struct code_access describes */
};

static enum special special(ZydisMnemonic mnemonic)
{
	switch (mnemonic) {
	case ZYDIS_MNEMONIC_LEA:
	case ZYDIS_MNEMONIC_INVLPG:
	case ZYDIS_MNEMONIC_INVLPGA:
	case ZYDIS_MNEMONIC_INVLPGB:
	case ZYDIS_MNEMONIC_CLFLUSH:
	case ZYDIS_MNEMONIC_CLFLUSHOPT:
	case ZYDIS_MNEMONIC_CLWB:
	case ZYDIS_MNEMONIC_CLDEMOTE:
	case ZYDIS_MNEMONIC_UD0:
	case ZYDIS_MNEMONIC_UD1: return NO_ACCESS;
	case ZYDIS_MNEMONIC_VMASKMOVPD:
	case ZYDIS_MNEMONIC_VMASKMOVPS:
	case ZYDIS_MNEMONIC_VPMASKMOVD:
	case ZYDIS_MNEMONIC_VPMASKMOVQ:
	case ZYDIS_MNEMONIC_MASKMOVDQU:
	case ZYDIS_MNEMONIC_VMASKMOVDQU: return VECTOR_MASKED;
	case ZYDIS_MNEMONIC_FXSAVE:
	case ZYDIS_MNEMONIC_FXSAVE64:
	case ZYDIS_MNEMONIC_FXRSTOR:
	case ZYDIS_MNEMONIC_FXRSTOR64:
	case ZYDIS_MNEMONIC_XSAVE:
	case ZYDIS_MNEMONIC_XSAVE64:
	case ZYDIS_MNEMONIC_XSAVEC:
	case ZYDIS_MNEMONIC_XSAVEC64:
	case ZYDIS_MNEMONIC_XSAVEOPT:
	case ZYDIS_MNEMONIC_XSAVEOPT64:
	case ZYDIS_MNEMONIC_XSAVES:
	case ZYDIS_MNEMONIC_XSAVES64:
	case ZYDIS_MNEMONIC_XRSTOR:
	case ZYDIS_MNEMONIC_XRSTOR64:
	case ZYDIS_MNEMONIC_XRSTORS:
	case ZYDIS_MNEMONIC_XRSTORS64:
	case ZYDIS_MNEMONIC_TILELOADD:
	case ZYDIS_MNEMONIC_TILELOADDT1:
	case ZYDIS_MNEMONIC_TILESTORED:
	case ZYDIS_MNEMONIC_MASKMOVQ: return STATE;
	case ZYDIS_MNEMONIC_BT:
	case ZYDIS_MNEMONIC_BTS:
	case ZYDIS_MNEMONIC_BTR:
	case ZYDIS_MNEMONIC_BTC:
	case ZYDIS_MNEMONIC_XLAT: return LEADING_INDEX;
	default: return NOT_SPECIAL;
	}
}

bool operands_are_unused(const struct machine_instruction *in)
{
	return in->is.meta.category == ZYDIS_CATEGORY_NOP ||
	       in->is.meta.category == ZYDIS_CATEGORY_WIDENOP;
}

static bool names_no_access(const struct machine_instruction *in,
			    const ZydisDecodedOperand *operand)
{
	ZydisInstructionCategory category = in->is.meta.category;

	return operand->mem.type == ZYDIS_MEMOP_TYPE_AGEN || operands_are_unused(in) ||
	       special(in->is.mnemonic) == NO_ACCESS || category == ZYDIS_CATEGORY_PREFETCH ||
	       category == ZYDIS_CATEGORY_PREFETCHWT1 ||
	       in->is.meta.isa_set == ZYDIS_ISA_SET_AVX512PF_512;
}

static bool has_index_in_vector(const ZydisDecodedOperand *operand)
{
	return operand->mem.type == ZYDIS_MEMOP_TYPE_VSIB;
}

static unsigned int vector_bytes(ZydisRegister reg)
{
	return ZydisRegisterGetWidth(ZYDIS_MACHINE_MODE_LONG_64, reg) / 8;
}

/* XMM, YMM or ZMM register number; opmask registers, too. */
static uint8_t vector_number(ZydisRegister reg)
{
	return (uint8_t)ZydisRegisterGetId(reg);
}

static void set_address(const struct machine_instruction *in, const ZydisDecodedOperand *operand,
			struct code_access *access)
{
	access->base = (uint8_t)zydis_general_register(operand->mem.base);
	access->index = has_index_in_vector(operand)
				? CODE_NO_REGISTER
				: (uint8_t)zydis_general_register(operand->mem.index);
	access->scale = operand->mem.scale ? operand->mem.scale : 1;
	access->displacement = operand->mem.disp.value;
	access->address_32 = in->is.address_width == 32;
	if (operand->mem.segment == ZYDIS_REGISTER_FS)
		access->segment = 'f';
	else if (operand->mem.segment == ZYDIS_REGISTER_GS)
		access->segment = 'g';
	if (operand->mem.base == ZYDIS_REGISTER_RIP) {
		access->base = CODE_RIP;
		access->displacement += (int64_t)(in->address + in->is.length);
	}
}

/*
 * Whether a store or load is that of a push or pop: hidden operands at the stack pointer, or at rbp
 * for leave.
 */
static bool is_stack(const struct machine_instruction *in, const ZydisDecodedOperand *operand)
{
	return operand->visibility == ZYDIS_OPERAND_VISIBILITY_HIDDEN &&
	       (operand->mem.base == ZYDIS_REGISTER_RSP || in->is.mnemonic == ZYDIS_MNEMONIC_LEAVE);
}

/*
 * Pushing instructions move the stack pointer before they store, and pop moves it before it
 * computes its operand's address.
 */
static void set_stack(const struct machine_instruction *in, const ZydisDecodedOperand *operand,
		      struct code_access *access)
{
	if (is_stack(in, operand)) {
		access->kind = CODE_ACCESS_STACK;
		access->address_32 = false;
		if (access->write)
			access->displacement = -(int64_t)access->size;
	} else if (in->is.mnemonic == ZYDIS_MNEMONIC_POP &&
		   operand->mem.base == ZYDIS_REGISTER_RSP) {
		access->displacement += access->size;
	}
}

static bool has_qword_indices(ZydisMnemonic mnemonic)
{
	switch (mnemonic) {
	case ZYDIS_MNEMONIC_VGATHERQPD:
	case ZYDIS_MNEMONIC_VGATHERQPS:
	case ZYDIS_MNEMONIC_VPGATHERQD:
	case ZYDIS_MNEMONIC_VPGATHERQQ:
	case ZYDIS_MNEMONIC_VSCATTERQPD:
	case ZYDIS_MNEMONIC_VSCATTERQPS:
	case ZYDIS_MNEMONIC_VPSCATTERQD:
	case ZYDIS_MNEMONIC_VPSCATTERQQ: return true;
	default: return false;
	}
}

static bool is_opmask(const ZydisDecodedOperand *operand)
{
	return operand->type == ZYDIS_OPERAND_TYPE_REGISTER &&
	       operand->reg.value >= ZYDIS_REGISTER_K0 && operand->reg.value <= ZYDIS_REGISTER_K7;
}

/*
 * The vector operand that is neither memory nor mask: first in loads and gathers, last in stores
 * and scatters.
 */
static const ZydisDecodedOperand *data_operand(const struct machine_instruction *in)
{
	const ZydisDecodedOperand *first = &in->operands[0];

	for (unsigned int i = 1;
	     first->type == ZYDIS_OPERAND_TYPE_MEMORY && i < in->is.operand_count_visible; i++)
		if (in->operands[i].type == ZYDIS_OPERAND_TYPE_REGISTER &&
		    !is_opmask(&in->operands[i]))
			return &in->operands[i];
	return first;
}

static void set_lanes(const struct machine_instruction *in, const ZydisDecodedOperand *operand,
		      struct code_access *access)
{
	access->kind = CODE_ACCESS_LANES;
	access->index_vector = vector_number(operand->mem.index);
	access->index_size = has_qword_indices(in->is.mnemonic) ? 8 : 4;
	access->vector_bytes = (uint16_t)vector_bytes(operand->mem.index);
	access->size = operand->element_size / 8;
	access->lanes = (uint8_t)data_operand(in)->element_count;
	access->vector_mask = in->is.meta.category == ZYDIS_CATEGORY_AVX2GATHER;
	access->mask = vector_number(access->vector_mask ? in->operands[2].reg.value
							 : in->is.avx.mask.reg);
}

static void set_vector_masked(const struct machine_instruction *in,
			      const ZydisDecodedOperand *operand, struct code_access *access)
{
	bool bytes = in->is.mnemonic == ZYDIS_MNEMONIC_MASKMOVDQU ||
		     in->is.mnemonic == ZYDIS_MNEMONIC_VMASKMOVDQU;

	access->kind = CODE_ACCESS_MASKED;
	access->vector_mask = true;
	access->mask = vector_number(in->operands[1].reg.value);
	access->vector_bytes = (uint16_t)vector_bytes(in->operands[1].reg.value);
	access->size = bytes ? 1 : operand->element_size / 8;
	access->lanes = (uint8_t)(access->vector_bytes / access->size);
}

/*
 * Treated like classes without suppression of faults, although Zydis or the CPU's class states
 * otherwise.
 */
static bool mixes_lanes(ZydisMnemonic mnemonic)
{
	return mnemonic == ZYDIS_MNEMONIC_VGF2P8AFFINEQB ||
	       mnemonic == ZYDIS_MNEMONIC_VGF2P8AFFINEINVQB || mnemonic == ZYDIS_MNEMONIC_VDBPSADBW;
}

/*
 * Whether a load reads the whole operand regardless of the mask. Stores never do. Classes without
 * suppression of faults (…NF; SDM vol. 2, 2.8) mix lanes, broadcasts repeat one element, the 4-fold
 * ones use four registers in sequence.
 */
static bool loads_all(const struct machine_instruction *in)
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
	default:
		return in->is.avx.broadcast.mode != ZYDIS_BROADCAST_MODE_INVALID ||
		       mixes_lanes(in->is.mnemonic) ||
		       in->is.meta.category == ZYDIS_CATEGORY_AVX512_4FMAPS ||
		       in->is.meta.category == ZYDIS_CATEGORY_AVX512_4VNNIW;
	}
}

/* Complex half-precision numbers: Zydis counts their parts, the mask has a bit for both. */
static bool is_complex(ZydisMnemonic mnemonic)
{
	switch (mnemonic) {
	case ZYDIS_MNEMONIC_VFMULCPH:
	case ZYDIS_MNEMONIC_VFCMULCPH:
	case ZYDIS_MNEMONIC_VFMADDCPH:
	case ZYDIS_MNEMONIC_VFCMADDCPH:
	case ZYDIS_MNEMONIC_VFMULCSH:
	case ZYDIS_MNEMONIC_VFCMULCSH:
	case ZYDIS_MNEMONIC_VFMADDCSH:
	case ZYDIS_MNEMONIC_VFCMADDCSH: return true;
	default: return false;
	}
}

static bool is_masked(const struct machine_instruction *in)
{
	return in->is.encoding == ZYDIS_INSTRUCTION_ENCODING_EVEX &&
	       in->is.avx.mask.mode != ZYDIS_MASK_MODE_DISABLED &&
	       in->is.avx.mask.mode != ZYDIS_MASK_MODE_INVALID &&
	       in->is.avx.mask.reg > ZYDIS_REGISTER_K0;
}

/*
 * Number of lanes by the mask: of the result, if the memory operand has another number of elements
 * (dot products).
 */
static unsigned int masked_lanes(const struct machine_instruction *in,
				 const ZydisDecodedOperand *operand)
{
	const ZydisDecodedOperand *data = data_operand(in);
	unsigned int lanes = operand->element_count;

	if (is_complex(in->is.mnemonic))
		return operand->size / 32;
	return !is_opmask(data) && data->element_count < lanes ? data->element_count : lanes;
}

static void set_masked(const struct machine_instruction *in, const ZydisDecodedOperand *operand,
		       struct code_access *access)
{
	bool packed = in->is.meta.category == ZYDIS_CATEGORY_COMPRESS ||
		      in->is.meta.category == ZYDIS_CATEGORY_EXPAND;

	if (!access->write && loads_all(in))
		return;
	packed = packed || in->is.mnemonic == ZYDIS_MNEMONIC_VPCOMPRESSB ||
		 in->is.mnemonic == ZYDIS_MNEMONIC_VPCOMPRESSW ||
		 in->is.mnemonic == ZYDIS_MNEMONIC_VPEXPANDB ||
		 in->is.mnemonic == ZYDIS_MNEMONIC_VPEXPANDW;
	access->kind = packed ? CODE_ACCESS_PACKED : CODE_ACCESS_MASKED;
	access->mask = vector_number(in->is.avx.mask.reg);
	access->lanes = (uint8_t)masked_lanes(in, operand);
	access->size = operand->size / 8 / access->lanes;
}

static bool is_string(const struct machine_instruction *in)
{
	return in->is.meta.category == ZYDIS_CATEGORY_STRINGOP ||
	       in->is.meta.category == ZYDIS_CATEGORY_IOSTRINGOP;
}

static bool is_repeated(const struct machine_instruction *in)
{
	return is_string(in) && in->is.attributes & (ZYDIS_ATTRIB_HAS_REP | ZYDIS_ATTRIB_HAS_REPE |
						     ZYDIS_ATTRIB_HAS_REPNE);
}

static const char *refused_operand(const struct machine_instruction *in)
{
	if (special(in->is.mnemonic) == LEADING_INDEX &&
	    in->operands[1].type != ZYDIS_OPERAND_TYPE_IMMEDIATE)
		return in->is.mnemonic == ZYDIS_MNEMONIC_XLAT ? "xlat" : "bit string in memory";
	if (in->is.mnemonic == ZYDIS_MNEMONIC_ENTER && in->operands[1].imm.value.u)
		return "enter with nested frames";
	if (is_string(in) && in->is.address_width == 32)
		return "string instruction with 32-bit addresses";
	return NULL;
}

static void set_kind(const struct machine_instruction *in, const ZydisDecodedOperand *operand,
		     struct code_access *access)
{
	enum special kind = special(in->is.mnemonic);

	if (kind == STATE || !access->size) {
		access->kind = CODE_ACCESS_UNKNOWN;
		access->index = CODE_NO_REGISTER; /* rows of a tile: the first one */
		access->size = 0;
	} else if (has_index_in_vector(operand)) {
		set_lanes(in, operand, access);
	} else if (kind == VECTOR_MASKED) {
		set_vector_masked(in, operand, access);
	} else if (is_masked(in)) {
		set_masked(in, operand, access);
	} else if (is_repeated(in)) {
		access->kind = CODE_ACCESS_REPEATED;
	} else {
		set_stack(in, operand, access);
	}
}

/* Vector and x87 registers, as results, sources, masks or indices; MMX ones are x87's. */
static bool is_float_register(ZydisRegister reg)
{
	switch (ZydisRegisterGetClass(reg)) {
	case ZYDIS_REGCLASS_X87:
	case ZYDIS_REGCLASS_MMX:
	case ZYDIS_REGCLASS_XMM:
	case ZYDIS_REGCLASS_YMM:
	case ZYDIS_REGCLASS_ZMM: return true;
	default: return false;
	}
}

static bool is_float(const struct machine_instruction *in)
{
	for (unsigned int i = 0; i < in->is.operand_count; i++)
		if (in->operands[i].type == ZYDIS_OPERAND_TYPE_REGISTER &&
		    is_float_register(in->operands[i].reg.value))
			return true;
	return false;
}

/*
 * Intel SDM volume 1, 10.4.6.2; clzero and direct stores (movdiri, movdir64b) write past the
 * caches, too.
 */
static bool is_non_temporal(ZydisMnemonic mnemonic)
{
	switch (mnemonic) {
	case ZYDIS_MNEMONIC_MOVNTI:
	case ZYDIS_MNEMONIC_MOVNTQ:
	case ZYDIS_MNEMONIC_MOVNTDQ:
	case ZYDIS_MNEMONIC_VMOVNTDQ:
	case ZYDIS_MNEMONIC_MOVNTPD:
	case ZYDIS_MNEMONIC_VMOVNTPD:
	case ZYDIS_MNEMONIC_MOVNTPS:
	case ZYDIS_MNEMONIC_VMOVNTPS:
	case ZYDIS_MNEMONIC_MOVNTSD:
	case ZYDIS_MNEMONIC_MOVNTSS:
	case ZYDIS_MNEMONIC_MASKMOVQ:
	case ZYDIS_MNEMONIC_MASKMOVDQU:
	case ZYDIS_MNEMONIC_VMASKMOVDQU:
	case ZYDIS_MNEMONIC_MOVDIRI:
	case ZYDIS_MNEMONIC_MOVDIR64B:
	case ZYDIS_MNEMONIC_CLZERO: return true;
	default: return false;
	}
}

/* Intel SDM volume 3, 9.1.2.2: xchg with memory is locked without the prefix, too. */
static bool is_atomic(const ZydisDecodedInstruction *is)
{
	return (is->attributes & ZYDIS_ATTRIB_HAS_LOCK) || is->mnemonic == ZYDIS_MNEMONIC_XCHG;
}

static void add_access(const struct machine_instruction *in, const ZydisDecodedOperand *operand,
		       struct decoded *out)
{
	struct code_access *access = &out->accesses[out->instruction.nr_accesses++];

	memset(access, 0, sizeof(*access));
	access->read = zydis_reads(operand);
	access->write = zydis_writes(operand);
	access->size = operand->size / 8;
	access->is_float = is_float(in);
	access->non_temporal = access->write && is_non_temporal(in->is.mnemonic);
	access->atomic = access->write && is_atomic(&in->is);
	set_address(in, operand, access);
	set_kind(in, operand, access);
}

/* Writes the whole cache line around rax; Zydis names no memory. */
static void add_clzero(struct decoded *out)
{
	out->accesses[0] = (struct code_access){ .kind = CODE_ACCESS_UNKNOWN,
						 .write = true,
						 .non_temporal = true,
						 .base = RAX,
						 .index = CODE_NO_REGISTER,
						 .scale = 1 };
	out->instruction.nr_accesses = 1;
}

const char *operands_read(const struct machine_instruction *in, struct decoded *out)
{
	const char *why = NULL;

	if (in->is.mnemonic == ZYDIS_MNEMONIC_CLZERO)
		add_clzero(out);
	for (unsigned int i = 0; i < in->is.operand_count; i++) {
		const ZydisDecodedOperand *operand = &in->operands[i];

		if (operand->type != ZYDIS_OPERAND_TYPE_MEMORY)
			continue;
		if (operand->mem.base == ZYDIS_REGISTER_EIP)
			return "address relative to the program counter, cut to 32 bits";
		if (operand->mem.base == ZYDIS_REGISTER_RIP)
			out->instruction.rip_offset = in->is.raw.disp.offset;
		if (names_no_access(in, operand))
			continue;
		why = why ? why : refused_operand(in);
		add_access(in, operand, out);
	}
	return why;
}

#endif
