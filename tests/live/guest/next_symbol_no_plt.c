/* SPDX-License-Identifier: Apache-2.0 */
/* Guest: the same as next_symbol, calling through the table of addresses itself (-fno-plt). */
/* Flags: -fno-plt -Wl,--no-as-needed -lm -ldl */
/* Does: left the clone */
#include "next_symbol.c"
