/* SPDX-License-Identifier: Apache-2.0 */
/* Variables that get what a statement allocates, read from the source. */
#define _GNU_SOURCE /* strcasestr */
#include "analysis/debuginfo/assignment.h"

#include <ctype.h>
#include <string.h>
#include <strings.h>

#include "analysis/base/arena.h"

#define LINES_AROUND 12 /* of one statement, before and behind the line */
#define STATEMENT_BYTES 4096
#define FIXED_COLUMN 5 /* of the sign of a continuation, from 0 */

struct statement {
	char text[STATEMENT_BYTES]; /* comments and string constants blank, lines joined */
	size_t nr;
};

/* ------------------------------------------------------------------ lines */

static bool add_line(struct statement *statement, const char *line, enum source_language language)
{
	size_t nr = (size_t)(code_line_end(line) - line);

	if (nr + 1 >= sizeof(statement->text) - statement->nr)
		return false;
	code_copy(statement->text + statement->nr, line, nr, language);
	if (language == SOURCE_FORTRAN_FIXED && nr > FIXED_COLUMN)
		statement->text[statement->nr + FIXED_COLUMN] = ' ';
	statement->nr += nr;
	statement->text[statement->nr++] = ' ';
	statement->text[statement->nr] = 0;
	return true;
}

/* The last sign of code in a line; 0: there is none, or it is the preprocessor's. */
static char last_sign(const char *line, enum source_language language)
{
	struct statement one = { .nr = 0 };

	if (!add_line(&one, line, language) || one.text[strspn(one.text, " ")] == '#')
		return 0;
	while (one.nr && one.text[one.nr - 1] == ' ')
		one.nr--;
	return one.nr ? one.text[one.nr - 1] : 0;
}

static bool is_continuation_line(const char *line)
{
	return (size_t)(code_line_end(line) - line) > FIXED_COLUMN &&
	       strspn(line, " ") >= FIXED_COLUMN && !strchr(" 0", line[FIXED_COLUMN]);
}

/* Whether the statement of `line` continues in `next`. */
static bool goes_on(const char *line, const char *next, enum source_language language)
{
	char last = last_sign(line, language);

	if (!*next || language == SOURCE_FORTRAN_FIXED)
		return *next && is_continuation_line(next);
	return language == SOURCE_C ? last && !strchr(";{}:", last) : last == '&';
}

static bool read_statement(struct statement *statement, const char *text,
			   enum source_language language, int number)
{
	const char *line = code_line_start(text, number), *first = line, *before;

	for (int i = 0; i < LINES_AROUND && (before = code_line_before(text, first)) &&
			goes_on(before, first, language);
	     i++)
		first = before;
	statement->nr = 0;
	for (int i = 0; i < 2 * LINES_AROUND && *first; i++) {
		const char *next = code_line_end(first);

		next += *next == '\n';
		if (!add_line(statement, first, language))
			return false;
		if (first >= line && !goes_on(first, next, language))
			break;
		first = next;
	}
	return statement->nr > 0;
}

/* ------------------------------------------------------------------ words */

static const char *skip_blanks(const char *at)
{
	return at + strspn(at, " ");
}

/*
 * Behind the bracket that closes the one at `at`; NULL: none does. Angle brackets close where the
 * others do not open between.
 */
static const char *behind_bracket(const char *at)
{
	char open = *at, close = open == '(' ? ')' : open == '[' ? ']' : open == '{' ? '}' : '>';
	int depth = 0;

	for (; *at; at++) {
		depth += (*at == open) - (*at == close);
		if (!depth)
			return at + 1;
	}
	return NULL;
}

/* The begin of the bracket that ends before `end`; NULL: none does. */
static const char *before_bracket(const char *begin, const char *end)
{
	char close = end[-1], open = close == ')' ? '(' : '[';
	int depth = 0;

	while (end > begin) {
		end--;
		depth += (*end == close) - (*end == open);
		if (!depth)
			return end;
	}
	return NULL;
}

static const char *back_over_blanks(const char *begin, const char *end)
{
	while (end > begin && end[-1] == ' ')
		end--;
	return end;
}

/* Back over "->", "." and "%": *joined_out. */
static const char *back_over_joint(const char *begin, const char *end, bool *joined_out)
{
	const char *at = back_over_blanks(begin, end);

	*joined_out = true;
	if (at > begin + 1 && at[-1] == '>' && at[-2] == '-')
		return back_over_blanks(begin, at - 2);
	if (at > begin && (at[-1] == '.' || at[-1] == '%'))
		return back_over_blanks(begin, at - 1);
	*joined_out = false;
	return end;
}

/* Where the variable begins that ends before `end`: "mesh->x[i]". NULL: what is there is none. */
static const char *variable_before(const char *begin, const char *end)
{
	bool joined = true;
	const char *at = end, *open = NULL;

	while (joined) {
		for (open = NULL; at > begin && (at[-1] == ']' || at[-1] == ')');
		     at = back_over_blanks(begin, open)) {
			open = before_bracket(begin, at);
			if (!open)
				return NULL;
		}
		end = at;
		while (at > begin && code_is_word_sign(at[-1]))
			at--;
		if (at == end && open && *open == '(') /* "(*mesh)->x" */
			return open;
		if (at == end || isdigit((unsigned char)*at))
			return NULL;
		end = back_over_joint(begin, at, &joined);
		at = joined ? end : at;
	}
	return at;
}

static const char *without_blanks(struct arena *arena, const char *from, const char *end)
{
	char *text = arena_alloc(arena, (size_t)(end - from) + 1), *to = text;

	for (; text && from < end; from++)
		if (*from != ' ')
			*to++ = *from;
	if (text)
		*to = 0;
	return text;
}

/* ------------------------------------------------------------------ C and C++ */

struct search {
	struct arena *arena;
	const char *begin, *callee;
	const char *source; /* all of it */
	bool constructs;    /* the callee is a constructor */
	bool member, behind_pointer, to_object, result;
	bool seen; /* the statement has the callee */
	const char *address_of;
	const char *variables[ASSIGNMENT_MOST];
	size_t nr, nr_known;
};

static void found(struct search *search, const char *from, const char *end)
{
	if (!from)
		return;
	if (search->nr++ < ASSIGNMENT_MOST)
		search->variables[search->nr_known++] = without_blanks(search->arena, from,
								       back_over_blanks(from, end));
}

/* "if", "else", "c ? a : b": the order of their code says nothing of the order of the text. */
static bool branches(const char *text)
{
	const char *word;
	size_t nr;

	for (const char *at = text; *at; at += nr ? nr : 1) {
		for (word = at, nr = 0; code_is_word_sign(word[nr]);)
			nr++;
		if (*at == '?' || (nr == 2 && !strncasecmp(word, "if", nr)) ||
		    (nr == 4 && !strncasecmp(word, "else", nr)))
			return true;
	}
	return false;
}

static struct assignment answer(const struct search *search, bool returned)
{
	struct assignment result = { .returned = returned,
				     .member = search->member,
				     .behind_pointer = search->nr == 1 && search->behind_pointer,
				     .to_object = search->to_object,
				     .result = search->result,
				     .address_of = search->address_of };

	if (search->nr == 1)
		result.variable = search->variables[0];
	if (search->nr != search->nr_known || branches(search->begin))
		return result;
	memcpy(result.variables, search->variables, sizeof(result.variables));
	result.nr_variables = search->nr;
	return result;
}

/* "int", "x::y": the word at `at`, and behind it. The last part of what "::" joins. */
static const char *read_word(const char *at, const char **word_out, size_t *nr_out)
{
	for (;;) {
		*word_out = at;
		while (code_is_word_sign(*at))
			at++;
		*nr_out = (size_t)(at - *word_out);
		at = skip_blanks(at);
		if (at[0] != ':' || at[1] != ':')
			return at;
		at = skip_blanks(at + 2);
	}
}

static bool contains(const char *word, size_t nr, const char *part)
{
	size_t length = strlen(part);

	for (size_t i = 0; i + length <= nr; i++)
		if (!strncasecmp(word + i, part, length))
			return true;
	return false;
}

static bool is_word(const char *word, size_t nr, const char *wanted)
{
	return nr == strlen(wanted) && !memcmp(word, wanted, nr);
}

static bool is_callee(const struct search *search, const char *word, size_t nr)
{
	if (*search->callee)
		return is_word(word, nr, search->callee);
	return contains(word, nr, "alloc") || is_word(word, nr, "new") ||
	       is_word(word, nr, "mmap") || is_word(word, nr, "memalign");
}

const char *function_behind_scope(const char *function)
{
	const char *start = function;
	int depth = 0;

	for (const char *at = function; *at; at++) {
		if (at == start && !strncmp(at, "operator", 8) && !code_is_word_sign(at[8]))
			break; /* its "<" and ">" are no brackets */
		depth += (*at == '<' || *at == '(') - (*at == '>' || *at == ')');
		if (!depth && at[0] == ':' && at[1] == ':')
			start = at + 2;
	}
	return start;
}

const char *variable_behind_this(const char *variable)
{
	return strncmp(variable, "this->", 6) ? variable : variable + 6;
}

/*
 * "std::vector<double>::resize" → "resize", "allocate<double>" → "allocate", "(anonymous
 * namespace)::make" → "make".
 */
static const char *without_scope(struct arena *arena, const char *function)
{
	const char *start = function_behind_scope(function);

	return arena_strndup(arena, start, strcspn(start, "<( "));
}

/* "ns::Vector<double>::Vector" */
static bool is_constructor(struct arena *arena, const char *function)
{
	const char *start = function_behind_scope(function),
		   *scope = start > function
				    ? arena_strndup(arena, function, (size_t)(start - 2 - function))
				    : NULL;
	const char *type = scope ? without_scope(arena, scope) : NULL,
		   *called = without_scope(arena, function);

	return type && called && *type && !strcmp(type, called);
}

/* Behind casts: "(double *)", "static_cast<T *>(". */
static const char *behind_casts(const char *at)
{
	for (;;) {
		const char *word, *next;
		size_t nr;

		at = skip_blanks(at);
		if (*at == '(' && (next = behind_bracket(at)) &&
		    (code_is_word_sign(*skip_blanks(next)) || *skip_blanks(next) == '(')) {
			at = next;
			continue;
		}
		next = read_word(at, &word, &nr);
		if (*next != '<' || !contains(word, nr, "_cast") ||
		    !(next = behind_bracket(next)) || *skip_blanks(next) != '(')
			return at;
		at = skip_blanks(next) + 1;
	}
}

/* The result points to an object that it makes. */
static bool is_maker(const char *word, size_t nr)
{
	return is_word(word, nr, "make_unique") || is_word(word, nr, "make_shared");
}

/* Where the constructor of T is called: "new (std::nothrow) struct T(n)", "make_unique<T>(n)". */
static bool makes_object(const struct search *search, const char *at)
{
	const char *word;
	size_t nr;

	at = skip_blanks(read_word(at, &word, &nr));
	if (!search->constructs || !is_word(word, nr, "new"))
		return search->constructs && is_maker(word, nr);
	if (*at == '(' && !(at = behind_bracket(at)))
		return false;
	at = read_word(skip_blanks(at), &word, &nr);
	if (is_word(word, nr, "struct") || is_word(word, nr, "class"))
		read_word(skip_blanks(at), &word, &nr);
	return is_callee(search, word, nr);
}

static bool begins_with_callee(struct search *search, const char *at)
{
	const char *word;
	size_t nr;
	bool makes;

	at = behind_casts(at);
	while (*at == '(')
		at = skip_blanks(at + 1);
	read_word(at, &word, &nr);
	makes = makes_object(search, at);
	search->to_object |= makes || is_maker(word, nr);
	return nr && (makes || is_callee(search, word, nr));
}

/* "double *x", "double (*x)[n]": not "x =" or "(*x)[i] =". */
static bool is_declaration(const char *statement)
{
	const char *word, *next;
	size_t nr;

	next = read_word(skip_blanks(statement), &word, &nr);
	return nr && (code_is_word_sign(*next) || *next == '*' ||
		      (*next == '(' && *skip_blanks(next + 1) == '*'));
}

/* "double (*x)[n] =", and ", (*y)[n] =" in the same declaration: not "(*x)[i] =". */
static bool is_pointer_to_array(const char *begin, const char *end, const char **from,
				const char **to)
{
	const char *at = end, *open, *before;
	size_t nr;

	while (at && at > begin && at[-1] == ']')
		at = (at = before_bracket(begin, at)) ? back_over_blanks(begin, at) : NULL;
	open = at && at < end && at > begin && at[-1] == ')' ? before_bracket(begin, at) : NULL;
	before = open ? back_over_blanks(begin, open) : begin;
	if (before == begin || *skip_blanks(open + 1) != '*' ||
	    !(code_is_word_sign(before[-1]) || (before[-1] == ',' && is_declaration(begin))))
		return false;
	at = read_word(skip_blanks(skip_blanks(open + 1) + 1), from, &nr);
	if (is_word(*from, nr, "restrict") || is_word(*from, nr, "const"))
		at = read_word(at, from, &nr);
	*to = *from + nr;
	return nr && *at == ')';
}

/* "*x = ": not "double *x = ", nor "a * x". */
static bool is_behind_pointer(const struct search *search, const char *from)
{
	const char *at = from ? back_over_blanks(search->begin, from) : search->begin;

	if (at == search->begin || at[-1] != '*')
		return false;
	at = back_over_blanks(search->begin, at - 1);
	return at == search->begin || strchr(";{})", at[-1]);
}

/* "x = callee(": not "==", "<=" and the like. */
static void look_at_assignment(struct search *search, const char *at)
{
	bool compares = at[1] == '=' || (at > search->begin && strchr("=!<>+-*/%&|^", at[-1]));
	const char *end = back_over_blanks(search->begin, at), *from, *to;

	if (compares || !begins_with_callee(search, at + 1))
		return;
	if (is_pointer_to_array(search->begin, end, &from, &to)) {
		found(search, from, to);
		return;
	}
	from = variable_before(search->begin, end);
	search->result = !search->constructs && !search->to_object;
	search->behind_pointer = is_behind_pointer(search, from);
	found(search, from, end);
}

/* ------------------------------------------------------------------ initialisers of structs */

/* Behind blanks, line ends and comments of the source. */
static const char *skip_space(const char *at)
{
	for (;;) {
		const char *end;

		at += strspn(at, " \t\r\n");
		if (at[0] == '/' && at[1] == '/')
			at = code_line_end(at);
		else if (at[0] == '/' && at[1] == '*' && (end = strstr(at + 2, "*/")))
			at = end + 2;
		else
			return at;
	}
}

/*
 * The name of the member with number `wanted` of the struct whose members begin at `at`. False:
 * there are fewer, or what is before it is no plain list.
 */
static bool find_member(const char *at, size_t wanted, const char **name_out, size_t *nr_out)
{
	const char *name = NULL;
	size_t nr = 0;

	for (at = skip_space(at); *at && !strchr("{}()", *at); at = skip_space(at)) {
		if (*at == '[') {
			if (!(at = behind_bracket(at)))
				return false;
		} else if (!code_is_word_sign(*at)) {
			if (strchr(",;", *at) && name && !wanted--) {
				*name_out = name;
				*nr_out = nr;
				return true;
			}
			at++;
		} else {
			for (name = at, nr = 0; code_is_word_sign(*at); at++)
				nr++;
		}
	}
	return false;
}

/* Behind the "{" that ends the struct at `close`, a "}"; NULL: none, or there are others inside. */
static const char *members_before(const char *source, const char *close)
{
	while (close > source && !strchr("{}", close[-1]))
		close--;
	return close > source && close[-1] == '{' ? close : NULL;
}

/* Behind the "{" of "struct type {" or of "{ … } type;". NULL: the source has none. */
static const char *members_of(const char *source, const char *type, size_t nr)
{
	for (const char *at = source; (at = memmem(at, strlen(at), type, nr)); at += nr) {
		const char *before = at, *next = skip_space(at + nr);

		if (code_is_word_sign(at[nr]) || (at > source && code_is_word_sign(at[-1])))
			continue;
		while (before > source && isspace((unsigned char)before[-1]))
			before--;
		if (*next == '{' && before - source >= 6 && !memcmp(before - 6, "struct", 6))
			return next + 1;
		if (*next == ';' && before > source && before[-1] == '}')
			return members_before(source, before - 1);
	}
	return NULL;
}

/* An item of a list in braces: its "," or the "}". */
static const char *braces_item_end(const char *at)
{
	while (*at && *at != ',' && *at != '}') {
		const char *behind = strchr("([{", *at) ? behind_bracket(at) : at + 1;

		if (!behind)
			return at + strlen(at);
		at = behind;
	}
	return at;
}

struct initialised {
	const char *variable, *members; /* NULL: an array */
	size_t nr;                      /* of the variable's name */
};

/* "name = {" of a struct of which the source has the members, or "name[2] = {"; `end`: the "=". */
static bool find_initialised(const struct search *search, const char *end, struct initialised *out)
{
	const char *at = back_over_blanks(search->begin, end), *type_end;
	bool is_array = at > search->begin && at[-1] == ']';

	if (is_array && !(at = before_bracket(search->begin, at)))
		return false;
	out->variable = at = back_over_blanks(search->begin, at);
	while (out->variable > search->begin && code_is_word_sign(out->variable[-1]))
		out->variable--;
	out->nr = (size_t)(at - out->variable);
	type_end = at = back_over_blanks(search->begin, out->variable);
	while (at > search->begin && code_is_word_sign(at[-1]))
		at--;
	out->members = is_array || at == type_end
			       ? NULL
			       : members_of(search->source, at, (size_t)(type_end - at));
	return out->nr && (is_array || out->members);
}

/* "struct grid g = { n, malloc(n), malloc(n) }": g.u and g.v. `at`: the "=". */
static void look_at_braces(struct search *search, const char *at)
{
	const char *item = skip_blanks(at + 1), *end, *name;
	struct initialised of;
	size_t nr;

	if (*item != '{' || !find_initialised(search, at, &of))
		return;
	for (size_t i = 0; *item == '{' || *item == ','; i++, item = end) {
		const char *value = skip_blanks(item + 1), *text;

		end = braces_item_end(value);
		if (*value == '.' && (value = memchr(value, '=', (size_t)(end - value)))) {
			name = skip_blanks(item + 1) + 1;
			nr = strcspn(name, " =");
			value++;
		} else if (!value || (of.members && !find_member(of.members, i, &name, &nr))) {
			return;
		}
		if (!begins_with_callee(search, value))
			continue;
		text = of.members ? arena_printf(search->arena, "%.*s.%.*s", (int)of.nr,
						 of.variable, (int)nr, name)
				  : arena_printf(search->arena, "%.*s[%zu]", (int)of.nr,
						 of.variable, i);
		if (text)
			found(search, text, text + strlen(text));
	}
}

/* "posix_memalign((void **)&x, ": the first argument with a "&". */
static void look_at_address(struct search *search, const char *at)
{
	const char *end = behind_bracket(at), *sign = at, *from, *to;

	do
		sign = end ? memchr(sign + 1, '&', (size_t)(end - sign - 1)) : NULL;
	while (sign && !strchr("(,)", back_over_blanks(at, sign)[-1]));
	if (!sign)
		return;
	from = skip_blanks(sign + 1);
	if (*from == '(' && (to = behind_bracket(from)) && strchr(",)", *skip_blanks(to))) {
		found(search, from + 1, to - 1);
		return;
	}
	to = from;
	while (to < end - 1 && *to != ',')
		to += *to == '[' && behind_bracket(to) ? (size_t)(behind_bracket(to) - to) : 1;
	if (code_is_word_sign(*from))
		found(search, from, to);
}

/*
 * "vector<double> v(n)": a variable of the type whose constructor is called; `at`: behind the
 * type's name.
 */
static void look_at_declaration(struct search *search, const char *at)
{
	const char *word, *next;
	size_t nr;

	if (*at == '<' && !(at = behind_bracket(at)))
		return;
	at = skip_blanks(at);
	next = read_word(at, &word, &nr);
	if (!nr || word != at || (*next != '(' && *next != '{'))
		return;
	while (nr && (*next == '(' || *next == '{')) { /* "v(n), w(n)" */
		found(search, word, word + nr);
		next = behind_bracket(next);
		if (!next || *(next = skip_blanks(next)) != ',')
			return;
		next = read_word(skip_blanks(next + 1), &word, &nr);
	}
	search->nr++; /* a variable of another form */
}

static bool is_among(const char *word, size_t nr, const char *const *words)
{
	while (*words && !is_word(word, nr, *words))
		words++;
	return *words != NULL;
}

/*
 * C++'s containers allocate where they are made and where they grow, by functions of the library.
 */
static const char *const containers[] = { "vector",       "valarray", "deque",
					  "basic_string", "string",   NULL };
static const char *const growing[] = { "resize",       "reserve", "assign", "push_back",
				       "emplace_back", "insert",  "append", NULL };

/* "Field(int n) : x(new double[n])", "unique_ptr<double[]> x(new double[n])". `word`: the "new". */
static void look_at_initializer(struct search *search, const char *word)
{
	const char *open = back_over_blanks(search->begin, word), *end, *from, *before;
	int depth = 0;

	if (open == search->begin || (open[-1] != '(' && open[-1] != '{'))
		return;
	from = end = back_over_blanks(search->begin, open - 1);
	while (from > search->begin && code_is_word_sign(from[-1]))
		from--;
	before = back_over_blanks(search->begin, from);
	for (const char *at = search->begin; at < from; at++)
		depth += (*at == '(') - (*at == ')');
	if (from == end || depth || before < search->begin + 2 || !strchr(":,>", before[-1]) ||
	    strchr(":-", before[-2]))
		return;
	found(search, from, end);
}

/* Whether `source` has "type<…> name" or "type<…> other, name". */
static bool is_declared_as(const char *source, const char *type, size_t nr_type, const char *name,
			   size_t nr)
{
	for (const char *at = source; (at = memmem(at, strlen(at), type, nr_type)); at += nr_type) {
		const char *word, *next = skip_blanks(at + nr_type);
		size_t length;

		if (code_is_word_sign(at[nr_type]) || (at > source && code_is_word_sign(at[-1])) ||
		    (*next == '<' && !(next = behind_bracket(next))))
			continue;
		do {
			next = read_word(skip_blanks(next), &word, &length);
			if (length == nr && !memcmp(word, name, nr))
				return true;
		} while (length && *next == ',' && next++);
	}
	return false;
}

/*
 * "Grid(int n) : n(n), v(n)": of the members that a constructor initialises, those of the type
 * whose constructor is called.
 */
static void look_at_members(struct search *search)
{
	const char *list = strchr(search->begin, ')'), *word;
	size_t nr;

	while (list && (*skip_blanks(list + 1) != ':' || skip_blanks(list + 1)[1] == ':'))
		list = strchr(list + 1, ')');
	for (const char *at = list ? skip_blanks(list + 1) + 1 : NULL; at;) {
		const char *next = read_word(skip_blanks(at), &word, &nr);

		if (!nr || (*next != '(' && *next != '{'))
			break;
		if (is_declared_as(search->source, search->callee, strlen(search->callee), word,
				   nr)) {
			found(search, word, word + nr);
			search->member = true;
		}
		at = behind_bracket(next);
		at = at && *skip_blanks(at) == ',' ? skip_blanks(at) + 1 : NULL;
	}
}

static void look_at_word(struct search *search, const char *word, size_t nr, const char *behind)
{
	bool any = !*search->callee, called = !any && is_word(word, nr, search->callee), joined;
	const char *object = back_over_joint(search->begin, word, &joined);

	search->seen |= is_callee(search, word, nr);
	if (called && *behind == '(') {
		struct search arguments = { .arena = search->arena, .begin = search->begin };

		look_at_address(&arguments, behind);
		search->address_of = arguments.nr == 1 ? arguments.variables[0] : NULL;
	}
	if (is_word(word, nr, "new") && makes_object(search, word)) {
		search->to_object = true;
		look_at_initializer(search, word);
	} else if (any && is_word(word, nr, "new")) {
		look_at_initializer(search, word);
	} else if (any && is_word(word, nr, "posix_memalign") && *behind == '(') {
		look_at_address(search, behind);
	} else if (joined && (called || (any && is_among(word, nr, growing)))) {
		found(search, variable_before(search->begin, object), object);
	} else if (!joined && (called || (any && is_among(word, nr, containers)))) {
		look_at_declaration(search, behind);
	}
}

/*
 * "VectorType v(n)": of a type that is called otherwise there, by an alias or a parameter of a
 * template.
 */
static void look_at_alias(struct search *search)
{
	static const char *const no_types[] = { "return", "new",  "delete", "throw",
						"else",   "case", "goto",   NULL };
	static const char *const qualifiers[] = { "const",  "static",    "typename", "explicit",
						  "inline", "constexpr", "virtual",  NULL };
	const char *word, *at = search->begin;
	size_t nr;

	do
		at = read_word(at + strspn(at, " \t{}"), &word, &nr);
	while (is_among(word, nr, qualifiers));
	if (nr && !is_among(word, nr, no_types))
		look_at_declaration(search, at);
}

/* ------------------------------------------------------------------ macros */

/* The only "=" that assigns in the statement; NULL: none, or several. */
static const char *only_assignment(const char *text)
{
	const char *only = NULL;

	for (const char *at = text; *at; at++) {
		if (*at != '=')
			continue;
		if (at[1] == '=' || (at > text && strchr("=!<>+-*/%&|^", at[-1]))) {
			at += at[1] == '=';
			continue;
		}
		if (only)
			return NULL;
		only = at;
	}
	return only;
}

/* Names in capitals are macros, by convention; beside an allocator's any name may be one. */
static bool is_macro(const char *word, size_t nr)
{
	for (size_t i = 0; i < nr; i++)
		if (islower((unsigned char)word[i]))
			return false;
	return nr > 2;
}

/*
 * A macro hides the call: "x = NEW(double, n)" assigns what is behind it, "DECLARE(x, n)" has the
 * variable as its first argument.
 */
static void look_at_macro(struct search *search)
{
	static const char *const others[] = { "for", "while", "switch", "return", NULL };
	const char *sign = only_assignment(search->begin), *first, *word, *at;
	size_t nr_first, nr;

	at = read_word(search->begin + strspn(search->begin, " {};"), &first, &nr_first);
	if (!nr_first || is_among(first, nr_first, others) || branches(search->begin))
		return;
	if (sign) {
		const char *end = back_over_blanks(search->begin, sign);

		if (*read_word(behind_casts(skip_blanks(sign + 1)), &word, &nr) != '(' || !nr ||
		    (*search->callee && !is_macro(word, nr)))
			return;
		found(search, variable_before(search->begin, end), end);
		search->result = true;
	} else if (*at == '(' && is_macro(first, nr_first)) {
		at = read_word(skip_blanks(at + 1), &word, &nr);
		if (nr && !isdigit((unsigned char)*word) && (*at == ',' || *at == ')'))
			found(search, word, word + nr);
	}
}

static struct assignment find_in_c(struct arena *arena, const char *source, const char *text,
				   const char *callee, bool constructs)
{
	struct search search = { .arena = arena,
				 .begin = text,
				 .callee = callee,
				 .source = source,
				 .constructs = constructs };
	const char *word = text;
	bool returned = false;
	size_t nr;

	for (const char *at = text; *at; at++) {
		if (*at == '=') {
			look_at_assignment(&search, at);
			look_at_braces(&search, at);
		}
		if (!code_is_word_sign(*at) || (at > text && code_is_word_sign(at[-1])))
			continue;
		word = at;
		nr = 0;
		while (code_is_word_sign(word[nr]))
			nr++;
		if (is_word(word, nr, "return") && begins_with_callee(&search, word + nr))
			returned = true;
		look_at_word(&search, word, nr, skip_blanks(word + nr));
	}
	if (!search.nr && constructs)
		look_at_members(&search);
	if (!search.nr && constructs)
		look_at_alias(&search);
	if (!search.nr && !search.seen && !constructs && !returned)
		look_at_macro(&search);
	return answer(&search, returned);
}

/* ------------------------------------------------------------------ Fortran */

/* The end of an item of a list in brackets: a "," or the ")". */
static const char *item_end(const char *at)
{
	while (*at && *at != ',' && *at != ')') {
		const char *behind = *at == '(' ? behind_bracket(at) : at + 1;

		if (!behind)
			return at;
		at = behind;
	}
	return at;
}

/* "x(n, m)" without its last brackets; not "STAT=error". */
static void look_at_item(struct search *search, const char *from, const char *end)
{
	const char *to = back_over_blanks(from, end);

	if (memchr(from, '=', (size_t)(to - from)) && !strchr(")", to[-1]))
		return;
	if (to > from && to[-1] == ')' && !(to = before_bracket(from, to)))
		return;
	from = skip_blanks(from);
	if (to > from && !memchr(from, '=',
				 strcspn(from, "(") < (size_t)(to - from) ? strcspn(from, "(")
									  : (size_t)(to - from)))
		found(search, from, to);
}

/* The items of one ALLOCATE, from behind its "(" on. */
static void look_at_allocate(struct search *search, const char *at)
{
	const char *end = behind_bracket(at - 1), *type = strstr(at, "::");

	for (at = type && (!end || type < end) ? type + 2 : at; *at;) {
		const char *behind = item_end(at);

		look_at_item(search, at, behind);
		if (*behind != ',')
			break;
		at = behind + 1;
	}
}

/* Behind "if (allocated(a)) deallocate(a);" there may be one, too. */
static struct assignment find_in_fortran(struct arena *arena, const char *text)
{
	struct search search = { .arena = arena, .begin = text, .callee = "" };

	for (const char *hit = text; (hit = strcasestr(hit, "allocate")); hit += 8) {
		const char *at = skip_blanks(hit + 8);

		if (*at == '(' && (hit == text || !code_is_word_sign(hit[-1])))
			look_at_allocate(&search, at + 1);
	}
	return answer(&search, false);
}

struct assignment assignment_find(struct arena *arena, const char *text,
				  enum source_language language, int line, const char *callee)
{
	const char *called = without_scope(arena, callee);
	struct statement statement;
	char *sign;

	if (!called || line < 1 || !read_statement(&statement, text, language, line))
		return (struct assignment){ 0 };
	while (language != SOURCE_C && (sign = strchr(statement.text, '&')))
		*sign = ' ';
	return language == SOURCE_C ? find_in_c(arena, text, statement.text, called,
						is_constructor(arena, callee))
				    : find_in_fortran(arena, statement.text);
}
