/* SPDX-License-Identifier: Apache-2.0 */
/* Programming languages as DWARF names them (DWARF 5, 7.12). */
#include "analysis/debuginfo/language.h"

#include <dwarf.h>

bool language_is_fortran(int language)
{
	switch (language) {
	case DW_LANG_Fortran77:
	case DW_LANG_Fortran90:
	case DW_LANG_Fortran95:
	case DW_LANG_Fortran03:
	case DW_LANG_Fortran08: return true;
	}
	return false;
}

bool language_is_cxx(int language)
{
	switch (language) {
	case DW_LANG_C_plus_plus:
	case DW_LANG_C_plus_plus_03:
	case DW_LANG_C_plus_plus_11:
	case DW_LANG_C_plus_plus_14: return true;
	}
	return false;
}
