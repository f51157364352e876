# SPDX-License-Identifier: Apache-2.0
# find_package(memsearch): the headers with which a program marks its time steps. They need no library.
#   target_link_libraries(solver PRIVATE memsearch::memsearch)      C, C++: #include <memsearch/phase.h>
#   target_sources(solver PRIVATE ${memsearch_FORTRAN_SOURCE})      Fortran: use memsearch_phase
get_filename_component(_memsearch_prefix "${CMAKE_CURRENT_LIST_DIR}/../../.." ABSOLUTE)
set(memsearch_FORTRAN_SOURCE "${_memsearch_prefix}/include/memsearch/memsearch_phase.f90")
set(memsearch_STRATEGY_DIR "${_memsearch_prefix}/lib/memsearch/strategies")
set(memsearch_EXECUTABLE "${_memsearch_prefix}/bin/memsearch")
if(NOT TARGET memsearch::memsearch)
	add_library(memsearch::memsearch INTERFACE IMPORTED)
	set_target_properties(memsearch::memsearch PROPERTIES INTERFACE_INCLUDE_DIRECTORIES "${_memsearch_prefix}/include")
endif()
unset(_memsearch_prefix)
