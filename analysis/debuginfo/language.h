/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_DEBUGINFO_LANGUAGE_H
#define MEMSEARCH_DEBUGINFO_LANGUAGE_H

#include <stdbool.h>

/* Of a compilation unit, by its DW_LANG_…; any version of the language. */
bool language_is_fortran(int language);
bool language_is_cxx(int language);

#endif
