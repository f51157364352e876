/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The files of the page in the program. The assembler copies them, so they stay files that an
 * editor understands.
 */
#include "analysis/page/embedded_files.h"

#define PART(symbol, file) \
	__asm__(".section .rodata\n" \
		".hidden " #symbol "\n" \
		".globl " #symbol "\n" #symbol ":\n" \
		".incbin \"" file "\"\n" \
		".byte 0\n" \
		".previous\n")

PART(page_html, "analysis/page/page.html");
PART(page_css, "analysis/page/page.css");
PART(page_js, "analysis/page/page.js");
