/* SPDX-License-Identifier: Apache-2.0 */
/* Entries of the linkage table as GNU ld and lld write them: [endbr64] [bnd] jmp *slot(%rip). */
#ifdef __x86_64__
#include "ompt_tool/clones/linkage.h"

#include <string.h>

static const unsigned char *behind_endbr64(uintptr_t code)
{
	const unsigned char *at = (const unsigned char *)code;

	return memcmp(at, "\xf3\x0f\x1e\xfa", 4) ? at : at + 4;
}

/* push $number */
bool linkage_is_lazy(uintptr_t code)
{
	return !code || *behind_endbr64(code) == 0x68;
}

uintptr_t linkage_slot(uintptr_t code)
{
	const unsigned char *at = behind_endbr64(code);
	int32_t away;

	if (*at == 0xf2)
		at++;
	if (at[0] != 0xff || at[1] != 0x25)
		return 0;
	memcpy(&away, at + 2, 4);
	return (uintptr_t)(at + 6) + (uintptr_t)(int64_t)away;
}

#else
#include "ompt_tool/clones/linkage.h"

uintptr_t linkage_slot(uintptr_t code)
{
	(void)code;
	return 0;
}

bool linkage_is_lazy(uintptr_t code)
{
	return !code;
}
#endif
