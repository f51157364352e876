/* SPDX-License-Identifier: Apache-2.0 */
/* Guest: asks which function called by jumps through registers that are returns (-mindirect-branch=thunk), of gcc. */
/* Flags: -mindirect-branch=thunk -rdynamic -ldl */
/* Compilers: gcc */
/* Does: left the clone */
#include "return_address.c"
