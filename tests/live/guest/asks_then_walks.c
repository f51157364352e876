/* SPDX-License-Identifier: Apache-2.0 */
/* Guest: asks who called, and then walks along frame pointers, in one function, below others. */
/* Flags: -fno-omit-frame-pointer -fwrapv */
/* Does: left the clone */
#include "no_unwind_tables.c"
