/* SPDX-License-Identifier: Apache-2.0 */
/* Readable forms of C++ names. */
#include "analysis/elf/cxx.h"

#include <stdbool.h>
#include <string.h>

#include "analysis/base/arena.h"

#define LAMBDA "lambda"

/* Puts `text` in the place of [from, to); returns what is behind it. */
static char *replace(char *from, const char *to, const char *text)
{
	size_t length = strlen(text);

	memmove(from + length, to, strlen(to) + 1);
	memcpy(from, text, length);
	return from + length;
}

static void replace_all(char *name, const char *old, const char *text)
{
	for (char *at = name; (at = strstr(at, old));)
		at = replace(at, at + strlen(old), text);
}

/* Behind the bracket that closes the one at `open`; NULL: there is none. */
static char *behind_closing(char *open)
{
	int depth = 0;

	for (char *at = open; *at; at++) {
		depth += strchr("(<[{", *at) != NULL;
		depth -= strchr(")>]}", *at) != NULL;
		if (!depth)
			return at + 1;
	}
	return NULL;
}

static char *behind_digits(char *at)
{
	return at + strspn(at, "0123456789");
}

/* gcc {lambda(int)#1} and <lambda(int)>, clang $_0, libc++ 'lambda0'(int); NULL: something else. */
static char *behind_lambda(char *at)
{
	if (!strncmp(at, "{lambda(", 8) || !strncmp(at, "<lambda(", 8))
		return behind_closing(at);
	if (!strncmp(at, "$_", 2) && behind_digits(at + 2) > at + 2)
		return behind_digits(at + 2);
	if (strncmp(at, "'lambda", 7))
		return NULL;
	at = behind_digits(at + 7);
	return at[0] == '\'' && at[1] == '(' ? behind_closing(at + 1) : NULL;
}

static void name_lambdas(char *name)
{
	static const char call[] = "::operator()";

	for (char *at = name; *at; at++) {
		char *behind = behind_lambda(at);

		if (!behind)
			continue;
		if (!strncmp(behind, call, strlen(call)))
			behind += strlen(call);
		at = replace(at, behind, LAMBDA) - 1;
	}
}

/* f(int)::inner → f::inner */
static void drop_outer_parameters(char *name)
{
	for (char *at = name; (at = strchr(at, '(')); at++) {
		char *behind = behind_closing(at);
		bool is_call = at - name >= 8 && !strncmp(at - 8, "operator", 8);

		if (!behind)
			return;
		if (!strncmp(behind, " const::", 8))
			behind += 6;
		if (!strncmp(behind, "::", 2) && !is_call && strncmp(at, "(anonymous", 10))
			at = replace(at, behind, "") - 1;
	}
}

static void drop_balanced(char *name, const char *begin, size_t open)
{
	for (char *at = name; (at = strstr(at, begin));) {
		char *behind = behind_closing(at + open);

		if (!behind)
			return;
		at = replace(at, behind, "");
	}
}

/* Room for clang's "$_0" to become "lambda". */
static char *roomy_copy(struct arena *arena, const char *name)
{
	size_t bytes = strlen(name) + 1;
	char *copy;

	for (const char *at = name; (at = strstr(at, "$_")); at += 2)
		bytes += strlen(LAMBDA);
	copy = arena_alloc(arena, bytes);
	if (copy)
		memcpy(copy, name, strlen(name) + 1);
	return copy;
}

char *cxx_tidy(struct arena *arena, const char *name)
{
	static const char allocator[] = ", std::allocator<";
	char *tidy = roomy_copy(arena, name);

	if (!tidy)
		return NULL;
	replace_all(tidy, "std::__cxx11::", "std::");
	replace_all(tidy, "std::__1::", "std::");
	name_lambdas(tidy);
	drop_outer_parameters(tidy);
	drop_balanced(tidy, "[abi:", 0);
	drop_balanced(tidy, allocator, strlen(allocator) - 1);
	replace_all(tidy, " >", ">");
	replace_all(tidy, "std::basic_string<char, std::char_traits<char>>", "std::string");
	return tidy;
}
