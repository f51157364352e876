/* SPDX-License-Identifier: Apache-2.0 */
/* Return addresses between originals and clones. */
#include "ompt_tool/clones/switching.h"

#include "ompt_tool/clones/clone.h"
#include "ompt_tool/clones/returns.h"

static const struct return_places places = { clone_after_call, clone_original };

bool switching_return(uintptr_t *slot, uintptr_t expected, bool on)
{
	return return_move(&places, slot, expected, on);
}

unsigned int switching_frames(bool on)
{
	return return_move_frames(&places, on);
}
