/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_TESTS_UNIT_ASSEMBLY_H
#define MEMSEARCH_TESTS_UNIT_ASSEMBLY_H

/*
 * A function whose instructions a test chooses, with what the linker and unwinders know of one:
 * BEGIN(name) "…" END(name) in an __asm__.
 */
#define BEGIN(name) \
	".balign 16\n.globl " #name "\n.hidden " #name "\n.type " #name ", @function\n" #name \
	":\n.cfi_startproc\n"
#define END(name) ".cfi_endproc\n.size " #name ", . - " #name "\n"

#endif
