/* SPDX-License-Identifier: Apache-2.0 */
/* Grammar of the property language: the APART Specification Language's form, extended. */
%define api.pure full
%define api.prefix {asl_}
%define api.token.prefix {WORD_}
%define parse.error custom
%locations
%parse-param {struct loader *loader} {void *scanner}
%lex-param {void *scanner}

%code requires {
#include "analysis/properties/asl.h"
#include "analysis/properties/loader.h"
}

%code {
#include "analysis/base/arena.h"

#include <stdio.h>
#include <string.h>

/* The parser's stack comes from the arena; "memory exhausted" then means nested too deeply. */
#define YYMALLOC(bytes) loader_alloc(loader, (bytes))
#define YYFREE(block) ((void)(block))
#define YYMAXDEPTH 2000

int asl_lex(ASL_STYPE *value, ASL_LTYPE *at, void *scanner);
static void asl_error(const ASL_LTYPE *at, struct loader *loader, void *scanner, const char *text);
static void once(struct loader *loader, const ASL_LTYPE *at, const char *clause, bool already);
static const char *text_join(struct loader *loader, const char *a, const char *b);
static struct asl_names *names_add(struct loader *loader, struct asl_names *names, struct asl_name name);
static void names_set(struct loader *loader, const ASL_LTYPE *at, const char *clause, struct asl_names *into, const struct asl_names *names);
static void parameter(struct loader *loader, struct asl_name type, const char *wanted, struct asl_name name, struct asl_name *into);
static struct asl_name place(const ASL_LTYPE *at, const char *text);
static void remember(struct loader *loader, const ASL_LTYPE *at);
static struct expr *reference(struct loader *loader, struct asl_name a, struct asl_name b, const char *c);
static struct expr *call(struct asl_name name, struct expr *arguments);
static struct expr *argument(struct loader *loader, const ASL_LTYPE *at, struct expr *list, struct expr *more);

#define SET_TEXT(clause, field, at, text) do { \
	once(loader, &(at), clause, loader->property->field != NULL); \
	loader->property->field = (text); \
} while (0)

/* A clause of formulas, which is kept as it was written. */
#define SET_FORMULA(clause, field, all, at, expr) do { \
	SET_TEXT(clause, field, at, expr); \
	remember(loader, &(all)); \
} while (0)
}

%union {
	double number;
	const char *text;
	struct asl_name name;
	struct asl_names *names;
	struct expr *expr;
	struct event_word event;
	struct event_terms *terms;
}

%token PROPERTY METRIC EVENTS TITLE ALIASES KINDS REFINES REQUIRES EXCLUDES HINT VIEW LET IN
%token CONDITION CONFIDENCE SEVERITY TO BY THREAD NODE EXPLANATION ADVICE
%token <name> IDENTIFIER "name"
%token <number> NUMBER "number"
%token <text> STRING "text in quotes"
%token LESS_EQUAL "<=" GREATER_EQUAL ">=" UNEQUAL "!="

%left OR
%left AND
%precedence NOT
%nonassoc '<' '>' '=' "<=" ">=" "!="
%left '+' '-'
%left '*' '/'
%precedence SIGN

%type <text> text unit
%type <names> names
%type <expr> expr argument arguments
%type <event> term
%type <terms> terms

%%

file
	: %empty
	| file property
	| file metric
	| file events
	| file error '}'                { yyerrok; }
	;

metric
	: METRIC IDENTIFIER '[' unit ']' '=' expr text ';'   { formula_add(loader, $2, $4, $7, $8); }
	;

unit
	: IDENTIFIER                    { $$ = $1.text; }
	| IDENTIFIER '/' IDENTIFIER     { $$ = text_join(loader, text_join(loader, $1.text, "/"), $3.text); }
	| '%'                           { $$ = "%"; }
	| NUMBER                        { $$ = $1 == 1 ? "1" : "a number other than 1"; }
	;

events
	: EVENTS names text '{'         { table_begin(loader, $2, $3); }
	  rows '}'                      { table_end(loader, @1.first_line, @1.first_column); }
	;

rows
	: %empty
	| rows row
	;

row
	: IDENTIFIER '=' terms ';'      { table_add(loader, $1, $3, NULL); }
	| IDENTIFIER '=' terms text ';' { table_add(loader, $1, $3, $4); }
	| error ';'                     { yyerrok; }
	;

terms
	: term                          { $$ = terms_add(loader, NULL, $1, 1); }
	| terms '+' term                { $$ = terms_add(loader, $1, $3, 1); }
	| terms '-' term                { $$ = terms_add(loader, $1, $3, -1); }
	;

term
	: STRING                        { $$ = (struct event_word){ { $1, 1 }, @1.first_line, @1.first_column }; }
	| NUMBER '*' STRING             { $$ = (struct event_word){ { $3, $1 }, @3.first_line, @3.first_column }; }
	;

property
	: PROPERTY IDENTIFIER           { property_begin(loader, $2); }
	  '(' IDENTIFIER IDENTIFIER     { parameter(loader, $5, "Region", $6, &loader->property->region); }
	  ',' IDENTIFIER IDENTIFIER     { parameter(loader, $9, "Phase", $10, &loader->property->phase); }
	  ')' '{' clauses '}'
	;

clauses
	: %empty
	| clauses clause
	;

clause
	: TITLE text ';'                { SET_TEXT("TITLE", title, @1, $2); }
	| HINT text ';'                 { SET_TEXT("HINT", hint, @1, $2); loader->property->hint_at = place(&@2, $2); }
	| EXPLANATION text ';'          { SET_TEXT("EXPLANATION", explanation, @1, $2); loader->property->explanation_at = place(&@2, $2); }
	| ADVICE text ';'               { SET_TEXT("ADVICE", advice, @1, $2); loader->property->advice_at = place(&@2, $2); }
	| ALIASES names ';'             { names_set(loader, &@1, "ALIASES", &loader->property->alias_names, $2); }
	| VIEW names ';'                { names_set(loader, &@1, "VIEW", &loader->property->view_names, $2); }
	| KINDS names ';'               { names_set(loader, &@1, "KINDS", &loader->property->kind_names, $2); }
	| REFINES names ';'             { names_set(loader, &@1, "REFINES", &loader->property->link_names[LINK_REFINES], $2); }
	| REQUIRES names ';'            { names_set(loader, &@1, "REQUIRES", &loader->property->link_names[LINK_REQUIRES], $2); }
	| EXCLUDES names ';'            { names_set(loader, &@1, "EXCLUDES", &loader->property->link_names[LINK_EXCLUDES], $2); }
	| LET bindings IN               { remember(loader, &@$); }
	| CONDITION ':' expr ';'        { SET_FORMULA("CONDITION", condition, @$, @1, $3); }
	| CONFIDENCE ':' expr ';'       { SET_FORMULA("CONFIDENCE", confidence, @$, @1, $3); }
	| SEVERITY ':' expr ';'         { SET_FORMULA("SEVERITY", severity, @$, @1, $3); }
	| SEVERITY ':' expr TO expr ';' { SET_FORMULA("SEVERITY", severity, @$, @1, $3); loader->property->severity_high = $5; }
	| BY THREAD ':' expr ';'        { SET_FORMULA("BY THREAD", by_thread, @$, @1, $4); }
	| BY NODE ':' expr ';'          { SET_FORMULA("BY NODE", by_node, @$, @1, expr_operator(loader, EXPR_BY_NODE, @1.first_line, @1.first_column, $4, NULL)); }
	| error ';'                     { yyerrok; }
	;

bindings
	: binding
	| bindings binding
	;

binding
	: IDENTIFIER '=' expr ';'       { property_bind(loader, $1, $3); }
	| error ';'                     { yyerrok; }
	;

names
	: IDENTIFIER                    { $$ = names_add(loader, NULL, $1); }
	| names ',' IDENTIFIER          { $$ = names_add(loader, $1, $3); }
	;

text
	: STRING
	| text STRING                   { $$ = text_join(loader, $1, $2); }
	;

expr
	: NUMBER                        { $$ = expr_number(loader, @1.first_line, @1.first_column, $1, NULL); }
	| NUMBER IDENTIFIER             { $$ = expr_number(loader, @2.first_line, @2.first_column, $1, $2.text); }
	| NUMBER '%'                    { $$ = expr_number(loader, @2.first_line, @2.first_column, $1, "%"); }
	| IDENTIFIER                    { $$ = expr_new(loader, EXPR_NAME, @1.first_line, @1.first_column, 0); $$->name = $1.text; }
	| IDENTIFIER '.' IDENTIFIER     { $$ = reference(loader, $1, $3, NULL); }
	| IDENTIFIER '.' IDENTIFIER '.' IDENTIFIER  { $$ = reference(loader, $1, $3, $5.text); }
	| IDENTIFIER '(' arguments ')'  { $$ = call($1, $3); }
	| '(' expr ')'                  { $$ = $2; }
	| '-' expr %prec SIGN           { $$ = expr_operator(loader, EXPR_NEGATE, @1.first_line, @1.first_column, $2, NULL); }
	| NOT expr                      { $$ = expr_operator(loader, EXPR_NOT, @1.first_line, @1.first_column, $2, NULL); }
	| expr '+' expr                 { $$ = expr_operator(loader, EXPR_ADD, @2.first_line, @2.first_column, $1, $3); }
	| expr '-' expr                 { $$ = expr_operator(loader, EXPR_SUBTRACT, @2.first_line, @2.first_column, $1, $3); }
	| expr '*' expr                 { $$ = expr_operator(loader, EXPR_MULTIPLY, @2.first_line, @2.first_column, $1, $3); }
	| expr '/' expr                 { $$ = expr_operator(loader, EXPR_DIVIDE, @2.first_line, @2.first_column, $1, $3); }
	| expr '<' expr                 { $$ = expr_operator(loader, EXPR_LESS, @2.first_line, @2.first_column, $1, $3); }
	| expr "<=" expr                { $$ = expr_operator(loader, EXPR_LESS_EQUAL, @2.first_line, @2.first_column, $1, $3); }
	| expr '>' expr                 { $$ = expr_operator(loader, EXPR_GREATER, @2.first_line, @2.first_column, $1, $3); }
	| expr ">=" expr                { $$ = expr_operator(loader, EXPR_GREATER_EQUAL, @2.first_line, @2.first_column, $1, $3); }
	| expr '=' expr                 { $$ = expr_operator(loader, EXPR_EQUAL, @2.first_line, @2.first_column, $1, $3); }
	| expr "!=" expr                { $$ = expr_operator(loader, EXPR_UNEQUAL, @2.first_line, @2.first_column, $1, $3); }
	| expr AND expr                 { $$ = expr_operator(loader, EXPR_AND, @2.first_line, @2.first_column, $1, $3); }
	| expr OR expr                  { $$ = expr_operator(loader, EXPR_OR, @2.first_line, @2.first_column, $1, $3); }
	;

arguments
	: argument                      { $$ = argument(loader, &@1, NULL, $1); }
	| arguments ',' argument        { $$ = argument(loader, &@3, $1, $3); }
	;

argument
	: expr
	| expr BY NODE                  { $$ = expr_operator(loader, EXPR_BY_NODE, @2.first_line, @2.first_column, $1, NULL); }
	;

%%

#define ARGUMENTS_MAX 8          /* no function takes more, see ASL_FUNCTIONS */
#define EXPECTED_MAX 32

static void asl_error(const ASL_LTYPE *at, struct loader *loader, void *scanner, const char *text)
{
	(void)scanner;
	if (!strcmp(text, "memory exhausted"))
		text = "nested too deeply";
	loader_error(loader, at->first_line, at->first_column, "%s", text);
}

/* "unexpected name 'CONDTION'; did you mean 'CONDITION'?" or "unexpected ';', expected number, name or '('". */
static int yyreport_syntax_error(const yypcontext_t *context, struct loader *loader, void *scanner)
{
	yysymbol_kind_t expected[EXPECTED_MAX], found = yypcontext_token(context);
	const ASL_LTYPE *at = yypcontext_location(context);
	const char *names[EXPECTED_MAX];
	int nr = yypcontext_expected_tokens(context, expected, EXPECTED_MAX);
	char list[256] = "";
	size_t length = 0;

	(void)scanner;
	for (int i = 0; i < nr; i++) {
		names[i] = yysymbol_name(expected[i]);
		if (nr <= 5 && length < sizeof(list))
			length += (size_t)snprintf(list + length, sizeof(list) - length, "%s%s", i ? i + 1 < nr ? ", " : " or " : ", expected ", names[i]);
	}
	if (found == YYSYMBOL_YYUNDEF)
		return 0;        /* the scanner has reported it */
	if (found == YYSYMBOL_IDENTIFIER) {
		const char *word = loader->word;

		loader_error(loader, at->first_line, at->first_column, "unexpected '%s'%s%s", word,
			     loader_suggestion(loader, word, names, nr > 0 ? (size_t)nr : 0), list);
		return 0;
	}
	loader_error(loader, at->first_line, at->first_column, "unexpected %s%s",
		     found == YYSYMBOL_YYEOF ? "end of file" : yysymbol_name(found), list);
	return 0;
}

/* A clause that comes twice is an error: one of the two would be silently ignored. */
static void once(struct loader *loader, const ASL_LTYPE *at, const char *clause, bool already)
{
	if (already)
		loader_error(loader, at->first_line, at->first_column, "second %s in property '%s'", clause, loader->property->name.text);
}

static const char *text_join(struct loader *loader, const char *a, const char *b)
{
	size_t length = strlen(a) + strlen(b) + 1;
	char *joined = loader_alloc(loader, length);

	snprintf(joined, length, "%s%s", a, b);
	return joined;
}

static struct asl_names *names_add(struct loader *loader, struct asl_names *names, struct asl_name name)
{
	if (!names)
		names = loader_alloc(loader, sizeof(*names));
	if (!ARENA_GROW(loader->arena, names->items, names->nr, names->room))
		longjmp(loader->trouble, 1);
	names->items[names->nr++] = name;
	return names;
}

static void names_set(struct loader *loader, const ASL_LTYPE *at, const char *clause, struct asl_names *into, const struct asl_names *names)
{
	once(loader, at, clause, into->nr > 0);
	*into = *names;
}

/* ASL writes the types of the parameters; ours are always a region and the phase. */
static void parameter(struct loader *loader, struct asl_name type, const char *wanted, struct asl_name name, struct asl_name *into)
{
	if (strcmp(type.text, wanted) != 0)
		loader_error(loader, type.line, type.column, "parameter of type '%s' where %s is expected: NAME(Region r, Phase p)", type.text, wanted);
	*into = name;
}

static struct asl_name place(const ASL_LTYPE *at, const char *text)
{
	struct asl_name name = { text, at->first_line, at->first_column };

	return name;
}

static void remember(struct loader *loader, const ASL_LTYPE *at)
{
	struct property *property = loader->property;

	if (property->nr_clauses < FORMULA_CLAUSES)
		property->clauses[property->nr_clauses++] = (struct asl_span){
			at->first_line, at->first_column, at->last_line, at->last_column,
		};
}

static struct expr *reference(struct loader *loader, struct asl_name a, struct asl_name b, const char *c)
{
	struct expr *expr = expr_new(loader, EXPR_REFERENCE, a.line, a.column, 0);

	expr->path[0] = a.text;
	expr->path[1] = b.text;
	expr->path[2] = c;
	expr->name = c ? c : b.text;
	return expr;
}

/* Arguments are collected in a call without a name. */
static struct expr *argument(struct loader *loader, const ASL_LTYPE *at, struct expr *list, struct expr *more)
{
	if (!list) {
		list = expr_new(loader, EXPR_CALL, at->first_line, at->first_column, ARGUMENTS_MAX);
		list->nr_args = 0;
	}
	if (list->nr_args == ARGUMENTS_MAX) {
		loader_error(loader, at->first_line, at->first_column, "more than %d arguments", ARGUMENTS_MAX);
		return list;
	}
	list->args[list->nr_args++] = more;
	if (more->depth >= list->depth)
		list->depth = more->depth + 1;
	return list;
}

static struct expr *call(struct asl_name name, struct expr *arguments)
{
	arguments->name = name.text;
	arguments->line = name.line;
	arguments->column = name.column;
	return arguments;
}
