/* SPDX-License-Identifier: Apache-2.0 */
/* Reads call-frame information. */
#include "ompt_tool/code/cfi.h"

/*
 * Operands of the other instructions: u ULEB128, s SLEB128, e expression. NULL: unknown, or it
 * advances the location.
 */
static const char *const operands[CFA_ADVANCE] = {
	[0x00] = "",   /* nop */
	[0x05] = "uu", /* offset_extended */
	[0x06] = "u",  /* restore_extended */
	[0x07] = "u",  /* undefined */
	[0x08] = "u",  /* same_value */
	[0x09] = "uu", /* register */
	[CFA_REMEMBER] = "",
	[CFA_RESTORE_STATE] = "",
	[CFA_DEFINE] = "uu",
	[CFA_DEFINE_REGISTER] = "u",
	[CFA_DEFINE_OFFSET] = "u",
	[CFA_DEFINE_EXPRESSION] = "e",
	[0x10] = "ue", /* expression */
	[0x11] = "us", /* offset_extended_sf */
	[0x12] = "us", /* def_cfa_sf */
	[0x13] = "s",  /* def_cfa_offset_sf */
	[0x14] = "uu", /* val_offset */
	[0x15] = "us", /* val_offset_sf */
	[0x16] = "ue", /* val_expression */
	[0x2e] = "u",  /* GNU_args_size */
	[0x2f] = "uu", /* GNU_negative_offset_extended */
};

static bool refuse(const char **why_out, const char *why)
{
	*why_out = why;
	return false;
}

/* -- reading the records */

/*
 * The record's contents after length and first word; *word_out: 0 in a CIE, the distance to the CIE
 * in an FDE.
 */
static struct bytes record(const unsigned char *at, const unsigned char *memory_end,
			   uint32_t *word_out)
{
	struct bytes in = { at, memory_end, at > memory_end };
	uint32_t length = (uint32_t)bytes_fixed(&in, 4);

	/* end; 64-bit DWARF does not occur in .eh_frame */
	if (length == 0 || length == UINT32_MAX)
		in.bad = true;
	in = bytes_take(&in, length);
	*word_out = (uint32_t)bytes_fixed(&in, 4);
	return in;
}

/* Letters after the z: contents of the CIE's augmentation data. */
static bool read_augmentation(const char *letters, struct bytes *data, struct cfi *out)
{
	for (; *letters; letters++)
		if (*letters == 'R')
			out->pointer_encoding = (uint8_t)bytes_fixed(data, 1);
		else if (*letters == 'L')
			out->lsda_encoding = (uint8_t)bytes_fixed(data, 1);
		else if (*letters == 'P') {
			out->personality_encoding = (uint8_t)bytes_fixed(data, 1);
			out->personality = bytes_pointer(data, out->personality_encoding);
		} else if (*letters == 'S')
			out->signal_frame = true;
		else
			return false;
	return !data->bad;
}

static bool read_cie(struct bytes in, struct cfi *out, const char **why_out)
{
	const char *augmentation;
	struct bytes data = { 0 };
	uint64_t return_register;

	out->version = (uint8_t)bytes_fixed(&in, 1);
	augmentation = bytes_text(&in);
	out->code_alignment = bytes_uleb(&in);
	out->data_alignment = bytes_sleb(&in);
	return_register = out->version == 1 ? bytes_fixed(&in, 1) : bytes_uleb(&in);
	out->augmented = *augmentation == 'z';
	if (out->augmented)
		data = bytes_take(&in, bytes_uleb(&in));
	if (in.bad)
		return refuse(why_out, "its CIE ends too early");
	if (out->version != 1 && out->version != 3)
		return refuse(why_out, "its CIE has a version not known");
	if (return_register != CFI_RETURN_ADDRESS)
		return refuse(why_out, "its return address is not in the usual place");
	if ((*augmentation && !out->augmented) ||
	    !read_augmentation(augmentation + out->augmented, &data, out))
		return refuse(why_out, "its CIE has an augmentation not known");
	out->initial = in;
	return true;
}

static bool read_fde(struct bytes in, struct cfi *out, const char **why_out)
{
	struct bytes data = { 0 };

	out->start = bytes_pointer(&in, out->pointer_encoding);
	out->end = out->start + bytes_pointer(&in, out->pointer_encoding & 15);
	if (out->augmented)
		data = bytes_take(&in, bytes_uleb(&in));
	if (out->lsda_encoding != BYTES_OMITTED)
		out->lsda = bytes_pointer(&data, out->lsda_encoding);
	if (in.bad || data.bad)
		return refuse(why_out, "its FDE ends too early");
	if (out->pointer_encoding & BYTES_INDIRECT ||
	    (out->lsda && out->lsda_encoding & BYTES_INDIRECT))
		return refuse(why_out, "its FDE has pointers to pointers");
	if (out->start >= out->end || out->end - out->start > INT32_MAX)
		return refuse(why_out, "its FDE has no range of code");
	out->instructions = in;
	return true;
}

bool cfi_read(const unsigned char *fde, const unsigned char *cie, const unsigned char *memory_end,
	      struct cfi *out, const char **why_out)
{
	uint32_t zero, back;
	struct bytes common = record(cie, memory_end, &zero), own = record(fde, memory_end, &back);

	*out = (struct cfi){ .personality_encoding = BYTES_OMITTED,
			     .lsda_encoding = BYTES_OMITTED };
	if (common.bad || own.bad)
		return refuse(why_out, "its unwind records end too early");
	if (zero || (uintptr_t)fde + 4 - back != (uintptr_t)cie)
		return refuse(why_out, "its unwind records do not belong together");
	if (!read_cie(common, out, why_out) || !read_fde(own, out, why_out))
		return false;
	return !out->signal_frame || refuse(why_out, "it is the frame of a signal handler");
}

const char *cfi_operands(unsigned char code)
{
	return code < CFA_ADVANCE ? operands[code] : code < CFA_RESTORE ? "u" : "";
}
