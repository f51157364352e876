/* SPDX-License-Identifier: Apache-2.0 */
/* Function names as the user wrote them, from the symbols compilers make of them. */
#define _GNU_SOURCE
#include "analysis/elf/function_names.h"

#include <ctype.h>
#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/base/arena.h"
#include "analysis/elf/cxx.h"

typedef char *demangle_function(const char *mangled, char *buffer, size_t *length, int *status);

/*
 * libstdc++ is not linked: C++ programs have it loaded, and C programs must not get it. Opens it
 * only if no library of the process has the function.
 */
static demangle_function *demangler(void)
{
	static demangle_function *found;
	static bool looked;
	void *library;

	if (looked)
		return found;
	looked = true;
	found = (demangle_function *)dlsym(RTLD_DEFAULT, "__cxa_demangle");
	if (found)
		return found;
	library = dlopen("libstdc++.so.6", RTLD_LAZY | RTLD_LOCAL);
	if (library)
		found = (demangle_function *)dlsym(library, "__cxa_demangle");
	return found;
}

/* Start of the parameter list that ends the text, or its end. */
static char *parameters(char *text)
{
	char *at = text + strlen(text);
	int depth = 0;

	while (at > text && at[-1] != ')' &&
	       (islower((unsigned char)at[-1]) || at[-1] == ' ' || at[-1] == '&'))
		at--; /* " const", " &" */
	if (at == text || at[-1] != ')')
		return text + strlen(text);
	while (at > text) {
		at--;
		depth += (*at == ')') - (*at == '(');
		if (!depth)
			return at;
	}
	return text + strlen(text);
}

/* Behind the return type that templates carry; conversion operators have a space in their name. */
static char *without_return_type(char *text)
{
	char *start = text;
	int depth = 0;

	for (char *at = text; *at; at++) {
		if (!strncmp(at, "operator", 8))
			return start;
		depth += (*at == '(' || *at == '<' || *at == '{') -
			 (*at == ')' || *at == '>' || *at == '}');
		if (*at == ' ' && !depth)
			start = at + 1;
	}
	return start;
}

static char *demangled(struct arena *arena, const char *mangled)
{
	demangle_function *demangle = demangler();
	int status = -1;
	char *plain, *kept = NULL;

	if (!demangle)
		return arena_strdup(arena, mangled);
	plain = demangle(mangled, NULL, NULL, &status);
	if (plain && status == 0) {
		*parameters(plain) = 0;
		kept = cxx_tidy(arena, without_return_type(plain));
	}
	free(plain);
	return kept && *kept ? kept : arena_strdup(arena, mangled);
}

/*
 * flang: _Q, then a letter and a lower-case name for each scope. M module, S submodule,
 * F host procedure, P procedure:  _QMphysPrelax → phys::relax   _QFhostPinner → inner
 */
static char *flang_name(struct arena *arena, const char *symbol)
{
	char *name = arena_strdup(arena, "");
	const char *at = symbol + 2;

	if (*at == 'Q')
		return arena_strdup(arena, !strcmp(at, "Qmain") ? NAME_OF_FORTRAN_MAIN : symbol);
	while (name && isupper((unsigned char)*at)) {
		char scope = *at++;
		size_t length = 0;

		while (at[length] && !isupper((unsigned char)at[length]))
			length++;
		if (scope == 'M' || scope == 'S')
			name = arena_printf(arena, "%s%.*s::", name, (int)length, at);
		else if (scope == 'P')
			name = arena_printf(arena, "%s%.*s", name, (int)length, at);
		at += length;
	}
	return name && *name ? name : arena_strdup(arena, symbol);
}

static char *fortran_name(struct arena *arena, const char *symbol, bool fortran)
{
	const char *procedure = strstr(symbol, "_MOD_");
	size_t length = strlen(symbol);

	if (!strcmp(symbol, "MAIN__"))
		return arena_strdup(arena, NAME_OF_FORTRAN_MAIN);
	if (!strncmp(symbol, "_Q", 2))
		return flang_name(arena, symbol);
	if (!strncmp(symbol, "__", 2) && procedure && procedure > symbol + 2)
		return arena_printf(arena, "%.*s::%s", (int)(procedure - symbol - 2), symbol + 2,
				    procedure + 5);
	if (fortran && length > 1 && symbol[length - 1] == '_')
		return arena_strndup(arena, symbol, length - 1);
	return arena_strdup(arena, symbol);
}

/*
 * clang names the host's version of a target construct by device and inode of its source file,
 * function and line: __omp_offloading_fe00_a72190_main_l8_debug__ → main
 */
static const char of_target[] = "__omp_offloading_";

bool name_is_of_target(const char *symbol)
{
	return !strncmp(symbol, of_target, sizeof(of_target) - 1);
}

static void keep_function_of_target(char *name)
{
	char *function = name_is_of_target(name) ? name + sizeof(of_target) - 1 : NULL;
	char *line = NULL;

	for (int i = 0; i < 2 && function; i++) {
		function = strchr(function, '_');
		if (function)
			function++;
	}
	for (char *at = function; at && (at = strstr(at, "_l")); at += 2)
		line = at;
	if (!line || line == function || !isdigit((unsigned char)line[2]))
		return;
	*line = 0;
	memmove(name, function, strlen(function) + 1);
}

const char *name_user(struct arena *arena, const char *symbol, bool fortran)
{
	char *base = arena_strndup(arena, symbol, strcspn(symbol, ".@"));

	if (!base || !*base)
		return base;
	keep_function_of_target(base);
	return !strncmp(base, "_Z", 2) ? demangled(arena, base)
				       : fortran_name(arena, base, fortran);
}

bool name_is_gcc_outlined(const char *symbol)
{
	return strstr(symbol, "._omp_fn.") != NULL;
}

bool name_is_outlined(const char *symbol)
{
	static const char *const marks[] = { "._omp_fn.", ".omp_outlined", "..omp_par",
					     ".omp_task_entry" };

	for (size_t i = 0; i < sizeof(marks) / sizeof(marks[0]); i++)
		if (strstr(symbol, marks[i]))
			return true;
	return false;
}

bool name_has_scope(const char *linkage_name)
{
	return !strncmp(linkage_name, "_Z", 2) || !strncmp(linkage_name, "_QM", 3) ||
	       (!strncmp(linkage_name, "__", 2) && strstr(linkage_name, "_MOD_"));
}
