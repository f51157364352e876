/* SPDX-License-Identifier: Apache-2.0 */
/* Does: went away */
/* Guest: in the midst of a parallel region, late, all its threads may only compute, write and end (seccomp, all else kills). */
/* Says: confines itself */
#define LATE 1
#include "sandbox_kills.c"
